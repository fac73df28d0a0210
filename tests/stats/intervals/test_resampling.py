import numpy as np
import pytest

from semscale.stats.intervals import resampling
from semscale.stats.intervals.resampling import drawn_counts, percentile_interval


def test_each_replicate_draws_as_many_as_there_are(monkeypatch):
    monkeypatch.setattr(resampling, "_BLOCK_CELLS", 100)
    blocks = list(drawn_counts(30, 10, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    assert (np.concatenate(blocks).sum(axis=1) == 30).all()


def test_draws_are_uniform():
    counts = np.concatenate(list(drawn_counts(5, 4000, np.random.default_rng(0))))
    # A count has mean 1 and variance .8; the mean of 4,000 of them a standard error of .014.
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.07)
    np.testing.assert_allclose(counts.var(axis=0), 0.8, atol=0.1)


def test_block_size_does_not_change_the_draws(monkeypatch):
    whole = np.concatenate(list(drawn_counts(7, 50, np.random.default_rng(3))))
    monkeypatch.setattr(resampling, "_BLOCK_CELLS", 40)
    np.testing.assert_array_equal(np.concatenate(list(drawn_counts(7, 50, np.random.default_rng(3)))), whole)


def test_percentiles_of_many_clusters_are_the_plain_ones():
    replicates = np.linspace(0, 1, 10_001)[:, None]
    low, high = percentile_interval(replicates, 1_000_000, 0.9)
    np.testing.assert_allclose([low[0], high[0]], [0.05, 0.95], atol=1e-4)


def test_percentiles_of_few_clusters_are_expanded():
    # m = 5: t quantile with 4 degrees .05 is -2.1318; times sqrt(5/4) is -2.3834; Phi of that is .008576.
    replicates = np.linspace(0, 1, 100_001)[:, None]
    low, high = percentile_interval(replicates, 5, 0.9)
    np.testing.assert_allclose([low[0], high[0]], [0.008576, 1 - 0.008576], atol=2e-5)


@pytest.mark.parametrize(("replicates", "m"), [(np.zeros((5, 1)), 1), (np.full((5, 1), np.nan), 9)])
def test_no_interval_where_there_is_nothing_to_read(replicates, m):
    low, high = percentile_interval(replicates, m, 0.9)
    assert np.isnan([low[0], high[0]]).all()


def test_undefined_replicates_are_set_aside():
    low, high = percentile_interval(np.array([[np.nan], [2.0], [2.0]]), 9, 0.9)
    assert (low[0], high[0]) == (2, 2)


@pytest.mark.parametrize("cells", [1, 10, 64, 10**6])
def test_counts_are_those_of_one_long_draw(cells, monkeypatch):
    drawn = np.random.default_rng(3).integers(0, 7, size=(50, 7))
    expected = [[int((row == cluster).sum()) for cluster in range(7)] for row in drawn]
    monkeypatch.setattr(resampling, "_BLOCK_CELLS", cells)
    np.testing.assert_array_equal(
        np.concatenate(list(drawn_counts(7, 50, np.random.default_rng(3)))), expected
    )
