import numpy as np

from semscale.stats.intervals.moments import Moments


def totals(n, k=3, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, n)
    return np.column_stack([rng.dirichlet(np.ones(k), n) * weights[:, None], weights])


def test_mean_is_the_weighted_mean_by_hand():
    # Weights 1 and 3: (1 * .5 + 3 * 1) / 4 = .875
    moments = Moments.empty(2).added(np.array([[0.5, 0.5, 1.0], [3.0, 0.0, 3.0]]))
    np.testing.assert_allclose(moments.mean, [0.875, 0.125])


def test_covariance_of_equal_weights_is_that_of_a_sample_mean():
    rows = totals(40)
    rows[:, :-1] /= rows[:, -1:]
    rows[:, -1] = 1
    expected = np.cov(rows[:, :-1].T, ddof=1) / 40
    np.testing.assert_allclose(Moments.empty(3).added(rows).covariance, expected, atol=1e-15)


def test_covariance_follows_its_definition():
    rows = totals(25)
    mean = rows[:, :-1].sum(axis=0) / rows[:, -1].sum()
    residuals = [(row[:-1] - mean * row[-1]) / rows[:, -1].sum() for row in rows]
    expected = 25 / 24 * sum(np.outer(z, z) for z in residuals)
    np.testing.assert_allclose(Moments.empty(3).added(rows).covariance, expected, atol=1e-15)


def test_parts_merge_to_the_whole():
    rows = totals(30)
    whole = Moments.empty(3).added(rows)
    parts = Moments.empty(3).added(rows[:7]).merged(Moments.empty(3).added(rows[7:]))
    assert parts.n == whole.n
    np.testing.assert_allclose(parts.covariance, whole.covariance, atol=1e-15)
    np.testing.assert_allclose(parts.mean, whole.mean)


def test_nothing_and_one_cluster_have_no_covariance():
    assert np.isnan(Moments.empty(3).mean).all()
    assert np.isnan(Moments.empty(3).covariance).all()
    one = Moments.empty(3).added(totals(1))
    assert np.isfinite(one.mean).all()
    assert np.isnan(one.covariance).all()
