"""Crosstabs as a workbook: an index, a sheet per question with live numbers, and a sheet of differences."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.document import stamp
from semscale.report.formatting import counted, one_line, printable
from semscale.report.tables import cautions, difference_note, finding, interval_line, table_notes
from semscale.report.workbook import free_sheet_name
from semscale.store.workbook import MAX_ROWS, opened_workbook

if TYPE_CHECKING:
    from semscale.tabulation.crosstabs import Crosstabs
    from semscale.tabulation.figures import Crosstab
    from semscale.tabulation.questions import Line

_SHARE, _MEAN, _WHOLE, _WEIGHT, _P = "0.0%", "0.00", "#,##0", "#,##0.0", "0.000"
_CHANGE = {"share": "+0.0%;-0.0%;0.0%", "mean": "+0.00;-0.00;0.00"}
_STYLES: dict[str, dict[str, object]] = {
    "title": {"bold": True, "font_size": 14},
    "note": {"font_color": "#56616f", "font_size": 9},
    "head": {"bold": True, "bottom": 1, "align": "center", "text_wrap": True, "valign": "bottom"},
    "banner": {"bold": True, "align": "center", "bg_color": "#eef1f4"},
    "name": {},
    "net": {"bold": True},
    "base": {"font_color": "#56616f"},
    "small": {"font_color": "#8a8f96", "italic": True},
    "letters": {"font_color": "#1f5fa8", "align": "left", "font_size": 9},
    "block": {"bold": True, "top": 1},
    "link": {"font_color": "#1f5fa8", "underline": 1},
}
_INDEX, _DIFFERENCES = "Index", "Differences"
_FIRST_ROW = 4  # below the title, the finding, the line back and an empty row
_HEAD_ROWS = 3
_NAME_WIDTH, _VALUE_WIDTH, _LETTER_WIDTH = 38, 11, 7
_DIFFERENCE_COLUMNS = {
    "Question": 30, "Banner": 20, "Line": 24, "First": 20, "Second": 20, "First minus second": 14,
    "Lower": 11, "Upper": 11, "p": 11, "Adjusted p": 11,
}  # fmt: skip
_DIFFERENCE_HEAD = 3

Styles = Callable[..., Any]
"""Returns the format of XlsxWriter for a style and a format of numbers."""


def write(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs as a workbook.

    Each question has a sheet with its banners next to each other: bases, lines, and below them the ends of
    the intervals and changes between waves. A last sheet lists the differences of columns. Numbers are
    numbers; letters have their own cells.

    Args:
        summary: the tables.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with opened_workbook(path) as workbook:
        formats: dict[tuple[str, str], Any] = {}

        def style(name: str, number: str = "") -> Any:  # noqa: ANN401 - XlsxWriter has no types
            # XlsxWriter writes every format that it is asked for, so that equal ones are shared.
            if (name, number) not in formats:
                form = {"num_format": number} if number else {}
                formats[name, number] = workbook.add_format({**_STYLES[name], **form})
            return formats[name, number]

        index = workbook.add_worksheet(_INDEX)
        sheets: dict[str, tuple[Crosstab, ...]] = {}
        for tables in summary.questions():
            used = {name.lower() for name in (_INDEX, _DIFFERENCES, *sheets)}
            name = free_sheet_name(tables[0].question.name, used)
            sheets[name] = tables
            _QuestionSheet(workbook.add_worksheet(name), style, tables, summary).write()
        if any(table.differences.values.size for table in summary.tables):
            write_differences(workbook.add_worksheet(_DIFFERENCES), summary, style)
        _write_index(index, style, summary, sheets)


def _write_index(
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    style: Styles,
    summary: "Crosstabs",
    sheets: dict[str, tuple["Crosstab", ...]],
) -> None:
    sheet.hide_gridlines(2)
    for column, width in enumerate((30, 60, 100)):
        sheet.set_column(column, column, width)
    _text(
        sheet, 0, 0, f"Tables of {one_line(summary.source)}" if summary.source else "Tables", style("title")
    )
    _text(sheet, 1, 0, stamp(summary.created), style("note"))
    for column, head in enumerate(("Sheet", "Question", "Finding")):
        _text(sheet, 3, column, head, style("head"))
    row = 4
    for name, tables in sheets.items():
        sheet.write_url(row, 0, f"internal:'{name}'!A1", style("link"), printable(name))
        _text(sheet, row, 1, tables[0].question.text, style("name"))
        for table in tables:
            _text(sheet, row, 2, finding(table), style("name"))
            row += 1
    for note in [*summary.input_notes, *cautions(summary), interval_line(summary), str(summary.signature)]:
        row += 1
        _text(sheet, row, 0, f"{note[:1].upper()}{note[1:]}", style("note"))
    _set_up_print(sheet, rows=4)


class _QuestionSheet:
    """A sheet of a question: its banners are next to each other."""

    def __init__(
        self,
        sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
        style: Styles,
        tables: Sequence["Crosstab"],
        summary: "Crosstabs",
    ) -> None:
        self._sheet, self._style, self._tables, self._summary = sheet, style, tables, summary
        self._lines = tables[0].question.lines
        self._cells = list(_sheet_columns(tables))
        self._row = 0

    def write(self) -> None:
        """Write all parts of the sheet from top to bottom."""
        self._write_heads()
        self._write_bases()
        self._write_lines()
        level = f"{100 * self._summary.settings.level:g} %"
        self._write_block(f"Intervals ({level}): lower and upper end", self._write_interval)
        if any(table.changes is not None for table in self._tables):
            self._write_block(
                "Change to the wave before (shares by percentage points), and its p adjusted in its banner",
                self._write_change,
            )
        self._write_notes()
        self._sheet.freeze_panes(_FIRST_ROW + _HEAD_ROWS, 1)
        _set_up_print(self._sheet, rows=_FIRST_ROW + _HEAD_ROWS)

    def _write_heads(self) -> None:
        sheet, banner, head = self._sheet, self._style("banner"), self._style("head")
        sheet.hide_gridlines(2)
        sheet.set_column(0, 0, _NAME_WIDTH)
        for _, _, column in self._cells:
            sheet.set_column(column, column, _VALUE_WIDTH)
            sheet.set_column(column + 1, column + 1, _LETTER_WIDTH)
        _text(sheet, 0, 0, self._tables[0].question.text, self._style("title"))
        _text(sheet, 1, 0, finding(self._tables[0]), self._style("name"))
        sheet.write_url(2, 0, f"internal:'{_INDEX}'!A1", self._style("link"), "Back to the index")
        for table in self._tables:
            columns = [column for other, _, column in self._cells if other is table]
            title = printable(table.banner.title)
            sheet.merge_range(_FIRST_ROW, columns[0], _FIRST_ROW, columns[-1] + 1, title, banner)
        for table, group, column in self._cells:
            name = printable(table.columns[group])
            sheet.merge_range(_FIRST_ROW + 1, column, _FIRST_ROW + 1, column + 1, name, head)
            _text(sheet, _FIRST_ROW + 2, column, table.column_letters[group], banner)
        self._row = _FIRST_ROW + _HEAD_ROWS

    def _write_bases(self) -> None:
        names = ("Base, unweighted", "Base, weighted", "Base, effective")
        for kind, name in enumerate(names if self._summary.is_weighted else names[:1]):
            self._name(name, "base")
            for table, group, column in self._cells:
                self._number(column, table.bases[kind][group], "base", _WEIGHT if kind else _WHOLE)
                if not kind and table.is_small[group]:
                    _text(self._sheet, self._row, column + 1, "*", self._style("letters"))
            self._row += 1

    def _write_lines(self) -> None:
        for index, line in enumerate(self._lines):
            is_net = line.is_net or line.kind == "mean"
            name = f"{line.name[:1].upper()}{line.name[1:]}" if is_net else line.name
            self._name(name, "net" if is_net else "name")
            for table, group, column in self._cells:
                style = "small" if table.small[index, group] else "net" if is_net else "name"
                self._number(column, table.cells.values[index, group], style, _form(line))
                letters = str(table.letters[index, group])
                _text(self._sheet, self._row, column + 1, letters, self._style("letters"))
            self._row += 1
            if line.kind == "mean":
                self._name("Standard deviation")
                for table, group, column in self._cells:
                    style = "small" if table.small[index, group] else "name"
                    self._number(column, table.deviations[group], style, _MEAN)
                self._row += 1

    def _write_block(self, title: str, write_cell: Callable[["Crosstab", int, int, int], None]) -> None:
        """Write a block of two figures per line and column."""
        self._row += 1
        self._name(title, "block")
        for index, line in enumerate(self._lines):
            self._row += 1
            self._name(line.name)
            for table, group, column in self._cells:
                write_cell(table, index, group, column)
        self._row += 1

    def _write_interval(self, table: "Crosstab", line: int, group: int, column: int) -> None:
        form = _form(self._lines[line])
        self._number(column, table.cells.low[line, group], "base", form)
        self._number(column + 1, table.cells.high[line, group], "base", form)

    def _write_change(self, table: "Crosstab", line: int, group: int, column: int) -> None:
        if (changes := table.changes) is not None:
            style = "small" if changes.small[line, group] else "name"
            self._number(column, changes.values[line, group], style, _CHANGE[self._lines[line].kind])
            self._number(column + 1, changes.adjusted[line, group], "base", _P)

    def _write_notes(self) -> None:
        self._row += 1
        tests = self._summary.settings
        notes = dict.fromkeys(note for table in self._tables for note in table_notes(table, tests))
        letters = " Letters compare the columns of one banner."
        has_groups = any(table.banner.groups for table in self._tables)
        for note in (*notes, f"{interval_line(self._summary)}.{letters if has_groups else ''}"):
            self._name(note, "note")
            self._row += 1

    def _name(self, text: str, style: str = "name") -> None:
        _text(self._sheet, self._row, 0, text, self._style(style))

    def _number(self, column: int, value: float, style: str, form: str) -> None:
        if math.isfinite(value):
            self._sheet.write_number(self._row, column, float(value), self._style(style, form))


def _form(line: "Line") -> str:
    return _SHARE if line.kind == "share" else _MEAN


def _sheet_columns(tables: Sequence["Crosstab"]) -> Iterator[tuple["Crosstab", int, int]]:
    """Assign the columns of all tables their columns of the sheet: two, for the figure and the letters.

    The total comes before the first banner, and before others only where it differs.
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


