import numpy as np
import pytest

from semscale.rating.human.comparison import compare
from semscale.rating.human.corrected_mean import corrected_mean

VALUES = np.arange(1.0, 6.0)
GAP = np.nan


def test_ratings_that_are_one_too_high_are_brought_down_by_one():
    # Slope 1 with 4 labels and 4 other texts: half of the ratings' difference counts, 2.5 + (4 - 3.5) / 2.
    means = np.array([2.0, 3.0, 4.0, 5.0, 4.0, 4.0, 3.0, 5.0])
    table = np.array([1.0, 2.0, 3.0, 4.0, GAP, GAP, GAP, GAP])[:, None]
    found = corrected_mean(means, table, VALUES)
    assert (found.bias, found.n_labelled, found.n_unlabelled) == (1.0, 4, 4)
    assert found.value == pytest.approx(2.75)
    assert found.labels_only.value == 2.5


def test_another_range_of_people_is_laid_on_the_scale():
    table = np.array([[-4.0, 4.0], [0.0, GAP], [4.0, 4.0], [GAP, GAP]])
    found = corrected_mean(np.array([3.0, 3.0, 3.0, 3.0]), table, VALUES, human_range=(-4, 4))
    assert found.value == pytest.approx((3 + 3 + 5) / 3)  # ratings that never differ say nothing


def test_there_is_nothing_to_correct_where_all_or_no_rated_texts_have_a_label():
    means = np.array([2.0, 3.0, GAP])
    assert corrected_mean(means, np.array([[1.0], [2.0], [GAP]]), VALUES) is None
    assert corrected_mean(means, np.array([[GAP], [GAP], [2.0]]), VALUES) is None


def test_the_interval_covers_and_is_narrower_than_that_of_the_labels():
    rng = np.random.default_rng(0)
    human = np.clip(3 + rng.normal(size=2000), 1, 5)
    means = 3 + 0.5 * (human - 3) + rng.normal(scale=0.2, size=2000)
    held, narrower = [], []
    for seed in range(200):
        table = np.full((2000, 1), GAP)
        known = np.random.default_rng(seed).permutation(2000)[:60]
        table[known, 0] = human[known]
        found = corrected_mean(means, table, VALUES)
        held.append(found.low <= human.mean() <= found.high)
        narrower.append((found.high - found.low) < (found.labels_only.high - found.labels_only.low))
    assert 0.9 <= np.mean(held) <= 0.99
    assert np.mean(narrower) > 0.99


def test_a_comparison_has_it_but_not_with_weights_or_respondents():
    pmf = np.random.default_rng(1).dirichlet(np.ones(5), size=12)
    human = [3, 4, 2, 5, 1, 3, *[None] * 6]
    assert compare(pmf, human, values=VALUES).corrected.n_unlabelled == 6
    assert compare(pmf, human, values=VALUES, weights=np.ones(12)).corrected is None
    assert compare(pmf, human, values=VALUES, respondents=list("abcdefghijkl")).corrected is None
