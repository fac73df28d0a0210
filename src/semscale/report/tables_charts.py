"""Charts of crosstabs: the same on pages, on slides and in workbooks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_data import ChartData, Charts, Order, Series, decimals
from semscale.report.document import Count
from semscale.report.formatting import capitalise, clip_text, name_with_base, number, one_line, with_sign
from semscale.survey.number_labels import bracket_positions

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab, WaveChanges
    from semscale.tabulation.lines import TabulatedQuestion

_GROUP = 70
_POINTS_OF_NPS, _GROUPS_OF_NPS = 11, 3
_MOST_ANSWERS, _MOST_BARS = 12, 96  # of a column of bars, and of all columns

Column = tuple["Crosstab", int]
"""A table, and the index of one of its columns."""


def charts_of(columns: Sequence[Column]) -> Charts:
    """Return the charts of columns of one question; none if nobody answered.

    A scale is a stack with its mean for each column, the likelihood to recommend a stack of three groups with
    the net promoter score, other questions have bars for each column, and a number has means.

    Args:
        columns: columns of tables of the question; the total, if it is among them, is the first.
    """
    columns = [(table, column) for table, column in columns if table.bases[0][column]]
    if not columns:
        return ()
    question = columns[0][0].question
    main = question.main_line
    answers = [index for index, line in enumerate(question.lines) if not line.is_summary]
    if question.kind == "nps" and _has_all_groups(question):
        return _nps_charts(columns, answers)
    if not answers:
        are_shares = question.lines[0].kind == "share"
        return (_bars(columns, range(len(question.lines))) if are_shares else _means(columns, 0),)
    if question.kind in ("scale", "rated text") or main is not None:
        if len(columns) == 1:
            return (_distribution(columns[0], answers, "bad to good"),)
        means = () if main is None else (_means(columns, main),)
        return (_stack(columns, answers), *means)
    return (_bars(columns, answers),)


def columns_of(table: "Crosstab") -> list[Column]:
    """Return the columns of a table that charts show, the total first; a total of waves is no result."""
    first = int(table.banner.is_wave and len(table.columns) > 1)
    return [(table, column) for column in range(first, len(table.columns))]


def total_name(table: "Crosstab") -> str:
    """Name the first column of a table: the total, or the pooled waves."""
    n_waves = len(table.banner.groups) if table.banner.is_wave else 0
    return {0: "Total", 1: "Total", 2: "Both waves"}.get(n_waves, "All waves")


def limit_bars(chart: ChartData, most_columns: int) -> ChartData:
    """Return a chart with at most 12 answers, and with the total or the last column if it has too many bars.

    Args:
        chart: the chart; only bars are changed, and their quantity states what they leave out.
        most_columns: greatest number of columns.
    """
    if chart.kind != "bars":
        return chart
    n_answers, quantity = len(chart.categories), chart.quantity
    n_columns, n_shown = len(chart.series), min(n_answers, _MOST_ANSWERS)
    if n_columns > 1 and (n_columns > most_columns or n_columns * n_shown > _MOST_BARS):
        shown = chart.series[:1] if chart.has_total else chart.series[-1:]
        chart = replace(chart, series=shown, has_total=False)
    if len(chart.series) == 1:
        column, _, _ = chart.series[0].name.partition("\n")
        quantity += f", {column}"
    if n_answers > n_shown:
        quantity += f": the {n_shown} most frequent of {n_answers} answers"
        totals = np.nan_to_num(chart.series[0].values)
        most_frequent = sorted(range(n_answers), key=lambda index: -totals[index])[:n_shown]
        chart = chart.select(sorted(most_frequent))
    return replace(chart, quantity=quantity)


def has_letters(table: "Crosstab") -> bool:
    """Return true if a value of a table is significantly above another column."""
    return any(map(bool, table.letters.ravel().tolist()))


def _nps_charts(columns: Sequence[Column], answers: Sequence[int]) -> Charts:
    """Return detractors, passives and promoters with the score, or all points without groups."""
    lines = columns[0][0].question.lines
    if len(columns) == 1:
        order: Order = "promoters" if len(answers) == _POINTS_OF_NPS else "bad to good"
        return (_distribution(columns[0], answers, order),)
    groups = [index for index, line in enumerate(lines) if line.is_net and _is_of_score(line.name)]
    score = next(index for index, line in enumerate(lines) if line.kind == "nps")
    return (_stack(columns, groups[::-1]), _means(columns, score))


def _has_all_groups(question: "TabulatedQuestion") -> bool:
    """Return whether the score and its three groups are among the lines, as some may be hidden."""
    groups = [line for line in question.lines if _is_of_score(line.name)]
    return question.main_line is not None and len(groups) == _GROUPS_OF_NPS


def _is_of_score(name: str) -> bool:
    return name.startswith(("promoters", "passives", "detractors"))


def _stack(columns: Sequence[Column], lines: Sequence[int]) -> ChartData:
    """Return the share of each line in each column."""
    question = columns[0][0].question
    series = tuple(
        Series(
            _line_name(question, line),
            _figures("values", [(*column, line) for column in columns]),
            marks=_marks([(*column, line) for column in columns]),
        )
        for line in lines
    )
    return ChartData(
        "stack",
        tuple(map(_column_name, columns)),
        series,
        quantity="share of answers",
        limits=(0.0, 1.0),
        order="bad to good",
        has_total=_has_total(columns),
    )


def _means(columns: Sequence[Column], line: int) -> ChartData:
    """Return a line's mean or score in each column, with its interval."""
    question = columns[0][0].question
    name = one_line(question.lines[line].name)
    return ChartData(
        "points",
        tuple(map(_column_name, columns)),
        (_series(capitalise(name), [(*column, line) for column in columns]),),
        decimals(0 if question.lines[line].kind == "nps" else 2),
        f"{name}{_range_of(question, line)}",
        has_total=_has_total(columns),
    )


