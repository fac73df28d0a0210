"""Crosstabs as a workbook: an index, a sheet as large as a page for each question, and lists of tests."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.chart_data import ChartData, decimals
from semscale.report.document import Document, stamp
from semscale.report.formatting import (
    capitalise,
    count_of,
    coverage,
    end_sentence,
    line_text,
    one_line,
    percent,
)
from semscale.report.parts import quote_file_name
from semscale.report.presenting import word_document
from semscale.report.sheet_charts import MOST_PANELS, place_charts, write_charts
from semscale.report.sheets import FONT, INDEX, LONGEST_NAME, Sheet, SheetFormats, Value
from semscale.report.tables import (
    change_note,
    difference_note,
    interval_line,
    question_notes,
    result,
    result_by_banner,
)
from semscale.report.tables_basket import entry_names, input_notes, tables_heads, without_repeats
from semscale.report.tables_charts import charts_of, limit_bars, total_name
from semscale.report.workbook import ORIGIN, ORIGIN_SENTENCE, write_origin
from semscale.store.writing import MAX_ROWS, open_workbook

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs
    from semscale.tabulation.lines import Line, LineKind

_FORMS = {"share": "0.0%", "mean": "0.00", "nps": "0.0"}
_CHANGES = {"share": "+0.0;−0.0;0.0", "mean": "+0.00;−0.00;0.00", "nps": "+0.0;−0.0;0.0"}
_WHOLE, _WEIGHT, _P = "#,##0", "#,##0.0", '[<0.001]"< 0.001";0.000'
_LOOKS: dict[str, dict[str, object]] = {
    "banner head": {
        "bold": True, "align": "center", "bg_color": "#e4ebf3", "left": 2, "left_color": "#ffffff",
        "text_wrap": True,
    },
    "group head": {"bold": True, "align": "center", "valign": "bottom", "text_wrap": True},
    "letter head": {"font_color": "#1f5fa8", "align": "center", "bottom": 1, "bottom_color": "#8a8f96"},
    "net": {"bold": True, "text_wrap": True},
    "base": {"font_color": "#56616f"},
    "small": {"font_color": "#8a8f96", "italic": True},
    "letters": {"font_color": "#1f5fa8", "align": "left", "font_size": 8, "bold": True},
}  # fmt: skip
_CHANGES_SHEET, _DIFFERENCES_SHEET = "Changes", "Differences"
_INDEX_WIDTHS = {0: 24, 1: 44, 2: 22, 3: 74}
_LETTERS_WIDTH = 4.5  # of one letter or two
_VALUE_WIDTH, _WIDEST_VALUE = 9.0, 16.0  # of numbers, and of a long word in the name of a group
_NARROW_TABLE = 660  # pixels of a table that has room for charts at its right
_MOST_COLUMNS = 10  # of a sheet, with the total, so that it is legible on paper
_MOST_POINTS = 7  # of a stack
_DIFFERENCE_COLUMNS = {
    "Question": 44.0, "By": 22.0, "Line": 30.0, "First": 20.0, "Second": 20.0, "First minus second": 12.0,
    "Lower": 10.0, "Upper": 10.0, "p": 9.0, "Adjusted p": 10.0,
}  # fmt: skip
_CHANGE_COLUMNS = {
    "Question": 44.0, "By": 22.0, "Line": 30.0, "Column": 20.0, "Before": 12.0, "After": 12.0, "Change": 12.0,
    "Lower": 10.0, "Upper": 10.0, "p": 9.0, "Adjusted p": 10.0,
}  # fmt: skip
_NAMES = ("Question", "By", "Line", "Column", "First", "Second")
"""Columns of lists with texts; others are numbers."""


@dataclass(frozen=True)
class _Part:
    """Columns of a table on one sheet.

    Attributes:
        table: the table.
        columns: indices of its columns; the first part of a sheet has the total.
        first: column of the sheet with the figures of the first of them; the next one has its letters.
    """

    table: "Crosstab"
    columns: tuple[int, ...]
    first: int

    def cells(self) -> Iterator[tuple["Crosstab", int, int]]:
        """Yield the table, the index of each of its columns, and the column of the sheet with its figures."""
        for number, column in enumerate(self.columns):
            yield self.table, column, self.first + 2 * number


def write(summaries: Sequence["Crosstabs"], path: Path) -> None:
    """Write crosstabs as a workbook.

    Each question has a sheet of the size of a page, or several if its banners have many columns: bases and
    lines, and charts. Below the printed part are intervals, shares of all answers, and data of the charts.
    The last sheets list changes between waves, differences of columns, and how the tables were made. Numbers
    are numeric cells; letters have separate cells. A table that repeats an earlier one is left out.

    Args:
        summaries: the tables, by their settings.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with open_workbook(path, font=FONT) as workbook:
        formats = SheetFormats(workbook, _LOOKS)
        index = Sheet(workbook, INDEX, formats, _INDEX_WIDTHS)
        pages: list[_Page] = []
        shown_once = without_repeats(summaries)
        for summary in shown_once:
            for tables in summary.questions():
                for parts in _pages(tables):
                    question = tables[0].question
                    # A long title is cut, and says more than a long name.
                    title = question.name if len(question.name) <= LONGEST_NAME else question.text
                    sheet = Sheet(workbook, title, formats)
                    shown = list({id(part.table): part.table for part in parts}.values())
                    pages.append((summary, sheet.name, shown))
                    _write_page(sheet, parts, shown, summary)
        further = list(_write_lists(workbook, formats, shown_once))
        named = entry_names(summaries)
        document = word_document(tables_heads(shown_once, named), input_notes(summaries, named))
        origin = Sheet(workbook, ORIGIN, formats)
        write_origin(origin, document)
        _write_index(index, document, summaries[0], pages, [*further, (origin.name, ORIGIN_SENTENCE)])


