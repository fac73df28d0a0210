"""Groups in arrays: each has what a tally of its own would have, and large ones give up their clusters."""

import numpy as np
import pytest

from semscale.stats.intervals import group_clusters
from semscale.stats.intervals.grouped_tally import GroupedTally
from semscale.stats.intervals.tally import Tally

N, K, G = 600, 3, 7


def rows(seed=5):
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
    tally = GroupedTally(K)
    for start in range(0, N, part):
        own = {name: column[start : start + part] for name, column in columns.items()}
        known = int(columns["groups"][: start + part].max()) + 1
        tally.add(known, **own)
    return list(tally.groups())


def single(columns, group):
    """Give one group the tally that it would have by itself."""
    tally, own = Tally(K), columns["groups"] == group
    tally.add(**{name: column[own] for name, column in columns.items() if name != "groups"})
    return tally


def assert_alike(ours, theirs):
    assert (ours.n_rows, ours.moments.n, ours.exact) == (theirs.n_rows, theirs.moments.n, theirs.exact)
    for name in ("effective_n", "refit_means", "totals"):
        found, wanted = getattr(ours, name), getattr(theirs, name)
        assert (found is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_allclose(ours.moments.mean, theirs.moments.mean, rtol=1e-12)
    np.testing.assert_allclose(ours.moments.covariance, theirs.moments.covariance, rtol=1e-9)


@pytest.mark.parametrize("left_out", [(), ("clusters",), ("refits",), ("clusters", "refits")])
def test_each_group_has_what_a_tally_of_its_own_would_have(left_out):
    columns = {name: column for name, column in rows().items() if name not in left_out}
    for group, ours in enumerate(grouped(columns)):
        assert_alike(ours, single(columns, group))


@pytest.mark.parametrize("factor", [1e-200, 1e200])
@pytest.mark.parametrize("left_out", ["clusters", "refits"])
def test_weights_may_have_any_unit_in_any_group_and_change_it(factor, left_out):
    columns = {name: column for name, column in rows().items() if name != left_out}
    columns["weights"] = columns["weights"] * np.where(columns["groups"] == 2, factor, 1.0)
    columns["weights"] *= np.where((columns["groups"] == 3) & (np.arange(N) > N / 2), 1e150, 1.0)
    for group, ours in enumerate(grouped(columns)):
        assert_alike(ours, single(columns, group))


def test_where_there_are_too_many_rows_the_largest_groups_lose_theirs(monkeypatch):
    monkeypatch.setattr(group_clusters, "ROOM", 100)
    # Groups of 64, 32, 16, 8, 4 and 1 rows: all together 125, without the largest 61.
    groups = np.repeat(np.arange(6), [64, 32, 16, 8, 4, 1])
    pmf = np.random.default_rng(1).dirichlet(np.ones(2), len(groups))
    tally, whole = GroupedTally(2), [Tally(2) for _ in range(6)]
    order = np.random.default_rng(2).permutation(len(groups))
    for own in np.array_split(order, 9):
        tally.add(6, groups[own], pmf[own], np.ones(len(own)))
    for at, one in enumerate(whole):
        one.add(pmf[order][groups[order] == at], np.ones((groups == at).sum()))
    found = list(tally.groups())
    assert [one.exact for one in found] == [False, True, True, True, True, True]
    assert found[0].totals.shape == (0, 3)
    for ours, theirs in zip(found, whole, strict=True):
        np.testing.assert_allclose(ours.moments.covariance, theirs.moments.covariance, rtol=1e-9)


def test_where_there_are_too_many_clusters_those_of_large_groups_are_put_together(monkeypatch):
    monkeypatch.setattr(group_clusters, "ROOM", 60)
    rng = np.random.default_rng(3)
    # 3 groups with 100, 20 and 5 clusters of two rows each.
    groups = np.tile(np.repeat(np.arange(3), [100, 20, 5]), 2)
    clusters = np.tile(rng.integers(0, 2**60, 125), 2)
    pmf = rng.dirichlet(np.ones(2), 250)
    tally = GroupedTally(2)
    for own in np.array_split(np.arange(250), 4):
        tally.add(3, groups[own], pmf[own], np.ones(len(own)), clusters[own])
    large, middle, small = tally.groups()
    assert [one.exact for one in (large, middle, small)] == [False, True, True]
    assert (middle.moments.n, small.moments.n) == (20, 5)
    # The limit was halved from 20,000 until the groups fit into 60: at 78 the largest has 64 random groups
    # at most, at 39 it has 32, and 32 + 20 + 5 fit.
    assert large.moments.n == len(np.unique(clusters[groups == 0] % 32))
    np.testing.assert_allclose(large.moments.mean, pmf[groups == 0].mean(axis=0))
    assert large.n_rows == 200
    np.testing.assert_allclose(large.moments.total[-1], large.weight)


def test_the_variance_of_random_groups_is_unbiased(monkeypatch):
    monkeypatch.setattr(group_clusters, "ROOM", 40)
    rng = np.random.default_rng(4)
    ratios = []
    for _ in range(300):
        values = rng.normal(0.5, 0.1, 400)
        tally = GroupedTally(1)
        tally.add(1, np.zeros(400, np.int64), values[:, None], np.ones(400), rng.integers(0, 2**60, 400))
        (one,) = tally.groups()
        assert one.moments.n <= 32
        ratios.append(one.moments.covariance[0, 0] / (0.01 / 400))
    # The mean of 300 variances with about 31 degrees of freedom has a standard error of .015.
    assert np.mean(ratios) == pytest.approx(1, abs=0.06)
