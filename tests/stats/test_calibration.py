"""Probabilities from scores, weighted scores, and how well they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from semscale.errors import InputError
from semscale.stats.calibration import (
    calibration_figures,
    cross_fitted,
    equal_bins,
    fit_curve,
    fit_isotonic,
    fit_platt,
    log_scores,
    out_of_fold_scores,
    random_folds,
    ranked_probability_scores,
    stratified_folds,
    tune_weights,
    weighted_mean,
)
from semscale.stats.correlations import roc_area

SCORES = (np.arange(40) * 17 % 41) / 41

RIGHT = ((SCORES + ((np.arange(40) * 29 % 11) - 5) / 12) > 0.5).astype(float)

ASKED = np.array([0, 0.2, 0.35, 0.5, 0.61, 0.9, 1.0])

pairs = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("digits", "slope", "intercept"),
    # scikit-learn 1.9.1, sklearn.calibration._sigmoid_calibration, whose signs are the other way round.
    [(9, 5.093426258165278, -2.3170690585888085), (1, 4.979925687077194, -2.2579103097314315)],
)
def test_platt_as_scikit_learn(digits, slope, intercept):
    curve = fit_platt(np.round(SCORES, digits), RIGHT)
    assert (curve.slope, curve.intercept) == (
        pytest.approx(slope, rel=1e-4),
        pytest.approx(intercept, rel=1e-4),
    )


@pytest.mark.parametrize(
    ("digits", "expected"),
    # scikit-learn 1.9.1, IsotonicRegression(out_of_bounds="clip"); the second with ties.
    [
        (9, [0, 1 / 3, 0.4, 0.5, 0.5, 1, 1]),
        (1, [0, 0.375, 0.41477273, 0.45454545, 0.48409091, 1, 1]),
    ],
)
def test_isotonic_as_scikit_learn(digits, expected):
    curve = fit_isotonic(np.round(SCORES, digits), RIGHT)
    np.testing.assert_allclose(curve.probability(ASKED), expected, atol=1e-6)


def test_platt_stays_finite_where_scores_part_right_from_wrong():
    curve = fit_platt(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0.0, 0, 1, 1]))
    # Targets are 1 / 4 and 3 / 4: no probability beyond what four labels can say by much.
    low, high = curve.probability(np.array([0.15, 0.85]))
    assert low == pytest.approx(0.25, abs=0.01)
    assert high == pytest.approx(0.75, abs=0.01)


def test_single_class_does_not_give_certainty():
    # Ten right: the target is 11 / 12.
    curve = fit_platt(np.linspace(0, 1, 10), np.ones(10))
    np.testing.assert_allclose(curve.probability(ASKED), 11 / 12, atol=1e-6)


@given(pairs)
def test_probabilities_are_probabilities_and_isotonic_never_falls(rows):
    scores, right = np.array(rows, float).T
    asked = np.linspace(-5, 25, 61)
    for name in ("platt", "isotonic"):
        result = fit_curve(scores, right, name).probability(asked)
        assert ((result >= 0) & (result <= 1)).all()
    assert (np.diff(fit_isotonic(scores, right).probability(asked)) >= -1e-12).all()


@given(pairs)
def test_isotonic_keeps_the_overall_share(rows):
    scores, right = np.array(rows, float).T
    assert fit_isotonic(scores, right).probability(scores).mean() == pytest.approx(right.mean())


@given(pairs, st.floats(0.1, 100), st.floats(-50, 50))
def test_platt_does_not_depend_on_the_unit_of_scores(rows, factor, shift):
    scores, right = np.array(rows, float).T
    platt = fit_platt(scores, right).probability(scores)
    other = fit_platt(factor * scores + shift, right).probability(factor * scores + shift)
    np.testing.assert_allclose(platt, other, atol=1e-5)


def test_missing_scores_and_labels_are_left_out_and_stay_missing():
    scores, right = np.r_[SCORES, np.nan, 0.5], np.r_[RIGHT, 1.0, np.nan]
    curve = fit_platt(scores, right)
    assert (curve.n, curve.n_left_out) == (40, 2)
    assert curve.slope == pytest.approx(fit_platt(SCORES, RIGHT).slope)
    assert np.isnan(curve.probability(np.array([np.nan, 0.5]))).tolist() == [True, False]


def test_cross_fitting_leaves_the_predicted_item_out():
    # The one label that differs is never in the fold that predicts it: an isotonic curve cannot know it.
    scores, right = np.linspace(0, 1, 20), np.zeros(20)
    right[-1] = 1
    seen = fit_isotonic(scores, right).probability(scores)
    honest = cross_fitted(scores, right, "isotonic", folds=20)
    assert seen[-1] == 1
    assert honest[-1] == 0


def test_cross_fitting_keeps_clusters_together():
    clusters = np.repeat(np.arange(10), 4)
    right = np.repeat([0.0, 1.0] * 5, 4)
    rng = np.random.default_rng(0)
    scores = np.repeat(rng.random(10), 4)  # an answer to the same question has the same score
    apart = cross_fitted(scores, right, "isotonic", clusters=clusters, folds=10)
    mixed = cross_fitted(scores, right, "isotonic", folds=40)
    assert np.abs(mixed - right).mean() < np.abs(apart - right).mean()


def test_figures_are_worse_and_honest_out_of_sample():
    rng = np.random.default_rng(0)
    scores, right = rng.random(60), (rng.random(60) < 0.5).astype(float)
    seen = calibration_figures(fit_isotonic(scores, right).probability(scores), right)
    honest = calibration_figures(cross_fitted(scores, right, "isotonic"), right)
    assert seen.brier.value < 0.25 < honest.brier.value


def test_brier_and_error_by_hand():
    # Squares: .04 .64 .04 .04; bins of equal scores: shares 1 / 2 and 1, means .2 and .8.
    figures = calibration_figures(np.array([0.2, 0.2, 0.8, 0.8]), np.array([0.0, 1, 1, 1]), n_bins=2)
    assert figures.brier.value == pytest.approx(0.19)
    assert figures.error == pytest.approx((0.3 + 0.2) / 2)
    # reliability (.09 + .04) / 2, resolution (.25^2 + .25^2) / 2, uncertainty .75 * .25
    parts = figures.parts
    assert parts.reliability == pytest.approx(0.065)
    assert parts.resolution == pytest.approx(0.0625)
    assert parts.uncertainty == pytest.approx(0.1875)
    assert parts.within_bins == pytest.approx(0, abs=1e-12)
    # (.09 - .25 / 1) / 2 + (.04 - 0) / 2 is below 0
    assert figures.debiased_error == 0
    assert [(row.n, row.observed.value) for row in figures.bins] == [(2, 0.5), (2, 1.0)]
    assert figures.brier_of_share == pytest.approx(0.1875)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=60), st.integers(1, 12))
def test_parts_add_up_and_bins_hold_everything(rows, n_bins):
    p, right = np.array(rows, float).T
    figures = calibration_figures(p, right, n_bins=n_bins)
    parts = figures.parts
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins
    assert total == pytest.approx(figures.brier.value)
    assert sum(row.n for row in figures.bins) == len(p)
    assert 1 <= len(figures.bins) <= n_bins
    assert 0 <= figures.error <= 1
    assert 0 < figures.error_p_value <= 1


def test_true_probabilities_are_calibrated():
    rng = np.random.default_rng(1)
    p = rng.random(3000)
    figures = calibration_figures(p, (rng.random(3000) < p).astype(float))
    assert figures.error == pytest.approx(figures.error_by_chance, abs=0.012)
    assert figures.error_p_value > 0.05
    assert figures.debiased_error < 0.02
    low = sum(row.observed.low <= row.predicted <= row.observed.high for row in figures.bins)
    assert low >= 8


def test_overconfidence_is_detected():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    figures = calibration_figures(np.clip(1.6 * (p - 0.5) + 0.5, 0, 1), (rng.random(3000) < p).astype(float))
    assert figures.error > 3 * figures.error_by_chance
    assert figures.error_p_value < 0.01


def test_bins_are_even_and_never_part_equals():
    assert np.bincount(equal_bins(np.random.default_rng(0).random(100), 10)).tolist() == [10] * 10
    assert equal_bins(np.repeat([0.1, 0.2, 0.9], [50, 1, 1]), 3).tolist() == [0] * 50 + [1, 1]


def test_items_without_a_probability_or_label_are_counted():
    figures = calibration_figures(np.array([0.2, np.nan, 0.8, 0.5]), np.array([0.0, 1, 1, np.nan]))
    assert (figures.n, figures.n_left_out, figures.brier.n) == (2, 2, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_platt(np.ones(3), np.ones(2)), "one length"),
        (lambda: fit_platt(np.array([np.inf, 1.0]), np.ones(2)), "finite"),
        (lambda: fit_platt(np.ones(2), np.array([0.5, 1])), "correct must be 1"),
        (lambda: fit_platt(np.ones(2), np.array([np.nan, 1])), "at least 2 labels"),
        (lambda: fit_curve(SCORES, RIGHT, "beta"), "curve must be"),
        (lambda: cross_fitted(SCORES, RIGHT, folds=1), "folds"),
        (lambda: cross_fitted(SCORES, RIGHT, folds=41), "folds"),
        (lambda: calibration_figures(2 * SCORES, RIGHT), "within 0 to 1"),
        (lambda: calibration_figures(SCORES, RIGHT, n_bins=0), "n_bins"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_the_interval_of_platt_s_curve_by_hand():
    """Equal scores leave the intercept alone, whose variance is 1 / (n p (1 - p))."""
    curve = fit_platt(np.full(40, 0.5), np.repeat([1.0, 0.0], [30, 10]))
    p = (30 * 31 / 32 + 10 / 12) / 40  # the mean of Platt's targets
    reach = 1.959964 / np.sqrt(40 * p * (1 - p))
    low, high = curve.bounds(np.array([0.5, np.nan]), 0.95)
    odds = np.log(p / (1 - p))
    assert low[0] == pytest.approx(1 / (1 + np.exp(reach - odds)))
    assert high[0] == pytest.approx(1 / (1 + np.exp(-reach - odds)))
    assert np.isnan([low[1], high[1]]).all()


def test_the_interval_of_an_isotonic_curve_is_wilson_s_of_the_labels_pooled():
    scores = np.repeat([0.0, 1.0], 10)
    right = np.r_[[1.0] * 2, [0.0] * 8, [1.0] * 9, 0.0]
    low, high = fit_isotonic(scores, right).bounds(np.array([0.0, 0.5, 1.0, 2.0]), 0.95)
    # Wilson's intervals of 2 and of 9 among 10, as R's binom.wilson has them.
    assert low == pytest.approx([0.0567, (0.0567 + 0.5958) / 2, 0.5958, 0.5958], abs=1e-4)
    assert high == pytest.approx([0.5098, (0.5098 + 0.9821) / 2, 0.9821, 0.9821], abs=1e-4)


def test_labels_of_a_level_stretch_are_pooled_for_its_interval():
    """The second and third score are in the wrong order: their four labels share one height of .5."""
    scores, right = np.repeat([0.1, 0.4, 0.6, 0.9], 2), np.array([0.0, 0, 1, 0, 1, 0, 1, 1])
    curve = fit_isotonic(scores, right)
    assert curve.pooled.tolist() == [2, 4, 4, 2]
    assert curve.heights.tolist() == [0, 0.5, 0.5, 1]


def test_intervals_of_platt_s_curve_cover_the_true_probability():
    rng, covered, at = np.random.default_rng(0), [], np.array([0.2, 0.5, 0.9])
    true = expit(4 * at - 2)
    for _ in range(400):
        scores = rng.random(100)
        curve = fit_platt(scores, (rng.random(100) < expit(4 * scores - 2)).astype(float))
        low, high = curve.bounds(at, 0.95)
        covered.append((low <= true) & (true <= high))
    # Twice the root of .95 * .05 / 400 is .022.
    assert np.mean(covered, axis=0) == pytest.approx([0.95] * 3, abs=0.025)


def test_ranked_probability_score_matches_a_hand_calculation():
    # F = .2, .7 at the two thresholds; the answer is the second point: (.2^2 + (1 - .7)^2) / 2.
    score = ranked_probability_scores(np.array([[0.2, 0.5, 0.3]]), np.array([[0.0, 1.0, 0.0]]))
    assert score[0] == pytest.approx((0.04 + 0.09) / 2)


def test_multiple_answers_score_as_the_mean_of_single_answers():
    pmf = np.array([[0.1, 0.2, 0.3, 0.4]])
    row_scores = [ranked_probability_scores(pmf, np.eye(4)[[point]])[0] for point in (0, 3, 3)]
    human = np.array([[1 / 3, 0.0, 0.0, 2 / 3]])
    assert ranked_probability_scores(pmf, human)[0] == pytest.approx(np.mean(row_scores))


def test_the_log_score_of_an_impossible_answer_is_finite():
    assert log_scores(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))[0] == pytest.approx(np.log(1e6))


def test_missing_stays_missing():
    pmf = np.full((1, 3), np.nan)
    assert np.isnan(ranked_probability_scores(pmf, np.eye(3)[:1])).all()
    assert np.isnan(log_scores(pmf, np.eye(3)[:1])).all()


masses = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda row: np.array([row]) / sum(row))


@given(masses, masses)
def test_human_shares_have_the_best_score(pmf, human):
    for score in (ranked_probability_scores, log_scores):
        assert score(human, human)[0] <= score(pmf, human)[0] + 1e-12


def area(scores, correct):
    return roc_area(scores[correct == 1], scores[correct == 0]).value


def test_a_missing_score_counts_as_the_mean_of_those_that_are_there():
    scores = np.array([[0.2, np.nan, np.nan], [0.8, 0.6, np.nan]])
    # The second item's first score is missing: (.2 + .6) / 2.
    np.testing.assert_allclose(weighted_mean(scores), [0.5, 0.4, np.nan])
    np.testing.assert_allclose(weighted_mean(scores, np.array([1.0, 0.0])), [0.2, np.nan, np.nan])


def test_score_missing_for_all_items_leaves_its_weight_to_the_rest():
    scores = np.array([[0.2, 0.4], [np.nan, np.nan]])
    np.testing.assert_allclose(weighted_mean(scores), [0.2, 0.4])


@pytest.mark.exhaustive
def test_score_missing_at_random_does_not_hide_the_information_in_the_second():
    # One score lies near .9, the other near .15; each of them is higher where the item is right.
    rng = np.random.default_rng(0)
    correct = (np.arange(4000) % 2).astype(float)
    scores = np.array([[0.88], [0.13]]) + 0.04 * correct + rng.normal(0, 0.02, (2, 4000))
    scores[1, rng.random(4000) < 0.5] = np.nan
    alone = area(scores[0], correct)
    assert area(weighted_mean(scores), correct) > alone
    assert area(out_of_fold_scores(scores, correct), correct) > alone


def informative_and_noise(n, seed=0):
    rng = np.random.default_rng(seed)
    correct = (np.arange(n) % 2).astype(float)
    telling = np.clip(0.5 + 0.2 * (2 * correct - 1) + rng.normal(0, 0.2, n), 0, 1)
    return np.stack([telling, rng.random(n), rng.random(n)]), correct


@pytest.mark.exhaustive
def test_weights_go_to_the_score_that_tells():
    scores, correct = informative_and_noise(400)
    tuned = tune_weights(scores, correct)
    assert tuned.weights.sum() == pytest.approx(1)
    assert (tuned.weights >= 0).all()
    assert tuned.weights[0] > 0.7
    assert tuned.n == 400


@pytest.mark.exhaustive
def test_a_score_that_points_the_wrong_way_gets_nothing():
    scores, correct = informative_and_noise(400)
    misleading = 1 - informative_and_noise(400, seed=1)[0][0]
    assert tune_weights(np.stack([scores[0], misleading]), correct).weights[0] > 0.8


@pytest.mark.exhaustive
def test_a_constant_score_changes_nothing():
    scores, correct = informative_and_noise(200)
    tuned = tune_weights(np.stack([scores[0], np.full(200, 0.3)]), correct)
    assert np.isfinite(tuned.weights).all()


@pytest.mark.exhaustive
def test_nested_scores_of_pure_noise_are_at_chance_on_average():
    # 12 useless scores and 100 labels: weights that saw the labels reach more than .5, nested ones do not.
    seen, nested = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores, correct = rng.random((12, 100)), rng.permutation(np.arange(100) % 2).astype(float)
        seen.append(area(weighted_mean(scores, tune_weights(scores, correct).weights), correct))
        nested.append(area(out_of_fold_scores(scores, correct), correct))
    assert np.mean(seen) > 0.58
    # Each has a standard error of about .058; of 8 together .02.
    assert abs(np.mean(nested) - 0.5) < 0.08


@pytest.mark.exhaustive
def test_items_without_a_label_have_no_nested_score():
    scores, correct = informative_and_noise(100)
    correct[::5] = np.nan
    result = out_of_fold_scores(scores, correct)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(correct))


def test_too_few_labels_are_refused():
    scores, correct = informative_and_noise(20)
    with pytest.raises(
        InputError, match="at least 40 labels .* got 10 right and 10 wrong: take the plain mean"
    ):
        tune_weights(scores, correct)


@pytest.mark.parametrize("n", [32, 39])
def test_fewer_than_40_labels_are_refused_with_their_counts(n):
    scores, correct = informative_and_noise(n)
    message = f"got {n // 2} right and {n - n // 2} wrong"
    for tune in (tune_weights, out_of_fold_scores):
        with pytest.raises(InputError, match=message):
            tune(scores, correct)


def few_wrong(n, wrong, seed=0):
    """Two scores that tell, and few wrong answers."""
    rng = np.random.default_rng(seed)
    correct = rng.permutation(np.arange(n) >= wrong).astype(float)
    return np.clip(0.5 + 0.3 * (2 * correct - 1) + rng.normal(0, 0.2, (2, n)), 0, 1), correct


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(3))
def test_five_wrong_answers_are_enough_for_every_fold(seed):
    # Without strata a fold of 20 of these 100 labels has none of the five in a third of all partings.
    scores, correct = few_wrong(100, 5, seed)
    assert np.isfinite(tune_weights(scores, correct, seed=seed).weights).all()
    assert np.isfinite(out_of_fold_scores(scores, correct, seed=seed)).all()


def test_fewer_of_a_kind_than_folds_are_refused_with_the_counts_of_all_labels():
    scores, correct = few_wrong(100, 4)
    message = "5 or more of them right and 5 or more wrong, got 96 right and 4 wrong: take the plain mean"
    for tune in (tune_weights, out_of_fold_scores):
        with pytest.raises(InputError, match=message):
            tune(scores, correct)


def test_groups_are_never_parted():
    groups = np.repeat(np.arange(12), 5)
    fold = random_folds(60, groups=groups)
    assert all(len(set(fold[groups == group])) == 1 for group in range(12))
    assert len(set(fold)) == 5


def test_fewer_groups_than_folds_make_fewer_folds():
    assert len(set(random_folds(10, groups=np.repeat([0, 1, 2], [4, 3, 3])))) == 3


def test_every_fold_has_its_share_of_all_classes():
    # 12 of class 0 and 43 of class 1 in 5 folds: 2 or 3 of the first, 8 or 9 of the second, 11 in all.
    classes = np.repeat([0, 1], [12, 43])
    for seed in range(5):
        fold = stratified_folds(classes, seed=seed)
        assert set(np.bincount(fold[:12], minlength=5)) == {2, 3}
        assert set(np.bincount(fold[12:], minlength=5)) == {8, 9}
        assert set(np.bincount(fold)) == {11}


def test_chance_decides_which_items_of_a_class_are_together():
    classes = np.repeat([0, 1], [50, 50])
    first, second = (stratified_folds(classes, seed=seed) for seed in (0, 1))
    assert (first != second).any()
    np.testing.assert_array_equal(first, stratified_folds(classes, seed=0))