_Page = tuple["Crosstabs", str, list["Crosstab"]]
"""Tables of the same settings, name of a sheet, and those on the sheet."""


def _write_index(
    sheet: Sheet,
    document: Document,
    summary: "Crosstabs",
    pages: Sequence[_Page],
    further: Sequence[tuple[str, str]],
) -> None:
    """Write the index: a link to each sheet, one sentence for each table, and notes on all tables."""
    sheet.line(line_text(document.title), "title")
    sheet.line(line_text(document.introduction[0].text), "lead")
    file = f"{quote_file_name(summary.source).text}, " if summary.report_title and summary.source else ""
    sheet.line(f"{file}{stamp(summary.created)}", "note")
    sheet.row += 1
    sheet.heads(("Sheet", "Question", "By", "Finding"), [False] * 4)
    head_rows = sheet.row
    for entry, name, tables in pages:
        sheet.link(0, name, name, "entry link")
        sheet.put(1, _question_name(entry, tables[0]), "entry")
        for number, table in enumerate(tables):
            look = "inner" if number else "entry"
            sheet.put(2, table.banner.title or " ", look)
            sheet.put(3, end_sentence(result(table, entry.settings)), look)
            sheet.row += 1
    for name, sentence in further:
        sheet.link(0, name, name, "entry link")
        sheet.cells((" ", " ", sentence), "entry", start=1)
    sheet.row += 1
    for caution in document.sentences("caution"):
        sheet.line(end_sentence(capitalise(caution)), "note")
    sheet.finish(head_rows=head_rows)


def _question_name(summary: "Crosstabs", table: "Crosstab") -> str:
    """Return the question with the title of its tables and the condition of their rows."""
    only = f" ({summary.only[:1].lower()}{summary.only[1:]})" if summary.only else ""
    return f"{_with_title(summary.title, table.question.text)}{only}"


def _with_title(title: str, question: str) -> str:
    return f"{title}: {question}" if title else question


# A page


def _pages(tables: Sequence["Crosstab"]) -> Iterator[list[_Part]]:
    """Distribute the banners of a question over pages.

    Banners of the same total are next to each other while there is room; the columns of a long one continue
    on further pages. The total comes first on each page.
    """
    page: list[_Part] = []
    used = 0
    for table in tables:
        groups = range(1, len(table.columns))
        n_pages = max(1, math.ceil(len(groups) / (_MOST_COLUMNS - 1)))
        for piece in np.array_split(np.array(groups, dtype=int), n_pages):
            has_room = used + len(piece) <= _MOST_COLUMNS and n_pages == 1
            if page and not (has_room and _has_same_total(table, page[0].table)):
                yield page
                page, used = [], 0
            columns = (*(() if page else (0,)), *piece.tolist())
            page.append(_Part(table, columns, 1 + 2 * used))
            used += len(columns)
    if page:
        yield page


def _has_same_total(table: "Crosstab", other: "Crosstab") -> bool:
    is_equal: bool = np.array_equal(table.cells.values[:, 0], other.cells.values[:, 0], equal_nan=True)
    return is_equal and table.wave == other.wave and table.banner.answered_by == other.banner.answered_by


