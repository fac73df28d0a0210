"""Parquet behind URLs: rows by row groups, some columns, and folders; fsspec's memory is the service."""

import fsspec
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table

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
    found = pl.concat(batches) if batches else FRAME.clear()
    assert found.equals(FRAME.slice(skip))
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
    with pytest.raises(InputError, match=r"b.parquet does not fit to a/0.parquet: it has no column 'word'"):
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
def test_what_cannot_be_read_is_said_in_one_sentence_without_secrets(service, url, message):
    service.pipe("/bucket/torn.parquet", b"PAR1" + b"x" * 100)
    service.pipe("/bucket/other/notes.txt", b"x")
    with pytest.raises(InputError, match=message) as caught:
        open_table(url)
    assert "pw" not in str(caught.value)
