"""Tables as Parquet, CSV, JSON lines and Excel: free names, values, joined parts, and limits of sheets."""

import csv
import datetime as dt
import gc
import io
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.parquet import ParquetFile

from semscale.errors import InputError
from semscale.store import writing
from semscale.store.columns import escape_formulas
from semscale.store.reading import open_table
from semscale.store.writing import (
    check_free,
    check_output,
    check_rows,
    common_schema,
    join_parts,
    open_workbook,
    output_format,
    with_numbers,
    write_batches,
    write_frames,
    write_table,
    write_workbook,
)

SPSS = pytest.param("sav", marks=pytest.mark.needs("spss"))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": ["good", "bad"]}).write_csv(path)
    return open_table(path)


def test_a_column_of_the_results_is_refused():
    check_free(["id", "my_semscale_mean"], "a.csv")
    with pytest.raises(InputError, match=r"a\.csv has a column 'semscale_mean' already, which the result"):
        check_free(["id", "semscale_mean"], "a.csv")
    check_free(["semscale_mean"], "a.csv", {"semscale_mode"}.__contains__)


def test_an_output_beside_the_input(table, tmp_path):
    check_output(table, tmp_path / "rated.parquet")


def test_the_input_is_no_output(table):
    with pytest.raises(InputError, match="out must not be the input"):
        check_output(table, table.path)


@pytest.mark.parametrize(
    ("name", "message"),
    [("rated.doc", "out must end in one of"), ("missing/rated.csv", "missing does not exist")],
)
def test_an_output_that_cannot_be_written(table, tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        check_output(table, tmp_path / name)


def test_more_rows_than_a_sheet_holds(table, tmp_path):
    import dataclasses

    check_output(dataclasses.replace(table, n_rows=1_048_575), tmp_path / "rated.xlsx")
    large = dataclasses.replace(table, n_rows=1_048_576)
    with pytest.raises(InputError, match="an Excel sheet holds 1,048,575 rows, but there are 1,048,576"):
        check_output(large, tmp_path / "rated.xlsx")
    check_output(large, tmp_path / "rated.csv")


FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("http://x")',
    "-",
    "=",
    "+49 30 1",
    "-2+3",
    "'=1",
]
HARMLESS = ["-3.5", "+4", "-1e5", "-1,5", "fine", "a=b", " =1", "'so'", "", "-.5"]


def test_formulas_get_an_apostrophe_and_numbers_do_not():
    frame = pl.DataFrame({"text": [*FORMULAS, *HARMLESS, None]})
    assert escape_formulas(frame)["text"].to_list() == [*(f"'{text}" for text in FORMULAS), *HARMLESS, None]


def test_a_column_name_is_a_cell_too():
    frame = pl.DataFrame({"=cmd|'/c calc'!A0": [1], "text": ["a"]})
    assert escape_formulas(frame).columns == ["'=cmd|'/c calc'!A0", "text"]


def test_numbers_that_are_numbers_stay_numbers():
    frame = pl.DataFrame({"n": [-1, -2]})
    assert escape_formulas(frame).equals(frame)


@given(st.lists(st.text(), min_size=1))
def test_no_cell_of_a_csv_begins_like_a_formula(texts):
    output = io.BytesIO()
    escape_formulas(pl.DataFrame({"text": texts})).write_csv(output)
    cells = [row[0] for row in csv.reader(io.StringIO(output.getvalue().decode(), newline="")) if row]
    for cell in cells:
        if cell[:1] in list("=+-@\t\r\n"):
            float(cell.replace(",", "."))  # raises unless it is a plain number


