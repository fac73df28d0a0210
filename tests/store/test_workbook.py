"""Limits of an Excel sheet."""

import datetime as dt
import errno
import gc
import io
import os
import re
import zipfile

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store import workbook
from semscale.store.reading import open_table
from semscale.store.workbook import check_rows, write_workbook


def test_the_number_of_rows_below_a_header():
    check_rows(1_048_575)  # 2 ** 20 rows less the header
    with pytest.raises(
        InputError, match="holds 1,048,575 rows, but there are 1,048,576; write .parquet or .csv"
    ):
        check_rows(1_048_576)


def test_rows_are_counted_over_all_frames(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MAX_ROWS", 3)
    frames = [pl.DataFrame({"n": [1, 2]})] * 2
    with pytest.raises(InputError, match="there are 4"):
        write_workbook(frames, tmp_path / "x.xlsx")


def test_it_does_not_say_when_it_was_made(tmp_path):
    write_workbook([pl.DataFrame({"n": [1]})], tmp_path / "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as parts:
        about = parts.read("docProps/core.xml").decode()
    years = re.findall(r">(\d{4})-\d\d-\d\dT[\d:]+Z<", about)
    assert years == ["1980", "1980"]  # created and modified


def test_the_longest_cell(tmp_path):
    write_workbook([pl.DataFrame({"text": ["x" * 32_767]})], tmp_path / "x.xlsx")
    (batch,) = open_table(tmp_path / "x.xlsx").batches(1)
    assert batch["text"].str.len_chars().to_list() == [32_767]
    with pytest.raises(InputError, match="row 2 has a text of 32,768 characters"):
        write_workbook([pl.DataFrame({"text": ["x", "x" * 32_768]})], tmp_path / "x.xlsx")


def test_dates_are_dates_where_excel_has_them(tmp_path):
    days = [dt.date(2024, 2, 29), dt.date(1900, 3, 1)]
    write_workbook([pl.DataFrame({"day": days, "old": [dt.date(1899, 12, 31)] * 2})], tmp_path / "x.xlsx")
    (batch,) = open_table(tmp_path / "x.xlsx").batches(10)
    assert [day.date() for day in batch["day"]] == days
    assert batch["old"].to_list() == ["1899-12-31"] * 2


class FullDisk(io.FileIO):
    """A file on a disk that has room for 1,000 bytes."""

    def write(self, content):
        if self.tell() + len(content) > 1000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(content)


@pytest.mark.exhaustive
def test_a_full_disk_is_one_error_and_nothing_fails_afterwards(tmp_path, monkeypatch):
    parts = tmp_path / "parts"
    parts.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(parts))
    monkeypatch.setattr(workbook, "_UntilRefused", type("Full", (workbook._UntilRefused, FullDisk), {}))
    unraised = []
    monkeypatch.setattr("sys.unraisablehook", unraised.append)
    with pytest.raises(Exception, match="No space left on device"):
        write_workbook([pl.DataFrame({"text": ["x"]})], tmp_path / "x.xlsx")
    gc.collect()
    assert unraised == []
    assert list(parts.iterdir()) == []
