"""Parquet: types kept, slices exact across row groups, damage named."""

import datetime as dt
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal
from targets import CORPUS

from semscale.errors import InputError
from semscale.store.columnar import open_parquet


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


TABLE = pa.table(
    {
        "text": ["good", None, "", "good"] * 500,
        "n": list(range(2000)),
        "sure": [True, None] * 1000,
        "tags": [["a", None], [], None, ["b"]] * 500,
        "who": [{"name": "Ana"}, None] * 1000,
        "nothing": pa.nulls(2000),
    }
)


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
@pytest.mark.parametrize("has_dictionaries", [True, False])
@pytest.mark.parametrize("packing", ["none", "snappy", "zstd", "gzip"])
def test_what_arrow_writes_is_read(tmp_path, pages, has_dictionaries, packing):
    path = tmp_path / "a.parquet"
    settings = {"data_page_version": pages, "use_dictionary": has_dictionaries, "compression": packing}
    pq.write_table(TABLE, path, row_group_size=700, data_page_size=500, **settings)
    assert pl.concat(open_parquet(path, "a").batches(900)).equals(pl.from_arrow(TABLE))


@pytest.mark.parametrize("values", ["minus-one", "minus-64"])
def test_a_page_with_fewer_values_than_none_is_refused(values):
    path = CORPUS / "parquet" / f"page-of-{values}-values.parquet"
    number = {"minus-one": -1, "minus-64": -64}[values]
    with pytest.raises(InputError, match=f"a number of values is {number}, not 0 to 3"):
        open_parquet(path, "a")


@pytest.mark.parametrize(
    "footer", [b"\xff\xff\xff\x7f", b"\x00\x01\x00\x00\x00"], ids=["longer than the file", "of other bytes"]
)
def test_a_wrong_footer_is_refused(tmp_path, footer):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + footer + b"PAR1")
    with pytest.raises(InputError, match="^a cannot be read as Parquet"):
        open_parquet(path, "a")


ROWS = 40_000_000
READING = """
import resource, sys
from pathlib import Path
from semscale.store.columnar import open_parquet

table = open_parquet(Path(sys.argv[1]), "a")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
(last,) = table.batches(50_000, table.n_rows - 1_000)
assert next(table.batches(50_000)).height == 50_000
assert last.height == 1_000 and set(last["n"]) == {7}
print(table.n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.exhaustive
def test_a_small_file_of_many_rows_is_read_in_bounded_memory(tmp_path):
    path = tmp_path / "a.parquet"
    rows = pl.select(pl.repeat(7, ROWS, dtype=pl.Int64).alias("n"))
    rows.write_parquet(path, row_group_size=ROWS, data_page_size=1 << 30)
    assert path.stat().st_size < 10_000
    ended = subprocess.run(
        [sys.executable, "-c", READING, str(path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    rows, kilobytes = map(int, ended.stdout.split())
    assert rows == ROWS
    # All numbers at once would take 320 MB.
    assert kilobytes < 100_000
