"""Linear models with robust errors, and strengths from paired comparisons."""

import numpy as np
import pytest
from scipy.special import expit

from semscale.errors import InputError
from semscale.stats.regression import bradley_terry, cluster_robust, independent_columns, robust_regression


def test_a_line_by_hand():
    # x = 0 1 2, y = 0 2 1: slope = Sxy / Sxx = (0*-1 + 1*1... ) = 1/2, intercept 1/2; residuals -1/2 1 -1/2
    # leverages 5/6 1/3 5/6; e / (1 - h) = -3, 3/2, -3
    # the slope's weights are (x - 1) / 2 = -1/2 0 1/2: variance 1/4 * 9 + 1/4 * 9 = 9/2
    result = robust_regression(np.array([0.0, 2, 1]), np.array([[0.0], [1], [2]]))
    t = 12.706204736  # of one degree, 97.5 %
    assert result.value[0] == pytest.approx(0.5)
    assert result.high[0] - 0.5 == pytest.approx(t * np.sqrt(4.5), rel=1e-6)
    assert 0.5 - result.low[0] == pytest.approx(t * np.sqrt(4.5), rel=1e-6)
    # 1 - (1/4 + 1 + 1/4) / 2
    assert result.r_squared == pytest.approx(0.25)


def test_intervals_cover_where_the_spread_grows_with_the_predictor():
    rng, covered = np.random.default_rng(2), 0
    for _ in range(400):
        x = rng.uniform(size=60)
        result = robust_regression(2 * x + x * rng.normal(size=60), x[:, None])
        covered += bool(result.low[0] <= 2 <= result.high[0])
    assert 0.92 <= covered / 400 <= 0.985


def test_dependent_predictors_and_single_rows_are_refused():
    x = np.arange(6.0)
    with pytest.raises(InputError, match="must be independent"):
        robust_regression(x, np.column_stack([x, 2 * x + 1]))
    with pytest.raises(InputError, match="single row, as row 3"):
        robust_regression(x, (np.arange(6) == 2).astype(float)[:, None])
    with pytest.raises(InputError, match="fewer than the rows"):
        robust_regression(x[:2], x[:2, None])


def test_independent_columns_keep_the_first_of_dependent_columns():
    x = np.arange(5.0)
    assert independent_columns(np.column_stack([np.ones(5), x, 2 * x - 3, x**2])) == [1, 3]


def test_whole_weights_fit_as_rows_that_are_repeated():
    response, marks = np.array([1.0, 3, 4, 6, 8]), np.array([[0.0], [0], [1], [1], [1]])
    weights = np.array([2.0, 1, 1, 3, 1])
    result = robust_regression(response, marks, weights=weights)
    times = weights.astype(int)
    repeated = robust_regression(np.repeat(response, times), np.repeat(marks, times, axis=0))
    # 30 / 5 - 5 / 3
    assert result.value[0] == pytest.approx(repeated.value[0]) == pytest.approx(6 - 5 / 3)
    assert result.r_squared == pytest.approx(repeated.r_squared)
    assert result.n == 5


CLUSTERS = np.repeat(np.arange(8), [1, 2, 3, 2, 5, 1, 4, 12])

MARK = np.array([1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0])

LINE = np.array(
    [
        0.37,
        0.09,
        0.66,
        0.93,
        0.21,
        0.63,
        0.3,
        0.74,
        0.72,
        0.22,
        0.83,
        0.66,
        0.68,
        0.82,
        0.43,
        0.76,
        0.88,
        0.1,
        0.85,
        0.39,
        0.48,
        0.15,
        0.7,
        0.29,
        0.87,
        0.28,
        0.56,
        0.4,
        0.61,
        0.2,
    ]
)

RESPONSE = np.array(
    [
        5.6,
        0.2,
        0.9,
        3.4,
        3.5,
        4.7,
        0.8,
        3.4,
        2.7,
        6.2,
        4.7,
        3.4,
        2,
        2.6,
        2.8,
        2.8,
        4.2,
        2.4,
        3.1,
        3.9,
        3.9,
        5.1,
        3.2,
        4.1,
        3.4,
        3.9,
        4.3,
        2.5,
        3,
        3.7,
    ]
)

WEIGHTS = np.array(
    [
        1.7,
        1.8,
        2.4,
        1.5,
        0.5,
        1.8,
        1,
        2.4,
        1.5,
        1.5,
        2.8,
        1.5,
        1.4,
        1.4,
        1.7,
        0.7,
        1.9,
        2.8,
        1.9,
        2.4,
        2.9,
        2.6,
        2.4,
        2.5,
        2.6,
        1.1,
        1.7,
        1.4,
        1.2,
        1.9,
    ]
)


@pytest.mark.parametrize(
    ("weights", "errors", "freedom"),
    [
        # clubSandwich 0.5.8, R 4.2.2: coef_test(lm(y ~ a + b), vcov = "CR2", cluster, test = "Satterthwaite")
        (
            np.ones(30),
            [1.1234135693057, 0.7248963132598, 1.3262371155871],
            [2.6133480703678, 3.3150340733505, 3.7567789005764],
        ),
        # the same with weights = w
        (
            WEIGHTS,
            [1.1087788928414, 0.6443742178929, 1.2310040915969],
            [2.0562163265833, 2.8098503611317, 2.9485549114539],
        ),
    ],
)
def test_errors_and_degrees_of_freedom_are_those_of_clubsandwich(weights, errors, freedom):
    design = np.column_stack([np.ones(30), MARK, LINE])
    weighted = weights[:, None] * design
    residuals = RESPONSE - design @ np.linalg.solve(design.T @ weighted, weighted.T @ RESPONSE)
    result, degrees = cluster_robust(design, residuals, weights, CLUSTERS)
    assert result == pytest.approx(errors, rel=1e-10)
    assert degrees == pytest.approx(freedom, rel=1e-10)


