import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.calibration.ensembles import nested_scores, tune_weights, weighted_mean
from semscale.stats.intervals.roc_areas import roc_area

pytestmark = pytest.mark.exhaustive


def area(scores, correct):
    return roc_area(scores[correct == 1], scores[correct == 0]).value


def test_a_missing_score_counts_as_the_mean_of_those_that_are_there():
    scores = np.array([[0.2, np.nan, np.nan], [0.8, 0.6, np.nan]])
    # The second item's first score is missing: (.2 + .6) / 2.
    np.testing.assert_allclose(weighted_mean(scores), [0.5, 0.4, np.nan])
    np.testing.assert_allclose(weighted_mean(scores, np.array([1.0, 0.0])), [0.2, np.nan, np.nan])


def test_a_score_that_no_item_has_leaves_its_weight_to_the_others():
    scores = np.array([[0.2, 0.4], [np.nan, np.nan]])
    np.testing.assert_allclose(weighted_mean(scores), [0.2, 0.4])


def test_a_score_missing_at_random_does_not_hide_what_the_other_one_tells():
    # One score lies near .9, the other near .15; each of them is higher where the item is right.
    rng = np.random.default_rng(0)
    correct = (np.arange(4000) % 2).astype(float)
    scores = np.array([[0.88], [0.13]]) + 0.04 * correct + rng.normal(0, 0.02, (2, 4000))
    scores[1, rng.random(4000) < 0.5] = np.nan
    alone = area(scores[0], correct)
    assert area(weighted_mean(scores), correct) > alone
    assert area(nested_scores(scores, correct), correct) > alone


def one_that_tells_and_noise(n, seed=0):
    rng = np.random.default_rng(seed)
    correct = (np.arange(n) % 2).astype(float)
    telling = np.clip(0.5 + 0.2 * (2 * correct - 1) + rng.normal(0, 0.2, n), 0, 1)
    return np.stack([telling, rng.random(n), rng.random(n)]), correct


def test_weights_go_to_the_score_that_tells():
    scores, correct = one_that_tells_and_noise(400)
    tuned = tune_weights(scores, correct)
    assert tuned.weights.sum() == pytest.approx(1)
    assert (tuned.weights >= 0).all()
    assert tuned.weights[0] > 0.7
    assert tuned.n == 400


def test_a_score_that_points_the_wrong_way_gets_nothing():
    scores, correct = one_that_tells_and_noise(400)
    misleading = 1 - one_that_tells_and_noise(400, seed=1)[0][0]
    assert tune_weights(np.stack([scores[0], misleading]), correct).weights[0] > 0.8


def test_a_constant_score_changes_nothing():
    scores, correct = one_that_tells_and_noise(200)
    tuned = tune_weights(np.stack([scores[0], np.full(200, 0.3)]), correct)
    assert np.isfinite(tuned.weights).all()


def test_nested_scores_of_pure_noise_are_at_chance_on_average():
    # 12 useless scores and 100 labels: weights that saw the labels reach more than .5, nested ones do not.
    seen, nested = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores, correct = rng.random((12, 100)), rng.permutation(np.arange(100) % 2).astype(float)
        seen.append(area(weighted_mean(scores, tune_weights(scores, correct).weights), correct))
        nested.append(area(nested_scores(scores, correct), correct))
    assert np.mean(seen) > 0.58
    # Each has a standard error of about .058; of 8 together .02.
    assert abs(np.mean(nested) - 0.5) < 0.08


def test_items_without_a_label_have_no_nested_score():
    scores, correct = one_that_tells_and_noise(100)
    correct[::5] = np.nan
    found = nested_scores(scores, correct)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(correct))


def test_too_few_labels_are_refused():
    scores, correct = one_that_tells_and_noise(20)
    with pytest.raises(
        InputError, match="at least 40 labels .* got 10 right and 10 wrong: take the plain mean"
    ):
        tune_weights(scores, correct)


@pytest.mark.parametrize("n", [32, 39])
def test_a_few_labels_less_than_40_are_refused_with_their_own_counts(n):
    scores, correct = one_that_tells_and_noise(n)
    message = f"got {n // 2} right and {n - n // 2} wrong"
    for tune in (tune_weights, nested_scores):
        with pytest.raises(InputError, match=message):
            tune(scores, correct)


def few_wrong(n, wrong, seed=0):
    """Two scores that tell, and few wrong answers."""
    rng = np.random.default_rng(seed)
    correct = rng.permutation(np.arange(n) >= wrong).astype(float)
    return np.clip(0.5 + 0.3 * (2 * correct - 1) + rng.normal(0, 0.2, (2, n)), 0, 1), correct


@pytest.mark.parametrize("seed", range(5))
def test_five_wrong_answers_are_enough_since_every_fold_has_one(seed):
    # Without strata a fold of 20 of these 100 labels has none of the five in a third of all partings.
    scores, correct = few_wrong(100, 5, seed)
    assert np.isfinite(tune_weights(scores, correct, seed=seed).weights).all()
    assert np.isfinite(nested_scores(scores, correct, seed=seed)).all()


def test_fewer_of_a_kind_than_folds_are_refused_with_the_counts_of_all_labels():
    scores, correct = few_wrong(100, 4)
    message = "5 or more of them right and 5 or more wrong, got 96 right and 4 wrong: take the plain mean"
    for tune in (tune_weights, nested_scores):
        with pytest.raises(InputError, match=message):
            tune(scores, correct)
