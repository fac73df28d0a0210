"""The door: which format, and every reason why a file cannot be read."""

import io
import sys

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import write_table

FRAME = pl.DataFrame({"id": ["1", "2"], "text": ["good", None]})


def rows_of(table):
    return [row for batch in table.batches(10) for row in batch.rows()]


@pytest.mark.parametrize("extension", ["csv", "CSV", "jsonl", "ndjson", "parquet", "xlsx"])
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
    with pytest.raises(InputError, match=r"extension '.txt'; say what it is with --format: csv, tsv"):
        open_table(path)


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_an_empty_file_is_empty_in_every_format(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    path.touch()
    with pytest.raises(InputError, match=f"answers.{extension} is empty"):
        open_table(path)


@pytest.mark.parametrize("extension", ["csv", "parquet", "xlsx"])
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
        InputError, match=rf"{extension.lower()} are not read; save it as .xlsx in {program}$"
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
    with pytest.raises(InputError, match="csv, tsv, jsonl, parquet, xlsx, sav, inspect, .*, got 'dta'"):
        open_table(tmp_path / "x", format="dta")


@pytest.mark.parametrize(
    ("extension", "settings", "message"),
    [
        ("parquet", {"encoding": "utf-8"}, "encoding applies to csv, tsv, jsonl and sav, not to parquet"),
        ("csv", {"sheet": "one"}, "sheet applies to xlsx, not to csv"),
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
