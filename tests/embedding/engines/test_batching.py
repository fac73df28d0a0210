"""Batches hold rows of one length, every row once, within the budget."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.openvino import FLOAT32, Arithmetic, arithmetic_batches, token_batches


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 100))
def test_every_row_is_in_one_batch_of_its_length_within_the_budget(lengths, budget):
    rows = np.array(lengths, np.int64)
    batches = token_batches(rows, budget)
    assert sorted(np.concatenate([[], *batches]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(set(rows[batch].tolist())) == 1
        assert len(batch) == 1 or rows[batch].sum() <= budget or rows[batch[0]] == 0
    first = [int(rows[batch[0]]) for batch in batches]
    assert first == sorted(first, reverse=True)


def test_a_batch_is_as_full_as_the_budget_allows():
    # 3 rows of 4 tokens in 12; the fourth begins another batch.
    assert [len(batch) for batch in token_batches(np.full(7, 4), budget=13)] == [3, 3, 1]


def test_rows_of_less_than_8_tokens_are_in_float32_and_come_first():
    turbo = Arithmetic(bfloat16=True, int8=True)
    found = [(each, rows.tolist()) for each, rows in arithmetic_batches([8, 7, 20, 7, 3], turbo)]
    assert found == [(FLOAT32, [1, 3]), (FLOAT32, [4]), (turbo, [2]), (turbo, [0])]
    assert [rows.tolist() for _, rows in arithmetic_batches([8, 3], FLOAT32)] == [[0], [1]]
