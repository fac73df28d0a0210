"""Crosstabs as slides: for each question and banner a finding with a native chart that shows it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import slide_charts
from semscale.report.chart_data import ChartData, ChartKind, Order, Series, decimals
from semscale.report.document import stamp
from semscale.report.formatting import (
    capitalise,
    clip_text,
    count,
    count_of,
    coverage,
    join_list,
    number,
    one_line,
    percent,
)
from semscale.report.parts import quote_file_name
from semscale.report.slide_charts import Charts
from semscale.report.slides import Deck
from semscale.report.tables import finding, has_letters, margin_note
from semscale.spelling import without_hints
from semscale.survey.number_labels import bracket_positions

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_LEAST_P = 0.001
_GROUP, _WORDING = 70, 110
_CORRECTED = {
    "holm": ", adjusted for the number of comparisons",
    "bh": ", with a limited share of false findings",
    None: ", each comparison on its own",
}


def write(summary: "Crosstabs", path: Path, template: Path | None = None) -> None:
    """Write crosstabs as slides.

    A scale is a stack with its mean for each column, the likelihood to recommend a stack of three groups with
    the net promoter score, other questions have a panel of bars for each column, and a number has means with
    intervals. Large tables continue on further slides. The last slide states how the tables were made.

    Args:
        summary: the tables.
        path: the file.
        template: presentation with the layouts, fonts and colours to use.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        InputError: the template cannot be used.
        OSError: the file cannot be written.
    """
    deck = Deck(template)
    for table in summary.tables:
        _write_table(deck, table, summary)
    _write_method(deck, summary)
    name = quote_file_name(summary.source).text if summary.source else ""
    deck.save(path, f"Tables of {name}" if name else "Tables", summary.created)


def _write_table(deck: Deck, table: "Crosstab", summary: "Crosstabs") -> None:
    """Write the slides of a table."""
    charts = charts_of(table)
    parts = list(slide_charts.parts_of(charts, deck)) if charts else []
    shown = dict.fromkeys(name for part in parts for chart in part.charts for name in chart.categories)
    notes = [
        f"Question: {table.question.wording or table.question.text}",
        *([f"Groups: {table.banner.title}"] if table.banner.groups else []),
        *(one_line(name.replace("\n", "")) for name in shown if len(name) > slide_charts.LONG_NAME),
        *(f"{capitalise(without_hints(note))}." for note in table.question.notes),
        f"Signature: {summary.signature}",
    ]
    if not parts:
        deck.add(finding(table), notes=notes)
    for position, part in enumerate(parts, start=1):
        slide = deck.add(finding(table), _subtitle(table, position, len(parts)), notes=notes)
        slide.footnote([*([part.note] if part.note else []), *_footnotes(table, part.charts, summary)])
        slide_charts.draw(slide, part.charts)


def _subtitle(table: "Crosstab", position: int, n: int) -> str:
    """Return the wording of the question, the banner, the wave, and the number of the slide if several."""
    question, banner = table.question, one_line(table.banner.title)
    wording = clip_text(question.wording, _WORDING).shown if question.wording != question.text else ""
    by = ""
    if table.banner.groups:
        by = f"by the answers to ‘{banner}’" if banner.endswith("?") else f"by {banner}"
    parts = [by, one_line(table.wave), f"{position} of {n}" if n > 1 else "", wording]
    return "  |  ".join(capitalise(part) for part in parts if part) or "Total"


# Charts


def charts_of(table: "Crosstab") -> Charts:
    """Return the charts of a table; none if nobody answered, or no group has an answer."""
    columns = [column for column, n in enumerate(table.bases[0]) if n]
    if not columns:
        return ()
    question = table.question
    main = question.main_line
    answers = [index for index, line in enumerate(question.lines) if not line.is_summary]
    if question.kind == "nps":
        return _nps_charts(table, columns, answers)
    if not answers:
        return (_means(table, columns, 0),)
    if question.kind in ("scale", "rated text") or main is not None:
        if len(columns) == 1:
            return (_distribution(table, answers, "bad to good"),)
        means = () if main is None else (_means(table, columns, main),)
        return (_stack(table, columns, answers, "bad to good"), *means)
    return (_bars(table, columns, answers),)


def _nps_charts(table: "Crosstab", columns: Sequence[int], answers: Sequence[int]) -> Charts:
    """Return detractors, passives and promoters with the score, or all points without groups."""
    if len(columns) == 1:
        return (_distribution(table, answers, "promoters" if len(answers) == 11 else "bad to good"),)
    nets = [index for index, line in enumerate(table.question.lines) if line.is_net]
    groups = [index for index in nets if _is_of_score(table.question.lines[index].name)]
    score = next(index for index, line in enumerate(table.question.lines) if line.kind == "nps")
    return (_stack(table, columns, groups[::-1], "bad to good"), _means(table, columns, score))


def _is_of_score(name: str) -> bool:
    return name.startswith(("promoters", "passives", "detractors"))


def _series(table: "Crosstab", name: str, cells: Sequence[tuple[int, int]]) -> Series:
    """Return the values and marks of some cells, each a line and a column."""
    values = tuple(float(table.cells.values[cell]) for cell in cells)
    return Series(name, values, marks=tuple(_mark(table, *cell) for cell in cells))


def _stack(table: "Crosstab", columns: Sequence[int], lines: Sequence[int], order: Order) -> ChartData:
    """Return the share of each line in each column."""
    series = tuple(
        _series(table, _line_name(table, line), [(line, column) for column in columns]) for line in lines
    )
    names = tuple(_column_name(table, column) for column in columns)
    return ChartData("stack", names, series, limits=(0.0, 1.0), order=order, has_total=columns[0] == 0)


def _means(table: "Crosstab", columns: Sequence[int], line: int) -> ChartData:
    """Return a line's mean or score in each column, with its interval."""
    form = decimals(0 if table.question.lines[line].kind == "nps" else 2)
    name = _line_name(table, line)
    cells = table.cells
    values, low, high = (
        tuple(float(part[line, column]) for column in columns)
        for part in (cells.values, cells.low, cells.high)
    )
    marks = tuple(_mark(table, line, column) for column in columns)
    names = tuple(_column_name(table, column) for column in columns)
    quantity = f"{name}{_range_of(table, line)}"
    series = Series(name, values, low, high, marks)
    return ChartData("points", names, (series,), form, quantity, has_total=columns[0] == 0)