def _write_page(
    sheet: Sheet, parts: Sequence[_Part], tables: Sequence["Crosstab"], summary: "Crosstabs"
) -> None:
    """Write a page of a question: what is printed, and below it what is not."""
    question = tables[0].question
    sheet.line(_with_title(summary.title, question.text), "title")
    if summary.only:
        sheet.line(f"{one_line(summary.only)}.", "lead")
    for table in tables:
        sheet.line(result_by_banner(table, tables, summary.settings), "lead")
    sheet.link(0, INDEX, "Back to the index")
    sheet.row += 2
    heads = sheet.row
    _write_heads(sheet, parts)
    head_rows = sheet.row
    _write_bases(sheet, parts, is_weighted=summary.is_weighted)
    _write_lines(sheet, parts, alpha=1 - summary.settings.level)
    sheet.row += 1
    is_narrow = sheet.whole_width() <= _NARROW_TABLE
    drawn = [] if summary.settings.show == "table" else list(_charts(parts))
    charts = place_charts(sheet, drawn, beside=heads if is_narrow else None)
    for note in question_notes(tables, summary.settings, has_margins=True):
        sheet.line(note, "note")
    if any(table.changes is not None for table in tables):
        alpha = percent(1 - summary.settings.level, 0)
        sheet.line(f"▲ ▼ Significant change from the wave before, at {alpha}; see the sheet Changes.", "note")
    if any(series.low for data in drawn for series in data.series):
        sheet.line(f"Lines in charts: {interval_line(summary)}.", "note")
    sheet.end_of_print()
    sheet.row += 1
    sheet.line("Below the printed page", "heading")
    sheet.row += 1
    _write_intervals(sheet, parts, summary)
    _write_answer_shares(sheet, parts)
    if charts:
        sheet.line("Data of the charts", "heading")
        write_charts(sheet, charts, step=2)
    sheet.finish(head_rows=head_rows, name_columns=1)


def _cells(parts: Sequence[_Part]) -> list[tuple["Crosstab", int, int]]:
    return [cell for part in parts for cell in part.cells()]


def _write_heads(sheet: Sheet, parts: Sequence[_Part]) -> None:
    """Write the banners, the names of their groups, and the letters of the groups."""
    for part in parts:
        first = part.first + 2 * (part.columns[0] == 0 and len(part.columns) > 1)
        last = part.first + 2 * len(part.columns) - 1
        if part.table.banner.groups:
            sheet.across(first, last, one_line(part.table.banner.title), "banner head")
    sheet.row += 1
    words = [len(word) for table, group, _ in _cells(parts) for word in table.columns[group].split()]
    width = min(max(_VALUE_WIDTH, max(words, default=0) - _LETTERS_WIDTH + 2), _WIDEST_VALUE)
    for table, group, column in _cells(parts):
        sheet.fix(column, width)
        sheet.fix(column + 1, _letters_width(table, group))
        name = table.columns[group] if group else total_name(table)
        sheet.across(column, column + 1, one_line(name), "group head")
    sheet.row += 1
    sheet.put(0, " ", "letter head")
    for table, group, column in _cells(parts):
        sheet.across(column, column + 1, table.column_letters[group] or " ", "letter head")
    sheet.row += 1


def _letters_width(table: "Crosstab", group: int) -> float:
    """Return the width of the column with the letters of a group, and room for an arrow."""
    longest = max(map(len, table.letters[:, group].tolist()))
    return max(_LETTERS_WIDTH, longest + (2 if table.changes is not None else 0))


def _write_bases(sheet: Sheet, parts: Sequence[_Part], *, is_weighted: bool) -> None:
    names = ("Base, unweighted", "Base, weighted", "Base, effective")
    for kind, name in enumerate(names if is_weighted else names[:1]):
        sheet.put(0, name, "base")
        for table, group, column in _cells(parts):
            sheet.put(column, (table.bases[kind][group], _WEIGHT if kind else _WHOLE), "base")
            if table.is_small[group] and not kind:
                sheet.put(column + 1, "*", "letters")
        sheet.row += 1


