"""Rows in memory are those of the file, in the same parts, types and order."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.errors import InputError
from semscale.store import table_in_memory as module
from semscale.store.columns import column_in, storable
from semscale.store.reading import open_table
from semscale.store.table_in_memory import table_in_memory


@pytest.fixture
def steps():
    return []


@pytest.fixture
def load(steps, monkeypatch):
    """Load a table in parts of two rows."""
    monkeypatch.setattr(module, "_BATCH", 2)
    return lambda table: table_in_memory(table, lambda *step: steps.append(step))


def test_rows_are_read_in_any_batches_after_any_row(tmp_path, load, steps):
    path = tmp_path / "a.csv"
    path.write_text("id,text,n\n" + "".join(f"{n},t{n},\n" for n in range(5)))
    table = load(open_table(path))
    path.unlink()
    assert [batch["id"].to_list() for batch in table.batches(10)] == [["0", "1"], ["2", "3"], ["4"]]
    assert [batch["id"].to_list() for batch in table.batches(1, skip=3)] == [["3"], ["4"]]
    assert [batch.rows() for batch in table.batches_with(["text"], 10)] == [
        [("t0",), ("t1",)],
        [("t2",), ("t3",)],
        [("t4",)],
    ]
    assert table.n_rows == 5
    assert steps == [("reading the rows", n, None) for n in (2, 4, 5)]


def test_types_and_mixed_cells_are_read_as_counts_and_expressions_read_them(tmp_path, load):
    rows = [
        {"mixed": 1, "whole": 3, "flag": True, "tags": ["x", "y"]},
        {"mixed": "a", "whole": 4, "flag": None, "tags": []},
        {"mixed": None, "whole": 5.5, "late": {"deep": 1}},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    table = open_table(path)
    loaded = load(table)
    for left, right in zip(table.batches(2), loaded.batches(2), strict=True):
        assert_frame_equal(storable(left), right)
    # A part without any of the columns still has its rows, whose cells are missing.
    late = [column_in(batch, "late") for batch in loaded.batches_with(["late"], 9)]
    assert [len(cells) for cells in late] == [2, 1]


def test_what_parquet_would_change_stays_as_it_is(load):
    frame = pl.DataFrame({"kind": pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b"])), "empty": [None] * 3})
    table = module._Part.from_rows(frame)
    assert_frame_equal(table.rows(), frame)
    assert_frame_equal(table.rows(["empty"]), frame.select("empty"))


def test_a_table_that_is_too_large_is_read_from_its_file(tmp_path, load, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    path = tmp_path / "a.csv"
    path.write_text("id\n1\n2\n3\n")
    table = open_table(path)
    assert load(table) is table


def test_a_broken_row_is_an_error_with_its_line(tmp_path, load):
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\n2,b\n3\n")
    with pytest.raises(InputError, match="line 4"):
        load(open_table(path))