def write_differences(
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    summary: "Crosstabs",
    style: Styles,
    most: int = MAX_ROWS - _DIFFERENCE_HEAD,
) -> None:
    """Write all differences of columns, table by table.

    Args:
        sheet: an empty sheet.
        summary: the tables.
        style: returns formats.
        most: rows that the sheet holds; a note counts the rest.
    """
    total = sum(table.differences.values.size for table in summary.tables)
    sheet.write_string(0, 0, "Differences of columns", style("title"))
    sheet.write_string(1, 0, difference_note(summary.settings), style("note"))
    if total > most:
        rest = f"{counted(total - most, 'further row')} in .csv, .parquet and .json alone."
        sheet.write_string(2, 0, rest, style("note"))
    for column, (head, width) in enumerate(_DIFFERENCE_COLUMNS.items()):
        sheet.set_column(column, column, width)
        sheet.write_string(_DIFFERENCE_HEAD, column, head, style("head"))
    cells = ((table, cell) for table in summary.tables for cell in np.ndindex(table.differences.values.shape))
    last = _DIFFERENCE_HEAD + min(total, most)
    for row, (table, cell) in zip(range(_DIFFERENCE_HEAD + 1, last + 1), cells, strict=False):
        _write_difference(sheet, row, table, cell, style)
    sheet.autofilter(_DIFFERENCE_HEAD, 0, last, len(_DIFFERENCE_COLUMNS) - 1)
    sheet.freeze_panes(_DIFFERENCE_HEAD + 1, 0)


