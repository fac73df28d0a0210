"""Packing of rows: every row once, within the budget, and short ones in float32."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.torch_engine.packed_rows import PackedRows, packed_batches, typed_batches

LENGTHS = st.lists(st.integers(1, 40), max_size=60)


@given(LENGTHS, st.integers(1, 100))
def test_batches_hold_every_row_once_within_the_budget(lengths, budget):
    tokens = np.array(lengths, np.int64)
    batches = list(packed_batches(tokens, budget))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert tokens[batch].sum() <= budget or len(batch) == 1
        assert (np.diff(tokens[batch]) <= 0).all()


def test_a_batch_is_filled_before_the_next_one_begins():
    # 6 + 4 = 10 fit; 4 + 3 + 3 = 10 fit.
    assert [rows.tolist() for rows in packed_batches(np.array([3, 4, 6, 4, 3]), 10)] == [[2, 1], [3, 0, 4]]


@given(LENGTHS)
def test_runs_cover_all_rows(lengths):
    rows = [np.arange(length, dtype=np.int32) for length in sorted(lengths, reverse=True)]
    packed = PackedRows.of(rows)
    row = token = 0
    for run in packed.runs:
        assert (run.row, run.first) == (row, token)
        assert {len(each) for each in rows[row : row + run.rows]} == {run.length}
        row, token = row + run.rows, token + run.rows * run.length
    assert (row, token) == (len(rows), len(packed.ids))
    # Each row is 0, 1, 2 ..., as its places are.
    np.testing.assert_array_equal(packed.places, packed.ids)


def test_no_rows_make_no_batch():
    assert list(typed_batches(np.empty(0, np.int64), 10, "bfloat16")) == []


def test_in_float32_short_rows_lie_with_the_others():
    assert [rows.tolist() for _, rows in typed_batches(np.array([3, 9]), 512, "float32")] == [[1, 0]]
