"""Excel: numbers in a column of texts stay numbers, headers and sheets are checked."""

import datetime as dt
import io
import zipfile

import polars as pl
import pytest
import xlsxwriter

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store import spreadsheets
from semscale.store.columns import column_of, storable
from semscale.store.reading import open_table
from semscale.store.spreadsheets import open_excel

NOT_AVAILABLE = "=NA()"


def workbook(folder, *sheets):
    path = folder / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        hours = book.add_format({"num_format": "[h]:mm:ss"})
        for name, rows in sheets:
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    if isinstance(cell, dt.date):
                        sheet.write_datetime(row, column, cell, day)
                    elif isinstance(cell, dt.timedelta):
                        sheet.write_datetime(row, column, cell, hours)
                    elif cell == NOT_AVAILABLE:
                        sheet.write_formula(row, column, "=NA()", None, "#N/A")
                    elif isinstance(cell, str):
                        sheet.write_string(row, column, cell)
                    elif cell is not None:
                        sheet.write(row, column, cell)
    return path


def only(path, **settings):
    (batch,) = open_excel(path, "answers.xlsx", **settings).batches(10_000)
    return batch


def test_mixed_column_preserves_the_type_of_every_cell(tmp_path):
    cells = ["good", "5", 5, 2.5, True, "true", "0", 0, None, "1e3"]
    path = workbook(tmp_path, ("a", [["text", "n"], *([cell, 1] for cell in cells)]))
    values = only(path)["text"].to_list()
    assert values == cells
    assert [type(cell) for cell in values] == [type(cell) for cell in cells]


def test_a_date_among_texts_is_no_text(tmp_path):
    day = dt.datetime(2024, 3, 1)
    # Read as a date, the number lies past the year 9999.
    cells = ["good", day, "2024-03-01", None, 3_000_000, True]
    values = only(workbook(tmp_path, ("a", [["text"], *([cell] for cell in cells)])))["text"].to_list()
    assert values == cells
    assert [type(cell) for cell in values] == [type(cell) for cell in cells]
    assert storable(pl.DataFrame([column_of("text", values)]))["text"][1] == "2024-03-01 00:00:00"


def test_duration_in_a_column_becomes_a_datetime_and_not_text(tmp_path):
    rows = [["text", "n"], ["good", 1], [dt.timedelta(hours=30), 2], [None, 3]]
    batch = only(workbook(tmp_path, ("a", rows)))
    # Thirty hours after midnight of Excel's day 0, which is 1899-12-31 in its calendar from 1900 on.
    assert batch["text"].to_list() == ["good", dt.datetime(1900, 1, 1, 6), None]
    assert batch["n"].to_list() == [1, 2, 3]


def test_durations_by_themselves_stay_durations(tmp_path):
    values = only(workbook(tmp_path, ("a", [["t"], [dt.timedelta(hours=30)], [dt.timedelta(minutes=1)]])))
    assert values["t"].to_list() == [dt.timedelta(hours=30), dt.timedelta(minutes=1)]


def test_truth_values_among_numbers_are_numbers(tmp_path):
    values = only(workbook(tmp_path, ("a", [["n", "x", "t"], [3, 0.5, True], [True, False, False]])))
    assert values.rows() == [(3, 0.5, True), (1, 0.0, False)]
    assert values.dtypes == [pl.Int64, pl.Float64, pl.Boolean]


def test_a_text_below_dates_and_times_of_day(tmp_path):
    minute = dt.datetime(2024, 3, 1, 5, 6, 7, 123000)
    values = only(workbook(tmp_path, ("a", [["when"], [dt.datetime(2024, 3, 1)], [minute], ["unknown"]])))
    assert values["when"].to_list() == [dt.datetime(2024, 3, 1), minute, "unknown"]


