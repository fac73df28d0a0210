"""A workbook that would take the machine's memory is refused before it is read."""

import io
import zipfile

import pytest
import xlsxwriter

from semscale.errors import InputError
from semscale.store.readers.excel_package import check_package

SHEET = "xl/worksheets/sheet1.xml"


def packed(path, change):
    """Write a workbook of two rows whose sheet was changed."""
    book = io.BytesIO()
    with xlsxwriter.Workbook(book) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", "text"])
        sheet.write_row(1, 0, [1, "good"])
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == SHEET else content)
    return path


def test_a_cell_in_the_last_corner_is_refused_and_named(tmp_path):
    path = packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b'r="B2"', b'r="XFD1048576"'))
    with pytest.raises(InputError, match=r"^a: the 4 cells .* row 1,048,576 and column 16,384"):
        check_package(path, "a")


def test_a_far_cell_that_costs_little_is_no_matter(tmp_path):
    # 2 columns and 1,048,576 rows are 2 million cells.
    check_package(packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b'"B2"', b'"B1048576"')), "a")


def test_a_cell_whose_name_two_blocks_share_is_seen(tmp_path):
    before = b"<!--" + b"x" * ((1 << 20) - 600) + b"-->"

    def change(sheet):
        start = sheet.index(b"<sheetData>")
        filled = (1 << 20) - start - len(before) - len(b'<row r="1" spans="1:2"><c r="XF')
        cut = before[:-3] + b"x" * (filled - len(b"<sheetData>")) + b"-->"
        return (
            sheet[:start]
            + cut
            + b'<sheetData><row r="1" spans="1:2"><c r="XFD1048576"/></row></sheetData></worksheet>'
        )

    with pytest.raises(InputError, match="column 16,384"):
        check_package(packed(tmp_path / "a.xlsx", change), "a")


@pytest.mark.exhaustive
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path):
    blank = b" " * 150_000_000
    path = packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b"</sheetData>", blank + b"</sheetData>"))
    with pytest.raises(InputError, match="unpacks to 150 MB from 0.2 MB"):
        check_package(path, "a")


def test_what_is_no_package_is_refused(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"id,text")
    with pytest.raises(InputError, match="cannot be read as an Excel workbook"):
        check_package(path, "a")
