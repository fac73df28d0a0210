"""Parquet files and folders: types, slices across row groups, damage, and columns that differ."""

import datetime as dt
import subprocess
import sys

import fsspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal
from tests.fuzz.targets import CORPUS

from semscale.errors import InputError
from semscale.store.columnar import open_parquet, rebatch
from semscale.store.reading import open_table


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


def test_parquet_types_are_preserved(tmp_path):
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
def test_a_page_whose_reader_ends_its_process_is_an_error_about_the_file(values):
    path = CORPUS / "parquet" / f"page-of-{values}-values.parquet"
    message = (
        r"values\.parquet cannot be read as Parquet: its reader was ended .* 2 GB of memory; write it again"
    )
    with pytest.raises(InputError, match=message):
        open_table(path)


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
from semscale.store.reading import open_table

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
table = open_table(sys.argv[1])
(last,) = table.batches(50_000, table.n_rows - 1_000)
assert next(table.batches(50_000)).height == 50_000
assert last.height == 1_000 and set(last["n"]) == {7}
print(table.n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
del table
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
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
    rows, kilobytes, kilobytes_of_child = map(int, ended.stdout.split())
    assert rows == ROWS
    # All numbers at once would take 320 MB; a child without them takes about 100 MB.
    assert kilobytes < 100_000
    assert kilobytes_of_child < 250_000


def write(folder, name, values, column="n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame({column: values}).write_parquet(path)


@pytest.fixture
def folder(tmp_path):
    """Six rows in three files, the middle one in a folder, beside files that are none of the table."""
    write(tmp_path, "c.parquet", [5])
    write(tmp_path, "a.parquet", [0, 1])
    write(tmp_path, "b/1.parquet", [2, 3, 4])
    write(tmp_path, "_temporary/0.parquet", [9])
    write(tmp_path, ".hidden.parquet", [9])
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "notes.txt").write_text("none of the table")
    return tmp_path


@pytest.mark.parametrize(("size", "skip"), [(1, 0), (2, 1), (4, 3), (6, 5), (4, 0), (100, 6)])
@pytest.mark.exhaustive
def test_folder_rows_come_in_name_order_in_equal_batches(folder, size, skip):
    table = open_table(folder)
    batches = [batch["n"].to_list() for batch in table.batches(size, skip)]
    assert sum(batches, []) == list(range(skip, 6))
    assert all(len(batch) == size for batch in batches[:-1])
    assert (table.n_rows, table.columns) == (6, ("n",))
    assert sum((batch["n"].to_list() for batch in table.batches_with(["n"], size)), []) == list(range(6))


@pytest.mark.exhaustive
def test_any_change_of_a_row_changes_the_fingerprint(folder):
    before = open_table(folder).fingerprint()
    assert open_table(folder).fingerprint() == before
    write(folder, "b/1.parquet", [2, 3, 5])
    assert open_table(folder).fingerprint() != before


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        (
            ["text"],
            "n",
            "c.parquet has other columns than a.parquet: column 'n' has the type String, not Int64",
        ),
        ([1], "m", "c.parquet has other columns than a.parquet: it has no column 'n'"),
    ],
)
@pytest.mark.exhaustive
def test_a_partition_with_another_schema_is_named_with_its_column(folder, values, column, message):
    write(folder, "c.parquet", values, column)
    with pytest.raises(InputError, match=message):
        open_table(folder)


@pytest.mark.exhaustive
def test_another_column_and_another_order_are_refused(tmp_path):
    pl.DataFrame({"n": [1], "m": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"m": [1], "n": [1]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="b.parquet has other columns.*another order"):
        open_table(tmp_path)
    pl.DataFrame({"n": [1], "m": [1], "x": [1]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="b.parquet has other columns.*another column 'x'"):
        open_table(tmp_path)


def test_a_folder_is_read_as_parquet_alone(folder):
    with pytest.raises(InputError, match="a folder must contain Parquet files, not csv"):
        open_table(folder, format="csv")
    with pytest.raises(InputError, match="encoding applies to csv"):
        open_table(folder, encoding="latin-1")


def test_rebatched_frames_of_no_rows_are_dropped():
    frames = [pl.DataFrame({"n": values}) for values in ([], [1, 2, 3], [], [4])]
    frames = [frame.cast(pl.Int64) for frame in frames]
    assert [frame["n"].to_list() for frame in rebatch(frames, 2)] == [[1, 2], [3, 4]]
    assert list(rebatch(frames[:1], 2)) == []


FRAME = pl.DataFrame({"n": range(10), "word": list("abcdefghij")})


@pytest.fixture
def service():
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/bucket", recursive=True)


def put(system, name, frame, **settings):
    with system.open(f"/bucket/{name}", "wb") as target:
        frame.write_parquet(target, **settings)


@pytest.mark.parametrize("group", [3, 10])
@pytest.mark.parametrize("size", [1, 4, 100])
@pytest.mark.parametrize("skip", [0, 2, 3, 7, 10])
def test_rows_after_those_that_are_skipped(service, group, size, skip):
    put(service, "t.parquet", FRAME, row_group_size=group)
    table = open_table("memory://bucket/t.parquet")
    batches = list(table.batches(size, skip))
    assert all(batch.height == size for batch in batches[:-1])
    result = pl.concat(batches) if batches else FRAME.clear()
    assert result.equals(FRAME.slice(skip))
    assert table.n_rows == 10


def test_only_some_columns_are_read(service):
    put(service, "t.parquet", FRAME)
    (batch,) = open_table("memory://bucket/t.parquet").batches_with(["word"], 100)
    assert batch.equals(FRAME.select("word"))


def test_the_fingerprint_changes_with_the_object(service):
    put(service, "t.parquet", FRAME)
    before = open_table("memory://bucket/t.parquet").fingerprint()
    assert open_table("memory://bucket/t.parquet").fingerprint() == before
    put(service, "t.parquet", FRAME.head(9))
    assert open_table("memory://bucket/t.parquet").fingerprint() != before


def test_a_folder_of_partitions(service):
    put(service, "rows/b.parquet", FRAME.slice(4))
    put(service, "rows/a/0.parquet", FRAME.head(4))
    put(service, "rows/_old/0.parquet", FRAME)
    for url in ("memory://bucket/rows", "memory://bucket/rows/"):
        table = open_table(url)
        assert pl.concat(table.batches(3)).equals(FRAME)
        assert table.n_rows == 10
    put(service, "rows/b.parquet", FRAME.rename({"word": "words"}))
    with pytest.raises(
        InputError, match=r"b.parquet has other columns than a/0.parquet: it has no column 'word'"
    ):
        open_table("memory://bucket/rows/")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://bucket/none.parquet", "memory://bucket/none.parquet cannot be read .it does not exist."),
        ("memory://bucket/torn.parquet", "memory://bucket/torn.parquet cannot be read .Parquet magic bytes"),
        ("memory://bucket/other/", "memory://bucket/other/ has no .parquet files"),
        ("nosuch://u:pw@bucket/t.parquet?key=pw", "nosuch://bucket/t.parquet.* cannot be read"),
    ],
)
def test_unreadable_object_is_reported_in_a_single_line_without_secrets(service, url, message):
    service.pipe("/bucket/torn.parquet", b"PAR1" + b"x" * 100)
    service.pipe("/bucket/other/notes.txt", b"x")
    with pytest.raises(InputError, match=message) as caught:
        open_table(url)
    assert "pw" not in str(caught.value)
