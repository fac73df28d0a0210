"""What is kept of rows that stream by does not depend on how they were cut."""

import numpy as np
import pytest

from semscale.rating import row_sampling
from semscale.rating.row_sampling import DistinctCount, priorities, set_correlations, set_moments
from semscale.stats.intervals.moments import Moments


def test_priorities_depend_on_row_and_seed_alone():
    rows = np.arange(1000)
    whole = priorities(rows, seed=7)
    assert np.array_equal(whole[rows[::-1]], priorities(rows[::-1], seed=7))
    assert len(np.unique(whole)) == 1000
    assert not np.isin(whole, priorities(rows, seed=8)).any()


@pytest.mark.parametrize("seed", [0, 1, -1, 2**70])
def test_priorities_are_uniform(seed):
    shares = priorities(np.arange(100_000), seed).astype(float) / 2**64
    counts, _ = np.histogram(shares, bins=20, range=(0, 1))
    # Each bin expects 5,000 with a standard deviation of sqrt(100000 * .05 * .95) = 69; five of them are 345.
    assert np.abs(counts - 5000).max() < 345
    assert abs(np.corrcoef(np.arange(100_000), shares)[0, 1]) < 5 / np.sqrt(100_000)


def test_splitmix64_as_published():
    # With state 0 the generator's first outputs are known (Vigna's reference implementation, seed 0).
    state = np.arange(1, 4, dtype=np.uint64) * row_sampling._GAMMA
    with np.errstate(over="ignore"):
        assert [hex(number) for number in row_sampling._mix(state)] == [
            "0xe220a8397b1dcdaf",
            "0x6e789e6aa1b965f4",
            "0x6c45d188009454f",
        ]


def test_distinct_texts_are_counted_over_parts():
    distinct = DistinctCount()
    for part in range(10):
        distinct.add([f"text {n}" for n in range(part, part + 100)])
    assert distinct.count == 109  # texts 0 to 108


def test_too_many_distinct_texts_are_not_counted(monkeypatch):
    monkeypatch.setattr(row_sampling, "MAX_DISTINCT", 10)
    distinct = DistinctCount()
    distinct.add([str(n) for n in range(10)])
    assert distinct.count == 10
    distinct.add(["one more"])
    assert distinct.count is None
    distinct.add(["a"])
    assert distinct.count is None


def test_correlations_from_sums_are_numpys():
    rng = np.random.default_rng(0)
    means = 3 + 0.1 * rng.standard_normal((500, 4)) @ rng.standard_normal((4, 4))
    moments = Moments.empty(4)
    for part in np.array_split(means, 7):
        moments = moments.merged(set_moments(part, np.arange(1, 6)))
    np.testing.assert_allclose(set_correlations(moments), np.corrcoef(means.T), atol=1e-12)


def test_correlations_that_do_not_exist_are_nan():
    assert np.isnan(set_correlations(Moments.empty(2))).all()
    assert np.isnan(set_correlations(set_moments(np.array([[1.0, 2.0]]), np.array([1.0, 2.0])))).all()
    constant = set_correlations(set_moments(np.array([[1.0, 2.0], [1.0, 3.0]]), np.arange(1, 4)))
    assert np.isnan(constant[0]).all()
    assert constant[1, 1] == pytest.approx(1)


def test_correlations_of_sets_by_hand():
    # Second set runs against the first, third does not vary.
    table = set_correlations(
        set_moments(np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 2.0], [3.0, 1.0, 2.0]]), np.arange(1, 4))
    )
    np.testing.assert_allclose(table, [[1, -1, np.nan], [-1, 1, np.nan], [np.nan] * 3])


def test_halves_of_surrogate_pairs_are_counted_as_what_the_model_reads():
    distinct = DistinctCount()
    distinct.add(["good\ud83d", "good\ufffd", "good"])
    assert distinct.count == 2
