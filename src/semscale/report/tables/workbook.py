"""Crosstabs as a workbook that agencies deliver: an index, and one sheet a question with live numbers."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.document import stamp
from semscale.report.formatting import one_line, printable
from semscale.report.tables import differences_sheet
from semscale.report.tables.words import cautions, finding, interval_line, table_notes
from semscale.report.workbook import free_sheet_name
from semscale.store.workbook import opened_workbook
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.tabulation.summary import Crosstabs
    from semscale.tabulation.tables.crosstab import Crosstab

_SHARE, _MEAN, _WHOLE, _WEIGHT = "0.0%", "0.00", "#,##0", "#,##0.0"
_LOOKS: dict[str, dict[str, object]] = {
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
_INDEX = "Index"
_FIRST_ROW = 4  # below the title, the finding, the line back and an empty row
_HEAD_ROWS = 3
_NAME_WIDTH, _VALUE_WIDTH, _LETTER_WIDTH = 38, 11, 7


class _Book:
    """A workbook with its formats, each made once."""

    def __init__(self, workbook: Any) -> None:  # noqa: ANN401 - XlsxWriter has no types
        self.workbook = workbook
        self._made: dict[tuple[str, str], Any] = {}

    def look(self, name: str, number: str = "") -> Any:  # noqa: ANN401 - XlsxWriter has no types
        if (name, number) not in self._made:
            form = {"num_format": number} if number else {}
            self._made[name, number] = self.workbook.add_format({**_LOOKS[name], **form})
        return self._made[name, number]


def write_tables_workbook(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs as a workbook.

    Each question has a sheet with its banners beside each other: bases, lines, and below them the ends of
    the intervals and changes between waves. A last sheet lists the differences
    of columns. Numbers are numbers; letters stand in cells of their own.

    Args:
        summary: the tables.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    questions = list(summary.questions())
    with opened_workbook(path) as workbook:
        book = _Book(workbook)
        index = workbook.add_worksheet(_INDEX)
        taken = {_INDEX.lower(), differences_sheet.NAME.lower()}
        names = []
        for tables in questions:
            name = free_sheet_name(tables[0].question.name, taken)
            taken.add(name.lower())
            names.append(name)
            _Sheet(book, workbook.add_worksheet(name), tables, summary).write()
        if any(table.differences.values.size for table in summary.tables):
            sheet = workbook.add_worksheet(differences_sheet.NAME)
            differences_sheet.write_differences(sheet, summary, book.look)
        _write_index(book, index, summary, list(zip(names, questions, strict=True)))


def _write_index(
    book: _Book,
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    summary: "Crosstabs",
    entries: Sequence[tuple[str, tuple["Crosstab", ...]]],
) -> None:
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 60)
    sheet.set_column(2, 2, 100)
    title = f"Tables of {one_line(summary.source)}" if summary.source else "Tables"
    _text(sheet, 0, 0, title, book.look("title"))
    _text(sheet, 1, 0, stamp(summary.created), book.look("note"))
    for column, head in enumerate(("Sheet", "Question", "What it found")):
        _text(sheet, 3, column, head, book.look("head"))
    row = 4
    for name, tables in entries:
        sheet.write_url(row, 0, f"internal:'{name}'!A1", book.look("link"), printable(name))
        _text(sheet, row, 1, tables[0].question.text, book.look("name"))
        for place, table in enumerate(tables):
            _text(sheet, row + place, 2, finding(table), book.look("name"))
        row += len(tables)
    for note in [*summary.input_notes, *cautions(summary), interval_line(summary), str(summary.signature)]:
        row += 1
        _text(sheet, row, 0, f"{note[:1].upper()}{note[1:]}", book.look("note"))
    _printed(sheet, rows=4)


class _Sheet:
    """A sheet of one question: its banners stand beside each other."""

    def __init__(
        self,
        book: _Book,
        sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
        tables: Sequence["Crosstab"],
        summary: "Crosstabs",
    ) -> None:
        self._book, self._sheet, self._tables, self._summary = book, sheet, tables, summary
        self._places = list(_places(tables))
        self._row = 0

    def write(self) -> None:
        """Write all parts of the sheet from top to bottom."""
        self._begin()
        self._heads()
        self._bases()
        self._lines()
        self._intervals()
        if any(table.changes is not None for table in self._tables):
            self._changes()
        self._notes()
        self._sheet.freeze_panes(_FIRST_ROW + _HEAD_ROWS, 1)
        _printed(self._sheet, rows=_FIRST_ROW + _HEAD_ROWS)

    def _begin(self) -> None:
        question = self._tables[0].question
        self._sheet.hide_gridlines(2)
        self._sheet.set_column(0, 0, _NAME_WIDTH)
        for _, _, column in self._places:
            self._sheet.set_column(column, column, _VALUE_WIDTH)
            self._sheet.set_column(column + 1, column + 1, _LETTER_WIDTH)
        _text(self._sheet, 0, 0, question.text, self._book.look("title"))
        _text(self._sheet, 1, 0, finding(self._tables[0]), self._book.look("name"))
        self._sheet.write_url(2, 0, f"internal:'{_INDEX}'!A1", self._book.look("link"), "Back to the index")

    def _heads(self) -> None:
        banner, head = self._book.look("banner"), self._book.look("head")
        for table in self._tables:
            own = [column for other, _, column in self._places if other is table]
            self._sheet.merge_range(
                _FIRST_ROW, own[0], _FIRST_ROW, own[-1] + 1, printable(table.banner.title), banner
            )
        for table, place, column in self._places:
            self._sheet.merge_range(
                _FIRST_ROW + 1, column, _FIRST_ROW + 1, column + 1, printable(table.columns[place]), head
            )
            _text(self._sheet, _FIRST_ROW + 2, column, table.column_letters[place], self._book.look("banner"))
        self._row = _FIRST_ROW + _HEAD_ROWS

    def _bases(self) -> None:
        names = ("Base, unweighted", "Base, weighted", "Base, effective")
        shown = names if self._summary.is_weighted else names[:1]
        for kind, name in enumerate(shown):
            _text(self._sheet, self._row, 0, name, self._book.look("base"))
            for table, place, column in self._places:
                base = float(table.bases[kind][place])
                self._number(column, base, "base", _WEIGHT if kind else _WHOLE)
                if not kind and table.is_small[place]:
                    _text(self._sheet, self._row, column + 1, "*", self._book.look("letters"))
            self._row += 1

    def _lines(self) -> None:
        for line, one in enumerate(self._tables[0].question.lines):
            form = _SHARE if one.kind == "share" else _MEAN
            is_own = one.is_net or one.kind == "mean"
            name = f"{one.name[:1].upper()}{one.name[1:]}" if is_own else one.name
            _text(self._sheet, self._row, 0, name, self._book.look("net" if is_own else "name"))
            for table, place, column in self._places:
                look = "small" if table.small[line, place] else "net" if is_own else "name"
                self._number(column, float(table.cells.values[line, place]), look, form)
                letters = str(table.letters[line, place])
                _text(self._sheet, self._row, column + 1, letters, self._book.look("letters"))
            self._row += 1
            if one.kind == "mean":
                _text(self._sheet, self._row, 0, "Standard deviation", self._book.look("name"))
                for table, place, column in self._places:
                    self._number(
                        column,
                        float(table.deviations[place]),
                        "small" if table.small[line, place] else "name",
                        _MEAN,
                    )
                self._row += 1

    def _intervals(self) -> None:
        level = f"{100 * self._summary.plan.tests.level:g} %"
        self._block(f"Intervals ({level}): lower and upper end")
        for line, one in enumerate(self._tables[0].question.lines):
            form = _SHARE if one.kind == "share" else _MEAN
            _text(self._sheet, self._row, 0, one.name, self._book.look("name"))
            for table, place, column in self._places:
                self._number(column, float(table.cells.low[line, place]), "base", form)
                self._number(column + 1, float(table.cells.high[line, place]), "base", form)
            self._row += 1

    def _changes(self) -> None:
        self._block(
            "Change to the wave before (shares by percentage points), and its p adjusted in its banner"
        )
        for line, one in enumerate(self._tables[0].question.lines):
            form = "+0.0%;-0.0%;0.0%" if one.kind == "share" else "+0.00;-0.00;0.00"
            _text(self._sheet, self._row, 0, one.name, self._book.look("name"))
            for table, place, column in self._places:
                if table.changes is not None:
                    values: Floats = table.changes.values
                    self._number(
                        column,
                        float(values[line, place]),
                        "small" if table.changes.small[line, place] else "name",
                        form,
                    )
                    self._number(column + 1, float(table.changes.adjusted[line, place]), "base", "0.000")
            self._row += 1

    def _notes(self) -> None:
        self._row += 1
        written: set[str] = set()
        for table in self._tables:
            for note in table_notes(table, self._summary.plan.tests):
                if note not in written:
                    _text(self._sheet, self._row, 0, note, self._book.look("note"))
                    written.add(note)
                    self._row += 1
        said = f"{interval_line(self._summary)}."
        if any(table.banner.groups for table in self._tables):
            said += " Letters compare the columns of one banner."
        _text(self._sheet, self._row, 0, said, self._book.look("note"))

    def _block(self, title: str) -> None:
        self._row += 1
        _text(self._sheet, self._row, 0, title, self._book.look("block"))
        self._row += 1

    def _number(self, column: int, value: float, look: str, form: str) -> None:
        if math.isfinite(value):
            self._sheet.write_number(self._row, column, value, self._book.look(look, form))


def _places(tables: Sequence["Crosstab"]) -> Iterator[tuple["Crosstab", int, int]]:
    """Give each column of each table its place on the sheet: two columns, for the figure and the letters.

    The total stands before the first banner, and before others only where it is another one.
    """
    column = 1
    for number, table in enumerate(tables):
        for place in range(len(table.columns)):
            if place == 0 and any(_has_same_total(table, other) for other in tables[:number]):
                continue
            yield table, place, column
            column += 2


def _has_same_total(table: "Crosstab", other: "Crosstab") -> bool:
    same: bool = np.array_equal(table.cells.values[:, 0], other.cells.values[:, 0], equal_nan=True)
    return same and table.wave == other.wave and table.banner.answered_by == other.banner.answered_by


def _text(sheet: Any, row: int, column: int, text: str, look: Any) -> None:  # noqa: ANN401 - XlsxWriter
    if text:
        sheet.write_string(row, column, printable(text), look)


def _printed(sheet: Any, *, rows: int) -> None:  # noqa: ANN401 - XlsxWriter has no types
    """Set a sheet up for paper: across, as wide as one page, heads and names on each."""
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0, rows - 1)
    sheet.repeat_columns(0)
    sheet.set_footer("&L&A&RPage &P of &N")
