"""Matches on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.cli.runs.score_tables import group_table, guard_table, spread_table
from semscale.report.match_words import (
    GUARD_MEANINGS,
    cautions,
    dearest_tokens,
    interval_method,
    rows_that_count,
    separation_words,
)
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import counted, coverage, number, one_line, plain, printable, with_interval
from semscale.types import Integers

if TYPE_CHECKING:
    from semscale.cli.runs.match import MatchedFile
    from semscale.matching.match_summary import MatchSummary

_TEXT_CELLS = 44
_WORST = 6
_QUIET = "dim"


def show_match(matched: "MatchedFile") -> None:
    """Print what came of a run to standard output."""
    print_plainly(lambda console: _print(console, matched))


def _print(console: Console, matched: "MatchedFile") -> None:
    summary = matched.summary
    console.print(Text.assemble(("Match", "bold"), (f"  {one_line(summary.source)}", _QUIET)))
    console.print(rows_that_count(summary))
    for table in _tables(summary):
        console.print(table)
    if matched.explain:
        for line in _explanations(matched):
            console.print(Text(line))
    warned = cautions(summary)
    for line in ["", *warned] if warned else []:
        console.print(Text(line, style="yellow"))
    for line in _notes(summary):
        console.print(Text(line, style=_QUIET))
    for name, path in (("table", matched.out), ("report", matched.report)):
        if path is not None:
            console.print(f"{name}: {printable(path)}")


def _tables(summary: "MatchSummary") -> Iterator[Table | str]:
    if summary.estimates.overall.n == 0:
        yield "\nNo row has a score, so there is nothing to estimate."
        return
    yield _figures(summary)
    matches = summary.matches
    heads = ("score", "rows")
    yield spread_table(matches.score[matches.scored], matches.bounds, heads=heads, title="\nScores")
    if summary.cells.groups is not None:
        yield group_table(summary.estimates.group_means(), by=summary.columns.by, items="rows")
    if summary.guards:
        yield guard_table(summary.guards, GUARD_MEANINGS, items="rows", title="\nFindings")
    worst = summary.worst(_WORST)
    yield _pairs(summary, worst, f"\n{counted(len(worst), 'lowest score', 'lowest scores')}")


def _figures(summary: "MatchSummary") -> Table:
    low, high = summary.matches.bounds
    table = figure_grid("", "estimate", title=f"\nAltogether ({coverage(summary.interval)} interval)")
    mean = with_interval(summary.estimates.overall_mean())
    table.add_row(f"mean match, from {plain(low)} to {plain(high)}", mean)
    return table


def _pairs(summary: "MatchSummary", rows: Integers, title: str) -> Table:
    table = figure_grid("row", "score", "prediction", "reference", title=title)
    for column in table.columns[2:]:
        column.justify = "left"
    for row in rows.tolist():
        texts = (summary.cells.predictions[row], summary.reference(row))
        table.add_row(
            f"{row + 1:,}",
            number(float(summary.matches.score[row])),
            *(fitted(text, _TEXT_CELLS) for text in texts),
        )
    return table


def _explanations(matched: "MatchedFile") -> Sequence[str]:
    summary = matched.summary
    lines = ["", "Why"]
    for row in summary.worst(_WORST).tolist():
        lines.append(f"row {row + 1:,}, {number(float(summary.matches.score[row]))}: {_layers(summary, row)}")
        if summary.matches.findings:
            lines += [f"  {found.guard}: {one_line(found.reason)}" for found in summary.matches.findings[row]]
        if row in matched.explained:
            lines += [f"  {one_line(line)}" for line in dearest_tokens(matched.explained[row])]
    return lines


def _layers(summary: "MatchSummary", row: int) -> str:
    parts = summary.matches.components.items()
    shown = [f"{name} {number(float(values[row]))}" for name, values in parts]
    return ", ".join(shown) or "the method has no parts"


def _notes(summary: "MatchSummary") -> list[str]:
    lines = ["", f"intervals: {interval_method(summary)}"]
    separation = separation_words(summary)
    if separation is not None:
        lines.append(f"separation: {separation}")
    windowed = int((summary.matches.windows > 1).sum())
    if windowed:
        lines.append(f"{counted(windowed, 'row')} with texts read in overlapping windows, being so long")
    return [*lines, f"signature: {printable(summary.matches.signature)}"]