def _write_difference(
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    row: int,
    table: "Crosstab",
    cell: tuple[int, ...],
    style: Styles,
) -> None:
    differences, (index, pair) = table.differences, cell
    line = table.question.lines[index]
    names = (
        table.question.text,
        table.banner.title,
        line.name,
        table.columns[differences.first[pair]],
        table.columns[differences.second[pair]],
    )
    for column, name in enumerate(names):
        sheet.write_string(row, column, printable(one_line(name)), style("name"))
    forms = (*[_CHANGE[line.kind]] * 3, _P, _P)
    parts = (
        differences.values,
        differences.low,
        differences.high,
        differences.p_values,
        differences.adjusted,
    )
    for column, (part, form) in enumerate(zip(parts, forms, strict=True), start=len(names)):
        if np.isfinite(part[cell]):
            sheet.write_number(row, column, float(part[cell]), style("name", form))


def _text(sheet: Any, row: int, column: int, text: str, style: Any) -> None:  # noqa: ANN401 - XlsxWriter
    if text:
        sheet.write_string(row, column, printable(text), style)


def _set_up_print(sheet: Any, *, rows: int) -> None:  # noqa: ANN401 - XlsxWriter has no types
    """Set a sheet up for paper: across, as wide as one page, heads and names on every page."""
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0, rows - 1)
    sheet.repeat_columns(0)
    sheet.set_footer("&L&A&RPage &P of &N")
