"""The probability of being right: labels, areas under the ROC curve, curves, decisions."""

import numpy as np
import pytest

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.correctness import (
    FewestLabels,
    LabelCounts,
    correctness_frame,
    estimate_correctness,
    measure_areas,
    read_labels,
    rows_with_value,
)
from semscale.errors import InputError


def simulate(n=400, seed=0):
    """n items of 10 samples; the share of samples that equal the answer is its chance of being right."""
    rng = np.random.default_rng(seed)
    equal = rng.integers(0, 11, n)
    samples = [["a"] * k + [f"b{j}" for j in range(10 - k)] for k in equal.tolist()]
    result = Consistency(measures=["exact_match"]).measure(["a"] * n, samples)
    return result, (rng.random(n) < equal / 10).astype(float)


def test_probabilities_are_calibrated_and_right_answers_have_higher_probabilities():
    result, correct = simulate()
    correctness = result.correctness(correct, curve="isotonic")
    assert np.corrcoef(correctness.probability, result.score)[0, 1] > 0.95
    assert correctness.figures.error < 0.1
    assert correctness.figures.brier.value < correctness.figures.brier_of_share
    # Of k = 0 to 10 equal samples k/10 are right and (10 - k)/10 wrong, so the area under the curve is the
    # sum of i (10 - j) over i > j, ties counting half, by 55 * 55.
    area = sum(i * (10 - j) * (1 if i > j else 0.5) for i in range(11) for j in range(i + 1)) / 55**2
    assert correctness.areas["exact_match"].value == pytest.approx(area, abs=0.04)
    assert correctness.areas["brevity"].value == 0.5  # all answers are equally long


def test_a_subset_of_answers_has_the_same_numbers_as_within_all_answers():
    result, correct = simulate(100)
    correctness = result.correctness(correct)
    rows = np.array([7, 3])
    some = correctness.some(rows)
    assert some.probability.tolist() == correctness.probability[rows].tolist()
    assert (some.low.tolist(), some.high.tolist()) == (
        correctness.low[rows].tolist(), correctness.high[rows].tolist()
    )  # fmt: skip
    assert some.decision == (correctness.decision[7], correctness.decision[3])
    assert correctness.shares["accept"] == correctness.decision.count("accept") / 100


def test_labels_that_are_all_right_give_thresholds_without_a_curve():
    result, _ = simulate(300)
    correctness = result.correctness([1] * 300)
    # At a true rate of .05 the chance of 300 right ones is .95 ** 300, about 2e-7.
    assert correctness.triage.accept.value is not None
    assert correctness.triage.accept.n_errors == 0
    assert correctness.triage.abstain.value is None
    assert "accept" in correctness.decision
    assert "abstain" not in correctness.decision
    assert (correctness.figures, correctness.curve) == (None, None)
    assert (correctness.labels.right, correctness.labels.wrong) == (300, 0)
    assert np.isnan(correctness.areas["exact_match"].value)
    frame = correctness_frame(correctness)
    for name in ("probability_correct", "probability_correct_low", "probability_correct_high"):
        assert frame[name].null_count() == 300


def test_labels_that_are_all_wrong_give_only_a_threshold_to_abstain():
    result, _ = simulate(300)
    correctness = result.correctness([0] * 300, ensemble="mean")
    assert correctness.triage.accept.value is None
    assert correctness.triage.abstain.value is not None
    assert set(correctness.decision) <= {"abstain", "review"}


def test_intervals_of_probabilities_narrow_with_more_labels():
    few, many = (
        estimate_correctness(result.measures, correct) for result, correct in map(simulate, (60, 2000))
    )
    for estimate in (few, many):
        assert (estimate.low < estimate.probability).all()
        assert (estimate.probability < estimate.high).all()
    assert (many.high - many.low).mean() < (few.high - few.low).mean() / 3  # root of 2,000 / 60 is 5.8
    assert np.isnan(
        estimate_correctness({"a": np.array([np.nan, *[0.1, 0.9] * 20])}, [1] + [0, 1] * 20).low[0]
    )