def test_rows_by_themselves_have_the_unequal_variances_of_two_groups():
    # each group has the variance 0.3, of 5 rows: the difference has 0.3 / 5 + 0.3 / 5
    # degrees of freedom: (2 a)^2 / (a^2 / 4 + a^2 / 4) = 8, where t is 2.306004
    ratings, mark = np.array([5.0, 4, 5, 4, 5, 1, 2, 1, 2, 1]), np.array([1.0] * 5 + [0.0] * 5)
    result = robust_regression(ratings, mark[:, None], clusters=np.arange(10))
    assert result.value[0] == pytest.approx(3.2)
    assert result.high[0] - result.value[0] == pytest.approx(2.306004 * np.sqrt(0.12), rel=1e-6)


def test_answers_that_a_person_gives_twice_add_nothing():
    predictors = np.column_stack([MARK, LINE])
    once = robust_regression(RESPONSE, predictors, clusters=np.arange(30))
    twice = robust_regression(
        np.repeat(RESPONSE, 2), np.repeat(predictors, 2, axis=0), clusters=np.repeat(np.arange(30), 2)
    )
    assert twice.low == pytest.approx(once.low)
    assert twice.high == pytest.approx(once.high)
    assert twice.p_value == pytest.approx(once.p_value)


def test_names_and_order_of_clusters_do_not_matter():
    predictors = np.column_stack([MARK, LINE])
    order = np.random.default_rng(1).permutation(30)
    first = robust_regression(RESPONSE, predictors, weights=WEIGHTS, clusters=CLUSTERS)
    other = robust_regression(
        RESPONSE[order], predictors[order], weights=WEIGHTS[order] * 7, clusters=90 - 5 * CLUSTERS[order]
    )
    assert other.low == pytest.approx(first.low)
    assert other.high == pytest.approx(first.high)


def test_single_cluster_is_refused():
    with pytest.raises(InputError, match="clusters must be 2 or more"):
        robust_regression(RESPONSE, MARK[:, None], clusters=np.zeros(30, dtype=int))


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
    result = [(i, j) for i, row in enumerate(wins) for j, n in enumerate(row) for _ in range(n)]
    first, second = np.array(result).T
    return first, second, np.ones(len(result))


def fitted(comparisons, names=("a", "b", "c"), clusters=None):
    first, second, points = (np.array(column) for column in zip(*comparisons, strict=True))
    groups = None if clusters is None else np.array(clusters)
    return bradley_terry(first, second, points.astype(float), names=names, clusters=groups)


def test_published_strengths_of_teams():
    result = bradley_terry(*games(WINS), names=TEAMS)
    assert (result.strengths - result.strengths[-1]).round(2).tolist() == PUBLISHED
    assert result.strengths.mean() == pytest.approx(0, abs=1e-12)


def test_shares_that_fit_strengths_of_4_2_and_1_give_them_back():
    # 4 / (4 + 2) = 2/3 over b, 2 / (2 + 1) = 2/3 of b over c, 4 / (4 + 1) = 4/5 over c.
    result = fitted([(0, 1, 2 / 3), (1, 2, 2 / 3), (0, 2, 4 / 5)])
    assert result.strengths == pytest.approx(np.log([4, 2, 1]) - np.log(2), abs=1e-9)
    assert result.chance(0, 2).value == pytest.approx(4 / 5)
    assert result.chance(2, 0).value == pytest.approx(1 / 5)
    # Against the mean log-strength of the others: log 4 - (log 2 + log 1) / 2 = log(4 / sqrt 2).
    odds = 4 / np.sqrt(2)
    assert result.chance_against_average(0).value == pytest.approx(odds / (1 + odds))


def test_the_interval_of_two_competitors_follows_by_hand():
    # 3 wins of 4: the log-odds are log 3. Information 4 * 3/4 * 1/4 = 3/4; the squared scores sum to
    # 3 * (1/4)^2 + (3/4)^2 = 3/4, times 4/3 are 1. Variance 1 / (3/4)^2, standard error 4/3, t of 3
    # degrees of freedom at 97.5 % is 3.182446.
    result = fitted([(0, 1, 1), (0, 1, 1), (1, 0, 0), (1, 0, 1)], ("a", "b"))
    chance = result.chance(0, 1)
    reach = 3.182446 * 4 / 3
    assert chance.value == pytest.approx(0.75)
    assert (chance.low, chance.high) == pytest.approx(
        (expit(np.log(3) - reach), expit(np.log(3) + reach)), abs=1e-6
    )


def test_comparisons_of_an_item_count_as_a_single_cluster():
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
    result = fitted([(0, 1, 0.5)], ("a", "b"))
    assert result.chance(0, 1).value == pytest.approx(0.5)
    assert np.isnan(result.chance(0, 1).low)


@pytest.mark.parametrize(
    ("comparisons", "names", "message"),
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
def test_comparison_without_an_estimate_is_refused_in_a_single_line(comparisons, names, message):
    with pytest.raises(InputError) as refused:
        fitted(comparisons, tuple(names))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_lists_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="equal length, got 1, 2, 1"):
        bradley_terry(np.array([0]), np.array([1, 1]), np.array([1.0]), names=("a", "b"))


def test_clusters_that_all_score_alike_give_no_interval():
    result = fitted([(0, 1, 0.5)] * 36, names=("a", "b"))
    chance = result.chance(0, 1)
    assert chance.value == 0.5
    assert np.isnan([chance.low, chance.high]).all()
    three_quarters = fitted([(0, 1, 0.75)] * 36, names=("a", "b")).chance(0, 1)
    assert three_quarters.value == pytest.approx(0.75)
    assert np.isnan(three_quarters.low)
