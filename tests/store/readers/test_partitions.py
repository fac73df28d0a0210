"""Folders of Parquet partitions: order, what is skipped, and partitions that do not fit."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.columnar import rebatched
from semscale.store.reading import open_table


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


@pytest.mark.parametrize("size", [1, 2, 4, 6, 100])
@pytest.mark.parametrize("skip", [0, 1, 3, 5, 6])
def test_rows_are_in_the_order_of_names_in_batches_of_one_size(folder, size, skip):
    table = open_table(folder)
    batches = [batch["n"].to_list() for batch in table.batches(size, skip)]
    assert sum(batches, []) == list(range(skip, 6))
    assert all(len(batch) == size for batch in batches[:-1])
    assert (table.n_rows, table.columns) == (6, ("n",))
    assert sum((batch["n"].to_list() for batch in table.batches_with(["n"], size)), []) == list(range(6))


def test_any_change_of_a_row_changes_the_fingerprint(folder):
    before = open_table(folder).fingerprint()
    assert open_table(folder).fingerprint() == before
    write(folder, "b/1.parquet", [2, 3, 5])
    assert open_table(folder).fingerprint() != before


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        (["text"], "n", "c.parquet does not fit to a.parquet: column 'n' has the type String, not Int64"),
        ([1], "m", "c.parquet does not fit to a.parquet: it has no column 'n'"),
    ],
)
def test_a_partition_with_another_schema_is_named_with_its_column(folder, values, column, message):
    write(folder, "c.parquet", values, column)
    with pytest.raises(InputError, match=message):
        open_table(folder)


def test_another_column_and_another_order_are_refused(tmp_path):
    pl.DataFrame({"n": [1], "m": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"m": [1], "n": [1]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="b.parquet does not fit.*another order"):
        open_table(tmp_path)
    pl.DataFrame({"n": [1], "m": [1], "x": [1]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="b.parquet does not fit.*another column 'x'"):
        open_table(tmp_path)


def test_a_folder_is_read_as_parquet_alone(folder):
    with pytest.raises(InputError, match="a folder is read as Parquet, not as csv"):
        open_table(folder, format="csv")
    with pytest.raises(InputError, match="encoding applies to csv"):
        open_table(folder, encoding="latin-1")


def test_rebatched_frames_of_no_rows_are_dropped():
    frames = [pl.DataFrame({"n": values}) for values in ([], [1, 2, 3], [], [4])]
    frames = [frame.cast(pl.Int64) for frame in frames]
    assert [frame["n"].to_list() for frame in rebatched(frames, 2)] == [[1, 2], [3, 4]]
    assert list(rebatched(frames[:1], 2)) == []