@given(st.lists(st.text(min_size=1) | st.sampled_from([*FORMULAS, "''=", "'-1"]), min_size=1))
@pytest.mark.exhaustive
def test_a_csv_is_read_without_the_apostrophe(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("escaped") / "a.csv"
    write_table(pl.DataFrame({"=id": range(len(texts)), "text": texts}), path)
    rows = open_table(path)
    assert rows.columns == ("=id", "text")
    assert pl.concat(rows.batches(2))["text"].to_list() == texts


@pytest.mark.parametrize("text", FORMULAS[:4])
def test_a_csv_without_apostrophes(tmp_path, text):
    frame = pl.DataFrame({"text": [text]})
    write_table(frame, tmp_path / "a.csv", escape=False)
    write_batches([frame], tmp_path / "b.csv", escape=False)
    for name in ("a.csv", "b.csv"):
        assert (tmp_path / name).read_text() == f"text\n{text}\n"


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx", SPSS])
@pytest.mark.exhaustive
def test_texts_come_back_as_they_were(tmp_path, extension):
    texts = [
        "plain",
        'with "quotes", comma; and\ttab',
        "two\nlines",
        "ünïcödé 漢字 🙂",
        "http://x.y",
        "00123",
        None,
        "1e5",
    ]
    path = tmp_path / f"x.{extension}"
    write_table(pl.DataFrame({"id": range(len(texts)), "text": texts}), path)
    (batch,) = open_table(path).batches(100)
    assert batch["text"].to_list() == texts


def test_excel_stores_a_formula_and_a_link_as_text(tmp_path):
    path = tmp_path / "x.xlsx"
    texts = ["=1+1", "{=1}", "http://example.org", "mailto:a@b.c", "-1"]
    write_table(pl.DataFrame({"text": texts}), path)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "<hyperlink" not in sheet
    (batch,) = open_table(path).batches(100)
    assert batch["text"].to_list() == texts


def test_missing_is_empty_and_never_zero(tmp_path):
    frame = pl.DataFrame({"n": [None, 0.0], "text": [None, ""]}, schema={"n": pl.Float64, "text": pl.String})
    write_table(frame, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == 'n,text\n,\n0.0,""\n'
    write_table(frame, tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").read_text() == '{"n":null,"text":null}\n{"n":0.0,"text":""}\n'


def test_frames_are_written_under_a_single_header(tmp_path):
    frames = [pl.DataFrame({"n": [1, 2]}), pl.DataFrame({"n": [3]})]
    write_frames(frames, tmp_path / "x.csv", "csv")
    assert (tmp_path / "x.csv").read_text() == "n\n1\n2\n3\n"
    write_frames(frames, tmp_path / "x.jsonl", "jsonl")
    assert (tmp_path / "x.jsonl").read_text() == '{"n":1}\n{"n":2}\n{"n":3}\n'
    write_frames(frames, tmp_path / "x.xlsx", "xlsx")
    assert [b["n"].to_list() for b in open_table(tmp_path / "x.xlsx").batches(10)] == [[1, 2, 3]]


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx", SPSS])
@pytest.mark.exhaustive
def test_columns_of_every_type_can_be_written(tmp_path, extension):
    frame = pl.DataFrame(
        {
            "list": [["a"], None],
            "struct": [{"a": 1}, None],
            "day": [dt.date(2024, 2, 29), dt.date(1800, 1, 1)],
            "time": [dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC), None],
            "bytes": [b"x", None],
            "duration": [dt.timedelta(1), None],
            "kind": pl.Series(["a", None], dtype=pl.Categorical),
            "nothing": [None, None],
            "truth": [True, None],
            "float": [float("inf"), float("nan")],
            "mixed": pl.Series(["a", {"b": 1}], dtype=pl.Object),
        }
    )
    path = tmp_path / f"x.{extension}"
    write_table(frame, path)
    (batch,) = open_table(path).batches(10)
    assert batch.columns == frame.columns
    assert batch.height == 2
    assert batch["mixed"].to_list() == ["a", '{"b":1}']


def test_an_extension_that_cannot_be_written(tmp_path):
    with pytest.raises(
        InputError, match=r"out must end in one of .parquet, .csv, .jsonl, .ndjson, .xlsx, .sav, got 'x.ods'"
    ):
        output_format(tmp_path / "x.ods")


def test_a_failure_leaves_no_file(tmp_path):
    with pytest.raises(InputError, match="an Excel cell holds 32,767"):
        write_table(pl.DataFrame({"text": ["x" * 32_768]}), tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_long_text_of_a_run_is_cut_in_excel_and_a_line_says_so(tmp_path):
    frame = pl.DataFrame({"text": ["a", "b"], "semscale_reply": ["x" * 40_000, "fine"]})
    with pytest.warns(UserWarning, match=r"cut to 32,767 characters, as Excel holds no more: 1;"):
        write_table(frame, tmp_path / "x.xlsx")
    (batch,) = open_table(tmp_path / "x.xlsx").batches(10)
    assert batch["semscale_reply"].str.len_chars().to_list() == [32_767, 4]


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


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx", SPSS])
@pytest.mark.exhaustive
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
@pytest.mark.exhaustive
def test_a_column_that_comes_late_is_null_before(tmp_path, parts, extension):
    target = tmp_path / f"x.{extension}"
    join_parts(parts({"a": ["1"]}, {"b": ["x"], "a": ["2"]}), target)
    assert [row for batch in open_table(target).batches(9) for row in batch.rows()] == [
        ("1", None),
        ("2", "x"),
    ]


def test_earlier_file_stays_until_the_new_file_is_complete(tmp_path, parts):
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


BATCHES = [pl.DataFrame({"a": [1, 2], "b": ["x", "=1"]}), pl.DataFrame({"a": [0.5], "c": ["late"]})]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "t.jsonl"])
@pytest.mark.exhaustive
def test_batches_are_joined_with_columns_that_differ(tmp_path, name):
    write_batches(iter(BATCHES), tmp_path / name)
    (rows,) = open_table(tmp_path / name).batches(10)
    assert rows.columns == ["a", "b", "c"]
    assert [float(cell) for cell in rows["a"]] == [1, 2, 0.5]
    assert rows["c"][-1] == "late"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_error_in_a_batch_leaves_no_file(tmp_path):
    def batches():
        yield BATCHES[0]
        raise InputError("stop")

    with pytest.raises(InputError, match="stop"):
        write_batches(batches(), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_number_of_rows_below_a_header():
    check_rows(1_048_575)  # 2 ** 20 rows less the header
    with pytest.raises(
        InputError, match="holds 1,048,575 rows, but there are 1,048,576; write .parquet or .csv"
    ):
        check_rows(1_048_576)


def test_rows_are_counted_over_all_frames(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "MAX_ROWS", 3)
    frames = [pl.DataFrame({"n": [1, 2]})] * 2
    with pytest.raises(InputError, match="there are 4"):
        write_workbook(frames, tmp_path / "x.xlsx")


def test_workbook_does_not_contain_its_creation_time(tmp_path):
    write_workbook([pl.DataFrame({"n": [1]})], tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as parts:
        about = parts.read("docProps/core.xml").decode()
    years = re.findall(r">(\d{4})-\d\d-\d\dT[\d:]+Z<", about)
    assert years == ["1980", "1980"]  # created and modified


@pytest.mark.exhaustive
def test_the_longest_cell(tmp_path):
    write_workbook([pl.DataFrame({"text": ["x" * 32_767]})], tmp_path / "x.xlsx")
    (batch,) = open_table(tmp_path / "x.xlsx").batches(1)
    assert batch["text"].str.len_chars().to_list() == [32_767]
    with pytest.raises(InputError, match="row 2 has a text of 32,768 characters"):
        write_workbook([pl.DataFrame({"text": ["x", "x" * 32_768]})], tmp_path / "x.xlsx")


@pytest.mark.exhaustive
def test_dates_are_dates_where_excel_has_them(tmp_path):
    days = [dt.date(2024, 2, 29), dt.date(1900, 3, 1)]
    write_workbook([pl.DataFrame({"day": days, "old": [dt.date(1899, 12, 31)] * 2})], tmp_path / "x.xlsx")
    (batch,) = open_table(tmp_path / "x.xlsx").batches(10)
    assert [day.date() for day in batch["day"]] == days
    assert batch["old"].to_list() == ["1899-12-31"] * 2


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_full_disk_is_a_single_error_without_later_failures(tmp_path, monkeypatch):
    parts = tmp_path / "parts"
    parts.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(parts))
    unraised = []
    monkeypatch.setattr("sys.unraisablehook", unraised.append)
    with pytest.raises(OSError, match="No space left on device"):
        write_workbook([pl.DataFrame({"text": ["x"]})], Path("/dev/full"))
    gc.collect()
    assert unraised == []
    assert list(parts.iterdir()) == []


def dtype_of(*lots):
    frames = [pl.LazyFrame({"a": lot}, schema={"a": pl.String}) for lot in lots]
    return {frame.collect_schema()["a"] for frame in with_numbers(frames)}


@pytest.mark.parametrize(
    "text", ["0", "5", "-12", "123456789012345", "1.5", "-0.25", "0.0001", "1234567890.12345"]
)
def test_numbers_become_numbers(text):
    assert dtype_of(["1", text, None, ""]) == {pl.Float64}


@pytest.mark.parametrize(
    "text",
    ["01067", "007", "-0", "+5", "1.50", "5.", ".5", "1e5", " 5", "5 ", "1,5", "1234567890123456", "NaN",
     "2026-11-22", "12:30", "0.00001", "1234567890.123456", "good", "٥"],
)  # fmt: skip
def test_single_non_numeric_text_keeps_the_column_as_text(text):
    assert dtype_of(["1", text]) == {pl.String}
    assert dtype_of(["1"], [text], ["2"]) == {pl.String}


def test_a_column_without_any_text_stays():
    assert dtype_of([None, ""], [None]) == {pl.String}


@given(st.floats(allow_nan=False, allow_infinity=False).map(lambda value: f"{value:.15g}"))
def test_number_cell_reproduces_its_text(text):
    (frame,) = with_numbers([pl.LazyFrame({"a": [text]})])
    (cell,) = frame.collect()["a"]
    assert (cell if isinstance(cell, str) else f"{cell:.15g}") == text
    assert isinstance(cell, str) or float(text) == cell


def test_a_workbook_whose_parts_cannot_be_written_is_an_error_of_the_system(tmp_path):
    with pytest.raises(OSError, match="No such file"), open_workbook(tmp_path / "t.xlsx") as workbook:  # noqa: PT012
        workbook.add_worksheet()
        shutil.rmtree(workbook.tmpdir)
    assert not (tmp_path / "t.xlsx").exists()
