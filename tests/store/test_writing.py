"""Tables out: the same cells come back, and no spreadsheet runs any of them."""

import csv
import datetime as dt
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import formula_safe, output_format, write_frames, write_table

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
]
HARMLESS = ["-3.5", "+4", "-1e5", "-1,5", "fine", "a=b", " =1", "'=1", "", "-.5"]


def test_formulas_get_an_apostrophe_and_numbers_do_not():
    frame = pl.DataFrame({"text": [*FORMULAS, *HARMLESS, None]})
    assert formula_safe(frame)["text"].to_list() == [*(f"'{text}" for text in FORMULAS), *HARMLESS, None]


def test_a_column_name_is_a_cell_too():
    frame = pl.DataFrame({"=cmd|'/c calc'!A0": [1], "text": ["a"]})
    assert formula_safe(frame).columns == ["'=cmd|'/c calc'!A0", "text"]


def test_numbers_that_are_numbers_stay_numbers():
    frame = pl.DataFrame({"n": [-1, -2]})
    assert formula_safe(frame).equals(frame)


@given(st.lists(st.text(), min_size=1))
def test_no_cell_of_a_csv_begins_like_a_formula(texts):
    output = io.BytesIO()
    formula_safe(pl.DataFrame({"text": texts})).write_csv(output)
    cells = [row[0] for row in csv.reader(io.StringIO(output.getvalue().decode(), newline="")) if row]
    for cell in cells:
        if cell[:1] in list("=+-@\t\r\n"):
            float(cell.replace(",", "."))  # raises unless it is a plain number


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx"])
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
    import zipfile

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


def test_frames_follow_each_other_under_one_header(tmp_path):
    frames = [pl.DataFrame({"n": [1, 2]}), pl.DataFrame({"n": [3]})]
    write_frames(frames, tmp_path / "x.csv", "csv")
    assert (tmp_path / "x.csv").read_text() == "n\n1\n2\n3\n"
    write_frames(frames, tmp_path / "x.jsonl", "jsonl")
    assert (tmp_path / "x.jsonl").read_text() == '{"n":1}\n{"n":2}\n{"n":3}\n'
    write_frames(frames, tmp_path / "x.xlsx", "xlsx")
    assert [b["n"].to_list() for b in open_table(tmp_path / "x.xlsx").batches(10)] == [[1, 2, 3]]


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "xlsx"])
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
        InputError, match=r"out must end in one of .parquet, .csv, .jsonl, .ndjson, .xlsx, got 'x.sav'"
    ):
        output_format(tmp_path / "x.sav")


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
