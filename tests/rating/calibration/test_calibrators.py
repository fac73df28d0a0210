import json

import numpy as np
import pytest
from labelled_toys import VALUES, answered, predictors_at

from semscale.rating.calibration.calibrators import METHODS, calibrator_of, fit_calibrator
from semscale.rating.calibration.predictors import Predictors

PLACES = np.linspace(0, 1, 40)
HUMAN = answered(1 + 4 * PLACES)


def rated_by(pmf):
    texts = predictors_at(PLACES)
    return Predictors(texts.vectors, pmf, VALUES, texts.axis)


@pytest.mark.parametrize("method", METHODS)
def test_masses_sum_to_1_and_survive_their_record(method):
    texts = rated_by(HUMAN**0.5 / (HUMAN**0.5).sum(axis=1, keepdims=True))
    fitted = fit_calibrator(method, texts, HUMAN)
    pmf = fitted.pmf(texts)
    np.testing.assert_allclose(pmf.sum(axis=1), 1)
    again = calibrator_of(method, json.loads(json.dumps(fitted.record())))
    assert again.pmf(texts).tolist() == pmf.tolist()


def test_none_changes_nothing():
    texts = predictors_at(PLACES)
    assert fit_calibrator("none", texts, HUMAN).pmf(texts) is texts.pmf


def test_the_temperature_undoes_a_known_flattening():
    flat = HUMAN**0.25
    texts = rated_by(flat / flat.sum(axis=1, keepdims=True))
    fitted = fit_calibrator("temperature", texts, HUMAN)
    assert fitted.record() == {"temperature": 0.25, "equal_share": pytest.approx(0, abs=1e-9)}


def test_the_mixture_finds_a_known_share_of_noise():
    # People answer as rated in 60 %, and by chance in 40 %.
    fitted = fit_calibrator("temperature", rated_by(HUMAN), 0.6 * HUMAN + 0.4 / 5)
    assert fitted.record() == {"temperature": 1.0, "equal_share": pytest.approx(0.4)}


@pytest.mark.parametrize("method", ["affine", "isotonic"])
def test_ratings_squeezed_into_the_middle_are_stretched_again(method):
    squeezed = rated_by(answered(3 + (4 * PLACES - 2) / 4))
    means = fit_calibrator(method, squeezed, HUMAN).pmf(squeezed) @ VALUES
    np.testing.assert_allclose(means, HUMAN @ VALUES, atol=0.35)


def test_isotonic_never_falls_where_ratings_run_the_wrong_way():
    texts = rated_by(HUMAN[::-1])
    means = fit_calibrator("isotonic", texts, HUMAN).pmf(texts) @ VALUES
    np.testing.assert_allclose(means, means[0])


@pytest.mark.parametrize("method", ["ordinal", "ridge"])
def test_vectors_tell_what_ratings_of_equal_shares_do_not(method):
    texts = predictors_at(PLACES)
    means = fit_calibrator(method, texts, HUMAN).pmf(texts) @ VALUES
    assert np.corrcoef(means, HUMAN @ VALUES)[0, 1] > 0.98


def test_an_unknown_method_is_refused():
    with pytest.raises(KeyError):
        calibrator_of("boosting", {})