def _range_of(table: "Crosstab", line: int) -> str:
    """Return the least and the greatest point of a scale, in brackets; empty for other questions."""
    if table.question.kind not in ("scale", "rated text"):
        return ""
    points = table.question.weights[:, line]
    return f" ({np.nanmin(points):g} to {np.nanmax(points):g})"


def _distribution(table: "Crosstab", lines: Sequence[int], order: Order) -> ChartData:
    """Return the share of each line in the total."""
    return _total_chart(table, lines, "columns", order)


def _total_chart(table: "Crosstab", lines: Sequence[int], kind: ChartKind, order: Order) -> ChartData:
    values, low, high = (
        tuple(float(part[line, 0]) for line in lines)
        for part in (table.cells.values, table.cells.low, table.cells.high)
    )
    names = tuple(_line_name(table, line) for line in lines)
    return ChartData(kind, names, (Series("Total", values, low, high),), order=order)


def _bars(table: "Crosstab", columns: Sequence[int], lines: Sequence[int]) -> ChartData:
    """Return the share of each line in each column: the most frequent first, or brackets in their order."""
    totals = np.nan_to_num(table.cells.values[:, columns[0]])
    order = list(lines)
    if bracket_positions([table.question.lines[line].name for line in lines]) is None:
        order.sort(key=lambda line: -totals[line])
    if len(columns) == 1:
        return _total_chart(table, order, "bars", "none")
    series = tuple(
        _series(table, _column_name(table, column), [(line, column) for line in order]) for column in columns
    )
    names = tuple(_line_name(table, line) for line in order)
    return ChartData("bars", names, series, has_total=columns[0] == 0)


def _line_name(table: "Crosstab", line: int) -> str:
    entry = table.question.lines[line]
    name = one_line(entry.name)
    return capitalise(name) if entry.is_summary else name


def _column_name(table: "Crosstab", column: int) -> str:
    """Return the name of a column with its letter and its base."""
    letter = _letter(table, column)
    base = f"n\u00a0=\u00a0{count(int(table.bases[0][column]))}{'*' if table.is_small[column] else ''}"
    name = clip_text(table.columns[column], _GROUP).shown
    return f"{name}\n{f' ({letter})' if letter else ''}, {base}"


def _letter(table: "Crosstab", column: int) -> str:
    return table.column_letters[column] if has_letters(table) else ""