def _range_of(question: "TabulatedQuestion", line: int) -> str:
    """Return the least and the greatest point of a scale, in brackets; empty for other questions."""
    if question.kind not in ("scale", "rated text"):
        return ""
    points = question.weights[:, line]
    return f" ({np.nanmin(points):g} to {np.nanmax(points):g})"


def _distribution(column: Column, lines: Sequence[int], order: Order) -> ChartData:
    """Return the share of each line in one column, in their order."""
    names, series = _shares(column, lines)
    return ChartData("columns", names, (replace(series, name="share of answers"),), order=order)


def _shares(column: Column, lines: Sequence[int]) -> tuple[tuple[str, ...], Series]:
    table, index = column
    names = tuple(_line_name(table.question, line) for line in lines)
    return names, _series(table.columns[index], [(*column, line) for line in lines])


def _bars(columns: Sequence[Column], lines: Sequence[int]) -> ChartData:
    """Return the share of each line in each column: the most frequent first, or brackets in their order."""
    table, first = columns[0] if _has_total(columns) else columns[-1]
    shares = np.nan_to_num(table.cells.values[:, first])
    order = list(lines)
    if bracket_positions([table.question.lines[line].name for line in lines]) is None:
        order.sort(key=lambda line: -shares[line])
    quantity = "share of respondents"
    if len(columns) == 1:
        names, series = _shares(columns[0], order)
        return ChartData("bars", names, (series,), quantity=quantity)
    return ChartData(
        "bars",
        tuple(_line_name(table.question, line) for line in order),
        tuple(_series(_column_name(column), [(*column, line) for line in order]) for column in columns),
        quantity=quantity,
        has_total=_has_total(columns),
    )


