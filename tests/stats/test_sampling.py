"""Seeded samples of rows do not depend on how a stream is cut into parts."""

import numpy as np
import pytest

from semscale.stats import sampling
from semscale.stats.sampling import ColumnSample, LabelledSample, RowSample, priorities


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
    state = np.arange(1, 4, dtype=np.uint64) * sampling._GAMMA
    with np.errstate(over="ignore"):
        assert [hex(number) for number in sampling._mix(state)] == [
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


def sampled(n, most, part, seed=0):
    sample = ColumnSample(most, seed)
    for start in range(0, n, part):
        rows = np.arange(start, min(n, start + part))
        sample.add({"row": rows, "half": rows / 2})
    return sample


@pytest.mark.parametrize("part", [1, 7, 100])
def test_of_few_rows_all_are_kept(part):
    sample = sampled(20, 20, part)
    assert sample.rows.tolist() == list(range(20))
    assert sample.columns["half"].tolist() == [row / 2 for row in range(20)]


@pytest.mark.parametrize("part", [1, 7, 31, 1000])
def test_it_is_the_sample_of_row_sampling_in_any_parts(part):
    one = RowSample[int](30, seed=4)
    one.add((row, row) for row in range(1000))
    sample = sampled(1000, 30, part, seed=4)
    assert sample.rows.tolist() == one.items
    assert sample.columns["row"].tolist() == one.items
    assert (sample.columns["half"] * 2 == sample.rows).all()


def test_it_may_be_looked_at_between_parts():
    sample, other = ColumnSample(5), sampled(40, 5, 40)
    for row in range(40):
        sample.add({"row": np.array([row]), "half": np.array([row / 2])})
        assert len(sample.rows) == min(row + 1, 5)
    assert sample.rows.tolist() == other.rows.tolist()


def test_nothing_was_added():
    assert ColumnSample(3).rows.tolist() == []
    assert ColumnSample(3).columns == {}


def kept(most, size, n=100, labelled=(3, 50, 99)):
    sample = LabelledSample(most, seed=4)
    has_label = np.isin(np.arange(n), labelled)
    for start in range(0, n, size):
        rows = np.arange(start, min(start + size, n))
        sample.add({"score": rows * 0.5, "pair": np.stack([rows, -rows], axis=1)}, has_label[rows])
    return sample.kept()


def test_of_few_rows_all_are_kept_once():
    found = kept(100, 30)
    assert found.rows.tolist() == list(range(100))
    assert (found.drawn, found.n_drawn, found.n) == (None, None, 100)
    assert found.in_draw.all()


def test_of_many_rows_a_sample_and_the_labelled_ones_are_kept_in_their_order():
    found = kept(10, 30)
    assert found.n_drawn == found.drawn.sum() == 10
    assert {3, 50, 99} <= set(found.rows.tolist())
    assert found.rows.tolist() == sorted(set(found.rows.tolist()))
    assert found.columns["score"].tolist() == (found.rows * 0.5).tolist()
    assert found.columns["pair"].tolist() == np.stack([found.rows, -found.rows], axis=1).tolist()


def test_the_size_of_parts_changes_nothing():
    assert kept(10, 30).rows.tolist() == kept(10, 1).rows.tolist() == kept(10, 100).rows.tolist()


def test_kept_rows_stand_for_all_rows_together_and_labelled_ones_for_themselves():
    found = kept(10, 30)
    labelled = np.isin(found.rows, [3, 50, 99])
    weights = found.standing_for(labelled)
    assert weights[labelled].tolist() == [1, 1, 1]
    assert weights.sum() == 100
