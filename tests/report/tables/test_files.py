"""Workbooks of tables, read back."""

import re
from zipfile import ZipFile

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from semscale.errors import MissingExtraError
from semscale.report.sheets import Sheet, SheetFormats
from semscale.report.tables import result
from semscale.report.tables_workbook import write_differences
from semscale.store.writing import open_workbook
from semscale.tabulation.crosstabs import check_path, crosstabs


def rows_of(summary, path):
    summary.report(path)
    book = CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def row(sheet, name):
    return next(cells[1:] for cells in sheet if cells[0] == name)


def test_workbook_has_an_index_with_a_link_and_a_finding_per_table(tables, tmp_path):
    sheets = rows_of(tables, tmp_path / "t.xlsx")
    assert list(sheets) == ["Index", "like", "drink_", "Differences", "How this was made"]
    head = next(number for number, cells in enumerate(sheets["Index"]) if cells[0] == "Sheet")
    first, second = sheets["Index"][head + 1 : head + 3]
    assert first[:3] == ["like", "like", "region"]
    assert first[3].rstrip(".") == result(tables.tables[0], tables.settings).rstrip(".")
    # Both banners have the same total, so they are on one sheet.
    assert second[:3] == ["", "", "town"]
    with ZipFile(tmp_path / "t.xlsx") as parts:
        index = parts.read("xl/worksheets/sheet1.xml").decode()
    places = re.findall(r'location="([^"]+)"', index)
    assert places == ["'like'!A1", "'drink_'!A1", "'Differences'!A1", "'How this was made'!A1"]


def test_figures_are_numbers_with_letters_beside_them(tables, tmp_path):
    sheet = rows_of(tables, tmp_path / "t.xlsx")["like"]
    heads = next(number for number, cells in enumerate(sheet) if cells[1] == "Total")
    # Total, north and south by region; the total of the next banner is the same and is not repeated.
    assert sheet[heads - 1][1:8] == ["", "", "region", "", "", "", "town"]
    assert sheet[heads][1:10] == ["Total", "", "north", "", "south", "", "=1+1", "", "a"]
    assert [cell.strip() for cell in sheet[heads + 1][1:10]] == ["", "", "A", "", "B", "", "A", "", "B"]
    assert row(sheet, "Mean")[:6] == [pytest.approx(3.375), "", pytest.approx(1.75), "", 5.0, "A"]
    assert row(sheet, "5")[4] == 1.0
    assert row(sheet, "Base, unweighted")[:9] == [80, "", 40, "", 40, "", 5, "*", 75]
    assert row(sheet, "Base, weighted")[:5] == [80, "", 40, "", 40]
    assert any("fewer than 10 respondents" in str(cells[0]) for cells in sheet)


def test_ends_of_intervals_are_below_the_printed_page(tables, tmp_path):
    sheet = rows_of(tables, tmp_path / "t.xlsx")["like"]
    cells = tables.tables[0].cells
    for end, values in (("Lower", cells.low), ("Upper", cells.high)):
        start = f"{end} ends of intervals (95 %)"
        head = next(number for number, row_cells in enumerate(sheet) if row_cells[0] == start)
        assert row(sheet[head:], "mean")[0] == pytest.approx(values[-1, 0])
        assert head >= printed_rows(tmp_path / "t.xlsx", "like")


def printed_rows(path, name):
    """Return the number of rows in the print area of a sheet."""
    with ZipFile(path) as parts:
        book = parts.read("xl/workbook.xml").decode()
    areas = dict(re.findall(r"Print_Area\"[^>]*>'?([^'!<]+)'?!\$A\$1:\$[A-Z]+\$(\d+)<", book))
    return int(areas[name])


def test_changes_between_waves_have_a_sheet_and_arrows(tmp_path):
    frame = pl.DataFrame({"like": [1, 2] * 30 + [4, 5] * 30, "wave": ["w1"] * 60 + ["w2"] * 60})
    sheets = rows_of(crosstabs(frame, questions=["like"], wave="wave"), tmp_path / "t.xlsx")
    # The mean rises from 1.5 to 4.5, and the share of 1 falls from 50 % to 0.
    assert row(sheets["like"], "Mean")[4:6] == [4.5, "A ▲"]
    assert row(sheets["like"], "1")[4:6] == [0, "▼"]
    head = next(number for number, cells in enumerate(sheets["Changes"]) if cells[0] == "Question")
    assert sheets["Changes"][head][4:7] == ["Before", "After", "Change"]
    changes = {cells[2]: cells for cells in sheets["Changes"][head + 1 :]}
    assert changes["mean"][3:7] == ["w2", 1.5, 4.5, 3.0]
    assert changes["1"][4:7] == [0.5, 0, -50]  # shares in per cent, and their change in percentage points


