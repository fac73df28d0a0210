"""A sample of rows that stream by depends on rows and seed alone."""

import numpy as np
import pytest

from semscale.results import row_sampling
from semscale.results.row_sampling import RowSample, priorities


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


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_sample_does_not_depend_on_the_parts(size):
    sample = RowSample[str](20, seed=3)
    for start in range(0, 100, size):
        sample.add((row, f"row {row}") for row in range(start, min(start + size, 100)))
    lowest = np.sort(np.argsort(priorities(np.arange(100), 3))[:20])
    assert sample.items == [f"row {row}" for row in lowest]
    assert sample.n == 100


def test_few_rows_are_all_kept():
    sample = RowSample[int](20, seed=3)
    sample.add([])
    sample.add((row, row) for row in range(0, 40, 4))
    assert sample.items == list(range(0, 40, 4))
