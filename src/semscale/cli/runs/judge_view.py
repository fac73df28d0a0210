"""Verdicts and audits on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.cli.runs.score_tables import NAME_CELLS, spread_table
from semscale.report.judge_figures import judge_table
from semscale.report.judge_words import (
    cautions,
    human_rows,
    interval_method,
    panel_words,
    provenance_words,
    rows_that_count,
)
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import counted, coverage, number, one_line, percent, printable, with_interval

if TYPE_CHECKING:
    from semscale.chat.forecast import Forecast
    from semscale.cli.runs.judge import JudgedFile
    from semscale.judging.audit import Audit
    from semscale.judging.judge_summary import JudgeSummary

_TEXT_CELLS, _SHOWN = 44, 6
_QUIET = "dim"


def show_judged(judged: "JudgedFile") -> None:
    """Print what came of a run to standard output."""
    print_plainly(lambda console: _print(console, judged))


def show_preflight(forecasts: "list[tuple[str, Forecast]]") -> None:
    """Print what a run would take to standard output; nothing was sent."""

    def write(console: Console) -> None:
        for name, forecast in forecasts:
            console.print(Text(printable(name), style="bold"))
            for line in forecast.lines():
                console.print(f"  {line}")
        console.print(
            Text("Nothing was sent; replies that cannot be read are asked for again.", style=_QUIET)
        )

    print_plainly(write)


def show_audits(audits: "list[tuple[str, Audit]]") -> None:
    """Print what audits found to standard output."""

    def write(console: Console) -> None:
        for name, found in audits:
            console.print(_audit_table(name, found))
            for check in found.checks:
                why = "" if check.skipped is None else f"; not made: {check.skipped}"
                console.print(Text(f"{check.name}: {check.meaning}{why}", style=_QUIET))
            console.print(Text(f"signature: {printable(found.signature)}", style=_QUIET))

    print_plainly(write)


def _audit_table(name: str, found: "Audit") -> Table:
    title = f"{one_line(name)}: what a change of form does to the score ({coverage(found.interval)} interval)"
    table = figure_grid("change", "rows", "left out", "mean effect", "scores that move", "", title=title)
    for check in found.checks:
        if check.effect is None or check.moved is None:
            table.add_row(check.name, "–", "–", "–", "–", "not made")
            continue
        table.add_row(
            check.name,
            f"{check.effect.n:,}",
            f"{check.effect.n_left_out:,}",
            with_interval(check.effect),
            percent(check.moved.value, 0),
            Text("biased", style="yellow") if check.biased else "",
        )
    return table


def _print(console: Console, judged: "JudgedFile") -> None:
    summary = judged.summary
    console.print(Text.assemble(("Judge", "bold"), (f"  {one_line(summary.source)}", _QUIET)))
    console.print(rows_that_count(summary))
    for table in _tables(summary):
        console.print(table)
    warned = cautions(summary)
    for line in ["", *warned] if warned else []:
        console.print(Text(line, style="yellow"))
    for line in ["", *_notes(summary)]:
        console.print(Text(line, style=_QUIET))
    for name, path in (("table", judged.out), ("report", judged.report)):
        if path is not None:
            console.print(f"{name}: {printable(path)}")


def _tables(summary: "JudgeSummary") -> Iterator[Table | str]:
    if summary.estimate.n == 0:
        yield "\nNo row has a score, so there is nothing to estimate."
        return
    figures = figure_grid("", "estimate", title=f"\nAltogether ({coverage(summary.plan.interval)} interval)")
    figures.add_row("mean score, from 0 to 1", with_interval(summary.estimate))
    for name, value, _ in human_rows(summary):
        figures.add_row(name[0].lower() + name[1:], value)
    yield figures
    expected = summary.expected[~np.isnan(summary.expected)]
    yield spread_table(expected, (0.0, 1.0), heads=("score", "rows"), title="\nScores")
    shown = judge_table(summary)
    judges = figure_grid(*map(str.lower, shown.columns), title="\nJudges")
    for row in shown.rows:
        judges.add_row(fitted(row[0], NAME_CELLS), *row[1:])
    yield judges
    yield _rows(summary)


def _rows(summary: "JudgeSummary") -> Table:
    disputed = summary.most_disputed(_SHOWN)
    rows = disputed if len(disputed) else summary.lowest(_SHOWN)
    title = "\nWhere the judges differ most" if len(disputed) else f"\n{counted(len(rows), 'lowest score')}"
    table = figure_grid("row", "score", "question", "answer", "verdict", title=title)
    for column in table.columns[2:]:
        column.justify = "left"
    for row in rows.tolist():
        verdicts = [(name, verdicts[row]) for name, verdicts in summary.judges.items()]
        said = ", ".join(number(verdict.expected) for _, verdict in verdicts) if len(verdicts) > 1 else ""
        words = said or verdicts[0][1].explanation
        texts = (summary.cells.questions[row], summary.cells.answers[row], words)
        table.add_row(
            f"{row + 1:,}",
            number(float(summary.expected[row])),
            *(fitted(str(text), _TEXT_CELLS) for text in texts),
        )
    return table


def _notes(summary: "JudgeSummary") -> list[str]:
    lines = [
        f"intervals: {interval_method(summary)}",
        f"distributions: {provenance_words(summary) or 'none'}",
    ]
    panel = panel_words(summary)
    return [*lines, *([panel] if panel else []), f"signature: {printable(summary.result.signature)}"]