def mark_changes(charts: Charts, table: "Crosstab") -> Charts:
    """Put each wave's change from the wave before beside the figures of a table's charts.

    Stacks have no room for it.

    Args:
        charts: ``charts_of`` all columns of the table.
        table: a table by waves.
    """
    changes, question = table.changes, table.question
    columns = [column for _, column in columns_of(table) if table.bases[0][column]]
    if changes is None:
        return charts
    lines = {_line_name(question, line): line for line in range(len(question.lines))}
    marked = []
    for chart in charts:
        if chart.kind == "points":
            line = 0 if question.main_line is None else question.main_line
            cells = [[(line, column) for column in columns]]
        elif chart.kind == "bars" and len(chart.series) == len(columns):
            cells = [[(lines[name], column) for name in chart.categories] for column in columns]
        else:
            cells = []
        series = [
            replace(entry, marks=tuple(_change_mark(table, changes, cell) for cell in of_entry))
            for entry, of_entry in zip(chart.series, cells, strict=False)
        ]
        marked.append(replace(chart, series=tuple(series)) if series else chart)
    return tuple(marked)


def _change_mark(table: "Crosstab", changes: "WaveChanges", cell: tuple[int, int]) -> str:
    """Write the letters of a cell, and its change if that is tested."""
    letters = str(table.letters[cell]).replace(" ", "")
    if not np.isfinite(changes.p_values[cell]):
        return letters
    scale, digits = {"share": (100, 0), "nps": (1, 0), "mean": (1, 2)}[table.question.lines[cell[0]].kind]
    change = with_sign(number(scale * float(changes.values[cell]), digits))
    return f"({change}) {letters}".strip()


def changes_chart(table: "Crosstab", line: int) -> ChartData | None:
    """Return the change of a line from the wave before in each column; ``None`` if none is known.

    Args:
        table: a table of groups with changes.
        line: index of the line.
    """
    changes, kind = table.changes, table.question.lines[line].kind
    if changes is None:
        return None
    columns = [column for column in range(len(table.columns)) if np.isfinite(changes.p_values[line, column])]
    if not columns:
        return None
    scale = 100 if kind == "share" else 1
    values, low, high = (
        tuple(scale * float(part[line, column]) for column in columns)
        for part in (changes.values, changes.low, changes.high)
    )
    name = one_line(table.question.lines[line].label)
    return ChartData(
        "points",
        tuple(_column_name((table, column)) for column in columns),
        (Series(name, values, low, high),),
        "+0.00;−0.00;0.00" if kind == "mean" else "+0;−0;0",
        f"change of {name}{', percentage points' if kind == 'share' else ''}",
        has_total=columns[0] == 0,
    )


_Cell = tuple["Crosstab", int, int]  # a table, and the indices of a column and a line


def _series(name: str, cells: Sequence[_Cell]) -> Series:
    """Return the values of cells with their intervals and marks."""
    values, low, high = (_figures(part, cells) for part in ("values", "low", "high"))
    return Series(name, values, low, high, _marks(cells))


def _figures(part: str, cells: Sequence[_Cell]) -> tuple[float, ...]:
    return tuple(float(getattr(table.cells, part)[line, column]) for table, column, line in cells)


def _marks(cells: Sequence[_Cell]) -> tuple[str, ...]:
    """Return the letters of cells, or an asterisk for few respondents if the column has no asterisk."""
    return tuple(
        str(table.letters[line, column]).replace(" ", "")
        or ("*" if table.small[line, column] and not table.is_small[column] else "")
        for table, column, line in cells
    )


def _has_total(columns: Sequence[Column]) -> bool:
    return columns[0][1] == 0


def _line_name(question: "TabulatedQuestion", line: int) -> str:
    entry = question.lines[line]
    name = one_line(entry.label)
    return capitalise(name) if entry.is_summary else name


def _column_name(column: Column) -> str:
    """Return the name of a column, and after a line break its letter and its base."""
    table, index = column
    letter = table.column_letters[index] if has_letters(table) else ""
    base = Count(int(table.bases[0][index]), is_small=bool(table.is_small[index]))
    return name_with_base(clip_text(table.columns[index], _GROUP).shown, base, letter)
