"""Workbooks as agencies deliver them, read back."""

from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook

from semscale.tabulation.crosstabs import crosstabs


def rows_of(summary, path):
    summary.report(path)
    book = CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def row(sheet, name):
    return next(cells[1:] for cells in sheet if cells[0] == name)


def test_an_index_and_a_sheet_for_each_question(tables, tmp_path):
    sheets = rows_of(tables, tmp_path / "t.xlsx")
    assert list(sheets) == ["Index", "like", "drink_", "Differences"]
    index = sheets["Index"]
    assert index[4][:3] == ["like", "like", "like: mean 5.00 in south, above north (1.75)"]


def test_figures_are_numbers_with_letters_beside_them(tables, tmp_path):
    sheet = rows_of(tables, tmp_path / "t.xlsx")["like"]
    # Total, north and south by region; the total of the next banner is the same and is not repeated.
    assert sheet[5][1:] == ["Total", "", "north", "", "south", "", "=1+1", "", "a", ""]
    assert sheet[6][1:] == ["", "", "A", "", "B", "", "A", "", "B", ""]
    assert row(sheet, "Mean")[:6] == [pytest.approx(3.375), "", pytest.approx(1.75), "", 5.0, "A"]
    assert row(sheet, "5")[4] == 1.0
    assert row(sheet, "Base, unweighted") == [80, "", 40, "", 40, "", 5, "*", 75, ""]
    assert row(sheet, "Base, weighted")[:5] == [80, "", 40, "", 40]
    assert any("fewer than 10 respondents" in str(cells[0]) for cells in sheet)


def test_intervals_and_changes_stand_below(waves, tmp_path):
    sheet = rows_of(waves, tmp_path / "t.xlsx")["like"]
    assert any(cells[0] == "Intervals (95 %): lower and upper end" for cells in sheet)
    start = next(place for place, cells in enumerate(sheet) if str(cells[0]).startswith("Change to the wave"))
    mean = row(sheet[start:], "mean")
    # Both waves have the same answers: no change, in the last wave alone.
    assert mean[:4] == ["", "", "", ""]
    assert mean[4] == pytest.approx(0, abs=1e-12)


def test_formats_panes_and_print_set_up(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    with ZipFile(tmp_path / "t.xlsx") as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml").decode()
        styles = parts.read("xl/styles.xml").decode()
    assert 'state="frozen"' in sheet
    assert 'orientation="landscape"' in sheet
    assert "fitToPage" in sheet
    assert "<f>" not in sheet
    assert 'formatCode="0.0%"' in styles


def test_sheets_with_hostile_and_equal_names(survey, tmp_path):
    long = "a [very] long/name: of a question * with ? signs"
    frame = survey.with_columns(survey["like"].alias(long), survey["like"].alias("Index"))
    made = crosstabs(frame, questions=[long, "Index"], banners=["region"])
    names = list(rows_of(made, tmp_path / "t.xlsx"))
    assert len(names) == 4
    assert names[2] == "Index 2"
    assert all(len(name) <= 31 for name in names)
