"""Crosstabs as a workbook: an index, a sheet of numbers per question, and a sheet of differences."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.document import stamp
from semscale.report.formatting import count_of, one_line, printable
from semscale.report.tables import cautions, change_note, difference_note, finding, interval_line, table_notes
from semscale.report.workbook import Sheet, SheetFormats, Value
from semscale.spelling import without_hints
from semscale.store.writing import MAX_ROWS, open_workbook

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_FORMS = {"share": "0.0%", "mean": "0.00", "nps": "0.0"}
_CHANGES = {"share": "+0.0%;-0.0%;0.0%", "mean": "+0.00;-0.00;0.00", "nps": "+0.0;-0.0;0.0"}
_WHOLE, _WEIGHT, _P = "#,##0", "#,##0.0", "0.000"
_LOOKS: dict[str, dict[str, object]] = {
    "title": {"bold": True, "font_size": 14},
    "note": {"font_color": "#56616f", "font_size": 9},
    "head": {"bold": True, "bottom": 1, "align": "center", "text_wrap": True, "valign": "bottom"},
    "banner": {"bold": True, "align": "center", "bg_color": "#eef1f4"},
    "text": {},
    "net": {"bold": True},
    "base": {"font_color": "#56616f"},
    "small": {"font_color": "#8a8f96", "italic": True},
    "letters": {"font_color": "#1f5fa8", "align": "left", "font_size": 9},
    "block": {"bold": True, "top": 1},
    "link": {"font_color": "#1f5fa8", "underline": 1},
}
_INDEX, _DIFFERENCES = "Index", "Differences"
_INDEX_WIDTHS = (30, 60, 100)
_NAME_WIDTH, _VALUE_WIDTH, _LETTER_WIDTH = 38, 11, 7
_FIRST_ROW = 4  # below the title, the finding, the line back and an empty row
_HEAD_ROWS = 3
_DIFFERENCE_COLUMNS = {
    "Question": 30, "Banner": 20, "Line": 24, "First": 20, "Second": 20, "First minus second": 14,
    "Lower": 11, "Upper": 11, "p": 11, "Adjusted p": 11,
}  # fmt: skip
_DIFFERENCE_HEAD = 3

_Column = tuple["Crosstab", int, int]
"""A table, the index of one of its columns, and the column of the sheet with its figures."""


def write(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs as a workbook.

    Each question has a sheet with its banners next to each other: bases, lines, and below them interval ends
    and changes between waves. The last sheet lists differences of columns. Numbers are numeric cells; letters
    have separate cells.

    Args:
        summary: the tables.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with open_workbook(path) as workbook:
        formats = SheetFormats(workbook, _LOOKS)
        index = Sheet(workbook, _INDEX, formats, _INDEX_WIDTHS)
        sheets: dict[str, tuple[Crosstab, ...]] = {}
        for tables in summary.questions():
            sheet = Sheet(workbook, tables[0].question.name, formats, (_NAME_WIDTH,))
            sheets[sheet.name] = tables
            _write_question(sheet, tables, summary)
        if any(table.differences.values.size for table in summary.tables):
            widths = tuple(_DIFFERENCE_COLUMNS.values())
            write_differences(Sheet(workbook, _DIFFERENCES, formats, widths), summary)
        _write_index(index, summary, sheets)


def _write_index(sheet: Sheet, summary: "Crosstabs", sheets: dict[str, tuple["Crosstab", ...]]) -> None:
    sheet.line(f"Tables of {one_line(summary.source)}" if summary.source else "Tables", "title")
    sheet.line(stamp(summary.created), "note")
    sheet.row += 1
    sheet.cells(("Sheet", "Question", "Finding"), "head")
    for name, tables in sheets.items():
        link = sheet.formats.format("link")
        sheet.sheet.write_url(sheet.row, 0, f"internal:'{name}'!A1", link, printable(name))
        sheet.put(1, tables[0].question.text)
        for table in tables:
            sheet.put(2, finding(table))
            sheet.row += 1
    sheet.row += 1
    notes = map(without_hints, (*summary.input_notes, *cautions(summary)))
    for note in (*notes, interval_line(summary), str(summary.signature)):
        sheet.line(f"{note[:1].upper()}{note[1:]}", "note")
    _set_up_print(sheet, rows=4)


def _write_question(sheet: Sheet, tables: Sequence["Crosstab"], summary: "Crosstabs") -> None:
    """Write the sheet of a question, with its banners next to each other."""
    columns = list(_sheet_columns(tables))
    _write_heads(sheet, tables, columns)
    _write_bases(sheet, columns, is_weighted=summary.is_weighted)
    _write_lines(sheet, columns)
    sheet.row += 1
    sheet.line(f"Intervals ({100 * summary.settings.level:g} %): lower and upper end", "block")
    _write_intervals(sheet, columns)
    if any(table.changes is not None for table in tables):
        sheet.row += 1
        for title, is_adjusted in (("its p-value", False), ("its adjusted p-value", True)):
            sheet.line(f"Change to the wave before (shares by percentage points), and {title}", "block")
            _write_changes(sheet, columns, is_adjusted=is_adjusted)
            sheet.row += 1
        changed = next(table for table in tables if table.changes is not None)
        sheet.line(change_note(changed, summary.settings), "note")
    if any(table.answer_shares is not None for table in tables):
        sheet.row += 1
        sheet.line("Shares of all answers, which sum to 100 %", "block")
        _write_answer_shares(sheet, columns)
    sheet.row += 1
    notes = dict.fromkeys(note for table in tables for note in table_notes(table, summary.settings))
    letters = " Letters compare the columns of one banner."
    has_groups = any(table.banner.groups for table in tables)
    for note in (*notes, f"{interval_line(summary)}.{letters if has_groups else ''}"):
        sheet.line(note, "note")
    sheet.sheet.freeze_panes(_FIRST_ROW + _HEAD_ROWS, 1)
    _set_up_print(sheet, rows=_FIRST_ROW + _HEAD_ROWS)


def _write_heads(sheet: Sheet, tables: Sequence["Crosstab"], columns: Sequence[_Column]) -> None:
    banner, head = sheet.formats.format("banner"), sheet.formats.format("head")
    sheet.line(tables[0].question.text, "title")
    sheet.line(finding(tables[0]))
    link = sheet.formats.format("link")
    sheet.sheet.write_url(2, 0, f"internal:'{_INDEX}'!A1", link, "Back to the index")
    for table in tables:
        positions = [column for other, _, column in columns if other is table]
        across = (_FIRST_ROW, positions[0], _FIRST_ROW, positions[-1] + 1)
        sheet.sheet.merge_range(*across, printable(table.banner.title), banner)
    sheet.row = _FIRST_ROW + 2
    for table, group, column in columns:
        sheet.sheet.set_column(column, column, _VALUE_WIDTH)
        sheet.sheet.set_column(column + 1, column + 1, _LETTER_WIDTH)
        across = (_FIRST_ROW + 1, column, _FIRST_ROW + 1, column + 1)
        sheet.sheet.merge_range(*across, printable(table.columns[group]), head)
        sheet.put(column, table.column_letters[group], "banner")
    sheet.row = _FIRST_ROW + _HEAD_ROWS


def _write_bases(sheet: Sheet, columns: Sequence[_Column], *, is_weighted: bool) -> None:
    names = ("Base, unweighted", "Base, weighted", "Base, effective")
    for kind, name in enumerate(names if is_weighted else names[:1]):
        sheet.put(0, name, "base")
        for table, group, column in columns:
            sheet.put(column, (table.bases[kind][group], _WEIGHT if kind else _WHOLE), "base")
            if table.is_small[group] and not kind:
                sheet.put(column + 1, "*", "letters")
        sheet.row += 1


def _write_lines(sheet: Sheet, columns: Sequence[_Column]) -> None:
    for index, line in enumerate(columns[0][0].question.lines):
        look = "net" if line.is_summary else "text"
        sheet.put(0, f"{line.name[:1].upper()}{line.name[1:]}" if line.is_summary else line.name, look)
        for table, group, column in columns:
            value = table.cells.values[index, group], _FORMS[line.kind]
            sheet.put(column, value, "small" if table.small[index, group] else look)
            sheet.put(column + 1, str(table.letters[index, group]), "letters")
        sheet.row += 1
        if index == table.question.mean_line:
            sheet.put(0, "Standard deviation")
            for table, group, column in columns:
                look = "small" if table.small[index, group] else "text"
                sheet.put(column, (table.deviations[group], _FORMS["mean"]), look)
            sheet.row += 1


def _write_intervals(sheet: Sheet, columns: Sequence[_Column]) -> None:
    for index, line in enumerate(columns[0][0].question.lines):
        sheet.put(0, line.name)
        for table, group, column in columns:
            sheet.put(column, (table.cells.low[index, group], _FORMS[line.kind]), "base")
            sheet.put(column + 1, (table.cells.high[index, group], _FORMS[line.kind]), "base")
        sheet.row += 1


def _write_answer_shares(sheet: Sheet, columns: Sequence[_Column]) -> None:
    for index, line in enumerate(columns[0][0].question.lines):
        if line.is_summary:
            continue
        sheet.put(0, line.name)
        for table, group, column in columns:
            if (shares := table.answer_shares) is not None:
                sheet.put(column, (shares[index, group], _FORMS["share"]), "base")
        sheet.row += 1


def _write_changes(sheet: Sheet, columns: Sequence[_Column], *, is_adjusted: bool) -> None:
    for index, line in enumerate(columns[0][0].question.lines):
        sheet.put(0, line.name)
        for table, group, column in columns:
            if (changes := table.changes) is not None:
                look = "small" if changes.small[index, group] else "text"
                sheet.put(column, (changes.values[index, group], _CHANGES[line.kind]), look)
                p_values = changes.adjusted if is_adjusted else changes.p_values
                sheet.put(column + 1, (p_values[index, group], _P), "base")
        sheet.row += 1


def _sheet_columns(tables: Sequence["Crosstab"]) -> Iterator[_Column]:
    """Assign two columns of the sheet, for figures and letters, to each column of all tables.

    The total comes before the first banner, and before others only if it differs.
    """
    column = 1
    for number, table in enumerate(tables):
        for group in range(len(table.columns)):
            if group == 0 and any(_has_same_total(table, other) for other in tables[:number]):
                continue
            yield table, group, column
            column += 2


def _has_same_total(table: "Crosstab", other: "Crosstab") -> bool:
    is_equal: bool = np.array_equal(table.cells.values[:, 0], other.cells.values[:, 0], equal_nan=True)
    return is_equal and table.wave == other.wave and table.banner.answered_by == other.banner.answered_by


def write_differences(sheet: Sheet, summary: "Crosstabs", most: int = MAX_ROWS - _DIFFERENCE_HEAD) -> None:
    """Write all differences of columns, table by table.

    Args:
        sheet: an empty sheet.
        summary: the tables.
        most: greatest number of rows in the sheet; a note states the number of others.
    """
    total = sum(table.differences.values.size for table in summary.tables)
    sheet.line("Differences of columns", "title")
    sheet.line(difference_note(summary.settings), "note")
    if total > most:
        sheet.line(f"{count_of(total - most, 'further row')} in .csv, .parquet and .json alone.", "note")
    sheet.row = _DIFFERENCE_HEAD
    sheet.cells(_DIFFERENCE_COLUMNS, "head")
    for values in islice(_differences(summary), most):
        sheet.cells(values)
    sheet.sheet.autofilter(_DIFFERENCE_HEAD, 0, sheet.row - 1, len(_DIFFERENCE_COLUMNS) - 1)
    sheet.sheet.freeze_panes(_DIFFERENCE_HEAD + 1, 0)


def _differences(summary: "Crosstabs") -> Iterator[list[Value]]:
    for table in summary.tables:
        tested = table.differences
        for index, pair in np.ndindex(tested.values.shape):
            line = table.question.lines[index]
            columns = (table.columns[tested.first[pair]], table.columns[tested.second[pair]])
            names = (table.question.text, table.banner.title, line.name, *columns)
            change = _CHANGES[line.kind]
            yield [
                *map(one_line, names),
                *((float(part[index, pair]), change) for part in (tested.values, tested.low, tested.high)),
                *((float(part[index, pair]), _P) for part in (tested.p_values, tested.adjusted)),
            ]


def _set_up_print(sheet: Sheet, *, rows: int) -> None:
    """Set up printing: landscape, one page wide, with headings and names on every page."""
    sheet.sheet.set_landscape()
    sheet.sheet.set_paper(9)  # A4
    sheet.sheet.fit_to_pages(1, 0)
    sheet.sheet.repeat_rows(0, rows - 1)
    sheet.sheet.repeat_columns(0)
    sheet.sheet.set_footer("&L&A&RPage &P of &N")