def test_decisions_follow_the_thresholds_and_keep_their_promise():
    result, _ = simulate(2000)
    correct = (result.score > 0.45).astype(float)
    correctness = estimate_correctness(result.measures, correct)
    decision = np.array(correctness.decision)
    assert set(decision) == {"accept", "abstain"} | ({"review"} & set(decision))
    assert correct[decision == "accept"].mean() >= 0.95
    assert correct[decision == "abstain"].mean() <= 0.2


def test_intervals_have_the_coverage_that_is_asked_for():
    result, correct = simulate()
    wide, narrow = (result.correctness(correct, interval=interval).figures.brier for interval in (0.95, 0.5))
    assert wide.low < narrow.low < wide.value == narrow.value < narrow.high < wide.high


def test_items_without_a_consistency_or_a_label_stay_without():
    result, correct = simulate(100)
    labels = [None if n % 3 else bool(value) for n, value in enumerate(correct)]
    correctness = estimate_correctness(result.measures, labels)
    assert correctness.figures.n == 34
    assert not np.isnan(correctness.probability).any()
    empty = Consistency(measures=["exact_match"]).measure(["a"] * 101, [["a"], *[["a", "b"]] * 99, []])
    correctness = estimate_correctness(empty.measures, [n % 2 for n in range(101)])
    assert correctness.decision[-1] is None
    assert correctness_frame(correctness)["probability_correct"].null_count() == 1


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1] * 5, "correct must have 100 rows as the items have, got 5"),
        ([1] * 9 + [0] * 9 + [None] * 82, "at least 20 items"),
        (["maybe"] * 100, "got 'maybe' in row 1"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        simulate(100)[0].correctness(labels)


def two_measures(n=400, seed=0):
    """One measure that tells right from wrong, and one that says nothing."""
    rng = np.random.default_rng(seed)
    correct = rng.permutation(np.arange(n) % 2).astype(float)
    telling = np.clip(0.5 + 0.25 * (2 * correct - 1) + rng.normal(0, 0.2, n), 0, 1)
    return {"telling": telling, "noise": rng.random(n)}, correct


def test_the_plain_mean_needs_no_separate_labels():
    measures, correct = two_measures()
    result = estimate_correctness(measures, correct, ensemble="mean")
    assert result.measure == "ensemble_mean"
    assert result.weights == {"telling": 0.5, "noise": 0.5}
    assert result.figures.n == 400
    assert result.areas["noise"].value < result.areas["ensemble_mean"].value < result.areas["telling"].value


def test_tuned_weights_use_half_of_the_labels_and_thresholds_the_other_half():
    measures, correct = two_measures()
    result = estimate_correctness(measures, correct, ensemble="tuned")
    assert result.measure == "ensemble_tuned"
    assert result.weights["telling"] > 0.7
    assert sum(result.weights.values()) == pytest.approx(1)
    assert result.figures.n == result.triage.accept.n == 200
    assert result.areas["ensemble_tuned"].value > result.areas["ensemble_mean"].value


def test_an_ensemble_that_is_not_known_or_has_too_few_labels_is_refused():
    measures, correct = two_measures(60)
    with pytest.raises(
        InputError,
        match="at least 80 items .*, 10 or more of them right .* got 30 right and 30 wrong; label more",
    ):
        estimate_correctness(measures, correct, ensemble="tuned")
    with pytest.raises(InputError, match="unknown ensemble 'median'"):
        estimate_correctness(measures, correct, ensemble="median")


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(5))
def test_ten_wrong_answers_are_enough_for_tuned_weights_with_any_seed(seed):
    measures, _ = two_measures(200)
    correct = np.arange(200) >= 10
    measures["telling"] = np.where(correct, 0.7, 0.3) + np.random.default_rng(seed).normal(0, 0.2, 200)
    result = estimate_correctness(measures, correct, ensemble="tuned", seed=seed)
    assert result.figures.n == 100
    nine = np.arange(200) >= 9
    with pytest.raises(InputError, match="got 191 right and 9 wrong; label more, or take the plain mean"):
        estimate_correctness(measures, nine, ensemble="tuned", seed=seed)


