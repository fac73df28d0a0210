"""Parts to one file: order, columns and types."""

import numpy as np
import polars as pl
import pytest
from pyarrow.parquet import ParquetFile

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import common_schema, join_parts


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()

    def write(*frames):
        paths = []
        for number, columns in enumerate(frames):
            paths.append(folder / f"part-{number:06d}.parquet")
            pl.DataFrame(columns).write_parquet(paths[-1])
        return paths

    return write


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx"])
def test_rows_keep_their_order(tmp_path, parts, extension):
    paths = parts(*({"n": range(7 * part, 7 * part + 7)} for part in range(30)))
    target = tmp_path / f"x.{extension}"
    join_parts(paths, target)
    cells = [cell for batch in open_table(target).batches(50) for cell in batch["n"]]
    assert [int(cell) for cell in cells] == list(range(210))
    assert {path.name for path in tmp_path.iterdir()} == {target.name, "parts"}


@pytest.mark.parametrize(
    ("cells", "dtype", "joined"),
    [
        (([1], [2.5]), pl.Float64, [1.0, 2.5]),
        (([1], ["a"]), pl.String, ["1", "a"]),
        (([True], ["a"]), pl.String, ["true", "a"]),
        (([None], [1]), pl.Int64, [None, 1]),
        (([None], [None]), pl.String, [None, None]),
        (([1], [True]), pl.String, ["1", "true"]),
        # 2 ** 53 + 1 is no double, so a column with it must not become one.
        (([2**53 + 1], [0.5]), pl.String, ["9007199254740993", "0.5"]),
    ],
)
def test_types_that_differ(tmp_path, parts, cells, dtype, joined):
    paths = parts(*({"x": cell} for cell in cells))
    assert common_schema(paths) == {"x": dtype}
    join_parts(paths, tmp_path / "x.parquet")
    assert pl.read_parquet(tmp_path / "x.parquet")["x"].to_list() == joined


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_a_column_that_comes_late_is_null_before(tmp_path, parts, extension):
    target = tmp_path / f"x.{extension}"
    join_parts(parts({"a": ["1"]}, {"b": ["x"], "a": ["2"]}), target)
    assert [row for batch in open_table(target).batches(9) for row in batch.rows()] == [
        ("1", None),
        ("2", "x"),
    ]


def test_an_earlier_file_stays_until_the_new_one_is_whole(tmp_path, parts):
    target = tmp_path / "x.xlsx"
    target.write_text("old")
    with pytest.raises(InputError, match="an Excel cell holds"):
        join_parts(parts({"a": ["x"]}, {"a": ["x" * 40_000]}), target)
    assert target.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"x.xlsx", "parts"}


def test_parquet_is_the_same_bytes_every_time(tmp_path, parts):
    paths = parts(
        *({"n": range(40_000), "text": [f"{part} {n}" for n in range(40_000)]} for part in range(6))
    )
    for name in ("a", "b"):
        join_parts(paths, tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_columns_can_be_left_out(tmp_path, parts):
    paths = parts({"n": [1], "kept": [[0.5]]}, {"n": [2], "kept": [[0.25]]})
    join_parts(paths, tmp_path / "x.csv", without=["kept"])
    assert (tmp_path / "x.csv").read_text() == "n\n1\n2\n"


def test_row_groups_of_vectors_are_small(tmp_path, parts):
    # 2**24 bytes hold 2,048 vectors of 1,024 numbers of 8 bytes.
    vectors = pl.Series("v", np.zeros((3000, 1024)))
    join_parts(parts({"v": vectors}, {"v": vectors}), tmp_path / "x.parquet")
    footer = ParquetFile(tmp_path / "x.parquet").metadata
    assert footer.num_rows == 6000
    assert max(footer.row_group(group).num_rows for group in range(footer.num_row_groups)) <= 2048
