"""Estimates of groups, from tallies that grow part by part."""

import numpy as np
import pytest

from semscale.stats import groups as chapter
from semscale.stats.groups import (
    GroupEstimate,
    Tally,
    few_different,
    refit_errors,
    widen_for_refits,
)
from semscale.stats.intervals import Estimate, scale_figures


@pytest.fixture
def few(monkeypatch):
    """Give up single clusters above 50 already."""
    monkeypatch.setattr(chapter, "MAX_CLUSTERS", 50)


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(3), n), rng.uniform(0, 2, n)


def test_means_under_refits_follow_the_weights_whatever_their_unit():
    # Weights 1 and 3, then one of 0 and one 2 ** 300 times as large, beside which the others vanish.
    tally = Tally(2)
    refits = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]], [[0.3, 0.7]]])
    assert tally.whole().refit_means is None
    tally.add(np.eye(2), np.array([1.0, 3.0]), refits=refits[:2])
    np.testing.assert_allclose(tally.whole().refit_means, [[0.25, 0.75]])
    tally.add(np.eye(2), np.array([0.0, 2.0**300]), refits=refits[2:])
    np.testing.assert_allclose(tally.whole().refit_means, [[0.3, 0.7]])


def test_clusters_are_added_up_over_parts():
    pmf, weights = rows(6)
    clusters = np.array([8, 3, 8, 3, 8, 5])
    tally = Tally(3)
    tally.add(pmf[:4], weights[:4], clusters[:4])
    tally.add(pmf[4:], weights[4:], clusters[4:])
    expected = [
        [*(pmf[clusters == c] * weights[clusters == c, None]).sum(axis=0), weights[clusters == c].sum()]
        for c in (3, 5, 8)
    ]
    np.testing.assert_allclose(tally.whole().totals, expected)
    assert tally.whole().n_rows == 6
    assert tally.whole().exact


def test_effective_n_by_hand():
    # (1 + 1 + 2) ** 2 / (1 + 1 + 4) = 16 / 6
    tally = Tally(3)
    tally.add(rows(3)[0], np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(tally.whole().effective_n, 16 / 6)
    assert Tally(3).whole().effective_n == 0


@pytest.mark.usefixtures("few")
def test_rows_above_the_limit_leave_sums_that_are_the_same():
    pmf, weights = rows(200)
    many, whole = Tally(3), Tally(3)
    for start in range(0, 200, 30):
        many.add(pmf[start : start + 30], weights[start : start + 30])
    whole.add(pmf, weights)
    assert not many.whole().exact
    assert len(many.whole().totals) == 0
    np.testing.assert_allclose(many.whole().moments.covariance, whole.whole().moments.covariance)
    np.testing.assert_allclose(many.whole().moments.mean, np.average(pmf, axis=0, weights=weights))


@pytest.mark.usefixtures("few")
def test_named_clusters_above_the_limit_are_put_into_random_groups(monkeypatch):
    monkeypatch.setattr(chapter, "RANDOM_GROUPS", 16)
    pmf, weights = rows(300)
    clusters = np.random.default_rng(1).integers(0, 2**62, 100)[np.arange(300) % 100]
    tally, grouped = Tally(3), Tally(3)
    for start in range(0, 300, 40):
        part = slice(start, start + 40)
        tally.add(pmf[part], weights[part], clusters[part])
    grouped.add(pmf, weights, clusters % 16)
    assert not tally.whole().exact
    assert tally.whole().moments.n == grouped.whole().moments.n <= 16
    np.testing.assert_allclose(tally.whole().moments.covariance, grouped.whole().moments.covariance)
    np.testing.assert_allclose(tally.whole().moments.mean, np.average(pmf, axis=0, weights=weights))


@pytest.mark.parametrize("clusters", [None, np.array([4, 7, 4, 9])])
def test_rows_of_weight_0_are_neither_rows_nor_clusters(clusters):
    pmf, _ = rows(4)
    weights = np.array([1.0, 0.0, 2.0, 0.0])
    tally = Tally(3)
    tally.add(pmf, weights, clusters)
    assert tally.whole().n_rows == 2
    # Singly the rows 0 and 2; clustered, only cluster 4 has any weight.
    assert len(tally.whole().totals) == tally.whole().moments.n == (2 if clusters is None else 1)
    assert tally.whole().effective_n == pytest.approx(9 / 5)  # (1 + 2) ** 2 / (1 + 4)


@pytest.mark.parametrize("unit", [1e90, 1e-90, 3.0])
def test_the_unit_of_weights_changes_nothing(unit):
    pmf = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.0, 1.0]])
    weights = np.array([1.0, 0.5, 0.25, 0.125])
    plain, scaled = Tally(2), Tally(2)
    plain.add(pmf, weights)
    scaled.add(pmf, weights * unit)
    assert scaled.whole().moments.mean == pytest.approx(plain.whole().moments.mean)
    assert scaled.whole().moments.covariance == pytest.approx(plain.whole().moments.covariance)
    assert scaled.whole().effective_n == pytest.approx(plain.whole().effective_n)


