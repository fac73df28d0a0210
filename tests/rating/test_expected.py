"""The correlation with people to expect without labels, and what a summary shows of a doubtful scale."""

import json
import math

import numpy as np
import pytest

from semscale.rating.expected import (
    DOUBTFUL,
    FEWEST_TEXTS,
    expected_correlation,
    has_expectation,
)
from semscale.rating.summary import expected_from_moments
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.intervals import Moments

E5 = {"model": "intfloat/multilingual-e5-small#0123", "readout": "combined", "temperature": 1, "epsilon": 0}


def signature_of(**fields):
    return Signature.of("rate", **(E5 | fields))


def test_expected_r_rises_with_the_spread_of_the_ratings():
    expected = [expected_correlation(spread, 100).value for spread in np.linspace(0.01, 0.4, 40)]
    assert (np.diff(expected) > 0).all()


@pytest.mark.parametrize(
    ("spread", "doubtful"),
    [(0.114, True), (0.117, False)],  # .15 * exp((artanh(.3) - .48) / .65) = .1154
)
def test_scales_are_doubtful_below_the_spread_with_an_expected_r_of_three_tenths(spread, doubtful):
    assert expected_correlation(spread, 100).is_doubtful is doubtful


def test_equal_ratings_of_all_texts_are_doubtful_and_have_an_interval():
    expected = expected_correlation(0.0, 100)
    assert expected.is_doubtful
    assert -1 <= expected.low <= expected.value <= expected.high <= 1


def test_few_texts_have_no_expectation():
    assert expected_correlation(0.2, FEWEST_TEXTS - 1) is None
    assert expected_correlation(0.2, FEWEST_TEXTS) is not None


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({}, True),
        ({"model": "all-MiniLM-L6-v2"}, False),
        ({"readout": "ssr"}, False),
        ({"temperature": 0.5}, False),
        ({"epsilon": 0.1}, False),
        ({"calibration": "abc"}, False),
    ],
)
def test_expectation_holds_for_the_default_model_and_readout_without_calibration(fields, known):
    assert has_expectation(signature_of(**fields)) is known


def test_spread_is_the_standard_deviation_as_a_share_of_the_scale():
    # Means 2 and 4 in equal numbers deviate by 1 from 3; quality goes from 1 to 5.
    rows = np.array([[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]] * 20)
    moments = Moments.empty(3).with_clusters(rows)
    expected = expected_from_moments(moments, load_scale("quality"), signature_of())
    assert expected.n == 40
    assert expected.spread == pytest.approx(0.25)
    assert expected.value == pytest.approx(math.tanh(0.48 + 0.65 * math.log(0.25 / 0.15)))
    assert expected.value > DOUBTFUL


def test_ratings_of_another_model_have_no_expectation():
    rows = np.array([[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]] * 20)
    other = signature_of(model="another")
    assert expected_from_moments(Moments.empty(3).with_clusters(rows), load_scale("quality"), other) is None


def test_expectation_is_json():
    record = expected_correlation(0.05, 100).record()
    assert json.loads(json.dumps(record))["is_doubtful"] is True
