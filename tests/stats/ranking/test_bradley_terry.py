"""Strengths from paired comparisons: published ones, such as follow by hand, and what has no estimate."""

import numpy as np
import pytest
from scipy.special import expit

from semscale.errors import InputError
from semscale.stats.ranking.bradley_terry import bradley_terry

# Games of the American League in 1987: how often the row's team beat the column's.
# Agresti, Categorical Data Analysis, 2nd edition (2002), table 10.10.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
# Estimates of section 10.6.1 there, with Baltimore as 0.
PUBLISHED = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]


def games(wins):
    found = [(i, j) for i, row in enumerate(wins) for j, n in enumerate(row) for _ in range(n)]
    first, second = np.array(found).T
    return first, second, np.ones(len(found))


def fitted(comparisons, names=("a", "b", "c"), clusters=None):
    first, second, points = (np.array(column) for column in zip(*comparisons, strict=True))
    groups = None if clusters is None else np.array(clusters)
    return bradley_terry(first, second, points.astype(float), names=names, clusters=groups)


def test_published_strengths_of_teams():
    found = bradley_terry(*games(WINS), names=TEAMS)
    assert (found.strengths - found.strengths[-1]).round(2).tolist() == PUBLISHED
    assert found.strengths.mean() == pytest.approx(0, abs=1e-12)


def test_shares_that_fit_strengths_of_4_2_and_1_give_them_back():
    # 4 / (4 + 2) = 2/3 over b, 2 / (2 + 1) = 2/3 of b over c, 4 / (4 + 1) = 4/5 over c.
    found = fitted([(0, 1, 2 / 3), (1, 2, 2 / 3), (0, 2, 4 / 5)])
    assert found.strengths == pytest.approx(np.log([4, 2, 1]) - np.log(2), abs=1e-9)
    assert found.chance(0, 2).value == pytest.approx(4 / 5)
    assert found.chance(2, 0).value == pytest.approx(1 / 5)
    # Against the mean log-strength of the others: log 4 - (log 2 + log 1) / 2 = log(4 / sqrt 2).
    odds = 4 / np.sqrt(2)
    assert found.chance_against_average(0).value == pytest.approx(odds / (1 + odds))


def test_the_interval_of_two_competitors_follows_by_hand():
    # 3 wins of 4: the log-odds are log 3. Information 4 * 3/4 * 1/4 = 3/4; the squared scores sum to
    # 3 * (1/4)^2 + (3/4)^2 = 3/4, times 4/3 are 1. Variance 1 / (3/4)^2, standard error 4/3, t of 3
    # degrees of freedom at 97.5 % is 3.182446.
    found = fitted([(0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 1)], ("a", "b"))
    chance = found.chance(0, 1)
    reach = 3.182446 * 4 / 3
    assert chance.value == pytest.approx(0.75)
    assert (chance.low, chance.high) == pytest.approx(
        (expit(np.log(3) - reach), expit(np.log(3) + reach)), abs=1e-6
    )


def test_comparisons_of_one_item_count_as_one_cluster():
    # Each of the 4 comparisons twice. By themselves they are 8: information 3/2, squared scores 3/2 * 8/7.
    # As 4 clusters of two: squared scores 4 * 3/4 = 3, times 4/3 are 4, over (3/2)^2: the variance of 4.
    once = [(0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1, 0)]
    alone, clustered = fitted(once, ("a", "b")), fitted(once * 2, ("a", "b"), [0, 1, 2, 3] * 2)
    assert clustered.n_clusters == alone.n_clusters == 4
    assert clustered.chance(0, 1).low == pytest.approx(alone.chance(0, 1).low)
    assert fitted(once * 2, ("a", "b")).chance(0, 1).low > alone.chance(0, 1).low


def test_ties_are_half_wins_and_the_order_of_a_pair_does_not_matter():
    tied = fitted([(0, 1, 0.5), (0, 1, 1), (1, 0, 0.5)], ("a", "b"))
    # 2 points of 3.
    assert tied.chance(0, 1).value == pytest.approx(2 / 3)


def test_a_single_cluster_has_no_interval():
    found = fitted([(0, 1, 0.5)], ("a", "b"))
    assert found.chance(0, 1).value == pytest.approx(0.5)
    assert np.isnan(found.chance(0, 1).low)


@pytest.mark.parametrize(
    ("comparisons", "names", "said"),
    [
        ([(0, 1, 0.5)], "abcd"[:3], "'a' and 'b' and 'c' have no comparison that links them"),
        ([(0, 1, 0.5), (2, 3, 0.5)], "abcd", "'a' and 'b' and 'c' and 'd' have no comparison"),
        ([(0, 1, 1), (1, 2, 0.5), (0, 2, 1)], "abc", "'a' won every comparison with the others"),
        ([(0, 1, 0.5), (1, 2, 1), (0, 2, 1)], "abc", "'a' and 'b' won every comparison"),
        ([(0, 1, 1.5)], "ab", "points must be from 0 for a loss to 1 for a win"),
        ([(0, 1, np.nan)], "ab", "points must be from 0 for a loss to 1 for a win"),
        ([(0, 0, 1)], "ab", "cannot be compared with itself"),
        ([(0, 0, 1)], "a", "at least two competitors, got 1"),
    ],
)
def test_what_has_no_estimate_is_refused_in_one_line(comparisons, names, said):
    with pytest.raises(InputError) as refused:
        fitted(comparisons, tuple(names))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_lists_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="equal length, got 1, 2, 1"):
        bradley_terry(np.array([0]), np.array([1, 1]), np.array([1.0]), names=("a", "b"))


def test_clusters_that_all_score_alike_give_no_interval():
    found = fitted([(0, 1, 0.5)] * 36, names=("a", "b"))
    chance = found.chance(0, 1)
    assert chance.value == 0.5
    assert np.isnan([chance.low, chance.high]).all()
    three_quarters = fitted([(0, 1, 0.75)] * 36, names=("a", "b")).chance(0, 1)
    assert three_quarters.value == pytest.approx(0.75)
    assert np.isnan(three_quarters.low)
