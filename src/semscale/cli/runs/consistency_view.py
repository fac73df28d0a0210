"""Consistency on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.cli.runs.score_tables import group_table, guard_table, spread_table
from semscale.report.consistency_words import (
    GUARD_MEANINGS,
    MEASURE_NAMES,
    asking_words,
    cautions,
    interval_method,
    items_that_count,
    promises,
)
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import (
    count,
    counted,
    coverage,
    number,
    one_line,
    printable,
    with_interval,
)
from semscale.self_consistency.measures import MEASURES

if TYPE_CHECKING:
    from semscale.cli.runs.consistency import ConsistentFile
    from semscale.self_consistency.summary import ConsistencySummary

_TEXT_CELLS, _LEAST = 44, 6
_QUIET = "dim"


def show_consistency(measured: "ConsistentFile") -> None:
    """Print what came of a run to standard output."""
    print_plainly(lambda console: _print(console, measured))


def show_preflight(taken: dict[str, Any]) -> None:
    """Print what asking would take."""
    table = figure_grid("at most", "", title=f"Asking {one_line(taken['model'])}")
    table.add_row("prompts", count(taken["prompts"]))
    table.add_row("left out", count(taken["left_out"]))
    table.add_row("replies kept from before", count(taken["answered"]))
    table.add_row("calls", count(taken["calls"]))
    table.add_row("tokens of prompts, about", count(taken["prompt_tokens"]))
    table.add_row("tokens of replies", count(taken["reply_tokens"]))
    money = taken["money"]
    table.add_row("cost", "not known" if money is None else f"{number(money, 4)} {taken['currency']}")
    note = taken["price_note"]
    print_plainly(lambda console: _both(console, table, [note] if note else []))


def _both(console: Console, table: Table, notes: list[str]) -> None:
    console.print(table)
    for line in [*notes, "Nobody was asked."]:
        console.print(Text(printable(line)))


def _print(console: Console, measured: "ConsistentFile") -> None:
    summary = measured.summary
    console.print(Text.assemble(("Consistency", "bold"), (f"  {one_line(summary.source)}", _QUIET)))
    console.print(items_that_count(summary))
    if said := asking_words(summary):
        console.print(said)
    for table in _tables(summary):
        console.print(table)
    warned = cautions(summary)
    for line in ["", *warned] if warned else []:
        console.print(Text(line, style="yellow"))
    for line in _notes(summary):
        console.print(Text(line, style=_QUIET))
    for name, path in (("table", measured.out), ("report", measured.report)):
        if path is not None:
            console.print(f"{name}: {printable(path)}")


def _tables(summary: "ConsistencySummary") -> Iterator[Table | str]:
    if not summary.found.scored.any():
        yield "\nNo prompt has a value, so there is nothing to estimate."
        return
    yield _figures(summary)
    main, score = summary.found.main, summary.found.score
    heads = (MEASURE_NAMES[main], "prompts")
    yield spread_table(score[~np.isnan(score)], MEASURES[main].bounds, heads=heads, title="\nSpread")
    if summary.cells.groups is not None:
        yield group_table(summary.estimates.group_means(), by=summary.columns.by, items="prompts")
    if summary.guards:
        title = "\nSamples that contradict the answer"
        yield guard_table(summary.guards, GUARD_MEANINGS, items="prompts", title=title)
    if summary.trust is not None:
        yield _trust(summary)
    yield _least(summary)


def _figures(summary: "ConsistencySummary") -> Table:
    table = figure_grid("mean of", "estimate", title=f"\nAltogether ({coverage(summary.interval)} interval)")
    for name in summary.found.measures:
        table.add_row(MEASURE_NAMES[name], with_interval(summary.estimates.overall_mean(name)))
    return table


def _trust(summary: "ConsistencySummary") -> Table:
    trust = summary.trust
    table = figure_grid("", "", "", title="\nTrust")
    table.columns[2].justify = "left"
    if trust is None:
        return table
    figures = trust.figures
    table.add_row("labels", count(figures.n), "that the curve was fitted to, and checked on in turn")
    share = f"{number(figures.brier_of_share, 3)} for the overall share"
    table.add_row("Brier score", with_interval(figures.brier, 3), share)
    chance = f"{number(figures.error_by_chance, 3)} for right probabilities"
    table.add_row("calibration error", number(figures.error, 3), chance)
    for name, area in trust.areas.items():
        table.add_row(f"AUC of {MEASURE_NAMES[name]}", number(area, 3), "")
    for name, threshold, promise in promises(summary):
        table.add_row(name, threshold, promise)
    return table


def _least(summary: "ConsistencySummary") -> Table:
    items = summary.least(_LEAST)
    title = f"\n{counted(len(items), 'least consistent prompt', 'least consistent prompts')}"
    table = figure_grid("item", "score", "answer", "contradicting samples", title=title)
    for column in table.columns[2:]:
        column.justify = "left"
    for item in items.tolist():
        found = summary.found.contradictions[item]
        texts = [str(summary.cells.samples[item][one.sample]) for one in found[:1]]
        n = int(summary.found.n_contradicting[item])
        table.add_row(
            f"{item + 1:,}",
            number(float(summary.found.score[item])),
            fitted(str(summary.cells.answers[item]), _TEXT_CELLS),
            f"{n} of {summary.found.n_samples[item]}{': ' if texts else ''}"
            + (fitted(texts[0], _TEXT_CELLS) if texts else ""),
        )
    return table


def _notes(summary: "ConsistencySummary") -> list[str]:
    lines = ["", f"intervals: {interval_method(summary)}"]
    if summary.found.floor is not None:
        lines.append(f"floor: cosine {number(summary.found.floor, 3)} of answers to different questions")
    if summary.found.n_windowed:
        windowed = counted(summary.found.n_windowed, "prompt")
        lines.append(f"{windowed} with texts read in overlapping windows, because of their length")
    return [*lines, f"signature: {printable(summary.found.signature)}"]
