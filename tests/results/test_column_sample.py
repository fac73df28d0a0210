"""Samples of columns: whole where there is room, the same in any parts, and uniform."""

import numpy as np
import pytest

from semscale.results.column_sample import ColumnSample
from semscale.results.row_sampling import RowSample


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