def _write_lines(sheet: Sheet, parts: Sequence[_Part], *, alpha: float) -> None:
    """Write the lines of a question; shares have bars in their cells, on one scale for all columns."""
    cells = _cells(parts)
    first = sheet.row
    lines = parts[0].table.question.lines
    for index, line in enumerate(lines):
        look = "net" if line.is_summary else "text"
        sheet.put(0, _line_name(line), look)
        for table, group, column in cells:
            value = table.cells.values[index, group], _form(line.kind, table.decimals)
            sheet.put(column, value, "small" if table.small[index, group] else look)
            sheet.put(column + 1, _marks(table, index, group, alpha), "letters")
        sheet.row += 1
        if table.question.kind == "ranking" and line.kind == "mean":
            sheet.put(0, "Ranked by", "base")
            for table, group, column in cells:
                sheet.put(column, (int(table.cells.n[index, group]), _WHOLE), "base")
            sheet.row += 1
        if index == table.question.mean_line:
            sheet.put(0, "Standard deviation", "base")
            for table, group, column in cells:
                look = "small" if table.small[index, group] else "base"
                sheet.put(column, (table.deviations[group], _form("mean", table.decimals)), look)
            sheet.row += 1
    n_shares = next((n for n, line in enumerate(lines) if line.kind != "share"), len(lines))
    sheet.draw_bars((first, first + n_shares - 1), [column for _, _, column in cells])


def _form(kind: "LineKind", digits: int | None) -> str:
    """Return the number format of a figure, with the decimals of its table or of its kind."""
    if digits is None:
        return _FORMS[kind]
    return f"{decimals(digits)}%" if kind == "share" else decimals(digits)


def _difference(value: float, line: "Line") -> Value:
    """Return the cell of a difference; of shares, it is in percentage points."""
    return (100 * value if line.kind == "share" else value), _CHANGES[line.kind]


def _line_name(line: "Line") -> str:
    return capitalise(line.label) if line.is_summary else line.name


def _marks(table: "Crosstab", line: int, group: int, alpha: float) -> str:
    """Return the letters of a cell, and an arrow for a significant change from the previous wave."""
    letters = str(table.letters[line, group])
    if table.changes is None or not table.changes.adjusted[line, group] < alpha:
        return letters
    return f"{letters} {'▲' if table.changes.values[line, group] > 0 else '▼'}".strip()


def _write_intervals(sheet: Sheet, parts: Sequence[_Part], summary: "Crosstabs") -> None:
    for end, name in (("low", "Lower"), ("high", "Upper")):
        sheet.line(f"{name} ends of intervals ({coverage(summary.settings.level)})", "heading")
        for index, line in enumerate(parts[0].table.question.lines):
            sheet.put(0, line.label, "base")
            for table, group, column in _cells(parts):
                value = float(getattr(table.cells, end)[index, group])
                sheet.put(column, (value, _form(line.kind, table.decimals)), "base")
            sheet.row += 1
        sheet.row += 1


def _write_answer_shares(sheet: Sheet, parts: Sequence[_Part]) -> None:
    if all(part.table.answer_shares is None for part in parts):
        return
    sheet.line("Shares of all answers, which sum to 100 %", "heading")
    all_shares = {id(part.table): part.table.answer_shares for part in parts}
    for index, line in enumerate(parts[0].table.question.lines):
        if line.is_summary:
            continue
        sheet.put(0, line.label)
        for table, group, column in _cells(parts):
            if (shares := all_shares[id(table)]) is not None:
                sheet.put(column, (shares[index, group], _form("share", table.decimals)), "base")
        sheet.row += 1
    sheet.row += 1


# Charts


def _charts(parts: Sequence[_Part]) -> Iterator[ChartData]:
    """Return the charts of a page that are readable, however many answers and columns there are."""
    cells = [(table, group) for table, group, _ in _cells(parts) if group or not table.banner.is_wave]
    for chart in charts_of(cells):
        if chart.kind != "stack" or len(chart.series) <= _MOST_POINTS:
            yield limit_bars(_without_bases(chart), MOST_PANELS)


def _without_bases(chart: ChartData) -> ChartData:
    """Name columns without their letters and bases, which the table has; an asterisk marks a small base."""
    return replace(
        chart,
        categories=tuple(map(_short_name, chart.categories)),
        series=tuple(replace(series, name=_short_name(series.name)) for series in chart.series),
    )


def _short_name(name: str) -> str:
    label, _, base = name.partition("\n")
    return f"{label}*" if base.endswith("*") else label


# Lists of all changes and differences


