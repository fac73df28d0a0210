"""Tables: names of columns, batches, picked rows, and where they are opened from."""

import io
import sys
from datetime import datetime

import numpy as np
import polars as pl
import pytest
import xlsxwriter

from semscale.errors import InputError, UnknownNameError
from semscale.store import table as tables
from semscale.store.columns import NUMBER
from semscale.store.reading import open_table
from semscale.store.table import check_names, pick_rows
from semscale.store.writing import write_table


def csv_with(folder, *cells, name="answers.csv"):
    path = folder / name
    path.write_text("id,text\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells)))
    return open_table(path)


@pytest.mark.parametrize(
    ("asked", "near"), [("txt", "text"), ("Text", "text"), ("TEXT", "text"), ("ID", "id")]
)
def test_a_missing_column_gets_the_nearest_name_and_all_names(tmp_path, asked, near):
    table = csv_with(tmp_path, "good")
    with pytest.raises(
        UnknownNameError, match=f"no column '{asked}'; did you mean '{near}'.* columns: id, text"
    ):
        table.require(asked, "text")


def test_a_name_that_resembles_nothing_gets_the_list_alone(tmp_path):
    with pytest.raises(UnknownNameError) as caught:
        csv_with(tmp_path, "good").require("weight", "weight")
    assert str(caught.value).endswith("has no column 'weight'; columns: id, text")


def test_a_long_list_of_columns_is_cut(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(100)) + "\n" + ",".join("x" * 100) + "\n")
    with pytest.raises(UnknownNameError, match=r"c28, c29, \.\.\. \(100 in all\)$"):
        open_table(path).require("weight", "weight")


@pytest.mark.parametrize(
    "cells",
    [["1", "2.5"], ["-3", "1e5", ""], ["1,5".join('""'), "2"], ["", "  "], ["+.5", " 7 "]],
)
def test_a_column_of_nothing_but_numbers_and_blanks_holds_no_text(tmp_path, cells):
    with pytest.raises(InputError, match="text: column 'text' holds no text"):
        csv_with(tmp_path, *cells).require_text("text", "text")


@pytest.mark.parametrize("cells", [["2026-01-31", ""], ["31.1.26", "1/2/2026 18:30"]])
def test_dates_are_no_texts(tmp_path, cells):
    message = f"column 'text' holds no text: it holds dates, such as '{cells[0]}'; name the column with"
    with pytest.raises(InputError, match=message):
        csv_with(tmp_path, *cells).require_text("text", "text")
    csv_with(tmp_path, *cells, "on 1.2.2026").require_text("text", "text")


@pytest.mark.exhaustive
def test_dates_and_formulas_of_a_workbook_are_no_texts(tmp_path):
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["day", "formula"])
        sheet.write_datetime(1, 0, datetime(2026, 1, 31), book.add_format({"num_format": "yyyy-mm-dd"}))
        sheet.write_formula(1, 1, '=A1&"x"')  # xlsxwriter stores 0 as the result
    with pytest.raises(InputError, match="it holds dates, such as 2026-01-31 00:00:00; name the column"):
        open_table(path).require_text("day", "text")
    with pytest.raises(InputError, match="first value is 0; .*; a formula without a stored result .* Excel"):
        open_table(path).require_text("formula", "text")


@pytest.mark.parametrize("cells", [["good"], ["5", "five"], ["1-2", "3"], ["1.2.3"], ["5 stars"], ["nan"]])
def test_single_text_satisfies_require_text(tmp_path, cells):
    csv_with(tmp_path, *cells).require_text("text", "text")


def test_the_first_text_may_stand_far_down(tmp_path):
    csv_with(tmp_path, *(["5"] * 25_000), "good").require_text("text", "text")


@pytest.mark.parametrize("cells", [[1, 2], [1.5, None], [True], [["a"]]])
@pytest.mark.exhaustive
def test_other_types_hold_no_text(tmp_path, cells):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"text": cells}).write_parquet(path)
    with pytest.raises(InputError, match="holds no text: its first value is"):
        open_table(path).require_text("text", "text")