def _mark(table: "Crosstab", line: int, column: int) -> str:
    """Return the letters of a cell, or an asterisk for few respondents if its column has no asterisk."""
    letters = str(table.letters[line, column]).replace(" ", "")
    return letters or ("*" if table.small[line, column] and not table.is_small[column] else "")


# Texts


def _footnotes(table: "Crosstab", charts: Charts, summary: "Crosstabs") -> Iterator[str]:
    """Yield the base, the meaning of whiskers and letters, and the test, in plain words."""
    tests = summary.settings
    noun = "answer" if summary.is_of_panel else "respondent"
    weighted = ", weighted" if summary.is_weighted else ""
    yield f"Base: {count_of(int(table.bases[0][0]), noun)} with an answer{weighted}."
    if table.question.kind == "multiple choice":
        yield "Several answers were possible."
    if table.question.kind == "rated text":
        yield "Texts were rated by Semscale; intervals do not include the error of the ratings."
    lack_intervals = any(chart.kind in ("stack", "bars") and not chart.series[0].low for chart in charts)
    if lack_intervals and (margins := margin_note(table, tests.level, kinds=("share",))):
        yield margins
    if any(chart.kind == "points" for chart in charts):
        yield f"Lines: {coverage(tests.level)} intervals."
    elif any(chart.series[0].low for chart in charts if chart.kind == "bars"):
        yield f"In brackets: {coverage(tests.level)} intervals."
    if any(any(series.marks) for chart in charts for series in chart.series) and has_letters(table):
        alpha = percent(1 - tests.level, 0)
        yield (
            "Letters: higher than the group with that letter, unlikely to be chance "
            f"({alpha} level{_CORRECTED[tests.correction]})."
        )
    if table.small[:, 1:].any() or table.is_small[0]:
        yield f"* Fewer than {count_of(tests.min_base, 'respondent')}, not tested."
    yield from _test_of_all(table, 1 - tests.level)


def _test_of_all(table: "Crosstab", alpha: float) -> Iterator[str]:
    """State the test of all answers by all groups together, in plain words."""
    test = table.association
    if test is None or test.reason:
        return
    p = number(test.p_value, 3, least=_LEAST_P)
    shown = f"p {'' if p.startswith('<') else '= '}{p}"
    if test.p_value >= alpha:
        yield f"Taken together, the answers do not differ clearly between the groups ({shown})."
    elif has_letters(table):
        yield f"Taken together, the answers differ between the groups ({shown})."
    else:
        yield (
            f"Taken together, the answers differ between the groups ({shown}), but no difference of two "
            "groups is clear by itself."
        )


def _write_method(deck: Deck, summary: "Crosstabs") -> None:
    """Write the slide that states how the tables were made."""
    settings = summary.settings
    noun = "answer" if summary.is_of_panel else "respondent"
    left_out = summary.n - summary.n_counting
    design = [
        f"{name} in “{one_line(', '.join(columns) if isinstance(columns, tuple) else columns)}”"
        for name, columns in (
            ("weights", settings.weight),
            ("strata", settings.strata),
            ("clusters", settings.cluster),
            ("waves", settings.wave),
        )
        if columns
    ]
    if settings.raked_to:
        design.append("weights raked to known shares of the population")
    is_tested = any(np.isfinite(table.differences.p_values).any() for table in summary.tables)
    rows = [
        ("File", quote_file_name(summary.source).text if summary.source else "data in memory"),
        ("Respondents" if noun == "respondent" else "Answers", _counted(summary, left_out)),
        ("Sample", capitalise(join_list(design)) if design else "Unweighted, as a simple random sample"),
        ("Intervals", f"{coverage(settings.level)}; they cover the chance of drawing other {noun}s."),
        (
            "Tests",
            f"Two-sided t tests of pairs of groups at {percent(1 - settings.level, 0)}"
            f"{_CORRECTED[settings.correction]}; groups of fewer than {settings.min_base} are not tested. "
            "The total is not tested.",
        )
        if is_tested
        else None,
        ("Made", f"{stamp(summary.created)}, Semscale"),
        ("Signature", str(summary.signature)),
    ]
    deck.add_facts("How this was made", [row for row in rows if row is not None])


def _counted(summary: "Crosstabs", left_out: int) -> str:
    if not left_out:
        return count(summary.n_counting)
    reasons = "; ".join(f"{count(n)} {reason}" for reason, n in summary.left_out.items() if n)
    return f"{count(summary.n_counting)} of {count(summary.n)} rows; left out: {reasons}"