def _write_lists(
    workbook: Any, formats: SheetFormats, summaries: Sequence["Crosstabs"]
) -> Iterator[tuple[str, str]]:
    """Write the sheets of changes and differences, and yield their names with a sentence on each.

    Tables with other tests have sheets of their own.
    """
    alike: dict[tuple[object, ...], list[Crosstabs]] = {}
    for summary in summaries:
        tests = summary.settings
        alike.setdefault((tests.level, tests.adjust, tests.min_base), []).append(summary)
    for members in alike.values():
        tests = members[0].settings
        changed = [table for summary in members for table in summary.tables if table.changes is not None]
        if changed:
            sheet = Sheet(workbook, _CHANGES_SHEET, formats, dict(enumerate(_CHANGE_COLUMNS.values())))
            sheet.line("Changes between waves", "title")
            sheet.line(change_note(changed[0], tests), "note")
            rows = chain.from_iterable(map(_changes, members))
            _write_list(sheet, _CHANGE_COLUMNS, rows, 1 - tests.level)
            yield sheet.name, "All changes between waves, with their intervals and p-values."
        if any(table.differences.values.size for summary in members for table in summary.tables):
            sheet = Sheet(
                workbook, _DIFFERENCES_SHEET, formats, dict(enumerate(_DIFFERENCE_COLUMNS.values()))
            )
            write_differences(sheet, members)
            yield sheet.name, "All differences of columns, with their intervals and p-values."


def write_differences(sheet: Sheet, summaries: Sequence["Crosstabs"], most: int = MAX_ROWS - 10) -> None:
    """Write all differences of columns, table by table; significant ones are bold.

    Args:
        sheet: an empty sheet.
        summaries: the tables, by their settings, which have the same tests.
        most: greatest number of rows in the sheet; a note states the number of others.
    """
    total = sum(table.differences.values.size for summary in summaries for table in summary.tables)
    tests = summaries[0].settings
    sheet.line("Differences of columns", "title")
    sheet.line(difference_note(tests), "note")
    if total > most:
        sheet.line(f"{count_of(total - most, 'further row')} in .csv, .parquet and .json alone.", "note")
    rows = islice(chain.from_iterable(map(_differences, summaries)), most)
    _write_list(sheet, _DIFFERENCE_COLUMNS, rows, 1 - tests.level)


def _write_list(
    sheet: Sheet, columns: Mapping[str, float], rows: Iterable[Sequence[Value]], alpha: float
) -> None:
    """Write a list of tests with bold rows for significant ones; the last value is the adjusted p."""
    sheet.line(
        f"Rows in bold have an adjusted p below {alpha:.2g}; the arrows in the head filter rows.", "note"
    )
    sheet.row += 1
    head = sheet.row
    sheet.heads(list(columns), [name not in _NAMES for name in columns])
    for values in rows:
        p_value = values[-1][0] if isinstance(values[-1], tuple) else None
        is_clear = p_value is not None and p_value < alpha
        if is_clear:
            for column, value in enumerate(values):
                is_inner = column > 0 and isinstance(value, str)
                sheet.put(column, value, "inner strong" if is_inner else "strong")
            sheet.row += 1
        else:
            sheet.cells(values)
    last = len(columns) - 1
    sheet.sheet.autofilter(head, 0, max(sheet.row - 1, head), last)
    sheet.finish(head_rows=head + 1)


def _differences(summary: "Crosstabs") -> Iterator[list[Value]]:
    for table in summary.tables:
        tested = table.differences
        for index, pair in np.ndindex(tested.values.shape):
            line = table.question.lines[index]
            columns = (table.columns[tested.first[pair]], table.columns[tested.second[pair]])
            question = _question_name(summary, table)
            names = (question, table.banner.title, line.label, *columns)
            figures = (tested.values, tested.low, tested.high)
            yield [
                *map(one_line, names),
                *(_difference(float(part[index, pair]), line) for part in figures),
                *((float(part[index, pair]), _P) for part in (tested.p_values, tested.adjusted)),
            ]


def _changes(summary: "Crosstabs") -> Iterator[list[Value]]:
    totals: set[tuple[str, str]] = set()  # whose change is listed, as it is the same by every banner
    for table in summary.tables:
        changes, key = table.changes, (table.question.name, table.banner.answered_by)
        is_known = key in totals
        if table.wave:
            totals.add(key)
        if changes is None:
            continue
        for index, column in np.ndindex(changes.values.shape):
            if column == 0 and is_known:
                continue
            value, change = (float(part[index, column]) for part in (table.cells.values, changes.values))
            if not math.isfinite(change):
                continue
            line = table.question.lines[index]
            question = _question_name(summary, table)
            names = (question, table.banner.title, line.label, table.columns[column])
            figures = (changes.values, changes.low, changes.high)
            yield [
                *map(one_line, names),
                (value - change, _FORMS[line.kind]),
                (value, _FORMS[line.kind]),
                *(_difference(float(part[index, column]), line) for part in figures),
                *((float(part[index, column]), _P) for part in (changes.p_values, changes.adjusted)),
            ]