def test_values_filled_in_by_an_ensemble_are_counted():
    measures, correct = two_measures(100)
    measures["noise"][:30] = np.nan
    measures["telling"][95:] = np.nan
    measures["noise"][95:97] = np.nan  # two items have no measure at all: nothing is filled in
    measures["none"] = np.full(100, np.nan)
    result = estimate_correctness(measures, correct, ensemble="mean")
    assert result.filled == {"telling": 3, "noise": 30}
    assert result.comparison.n == {"telling": 95, "noise": 68, "none": 0, "ensemble_mean": 98}
    assert result.comparison.n_common == 65
    assert estimate_correctness(measures, correct).filled == {}


def test_few_labels_give_no_thresholds_but_the_number_needed():
    measures, correct = two_measures(40)
    note = estimate_correctness(measures, correct).triage.accept.note
    assert note.startswith("40 labels are too few to show a rate of 0.05") or "no threshold keeps" in note


def test_labels_as_files_have_them():
    cells = ["TRUE", "correct", 1, 1.0, "0", "Wrong", False, "", None, float("nan")]
    np.testing.assert_array_equal(read_labels(cells), [1, 1, 1, 1, 0, 0, 0, np.nan, np.nan, np.nan])


def test_an_invalid_label_is_reported_with_its_row():
    with pytest.raises(InputError, match="got 'perhaps' in row 102"):
        read_labels([1, "perhaps"], 100)


@pytest.mark.parametrize(
    ("ensemble", "right", "wrong", "are_met"),
    [
        ("none", 19, 1, True),
        ("none", 18, 1, False),
        ("none", 20, 0, True),
        ("mean", 1, 19, True),
        ("tuned", 70, 10, True),
        ("tuned", 69, 10, False),
        ("tuned", 100, 9, False),
        ("tuned", 9, 100, False),
    ],
)
def test_how_many_labels_an_ensemble_needs(ensemble, right, wrong, are_met):
    assert FewestLabels.for_ensemble(ensemble).are_met(LabelCounts(right, wrong)) is are_met


def test_an_ensemble_counts_items_that_have_any_measure():
    measures = {"a": np.array([0.1, np.nan, np.nan]), "b": np.array([np.nan, 0.2, np.nan])}
    assert rows_with_value(measures, "none").tolist() == [True, False, False]
    assert rows_with_value(measures, "tuned").tolist() == [True, True, False]


NAN = np.nan


def test_measures_are_compared_on_the_answers_that_have_all_of_them():
    # "a" puts .9 (right) above .1 and .5 (wrong), and .2 (right) above .1 alone: 3 of 4. "b" is there for the
    # first two answers, on which both are perfect.
    measures = {"a": np.array([0.9, 0.1, 0.2, 0.5, 0.7]), "b": np.array([0.6, 0.3, NAN, NAN, 0.1])}
    result = measure_areas(measures, np.array([1.0, 0, 1, 0, NAN]))
    assert result.separate["a"].value == 0.75
    assert result.separate["b"].value == 1.0
    assert result.n == {"a": 4, "b": 2}
    assert (result.n_common, result.common["a"].value, result.common["b"].value) == (2, 1.0, 1.0)
    assert result.compared is result.common


def test_measures_of_the_same_answers_need_no_second_comparison():
    result = measure_areas({"a": np.array([0.9, 0.1]), "b": np.array([0.2, 0.3])}, np.array([1.0, 0]))
    assert result.common == {}
    assert result.n_common == 2
    assert result.compared is result.separate


def test_a_measure_that_no_answer_has_hides_no_answer():
    measures = {"a": np.array([0.9, 0.1]), "none": np.full(2, NAN)}
    result = measure_areas(measures, np.array([1.0, 0]))
    assert (result.n_common, result.common, result.n["none"]) == (2, {}, 0)
    assert np.isnan(result.separate["none"].value)


def test_measures_without_common_answers_of_both_kinds_keep_separate_areas():
    measures = {"a": np.array([0.9, 0.1, NAN, NAN]), "b": np.array([NAN, NAN, 0.2, 0.4])}
    result = measure_areas(measures, np.array([1.0, 0, 1, 0]))
    assert result.n_common == 0
    assert result.compared is result.separate
    assert np.isnan(result.common["a"].value)


def test_without_labels_there_is_nothing():
    result = measure_areas({"a": np.array([0.9, 0.1])}, np.full(2, NAN))
    assert (result.n, result.n_common, result.common) == ({"a": 0}, 0, {})
