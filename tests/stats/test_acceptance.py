"""Thresholds with an error rate that holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from semscale.errors import InputError
from semscale.stats.acceptance import (
    ThresholdStep,
    acceptance_steps,
    candidate_thresholds,
    holding_steps,
    smallest_enough,
    start_steps,
    triage,
)


def threshold_for_accepting(scores, correct, **settings):
    """Give the threshold the whole 5 %, half of the 10 % that a triage may break both promises with."""
    return triage(scores, correct, confidence=0.9, **settings).accept


def answers(n, m, rng, slope=12.0, middle=0.5):
    """Scores of n labelled and m other answers, and which of the labelled are right."""
    scores = rng.beta(4, 2, n + m)
    right = (rng.random(n + m) < expit(slope * (scores - middle))).astype(float)
    return scores, np.where(np.arange(n + m) < n, right, np.nan)


def true_rates(slope=12.0, middle=0.5):
    """Scores in ascending order with the error rate at or above, and the share right at or below."""
    scores, right = answers(400_000, 0, np.random.default_rng(99), slope, middle)
    order = np.argsort(scores)
    right = right[order]
    counts = np.arange(1, len(right) + 1)
    return scores[order], (np.cumsum(1 - right[::-1]) / counts)[::-1], np.cumsum(right) / counts


@pytest.mark.parametrize("unlabelled", [0, 1000])
def test_accepted_answers_stay_within_the_error_rate(unlabelled):
    ordered, errors, _ = true_rates()
    rng = np.random.default_rng(1)
    exceeded = outcome = 0
    for _ in range(200):
        threshold = threshold_for_accepting(*answers(500, unlabelled, rng), error_rate=0.1).value
        if threshold is not None:
            outcome += 1
            exceeded += errors[min(np.searchsorted(ordered, threshold), len(errors) - 1)] > 0.1
    assert exceeded / 200 <= 0.05
    assert outcome / 200 > 0.5


def test_acceptance_and_abstention_limits_hold_together():
    ordered, errors, lost = true_rates()
    rng = np.random.default_rng(2)
    broken = 0
    for _ in range(150):
        outcome = triage(*answers(600, 1000, rng), error_rate=0.1, lost_rate=0.3)
        accept, abstain = outcome.accept.value, outcome.abstain.value
        wrong = accept is not None and errors[np.searchsorted(ordered, accept)] > 0.1
        wrong |= abstain is not None and lost[np.searchsorted(ordered, abstain, side="right") - 1] > 0.3
        broken += wrong
        if accept is not None and abstain is not None:
            assert abstain < accept
    assert broken / 150 <= 0.05


def test_pure_noise_is_not_accepted():
    rng = np.random.default_rng(3)
    scores, right = rng.random(500), (rng.random(500) < 0.7).astype(float)
    outcome = threshold_for_accepting(scores, right, error_rate=0.05)
    assert outcome.value is None
    assert (outcome.n_accepted, outcome.accepted, outcome.error_high) == (0, 0, 1)
    assert outcome.note


def test_too_few_labels_say_how_many_are_needed():
    # All right: 59 accepted items without an error show 5 % at 95 %, as .95 ** 59 < .05 <= .95 ** 58. A
    # quarter of the chance enters at each of four steps, so it is .95 ** n <= .0125: 86 items.
    outcome = threshold_for_accepting(np.linspace(0, 1, 30), np.ones(30))
    assert outcome.value is None
    assert outcome.labels_needed == 86
    assert "30 labels are too few" in outcome.note


def test_as_many_labels_as_were_asked_for_are_enough():
    outcome = threshold_for_accepting(np.linspace(0, 1, 90), np.ones(90))
    assert outcome.value is not None
    assert outcome.error_high < 0.05


def test_errors_everywhere_cannot_be_mended_by_labels():
    outcome = threshold_for_accepting(np.linspace(0, 1, 50), np.zeros(50))
    assert outcome.labels_needed is None
    assert outcome.note == "no threshold keeps errors below 5 %"


def test_counts_of_the_result_are_those_of_the_labelled_items():
    scores, right = answers(500, 500, np.random.default_rng(4))
    scores[0], right[1] = np.nan, np.nan
    outcome = threshold_for_accepting(scores, right, error_rate=0.1)
    labelled = ~np.isnan(right) & ~np.isnan(scores)
    above = labelled & (scores >= outcome.value)
    assert (outcome.n, outcome.n_left_out) == (498, 502)
    assert (outcome.n_accepted, outcome.n_errors) == (above.sum(), (1 - right[above]).sum())
    assert outcome.accepted == pytest.approx((scores >= outcome.value).sum() / (~np.isnan(scores)).sum())
    assert outcome.error_high <= 0.1


def test_triage_shares_sum_to_1():
    scores, right = answers(800, 800, np.random.default_rng(5))
    outcome = triage(scores, right, error_rate=0.1, lost_rate=0.3)
    assert outcome.accept.value is not None
    assert outcome.abstain.value is not None
    assert outcome.accept.accepted + outcome.abstain.accepted + outcome.reviewed == pytest.approx(1)
    assert outcome.abstain.accepted == pytest.approx((scores <= outcome.abstain.value).mean())
    assert outcome.confidence == 0.95


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_steps_count_what_is_accepted(rows):
    scores, right = np.array(rows, float).T
    for step in acceptance_steps(scores, right, np.array([4.0, 2.5, 0.0])):
        assert step.n == (scores >= step.threshold).sum()
        assert step.errors == (1 - right[scores >= step.threshold]).sum()


def test_failed_step_loses_its_error_share_but_the_next_start_has_another():
    # At 5 %: 0 of 90 has p .0099, 30 of 100 about 1, 2 of 200 .0023, 20 of 220 about 1.
    steps = [
        ThresholdStep(0.9, 90, 0),
        ThresholdStep(0.8, 100, 30),
        ThresholdStep(0.6, 190, 2),
        ThresholdStep(0.5, 200, 2),
        ThresholdStep(0.4, 220, 20),
    ]
    assert holding_steps(steps, [0, 3], 0.05, 0.05) == [steps[0], steps[3]]
    assert holding_steps(steps, [0], 0.05, 0.05) == [steps[0]]


def test_starts_are_where_success_is_possible():
    steps = [ThresholdStep(1 - share / 10, 10 * share, 0) for share in range(1, 11)]
    # 42 items without an error show 10 % at .0125: ln .0125 / ln .9 = 41.6. Four starts among 50 to 100.
    assert start_steps(steps, 100, np.array([]), 0.1, 0.05) == [4, 5, 6, 7]
    assert start_steps(steps[:2], 100, np.array([]), 0.1, 0.05) == [1]
    assert start_steps([], 100, np.array([]), 0.1, 0.05) == []


def test_candidates_come_from_unlabelled_scores_or_bounds():
    many = np.linspace(0.5, 0.9, 100)
    assert candidate_thresholds(many, (0, 1)).min() == 0.5
    few = candidate_thresholds(many[:10], (0, 1))
    assert (few[0], few[-1], len(few)) == (1, 0, 50)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"error_rate": 0}, "error_rate"),
        ({"confidence": 95}, "confidence"),
        ({"error_rate": 1.0}, "error_rate"),
        ({"lost_rate": -0.1}, "lost_rate"),
    ],
)
def test_bad_promises_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        triage(np.ones(3), np.ones(3), **settings)


@pytest.mark.parametrize("wanted", [3, 4, 7, 99, 100])
def test_finds_the_first_that_is_enough(wanted):
    assert smallest_enough(lambda n: n >= wanted, 3, 100) == wanted


def test_smallest_n_is_returned_if_all_are_enough():
    assert smallest_enough(lambda n: True, 3, 100) == 3


def test_none_where_nothing_is_enough_or_there_is_nothing_to_try():
    assert smallest_enough(lambda n: False, 3, 100) is None
    assert smallest_enough(lambda n: True, 3, 2) is None