def test_a_date_beyond_the_calendar_is_the_number_that_it_is(tmp_path):
    # Excel's last day, 9999-12-31, is number 2,958,465.
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet, day = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        hours = book.add_format({"num_format": "[h]:mm"})
        sheet.write_row(0, 0, ["when", "length"])
        for row, number in enumerate((45_352, 3_000_000), start=1):
            sheet.write_number(row, 0, number, day)
            sheet.write_number(row, 1, number, hours)
        sheet.write_string(3, 1, "never")
    values = only(path)
    assert values["when"].to_list() == [dt.datetime(2024, 3, 1), 3_000_000, None]
    assert values["length"].to_list() == [
        dt.datetime(1899, 12, 31) + dt.timedelta(45_352),
        3_000_000,
        "never",
    ]


def test_an_error_of_excels_is_missing(tmp_path):
    rows = [["text", "n"], ["good", 1], [NOT_AVAILABLE, NOT_AVAILABLE], ["bad", 3]]
    values = only(workbook(tmp_path, ("a", rows)))
    assert values["text"].to_list() == ["good", None, "bad"]
    assert values["n"].to_list() == [1, None, 3]


def test_rows_without_values_above_the_header_are_skipped(tmp_path):
    path = workbook(tmp_path, ("S", [[NOT_AVAILABLE, NOT_AVAILABLE], ["id", "comment"], [1, "good"]]))
    frame = only(path)
    assert frame.columns == ["id", "comment"]


def test_sheet_without_values_is_empty(tmp_path):
    path = workbook(tmp_path, ("S", [[NOT_AVAILABLE]]))
    with pytest.raises(InputError, match="sheet 'S' is empty; fill it"):
        open_table(path)


def test_plain_columns_have_plain_types(tmp_path):
    rows = [["i", "f", "s", "d"], [1, 1.5, "x", dt.date(2024, 2, 29)], [2, 2.0, "5", dt.date(2024, 3, 1)]]
    batch = only(workbook(tmp_path, ("a", rows)))
    assert batch.dtypes[:3] == [pl.Int64, pl.Float64, pl.String]
    assert batch["s"].to_list() == ["x", "5"]
    assert [day.date() for day in batch["d"]] == [dt.date(2024, 2, 29), dt.date(2024, 3, 1)]


def test_a_number_far_below_texts_is_still_a_number(tmp_path):
    rows = [["text"], *([f"text {n}"] for n in range(1500)), [7]]
    assert only(workbook(tmp_path, ("a", rows)))["text"].to_list()[-1] == 7


def test_sheets_by_name(tmp_path):
    path = workbook(tmp_path, ("one", [["a"], ["x"]]), ("two", [["b"], ["y"]]))
    assert only(path).rows() == [("x",)]
    assert only(path, sheet="two").rows() == [("y",)]
    with pytest.raises(InputError, match="no sheet 'three'; sheets: one, two"):
        open_excel(path, "answers.xlsx", sheet="three")


def test_an_empty_sheet(tmp_path):
    with pytest.raises(InputError, match="sheet 'a' is empty; fill it"):
        open_excel(workbook(tmp_path, ("a", [])), "answers.xlsx")
    with pytest.raises(InputError, match="sheet 'a' is empty; name another one with sheet: b"):
        open_excel(workbook(tmp_path, ("a", []), ("b", [["x"]])), "answers.xlsx")


def test_a_blank_row_is_no_header(tmp_path):
    path = workbook(tmp_path, ("a", [["title", None], [None, None], ["x", "y"], ["1", "2"]]))
    with pytest.raises(InputError, match="header_row must be a filled row of sheet 'a'"):
        open_excel(path, "answers.xlsx", header_row=2)


def test_duplicate_excel_column_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="two columns named 'text'"):
        open_excel(workbook(tmp_path, ("a", [["text", "text"], ["x", "y"]])), "answers.xlsx")


def test_unnamed_column_is_named_by_position(tmp_path):
    assert only(workbook(tmp_path, ("a", [["text", None, "n"], ["x", "y", "z"]]))).columns == [
        "text",
        "column_2",
        "n",
    ]


@pytest.mark.parametrize("content", [b"id,text\n", b"PK\x03\x04broken"])
def test_no_workbook(tmp_path, content):
    path = tmp_path / "answers.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as an Excel workbook"):
        open_excel(path, "answers.xlsx")