def test_mixed_column_holds_text_if_any_cell_does(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": 5}\n{"text": "good"}\n')
    open_table(path).require_text("text", "text")
    path.write_text('{"text": 5}\n{"text": ["good"]}\n{"text": "6"}\n')
    with pytest.raises(InputError, match="holds no text: its first value is 5"):
        open_table(path).require_text("text", "text")


@pytest.mark.parametrize("number", ["1", "-1", "+1", "1.5", "1,5", ".5", "1.", "1e5", "1E-5", " 1 "])
def test_plain_numbers(number):
    assert pl.Series([number]).str.contains(NUMBER).all()


@pytest.mark.parametrize("text", ["", "-", "1-1", "1 2", "e5", "--1", "1e", "0x10", "١", "1\n2"])
def test_what_is_no_plain_number(text):
    assert not pl.Series([text]).str.contains(NUMBER).any()


def test_a_fingerprint_changes_with_a_byte_and_with_how_the_file_is_read(tmp_path):
    first = csv_with(tmp_path, "good", name="a.csv")
    assert first.fingerprint() == csv_with(tmp_path, "good", name="b.csv").fingerprint()
    assert first.fingerprint() != csv_with(tmp_path, "gooD", name="c.csv").fingerprint()
    assert first.fingerprint() != open_table(tmp_path / "a.csv", encoding="latin-1").fingerprint()
    assert first.fingerprint() != open_table(tmp_path / "a.csv", format="tsv").fingerprint()


def test_batch_size_below_1_is_refused(tmp_path):
    with pytest.raises(InputError, match="batch size must be at least 1, got 0"):
        csv_with(tmp_path, "good").batches(0)


def test_unnamed_columns_are_named_by_position():
    assert check_names(["a", "", " "], "x") == ("a", "column_2", "column_3")
    with pytest.raises(InputError, match="two columns named 'column_2'"):
        check_names(["column_2", ""], "x")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
@pytest.mark.exhaustive
def test_batches_with_some_columns_hold_the_same_cells(tmp_path, kind):
    frame = pl.DataFrame({"id": ["a", "b", None], "text": ["x", None, "z"], "w": ["1", "2", "3"]})
    path = tmp_path / f"answers.{kind}"
    write_table(frame, path)
    table = open_table(path)
    batches = list(table.batches_with({"w", "text"}, 2))
    assert [batch.height for batch in batches] == [2, 1]
    if kind == "xlsx":  # where numbers are numbers
        frame = frame.with_columns(pl.col("w").cast(pl.Float64))
    for title in ("text", "w"):
        assert [cell for batch in batches for cell in batch[title]] == frame[title].to_list()
    if kind in ("csv", "parquet"):
        assert batches[0].columns == ["text", "w"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("titles", [(), ("n",)])
@pytest.mark.exhaustive
def test_picked_rows_come_in_order_with_their_indices(tmp_path, monkeypatch, kind, titles):
    monkeypatch.setattr(tables, "_PICKED", 4)
    path = tmp_path / f"numbers.{kind}"
    frame = pl.DataFrame({"n": range(20), "other": "x"})
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[kind](path)
    wanted = np.array([3, 4, 5, 13, 19])
    result = list(pick_rows(open_table(path), wanted, titles))
    assert [int(number) for batch, _ in result for number in batch["n"]] == wanted.tolist()
    assert np.concatenate([positions for _, positions in result]).tolist() == wanted.tolist()
    assert list(pick_rows(open_table(path), wanted[:0], titles)) == []


FRAME = pl.DataFrame({"id": ["1", "2"], "text": ["good", None]})


def rows_of(table):
    return [row for batch in table.batches(10) for row in batch.rows()]


@pytest.mark.parametrize("extension", ["csv", "CSV", "jsonl", "ndjson", "parquet", "xlsx"])
@pytest.mark.exhaustive
def test_the_extension_says_what_a_file_is(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    write_table(FRAME, path)
    # In a workbook the number 1, and not the text.
    frame = FRAME.with_columns(pl.col("id").cast(pl.Float64)) if extension == "xlsx" else FRAME
    assert rows_of(open_table(path)) == frame.rows()


def test_tab_separated(tmp_path):
    path = tmp_path / "answers.tsv"
    path.write_text("id\ttext\n1\tgood\n2\t\n")
    assert rows_of(open_table(str(path))) == FRAME.rows()


def test_a_named_format_beats_the_extension(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_text("id,text\n1,good\n2,\n")
    assert rows_of(open_table(path, format="csv")) == FRAME.rows()
    with pytest.raises(InputError, match=r"extension '.txt'; say what it is with format: csv, tsv"):
        open_table(path)


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_an_empty_file_is_empty_in_every_format(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    path.touch()
    with pytest.raises(InputError, match=f"answers.{extension} is empty"):
        open_table(path)


@pytest.mark.parametrize("extension", ["csv", "parquet", "xlsx"])
@pytest.mark.exhaustive
def test_a_header_without_rows(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    write_table(FRAME.clear(), path)
    with pytest.raises(InputError, match="has a header but no rows"):
        open_table(path)


@pytest.mark.parametrize(
    ("extension", "program"), [("ods", "LibreOffice"), ("xls", "Excel"), ("XLSB", "Excel")]
)
def test_a_workbook_of_another_kind_is_to_be_saved_as_xlsx(tmp_path, extension, program):
    path = tmp_path / f"answers.{extension}"
    path.write_bytes(b"x")
    with pytest.raises(
        InputError, match=rf"{extension.lower()} are not supported; save it as .xlsx in {program}$"
    ):
        open_table(path)


def test_a_name_longer_than_the_system_allows_is_shortened():
    # No system has names of 300 bytes: 255 are the most on Linux, macOS and Windows.
    with pytest.raises(InputError, match=r"^the name 'x{55}\.\.\.' cannot be read") as raised:
        open_table("x" * 300 + ".csv")
    assert "x" * 61 not in str(raised.value)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="missing.csv does not exist"):
        open_table(tmp_path / "missing.csv")


def test_a_folder(tmp_path):
    with pytest.raises(InputError, match="has no .parquet files; name a folder of partitions, or a file"):
        open_table(tmp_path)


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "answers.csv"
    path.write_text("id,text\n1,good\n")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    # The administrator may read everything, so a mode of 000 would show nothing where tests run as root.
    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\); check its permissions"):
        open_table(path)


def test_an_unknown_format(tmp_path):
    with pytest.raises(
        InputError, match="csv, tsv, jsonl, parquet, xlsx, sav, dta, sas7bdat, xpt, inspect, .*, got 'rds'"
    ):
        open_table(tmp_path / "x", format="rds")


@pytest.mark.parametrize(
    ("extension", "settings", "message"),
    [
        (
            "parquet",
            {"encoding": "utf-8"},
            "encoding applies to csv, tsv, jsonl, sav, dta, sas7bdat and xpt, not to parquet",
        ),
        ("csv", {"sheet": "one"}, "sheet applies to xlsx, not to csv"),
        ("parquet", {"header_row": 2}, "header_row applies to csv, tsv and xlsx, not to parquet"),
    ],
)
def test_a_setting_that_would_do_nothing_is_refused(tmp_path, extension, settings, message):
    path = tmp_path / f"answers.{extension}"
    write_table(FRAME, path)
    with pytest.raises(InputError, match=message):
        open_table(path, **settings)


class _Piped:
    def __init__(self, content):
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        (b"id,text\n1,good\n2,\n", None),
        (b"\xef\xbb\xbfid;text\n1;good\n2;\n", None),
        (b"id\ttext\n1\tgood\n2\t\n", "tsv"),
        (b'{"id": "1", "text": "good"}\n{"id": "2"}\n', None),
        (b'\n {"id": "1", "text": "good"}\n{"id": "2"}\n', None),
    ],
)
def test_standard_input(monkeypatch, content, format_):
    monkeypatch.setattr(sys, "stdin", _Piped(content))
    table = open_table("-", format=format_)
    assert table.name == "standard input"
    assert rows_of(table) == FRAME.rows()
    assert rows_of(table) == FRAME.rows()  # read a second time
    copy = table.path
    assert copy.exists()
    del table
    assert not copy.exists()


def test_empty_standard_input_leaves_no_copy(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", _Piped(b""))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(InputError, match="standard input is empty"):
        open_table("-")
    assert list(tmp_path.iterdir()) == []
