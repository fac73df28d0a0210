import numpy as np
import pytest

from semscale.stats.intervals import tally as tally_module
from semscale.stats.intervals.tally import Tally


@pytest.fixture
def few(monkeypatch):
    """Give up single clusters above 50 already."""
    monkeypatch.setattr(tally_module, "MAX_CLUSTERS", 50)


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(3), n), rng.uniform(0, 2, n)


def test_means_under_refits_follow_the_weights_whatever_their_unit():
    # Weights 1 and 3, then one of 0 and one 2 ** 300 times as large, beside which the others vanish.
    tally = Tally(2)
    refits = np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]], [[0.3, 0.7]]])
    assert tally.refit_means is None
    tally.add(np.eye(2), np.array([1.0, 3.0]), refits=refits[:2])
    np.testing.assert_allclose(tally.refit_means, [[0.25, 0.75]])
    tally.add(np.eye(2), np.array([0.0, 2.0**300]), refits=refits[2:])
    np.testing.assert_allclose(tally.refit_means, [[0.3, 0.7]])


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
    np.testing.assert_allclose(tally.totals, expected)
    assert tally.n_rows == 6
    assert tally.exact


def test_effective_n_by_hand():
    # (1 + 1 + 2) ** 2 / (1 + 1 + 4) = 16 / 6
    tally = Tally(3)
    tally.add(rows(3)[0], np.array([1.0, 1.0, 2.0]))
    np.testing.assert_allclose(tally.effective_n, 16 / 6)
    assert Tally(3).effective_n == 0


@pytest.mark.usefixtures("few")
def test_rows_above_the_limit_leave_sums_that_are_the_same():
    pmf, weights = rows(200)
    many, whole = Tally(3), Tally(3)
    for start in range(0, 200, 30):
        many.add(pmf[start : start + 30], weights[start : start + 30])
    whole.add(pmf, weights)
    assert not many.exact
    assert len(many.totals) == 0
    np.testing.assert_allclose(many.moments.covariance, whole.moments.covariance)
    np.testing.assert_allclose(many.moments.mean, np.average(pmf, axis=0, weights=weights))


@pytest.mark.usefixtures("few")
def test_named_clusters_above_the_limit_are_put_into_random_groups(monkeypatch):
    monkeypatch.setattr(tally_module, "RANDOM_GROUPS", 16)
    pmf, weights = rows(300)
    clusters = np.random.default_rng(1).integers(0, 2**62, 100)[np.arange(300) % 100]
    tally, grouped = Tally(3), Tally(3)
    for start in range(0, 300, 40):
        part = slice(start, start + 40)
        tally.add(pmf[part], weights[part], clusters[part])
    grouped.add(pmf, weights, clusters % 16)
    assert not tally.exact
    assert tally.moments.n == grouped.moments.n <= 16
    np.testing.assert_allclose(tally.moments.covariance, grouped.moments.covariance)
    np.testing.assert_allclose(tally.moments.mean, np.average(pmf, axis=0, weights=weights))


@pytest.mark.parametrize("clusters", [None, np.array([4, 7, 4, 9])])
def test_rows_of_weight_0_are_neither_rows_nor_clusters(clusters):
    pmf, _ = rows(4)
    weights = np.array([1.0, 0.0, 2.0, 0.0])
    tally = Tally(3)
    tally.add(pmf, weights, clusters)
    assert tally.n_rows == 2
    # Singly the rows 0 and 2; clustered, only cluster 4 has any weight.
    assert len(tally.totals) == tally.moments.n == (2 if clusters is None else 1)
    assert tally.effective_n == pytest.approx(9 / 5)  # (1 + 2) ** 2 / (1 + 4)


@pytest.mark.parametrize("unit", [1e308, 1e-320, 1e-300, 3.0])
def test_the_unit_of_weights_changes_nothing(unit):
    pmf = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.0, 1.0]])
    weights = np.array([1.0, 0.5, 0.25, 0.125])
    plain, scaled = Tally(2), Tally(2)
    plain.add(pmf, weights)
    scaled.add(pmf, weights * unit)
    # Halves of 1e-320 lose digits of their own: there are only some two thousand floats below.
    near = {"rel": 1e-2 if unit < 1e-307 else 1e-12}
    assert scaled.moments.mean == pytest.approx(plain.moments.mean, **near)
    assert scaled.moments.covariance == pytest.approx(plain.moments.covariance, **near)
    assert scaled.effective_n == pytest.approx(plain.effective_n, **near)


def test_weights_that_grow_from_part_to_part_count_as_if_they_came_at_once():
    pmf, weights = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]), np.array([1e-200, 1e200, 1e201])
    whole, parts = Tally(2), Tally(2)
    whole.add(pmf, weights)
    for row in range(3):
        parts.add(pmf[[row]], weights[[row]])
    # (0.25 * 1e200 + 1e201) / 1.1e201 and (0.75 * 1e200) / 1.1e201; the first row weighs nothing beside them.
    assert parts.moments.mean == pytest.approx([1.025 / 1.1, 0.075 / 1.1])
    assert parts.moments.mean == pytest.approx(whole.moments.mean)
    assert parts.effective_n == pytest.approx(1.1**2 / (0.1**2 + 1))