def test_batches(tmp_path):
    path = workbook(tmp_path, ("a", [["n"], *([n] for n in range(7))]))
    table = open_excel(path, "x")
    assert table.n_rows == 7
    assert [batch["n"].to_list() for batch in table.batches(3, skip=2)] == [[2, 3, 4], [5, 6]]


def test_first_sheet_with_only_a_title_names_the_remaining_sheets(tmp_path):
    path = workbook(tmp_path, ("Readme", [["About"]]), ("Daten", [["text"], ["good"]]))
    with pytest.raises(InputError, match="sheet 'Readme' has one row; name another with sheet: Daten"):
        only(path)
    assert only(path, sheet="Daten")["text"].to_list() == ["good"]


def test_a_title_above_the_header_is_skipped_with_a_note(tmp_path):
    rows = [["Survey 2026"], [], ["id", "text"], [1, "good"], [2, "bad"]]
    path = workbook(tmp_path, ("a", rows))
    table = open_excel(path, "x")
    assert next(table.batches(9)).rows() == [(1, "good"), (2, "bad")]
    assert table.notes == (
        "x: row 3 was read as the header, and the rows above it as a title"
        + hint("; `header_row` names another row"),
    )
    assert open_excel(path, "x", header_row=3).notes == ()
    assert open_excel(path, "x", header_row=4).columns == ("1", "good")


def test_rows_are_counted_as_excel_counts_them(tmp_path):
    path = workbook(tmp_path, ("a", [[], [], ["From", "2026"], ["id", "text"], [1, "good"]]))
    assert only(path, header_row=4).rows() == [(1, "good")]
    for row in (2, 6):
        with pytest.raises(InputError, match=rf"filled row of sheet 'a' \(3 to 5\), got {row}"):
            only(path, header_row=row)


def test_single_column_and_unnamed_neighbour_have_no_title_row(tmp_path):
    assert only(workbook(tmp_path, ("a", [["text"], ["good"], ["bad"]]))).rows() == [("good",), ("bad",)]
    rows = only(workbook(tmp_path, ("a", [["text"], ["good", 1], ["bad", 2]]))).rows()
    assert rows == [("good", 1), ("bad", 2)]


def test_a_column_of_another_sheet_is_named_with_it(tmp_path):
    path = workbook(
        tmp_path, ("Info", [["about"], ["x"]]), ("Data 1", [["Survey"], ["id", "text"], [1, "a"]])
    )
    with pytest.raises(
        InputError, match="no column 'text'; sheet 'Data 1' has it, which sheet='Data 1' reads"
    ):
        open_excel(path, "x").require("text", "text")
    with pytest.raises(InputError, match="no column 'words'; columns: about"):
        open_excel(path, "x").require("words", "text")


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


def test_a_cell_in_the_last_corner_is_refused_with_its_remedy(tmp_path):
    path = packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b'r="B2"', b'r="XFD1048576"'))
    with pytest.raises(
        InputError, match=r"a\.xlsx cannot be read .* memory; remove cells far from"
    ) as refused:
        open_table(path)
    assert "\n" not in str(refused.value)


def test_a_lie_about_the_dimension_changes_nothing(tmp_path):
    path = packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"'))
    assert next(open_excel(path, "a").batches(9)).rows() == [(1, "good")]


def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "MOST_BYTES", 1_000_000)
    blank = b" " * 1_000_000
    path = packed(tmp_path / "a.xlsx", lambda sheet: sheet.replace(b"</sheetData>", blank + b"</sheetData>"))
    with pytest.raises(InputError, match=r"^a has 1,0\d\d,\d\d\d bytes, unpacked, .* most 1,000,000 are"):
        open_excel(path, "a")


def test_what_is_no_package_is_refused(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"id,text")
    with pytest.raises(InputError, match="cannot be read as an Excel workbook"):
        open_excel(path, "a")


