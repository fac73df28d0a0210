"""Probabilities of a code by hand-coded answers."""

import numpy as np
import pytest

from semscale.coding.code_calibration import calibrate_code
from semscale.stats.calibration.calibrators import fit_platt

RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=400)
ROWS = np.arange(400)
LABELS = (RNG.uniform(size=400) < 1 / (1 + np.exp(-2 * SCORES))).astype(float)


def test_too_few_of_a_kind_give_no_probability_and_leave_the_score():
    labels = np.full(400, np.nan)
    labels[:100] = 0.0
    labels[:4] = 1.0
    found = calibrate_code(SCORES, labels[None])
    assert np.isnan(found.probability(SCORES)).all()
    assert found.held_out(SCORES, ROWS) is SCORES
    assert (found.calibration.n_with, found.calibration.n_without) == (4, 96)
    assert found.calibration.curve is found.calibration.figures is None


def test_one_answer_by_five_people_is_not_five_answers():
    labels = np.zeros((5, 400))
    labels[:, 0] = 1.0
    assert calibrate_code(SCORES, labels).calibration.curve is None


def test_probabilities_are_those_of_platts_curve_of_all_labels():
    labels = np.where(np.arange(400) < 200, LABELS, np.nan)
    found = calibrate_code(SCORES, labels[None])
    expected = fit_platt(SCORES[:200], LABELS[:200]).probability(SCORES)
    assert found.probability(SCORES) == pytest.approx(expected)
    assert found.calibration.figures.brier.value < found.calibration.figures.brier_of_share


def test_a_label_does_not_enter_its_own_held_out_probability():
    changed = LABELS.copy()
    changed[7] = 1 - changed[7]
    before, after = (
        calibrate_code(SCORES, labels[None]).held_out(SCORES, ROWS) for labels in (LABELS, changed)
    )
    assert before[7] == after[7]
    assert not np.allclose(before, after)


def test_missing_scores_stay_missing():
    scores = SCORES.copy()
    scores[5] = np.nan
    found = calibrate_code(scores, LABELS[None])
    assert np.isnan(found.probability(scores)[5])
    assert np.isnan(found.held_out(scores, ROWS)[5])


def test_curves_of_the_coded_answers_alone_are_those_of_all_answers():
    coded = np.arange(3, 400, 5)
    labels = np.full(400, np.nan)
    labels[coded] = LABELS[coded]
    whole, part = calibrate_code(SCORES, labels[None]), calibrate_code(SCORES[coded], LABELS[None, coded])
    places = np.full(400, -1)
    places[coded] = np.arange(len(coded))
    assert whole.calibration == part.calibration
    assert whole.held_out(SCORES, ROWS).tolist() == part.held_out(SCORES, places).tolist()


def test_an_answer_that_nobody_coded_has_the_mean_of_the_folds():
    found = calibrate_code(SCORES[:100], LABELS[None, :100])
    by_fold = [curve.probability(np.array([0.3]))[0] for curve in found.of_folds]
    assert len(by_fold) == 5
    assert found.held_out(np.array([0.3]), np.array([-1])) == pytest.approx(sum(by_fold) / 5)


def test_nobody_coded():
    found = calibrate_code(SCORES, np.zeros((0, 400)))
    assert found.calibration.curve is None
    assert found.calibration.n_with == found.calibration.n_without == 0
