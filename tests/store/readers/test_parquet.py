"""Parquet: types kept, slices exact across row groups, damage named."""

import datetime as dt

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.errors import InputError
from semscale.store.readers.parquet import open_parquet


@pytest.mark.parametrize("row_group", [1, 3, 100])
@pytest.mark.parametrize(("size", "skip"), [(4, 0), (3, 5), (100, 9), (1, 10), (2, 11)])
def test_slices_are_the_rows_in_order(tmp_path, row_group, size, skip):
    frame = pl.DataFrame({"n": range(10), "text": [f"t{n}" for n in range(10)]})
    frame.write_parquet(tmp_path / "x.parquet", row_group_size=row_group)
    table = open_parquet(tmp_path / "x.parquet", "x.parquet")
    assert table.n_rows == 10
    batches = list(table.batches(size, skip))
    assert all(batch.height == size for batch in batches[:-1])
    assert [row for batch in batches for row in batch.rows()] == frame.rows()[skip:]


def test_types_are_kept(tmp_path):
    frame = pl.DataFrame(
        {
            "list": [["a"], None],
            "day": [dt.date(2024, 2, 29), None],
            "kind": pl.Series(["x", None], dtype=pl.Categorical),
            "bytes": [b"\x00", None],
        }
    )
    frame.write_parquet(tmp_path / "x.parquet")
    (batch,) = open_parquet(tmp_path / "x.parquet", "x").batches(10)
    assert_frame_equal(batch, frame)


def test_a_name_with_brackets_is_a_name_and_no_pattern(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x[1]*.parquet")
    assert open_parquet(tmp_path / "x[1]*.parquet", "x").n_rows == 1


@pytest.mark.parametrize("damage", ["text", "cut", "head"])
def test_damage(tmp_path, damage):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": range(1000)}).write_parquet(path)
    whole = path.read_bytes()
    path.write_bytes({"text": b"id,text\n1,a\n", "cut": whole[: len(whole) // 2], "head": b"PAR1"}[damage])
    with pytest.raises(InputError, match="x.parquet cannot be read as Parquet"):
        list(open_parquet(path, "x.parquet").batches(10))


def test_damaged_pages_are_named_when_they_are_read(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": [f"{n} {n * 7919 % 1000}" for n in range(20_000)]}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[100:4000] = b"\xff" * 3900
    path.write_bytes(content)
    table = open_parquet(path, "x.parquet")
    with pytest.raises(InputError, match="x.parquet cannot be read as Parquet"):
        list(table.batches(5000))


def test_no_columns(tmp_path):
    pl.DataFrame().write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="no columns"):
        open_parquet(tmp_path / "x.parquet", "x")