def test_equal_waves_have_changes_of_0_without_arrows(waves, tmp_path):
    sheets = rows_of(waves, tmp_path / "t.xlsx")
    assert not any("▲" in str(cell) for cells in sheets["like"][:20] for cell in cells)
    changes = [cells for cells in sheets["Changes"] if cells[2] == "mean"]
    assert changes[0][6] == pytest.approx(0, abs=1e-12)


def test_a_sheet_is_a_page_in_landscape_with_repeated_heads_and_page_numbers(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    with ZipFile(tmp_path / "t.xlsx") as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml").decode()
        book = parts.read("xl/workbook.xml").decode()
        styles = parts.read("xl/styles.xml").decode()
    assert 'state="frozen"' in sheet
    assert 'orientation="landscape"' in sheet
    assert "fitToPage" in sheet
    assert "&amp;RPage" in sheet.replace("&amp;R&amp;8", "&amp;R")
    assert "<f>" not in sheet
    assert re.search(r"Print_Titles[^>]*>like!\$A:\$A,like!\$1:\$\d+<", book)
    assert 'formatCode="0.0%"' in styles


def test_charts_are_native_and_drawn_from_cells(tables, tmp_path):
    sheets = rows_of(tables, tmp_path / "t.xlsx")
    with ZipFile(tmp_path / "t.xlsx") as parts:
        assert not [name for name in parts.namelist() if name.startswith("xl/media")]
        charts = [parts.read(name).decode() for name in parts.namelist() if "charts/chart" in name]
    stack, means, *panels = charts
    assert len(panels) == 5  # the total, two regions and two towns
    assert 'grouping val="percentStacked"' in stack
    names = re.findall(r"<c:tx><c:strRef><c:f>like!\$([A-Z])\$(\d+)</c:f>", stack)
    # The title, and the points from the lowest to the highest.
    titles = [sheets["like"][int(number) - 1][ord(letter) - ord("A")] for letter, number in names]
    assert titles == ["Share of answers", "1", "2", "3", "4", "5"]
    columns = re.search(r"<c:cat><c:strRef><c:f>like!\$A\$(\d+):\$A\$(\d+)</c:f>", stack)
    first, last = map(int, columns.groups())
    assert [cells[0] for cells in sheets["like"][first - 1 : last]] == [
        "Total",
        "north",
        "south",
        "=1+1*",
        "a",
    ]
    for chart, sheet_name in ((means, "like"), (panels[0], "drink_")):
        value = re.search(r"<c:val><c:numRef><c:f>\w+!\$([A-Z])\$(\d+):", chart)
        above = re.search(r"<c:plus><c:numRef><c:f>\w+!\$([A-Z])\$(\d+):", chart)
        cells = [sheets[sheet_name][int(match[2]) - 1][ord(match[1]) - ord("A")] for match in (value, above)]
        table = tables.tables[0 if sheet_name == "like" else 2]
        line = -1 if sheet_name == "like" else 0
        upper = table.cells.high[line, 0] - table.cells.values[line, 0]
        assert cells == [pytest.approx(table.cells.values[line, 0]), pytest.approx(upper)]


@pytest.mark.parametrize(("n_groups", "n_charts"), [(6, 7), (9, 1)])
def test_bars_have_a_panel_for_each_column_or_the_total_alone(n_groups, n_charts, tmp_path):
    codes = {f"code_{number}": [1, 0, 0] * 60 for number in range(11)}
    groups = {"group": [f"g{number % n_groups}" for number in range(180)]}
    rows_of(
        crosstabs(pl.DataFrame(codes | groups), questions=["code_*"], banners=["group"]), tmp_path / "t.xlsx"
    )
    with ZipFile(tmp_path / "t.xlsx") as parts:
        charts = [parts.read(name).decode() for name in parts.namelist() if "charts/chart" in name]
        sheet = parts.read("xl/worksheets/sheet2.xml").decode()
    # 11 codes by 7 columns would be 77 bars in one chart; 10 columns are too many for panels.
    assert [chart.count("<c:ser>") for chart in charts] == [1] * n_charts
    assert len({re.search(r'<c:max val="([\d.]+)"', chart)[1] for chart in charts}) == 1
    assert "dataBar" in sheet


def test_banners_that_do_not_fit_on_a_page_continue_on_the_next_with_the_total_first(tmp_path):
    frame = pl.DataFrame({"like": [1, 2, 5] * 80, "town": [f"t{n % 24:02d}" for n in range(240)]})
    sheets = rows_of(crosstabs(frame, questions=["like"], banners=["town"]), tmp_path / "t.xlsx")
    pages = [sheets[name] for name in sheets if name.startswith("like")]
    names = []
    for page in pages:
        heads = next(cells for cells in page if cells[1] == "Total")
        assert len([cell for cell in heads if cell]) <= 10
        names += [cell for cell in heads[2:] if cell]
    # 24 towns, 9 on a page at most, in their order.
    assert len(pages) == 3
    assert names == [f"t{n:02d}" for n in range(24)]


def test_columns_keep_the_order_of_the_groups(tmp_path):
    survey = tmp_path / "survey.yaml"
    survey.write_text(
        "survey: 1\nquestions:\n- {name: region, kind: single, columns: region, values: [{value: west}, "
        "{value: east}, {value: north}]}\n"
    )
    frame = pl.DataFrame({"like": [1, 2, 5] * 40, "region": ["north", "west", "east"] * 40})
    result = crosstabs(frame, questions=["like"], banners=["region"], survey=str(survey))
    sheet = rows_of(result, tmp_path / "t.xlsx")["like"]
    heads = next(cells for cells in sheet if cells[1] == "Total")
    assert [cell for cell in heads if cell] == ["Total", "west", "east", "north"]


def test_sheets_with_hostile_and_equal_names(survey, tmp_path):
    long = "a [very] long/name: of a question * with ? signs"
    frame = survey.with_columns(survey["like"].alias(long), survey["like"].alias("Index"))
    result = crosstabs(frame, questions=[long, "Index"], banners=["region"])
    names = list(rows_of(result, tmp_path / "t.xlsx"))
    assert names[2:] == ["Index 2", "Differences", "How this was made"]
    assert all(len(name) <= 31 for name in names)


def bold_cells(path, part):
    """Return the references of bold cells of a sheet."""
    with ZipFile(path) as parts:
        styles, sheet = parts.read("xl/styles.xml").decode(), parts.read(part).decode()
    fonts = re.findall(r"<font>(.*?)</font>", re.search(r"<fonts.*?</fonts>", styles, re.DOTALL)[0])
    forms = re.findall(r'<xf [^>]*fontId="(\d+)"', re.search(r"<cellXfs.*?</cellXfs>", styles, re.DOTALL)[0])
    cells = re.findall(r'<c r="([A-Z]+\d+)" s="(\d+)"', sheet)
    return {cell for cell, form in cells if "<b/>" in fonts[int(forms[int(form)])]}


def test_differences_sheet_shows_a_row_per_pair_and_line_and_marks_significant_ones(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("Differences").to_python()
    head = next(number for number, cells in enumerate(sheet) if cells[0] == "Question")
    assert sheet[head][3:6] == ["First", "Second", "First minus second"]
    rows = [cells for cells in sheet[head + 1 :] if cells[:3] == ["like", "region", "mean"]]
    assert len(rows) == 1
    assert rows[0][3:5] == ["north", "south"]
    # Means 1.75 and 5.
    assert rows[0][5] == pytest.approx(-3.25)
    assert rows[0][6] < -3.25 < rows[0][7] < 0
    assert rows[0][9] < 0.05
    # Town has 5 respondents in one of its groups: shown, not tested.
    assert all(cells[8:] == ["", ""] for cells in sheet[head + 1 :] if cells[1] == "town")
    assert any(cells[4] == "=1+1" or cells[3] == "=1+1" for cells in sheet[head + 1 :])
    with ZipFile(tmp_path / "t.xlsx") as parts:
        written = parts.read("xl/worksheets/sheet4.xml").decode()
    assert "<autoFilter " in written
    assert "hidden=" not in written
    assert "filterColumn" not in written
    bold = bold_cells(tmp_path / "t.xlsx", "xl/worksheets/sheet4.xml")
    clear = {f"J{head + 2 + n}" for n, cells in enumerate(sheet[head + 1 :]) if cells[9] and cells[9] < 0.05}
    tested = {f"J{head + 2 + n}" for n, cells in enumerate(sheet[head + 1 :]) if cells[9] != ""}
    assert tested > clear > set()
    assert bold & tested == clear


def test_rows_beyond_what_a_sheet_holds_are_counted(tables, tmp_path):
    total = sum(table.differences.values.size for table in tables.tables)
    with open_workbook(tmp_path / "t.xlsx") as workbook:
        write_differences(Sheet(workbook, "d", SheetFormats(workbook)), [tables], most=2)
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("d").to_python()
    head = next(number for number, cells in enumerate(sheet) if cells[0] == "Question")
    assert len(sheet) == head + 1 + 2
    assert sheet[2][0] == f"{total - 2} further rows in .csv, .parquet and .json alone."


def test_without_the_extra_the_message_says_how_to_install_it(tables, tmp_path, monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"semscale\[slides\]"):
        check_path(tmp_path / "t.pptx")


def test_notes_on_the_input_are_below_the_index(survey, tmp_path):
    frame = survey.with_columns(survey["region"].replace("north", "North ").alias("place"))
    frame = frame.with_columns(pl.when(pl.arange(80) < 40).then("place").otherwise("region").alias("place"))
    result = crosstabs(frame, questions=["like"], banners=["place"])
    index = rows_of(result, tmp_path / "t.xlsx")["Index"]
    assert result.input_notes
    texts = [str(cells[0]) for cells in index]
    last_link = texts.index("How this was made")
    assert all(any(note[1:20] in text for text in texts[last_link:]) for note in result.input_notes)
