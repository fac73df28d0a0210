"""Probabilities of a code by hand-coded answers."""

import numpy as np
import pytest

from semscale.coding.code_calibration import calibrate_code
from semscale.stats.calibration.calibrators import fit_platt

RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=400)
LABELS = (RNG.uniform(size=400) < 1 / (1 + np.exp(-2 * SCORES))).astype(float)


def test_too_few_of_a_kind_give_no_probability_and_leave_the_score():
    labels = np.full(400, np.nan)
    labels[:100] = 0.0
    labels[:4] = 1.0
    found = calibrate_code(SCORES, labels[None])
    assert np.isnan(found.probability).all()
    assert found.held_out is SCORES
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
    assert found.probability == pytest.approx(expected)
    assert found.calibration.figures.brier.value < found.calibration.figures.brier_of_share


def test_a_label_does_not_enter_its_own_held_out_probability():
    changed = LABELS.copy()
    changed[7] = 1 - changed[7]
    before, after = (calibrate_code(SCORES, labels[None]).held_out for labels in (LABELS, changed))
    assert before[7] == after[7]
    assert not np.allclose(before, after)


def test_missing_scores_stay_missing():
    scores = SCORES.copy()
    scores[5] = np.nan
    found = calibrate_code(scores, LABELS[None])
    assert np.isnan(found.probability[5])
    assert np.isnan(found.held_out[5])


def test_nobody_coded():
    found = calibrate_code(SCORES, np.zeros((0, 400)))
    assert found.calibration.curve is None
    assert found.calibration.n_with == found.calibration.n_without == 0