N, K, G = 600, 3, 7


def grouped_tally_rows(seed=5):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(N) < 0.1, 0.0, rng.uniform(0.5, 2, N))
    return {
        "groups": rng.integers(0, G, N),
        "pmf": rng.dirichlet(np.ones(K), N),
        "weights": weights,
        "clusters": rng.integers(0, 2**60, 80)[rng.integers(0, 80, N)],
        "refits": rng.dirichlet(np.ones(K), (N, 4)).astype(np.float32),
    }


def grouped(columns, part=130):
    """Add the rows in parts; a group is known from its first row on."""
    tally = Tally(K)
    for start in range(0, N, part):
        chunk = {name: column[start : start + part] for name, column in columns.items()}
        known = int(columns["groups"][: start + part].max()) + 1
        tally.add(**chunk, n_groups=known)
    return list(tally.groups())


def single(columns, group):
    """Give one group the tally that it would have by itself."""
    tally, chunk = Tally(K), columns["groups"] == group
    tally.add(**{name: column[chunk] for name, column in columns.items() if name != "groups"})
    return tally.whole()


def assert_alike(actual, right):
    assert (actual.n_rows, actual.moments.n, actual.exact) == (right.n_rows, right.moments.n, right.exact)
    for name in ("effective_n", "refit_means", "totals"):
        result, wanted = getattr(actual, name), getattr(right, name)
        assert (result is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_allclose(result, wanted, rtol=1e-12)
    np.testing.assert_allclose(actual.moments.mean, right.moments.mean, rtol=1e-12)
    np.testing.assert_allclose(actual.moments.covariance, right.moments.covariance, rtol=1e-9)


@pytest.mark.parametrize("left_out", [(), ("clusters",), ("refits",), ("clusters", "refits")])
def test_grouped_tally_equals_separate_tallies(left_out):
    columns = {name: column for name, column in grouped_tally_rows().items() if name not in left_out}
    for group, actual in enumerate(grouped(columns)):
        assert_alike(actual, single(columns, group))


def test_largest_groups_lose_their_totals_if_there_are_too_many_rows(monkeypatch):
    monkeypatch.setattr(chapter, "ROOM", 100)
    # Groups of 64, 32, 16, 8, 4 and 1 rows: all together 125, without the largest 61.
    groups = np.repeat(np.arange(6), [64, 32, 16, 8, 4, 1])
    pmf = np.random.default_rng(1).dirichlet(np.ones(2), len(groups))
    tally, whole = Tally(2), [Tally(2) for _ in range(6)]
    order = np.random.default_rng(2).permutation(len(groups))
    for chunk in np.array_split(order, 9):
        tally.add(pmf[chunk], np.ones(len(chunk)), groups=groups[chunk], n_groups=6)
    for at, first in enumerate(whole):
        first.add(pmf[order][groups[order] == at], np.ones((groups == at).sum()))
    result = list(tally.groups())
    assert [first.exact for first in result] == [False, True, True, True, True, True]
    assert result[0].totals.shape == (0, 3)
    for actual, right in zip(result, whole, strict=True):
        np.testing.assert_allclose(actual.moments.covariance, right.whole().moments.covariance, rtol=1e-9)


def test_where_there_are_too_many_clusters_those_of_large_groups_are_put_together(monkeypatch):
    monkeypatch.setattr(chapter, "ROOM", 60)
    rng = np.random.default_rng(3)
    # 3 groups with 100, 20 and 5 clusters of two rows each.
    groups = np.tile(np.repeat(np.arange(3), [100, 20, 5]), 2)
    clusters = np.tile(rng.integers(0, 2**60, 125), 2)
    pmf = rng.dirichlet(np.ones(2), 250)
    tally = Tally(2)
    for chunk in np.array_split(np.arange(250), 4):
        tally.add(pmf[chunk], np.ones(len(chunk)), clusters[chunk], groups=groups[chunk], n_groups=3)
    large, middle, small = tally.groups()
    assert [first.exact for first in (large, middle, small)] == [False, True, True]
    assert (middle.moments.n, small.moments.n) == (20, 5)
    # The limit was halved from 20,000 until the groups fit into 60: at 78 the largest has 64 random groups
    # at most, at 39 it has 32, and 32 + 20 + 5 fit.
    assert large.moments.n == len(np.unique(clusters[groups == 0] % 32))
    np.testing.assert_allclose(large.moments.mean, pmf[groups == 0].mean(axis=0))
    assert large.n_rows == 200
    np.testing.assert_allclose(large.moments.total[-1], large.weight)


def test_the_variance_of_random_groups_is_unbiased(monkeypatch):
    monkeypatch.setattr(chapter, "ROOM", 40)
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(300):
        values = rng.normal(0.5, 0.1, 400)
        tally = Tally(1)
        tally.add(values[:, None], np.ones(400), rng.integers(0, 2**60, 400))
        first = tally.whole()
        assert first.moments.n <= 32
        ratios.append(first.moments.covariance[0, 0] / (0.01 / 400))
    # The mean of 300 variances with about 31 degrees of freedom has a standard error of .015.
    assert np.mean(ratios) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(("different", "result"), [(0, None), (1, 1), (4, 4), (5, None), (10, None)])
def test_fewer_than_five_that_differ_are_counted(different, result):
    values = np.array([3.7] * (20 - different) + [3.9] * different)
    assert few_different(values, np.ones(20), 1e-6) == result


def test_values_that_differ_by_rounding_are_the_same():
    assert few_different(np.array([1.0] * 15 + [1.0 + 1e-12] * 5), np.ones(20), 1e-6) is None


def test_all_different_values_are_not_rare_values():
    assert few_different(np.linspace(1, 5, 20), np.ones(20), 1e-6) is None


def test_two_nearly_equal_values_are_nearly_the_same():
    values = np.array([3.70] * 10 + [3.75] * 10)
    assert few_different(values, np.ones(20), 1e-6, near=0.08) == 0
    assert few_different(values, np.ones(20), 1e-6, near=0.04) is None
    # Of 10, 9 and 1 rows the last alone is far from the median.
    assert few_different(np.append(values[:19], 4.9), np.ones(20), 1e-6, near=0.08) == 1
    assert few_different(np.append(values[:15], [4.9] * 5), np.ones(20), 1e-6, near=0.08) is None


def test_weights_make_the_median():
    # 30 of 31 parts of the weight lie at 3.70 and 3.74. Kish's size is 31 ** 2 / (10 * 9 + 10 * .01) = 10.7,
    # of which 16 / 31 differ from the most frequent value, 5.5 rows, and 1 / 31 from the median, .3 rows.
    values, weights = np.repeat([3.70, 3.74, 4.9], [5, 5, 10]), np.repeat([3.0, 0.1], 10)
    assert few_different(values, weights, 1e-6, near=0.08) == 10
    assert few_different(values, np.ones(20), 1e-6, near=0.08) is None


def test_weights_make_a_frequent_value():
    # 10 rows of weight 100 and 10 of weight 1: 10 / 1010 of the weight differs; Kish's size is
    # 1010 ** 2 / (10 * 10000 + 10) = 10.2, so .1 effective rows do.
    values = np.repeat([3.7, 3.9], 10)
    weights = np.repeat([100.0, 1.0], 10)
    assert few_different(values, weights, 1e-6) == 10
    assert few_different(values, np.ones(20), 1e-6) is None


FIGURES = scale_figures(np.array([1.0, 2.0]))  # mean, p_1 and p_2


def group(**ends):
    named = {name: Estimate(*ends.get(name, (value, value, value))) for name, value in VALUES.items()}
    return GroupEstimate(None, 30, {}, 30.0, named, n_clusters=30, method="bootstrap")


VALUES = {"mean": 1.4, "p_1": 0.6, "p_2": 0.4}

# Means 1.3, 1.4 and 1.5 under the refits, so the sum of squares is .02 and the variance 2 / 3 of it.
MEANS = np.array([[0.7, 0.3], [0.6, 0.4], [0.5, 0.5]])


def test_the_mean_of_left_out_means_has_the_usual_standard_error():
    # A mean refitted without each of its n numbers: the jackknife gives s / sqrt(n) exactly.
    numbers = np.array([1.0, 2.0, 4.0, 9.0])
    without = (numbers.sum() - numbers) / 3
    assert refit_errors(without[:, None])[0] == pytest.approx(numbers.std(ddof=1) / 2)


def test_ends_move_by_the_error_in_quadrature():
    # t of .975 with 2 degrees of freedom is 4.3027; 4.3027 ** 2 * .02 * 2 / 3 = .24684.
    result = widen_for_refits(group(mean=(1.4, 1.3, 1.6)), MEANS, FIGURES, 0.95).figures["mean"]
    assert result.value == 1.4
    assert result.low == 1.0  # 1.4 - sqrt(.01 + .24684) = .893, below the lowest point
    assert result.high == pytest.approx(1.4 + np.sqrt(0.04 + 0.24684), abs=1e-4)


def test_a_mass_is_at_least_as_uncertain_as_a_share_of_the_labels():
    # No label has the first point: of 10 labels, 1 - .025 ** (1 / 10) = .30850 may still have it.
    # Half of one row's distance beside it: the ends add up in quadrature.
    figures = scale_figures(np.arange(1.0, 6.0))
    masses = np.array([0.0, 0.0, 0.2, 0.3, 0.5])
    named = dict(zip(figures.names, (figures.matrix @ masses).tolist(), strict=True))
    alone = {name: Estimate(value, value, value + 0.1) for name, value in named.items()}
    first = GroupEstimate(None, 30, {}, 30.0, alone, n_clusters=30, method="bootstrap")
    same = np.tile(masses, (3, 1))
    result = widen_for_refits(first, same, figures, 0.95, 10).figures
    assert result["p_1"].low == 0
    assert result["p_1"].high == pytest.approx(np.hypot(0.1, 0.30850), abs=1e-5)
    assert result["bottom_2_box"] == result["p_1"]
    # Clopper and Pearson's interval of 5 in 10 is .1871 to .8129 (tables), that of 8 in 10 .4439 to .9748.
    assert result["p_5"].low == pytest.approx(0.1871, abs=1e-4)
    assert result["top_2_box"].low == pytest.approx(0.4439, abs=1e-4)
    # Net is .8 within -1 to 1, so 9 in 10 of its range: .5550 to .9975, which is .1100 to .9950 of net.
    assert result["net"].low == pytest.approx(2 * 0.5550 - 1, abs=2e-4)
    assert result["mean"] == alone["mean"]


def test_refits_that_are_less_certain_than_the_labels_decide():
    # t of .975 with 2 degrees of freedom times the root of 2 / 3 * .02 = .4968; 4 in 10 reach .7376.
    result = widen_for_refits(group(), MEANS, FIGURES, 0.95, 10).figures["p_2"]
    assert result.high == pytest.approx(0.4 + 0.4968, abs=1e-4)


def test_missing_ends_stay_missing_and_no_refits_change_nothing():
    alone = group(mean=(1.4, np.nan, np.nan))
    result = widen_for_refits(alone, MEANS, FIGURES, 0.95).figures["mean"]
    assert np.isnan([result.low, result.high]).all()
    alone = group(p_1=(0.6, np.nan, np.nan))
    result = widen_for_refits(alone, MEANS, FIGURES, 0.95, 10).figures["p_1"]
    assert np.isnan([result.low, result.high]).all()
    assert widen_for_refits(alone, None, FIGURES, 0.95) is alone
    empty = GroupEstimate(None, 0, {}, 0.0, {})
    assert widen_for_refits(empty, MEANS, FIGURES, 0.95) is empty


def test_covariances_of_groups_that_share_clusters_survive_random_groups(monkeypatch):
    rng = np.random.default_rng(5)
    person = rng.uniform(0, 1, 4000)
    scores = np.concatenate([person, person + rng.uniform(0, 1, 4000)])[:, None]
    # Well mixed numbers of clusters, as hashes are.
    clusters = np.tile(rng.permutation(4000), 2)
    groups = np.repeat([0, 1], 4000)

    def covariance():
        tally = Tally(1)
        tally.add(scores, np.ones(8000), clusters, groups=groups, n_groups=2)
        return tally.covariance(np.ones(1), [0, 1])

    whole = covariance()
    # Var(U) / n on both sides of the table: 1 / 12 / 4000.
    np.testing.assert_allclose(whole[0, 1], 1 / 12 / 4000, rtol=0.1)
    monkeypatch.setattr(chapter, "MAX_CLUSTERS", 2000)
    assert covariance()[0, 1] == pytest.approx(whole[0, 1], rel=0.2)