@pytest.mark.parametrize("above", [0, 2])
def test_merged_cells_of_answers_are_noted(tmp_path, above):
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        if above:
            sheet.write(0, 1, "A title")
        for row, cells in enumerate([["region", "q"], ["", "Good"], ["", "Bad"], ["", "Good"], ["S", "Bad"]]):
            sheet.write_row(above + row, 1, cells)
        sheet.merge_range(above + 1, 1, above + 3, 1, "North")
    table = open_excel(path, "answers.xlsx")
    assert next(table.batches(9))["region"].to_list() == ["North", None, None, "S"]
    assert table.notes[-1].startswith(
        "answers.xlsx: a range of merged cells in ‘region’: only the first cell"
    )


def test_merged_cells_of_a_title_and_a_header_are_not_noted(tmp_path):
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.merge_range(0, 0, 0, 1, "A title")
        sheet.write_row(1, 0, ["q", "n"])
        sheet.write_row(2, 0, ["Good", 1])
    assert not any("merged" in note for note in open_excel(path, "answers.xlsx").notes)


@pytest.mark.parametrize("written", ["<v/>", "<v></v>", ""])
def test_formulas_without_values_are_noted(tmp_path, written):
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("other").write("A1", "x")
        sheet = book.add_worksheet("a")
        sheet.write_row(0, 0, ["n", "twice", "text"])
        for row in range(1, 4):
            sheet.write(row, 0, row)
            sheet.write_formula(row, 1, f"=2*A{row + 1}", None, 2 * row)
            sheet.write_formula(row, 2, '=""', None, "empty")
    # Excel writes the empty text as a value, and programs such as openpyxl do not compute formulas.
    replaced = {b"<v>empty</v>": b"<v></v>", b"</f><v>2</v>": f"</f>{written}".encode()}
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    for old, new in replaced.items():
        members["xl/worksheets/sheet2.xml"] = members["xl/worksheets/sheet2.xml"].replace(old, new)
    with zipfile.ZipFile(path, "w") as package:
        for name, content in members.items():
            package.writestr(name, content)
    table = open_excel(path, "answers.xlsx", sheet="a")
    assert next(table.batches(9))["twice"].to_list() == [None, 4, 6]
    (note,) = table.notes
    assert note.startswith("answers.xlsx: 1 cell in ‘twice’ has a formula without a value")


def test_errors_of_formulas_are_noted(tmp_path):
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["n", "region"])
        for row, region in enumerate(["North", "#N/A", "#REF!"], start=1):
            sheet.write(row, 0, row)
            sheet.write_formula(row, 1, "=VLOOKUP(A2, X:Y, 2)", None, region)
    table = open_excel(path, "answers.xlsx")
    assert next(table.batches(9))["region"].to_list() == ["North", None, None]
    (note,) = table.notes
    assert note.startswith("answers.xlsx: 2 cells in ‘region’ have errors, such as #N/A, and are empty")


@pytest.mark.parametrize("member", ["xl/workbook.xml", "xl/_rels/workbook.xml.rels"])
def test_a_workbook_whose_lists_are_no_xml_is_refused(tmp_path, member):
    path = workbook(tmp_path, ("a", [["q"], ["Good"]]))
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    members[member] = members[member].replace(b'encoding="UTF-8"', b'encoding="UTF-8')
    with zipfile.ZipFile(path, "w") as package:
        for name, content in members.items():
            package.writestr(name, content)
    with pytest.raises(InputError, match="cannot be read as an Excel workbook"):
        open_excel(path, "a")


def test_a_cell_with_a_negative_number_of_a_text_is_damaged(tmp_path):
    path = workbook(tmp_path, ("a", [["q"], ["Good"], ["Bad"], [-1]]))
    assert only(path)["q"].to_list() == ["Good", "Bad", -1]
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(b"<v>2</v>", b"<v>-1</v>")  # the text "Bad"
    with zipfile.ZipFile(path, "w") as package:
        for name, content in members.items():
            package.writestr(name, content)
    with pytest.raises(InputError, match="cannot be read as an Excel workbook"):
        open_excel(path, "answers.xlsx")
