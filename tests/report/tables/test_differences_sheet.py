"""The sheet that lists differences of columns, read back."""

import pytest
from python_calamine import CalamineWorkbook

from semscale.report.tables.differences_sheet import write_differences
from semscale.store.workbook import opened_workbook


def test_each_pair_and_line_has_a_row_of_numbers(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("Differences").to_python()
    assert sheet[3][3:6] == ["First", "Second", "First minus second"]
    rows = [row for row in sheet[4:] if row[:3] == ["like", "region", "mean"]]
    assert len(rows) == 1
    assert rows[0][3:5] == ["north", "south"]
    # Means 1.75 and 5.
    assert rows[0][5] == pytest.approx(-3.25)
    assert rows[0][6] < -3.25 < rows[0][7] < 0
    assert rows[0][9] < 0.05
    # Town has 5 respondents in one of its groups: shown, not tested.
    assert all(row[8:] == ["", ""] for row in sheet[4:] if row[1] == "town")
    assert any(row[4] == "=1+1" or row[3] == "=1+1" for row in sheet[4:])


def test_rows_beyond_what_a_sheet_holds_are_counted(tables, tmp_path):
    total = sum(table.differences.values.size for table in tables.tables)
    with opened_workbook(tmp_path / "t.xlsx") as workbook:
        write_differences(workbook.add_worksheet("d"), tables, lambda *_: None, most=2)
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("d").to_python()
    assert len(sheet) == 4 + 2
    assert sheet[2][0] == f"{total - 2} further rows stand in .csv, .parquet and .json alone."
