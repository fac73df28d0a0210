"""A comparison or a gate's decision on the screen: colour on a terminal, plain aligned text in a pipe."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.cli.runs.score_tables import NAME_CELLS
from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, ThresholdCheck
from semscale.history.runs import short_id
from semscale.report.drift_facts import n_left_out
from semscale.report.drift_words import (
    digits_of,
    drift_words,
    estimate_words,
    evidence_words,
    group_label,
    interval_words,
    p_words,
    signed,
    urgency,
)
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.unvaried_words import unvaried_words
from semscale.report.wording import MISSING, count, counted, number, one_line, printable
from semscale.stats.intervals.estimates import Estimate

if TYPE_CHECKING:
    from semscale.cli.drift.run import ComparedRuns
    from semscale.history.items import Item
    from semscale.history.runs import Run
    from semscale.history.stored_comparison import StoredFigure
    from semscale.stats.intervals.means import MeanEstimate

COLOURS = {Outcome.PASS: "green", Outcome.FAIL: "red", Outcome.UNDECIDED: "yellow"}

_QUIET = "dim"
_TEXT_CELLS, _GROUPS = 40, 24


def show_compared(compared: "ComparedRuns", *, annotate: bool = False) -> None:
    """Print what came of comparing to standard output; the last line is the gate's, where one was asked.

    Args:
        compared: what came of it.
        annotate: whether lines for GitHub Actions go before.
    """
    if annotate and compared.decision is not None:
        from semscale.report.github import github_annotations

        for line in github_annotations(compared.comparison, compared.decision):
            typer.echo(line)
    print_plainly(lambda console: _print(console, compared))


def run_line(run: "Run") -> str:
    """Say in one line which run it is: its id, its model, and when it was recorded."""
    recorded = run.recorded.strftime("%Y-%m-%d %H:%M")
    return f"{short_id(run.id)}  {one_line(run.model)}  {recorded}"


def _print(console: Console, compared: "ComparedRuns") -> None:
    comparison, decision = compared.comparison, compared.decision
    title = "Drift" if decision is None else "Drift gate"
    console.print(Text.assemble((title, "bold"), (f"  {one_line(comparison.baseline.dataset)}", _QUIET)))
    for line in _heads(compared):
        console.print(Text(line))
    for table in _compared_tables(compared) if decision is None else _gate_tables(compared, decision):
        console.print(table)
    unvaried = unvaried_words(_overall_drifts(compared), decision)
    if unvaried is not None:
        console.print(Text(f"\n{printable(unvaried)}", style=_QUIET))
    if compared.worst:
        console.print(_worst_table(compared))
    cautions = decision.cautions if decision else ()
    for line in ["", *cautions] if cautions else []:
        console.print(Text(printable(line), style="yellow"))
    signature = comparison.signature if decision is None else decision.signature
    console.print(Text(f"\nsignature: {printable(signature)}", style=_QUIET))
    for name, path in compared.written.items():
        console.print(f"{name}: {printable(path)}")
    if decision is not None:
        console.print(Text(f"\n{compared.verdict}", style=COLOURS[decision.outcome]))


def _overall_drifts(compared: "ComparedRuns") -> "dict[str, MeanEstimate | StoredFigure]":
    """Give the drifts that the screen shows over all items."""
    if compared.decision is not None:
        return {test.metric: test.drift for test in compared.decision.tests if test.group is None}
    return {figure.metric: figure for figure in compared.stored.figures if figure.group is None}


def _heads(compared: "ComparedRuns") -> Iterator[str]:
    comparison, approval = compared.comparison, compared.approval
    approved = ""
    if approval is not None:
        until = f" until {approval.expires:%Y-%m-%d}" if approval.expires else ""
        approved = f", approved by {one_line(approval.by)}{until}"
    if compared.recorded is not None:
        yield f"recorded {printable(compared.recorded)} as {short_id(comparison.candidate.id)}"
    yield f"candidate  {run_line(comparison.candidate)}"
    yield f"baseline   {run_line(comparison.baseline)}{approved}"
    reruns, n, left_out = len(comparison.reruns), len(comparison.baseline.items), n_left_out(comparison)
    yield f"{counted(reruns, 'rerun') if reruns else 'no rerun'} of the baseline"
    why = f"; left out: {count(left_out)}, as neither run says anything" if left_out else ""
    yield f"{count(n - left_out)} of {counted(n, 'item')} count{'s' if n == 1 else ''}{why}"


def _compared_tables(compared: "ComparedRuns") -> Iterator[Table]:
    overall = [figure for figure in compared.stored.figures if figure.group is None]
    yield _figure_table(overall, title=_overall_title(None), compared=compared)
    grouped = [figure for figure in compared.stored.figures if figure.group is not None]
    if grouped:
        grouped.sort(key=in_margins, reverse=True)
        yield _figure_table(grouped[:_GROUPS], title=_group_title(len(grouped)), compared=compared)


def in_margins(figure: "StoredFigure") -> float:
    """Give a drift as a multiple of its margin; the least there is where it has no value."""
    if math.isnan(figure.drift):
        return -math.inf
    return figure.drift / figure.margin if figure.margin > 0 else math.inf


def _figure_table(figures: Sequence["StoredFigure"], *, title: str, compared: "ComparedRuns") -> Table:
    grouped = bool(figures) and figures[0].group is not None
    table = figure_grid(*(["group"] if grouped else []), "metric", "loss", "of reruns", "drift", title=title)
    table.columns[int(grouped)].justify = "left"
    for figure in figures:
        digits = digits_of(compared.comparison.metrics.get(figure.metric))
        name = [fitted(group_label(figure.group), NAME_CELLS)] if figure.group is not None else []
        drift = estimate_words(Estimate(figure.drift, figure.low, figure.high), digits)
        noise = number(figure.loss - figure.drift, digits) if compared.comparison.reruns else MISSING
        table.add_row(*name, figure.metric, number(figure.loss, digits), noise, drift)
    return table


def _gate_tables(compared: "ComparedRuns", decision: GateDecision) -> Iterator[Table | str]:
    overall = [test for test in decision.tests if test.group is None]
    yield _test_table(overall, title=_overall_title(decision), compared=compared)
    grouped = [test for test in decision.tests if test.group is not None]
    open_ones = sorted((test for test in grouped if test.outcome is not Outcome.PASS), key=urgency)
    if grouped:
        yield f"\nGroups: {count(len(grouped) - len(open_ones))} of {counted(len(grouped), 'test')} passed"
    if open_ones:
        yield _test_table(open_ones[:_GROUPS], title=_group_title(len(open_ones)), compared=compared)
    if decision.thresholds:
        yield _threshold_table(decision.thresholds)
    if decision.sequence:
        yield _sequence_table(decision)


def _overall_title(decision: GateDecision | None) -> str:
    return f"\nAll items ({interval_words(decision)} interval)"


def _group_title(n: int) -> str:
    return (
        f"\nGroups that drifted most, {_GROUPS} of {count(n)}; --json has all"
        if n > _GROUPS
        else "\nBy group"
    )


def _test_table(tests: Sequence[DriftTest], *, title: str, compared: "ComparedRuns") -> Table:
    grouped = bool(tests) and tests[0].group is not None
    over_runs = compared.decision is not None and compared.decision.sequence and not grouped
    p_head = "p over runs" if over_runs else "p"
    heads = [*(["group"] if grouped else []), "metric", "loss", "of reruns", "drift", "margin", p_head, ""]
    table = figure_grid(*heads, title=title)
    table.columns[int(grouped)].justify = "left"
    for test in tests:
        digits = digits_of(compared.comparison.metrics.get(test.metric))
        figures = [number(test.loss, digits), number(test.noise, digits), drift_words(test, digits)]
        name = [fitted(group_label(test.group), NAME_CELLS)] if test.group is not None else []
        margin, p = number(test.margin, digits), p_words(test.p_adjusted)
        table.add_row(
            *name, test.metric, *figures, margin, p, Text(test.outcome, style=COLOURS[test.outcome])
        )
    return table


def _threshold_table(checks: Sequence[ThresholdCheck]) -> Table:
    table = figure_grid("threshold", "limit", "mean", "", title="\nThresholds")
    for check in checks:
        outcome = Outcome.PASS if check.passed else Outcome.FAIL
        shown = Text(outcome, style=COLOURS[outcome])
        table.add_row(check.name, number(check.limit, 3), number(check.value, 3), shown)
    return table


def _sequence_table(decision: GateDecision) -> Table:
    runs = max(len(one.losses) for one in decision.sequence)
    title = f"\nOver {counted(runs, 'run')} against this baseline"
    table = figure_grid("metric", "mean loss", "allowed", "evidence", "p", "loss is", title=title)
    for one in decision.sequence:
        found = Text("beyond chance", style="red") if one.is_significant else Text("within chance")
        mean = sum(one.losses) / len(one.losses) if one.losses else float("nan")
        cells = [
            number(mean, 3),
            number(one.allowed, 3),
            evidence_words(one.evidence[-1]) if one.evidence else MISSING,
        ]
        table.add_row(one.metric, *cells, p_words(one.p_adjusted), found)
    return table


def _worst_table(compared: "ComparedRuns") -> Table:
    baseline, candidate = compared.comparison.baseline.items, compared.comparison.candidate.items
    title = f"\n{counted(len(compared.worst), 'item')} that changed most"
    table = figure_grid("item", "metric", "drift", "baseline", "candidate", title=title)
    for column in (table.columns[1], *table.columns[3:]):
        column.justify = "left"
    for one in compared.worst:
        metric, drift = next(iter(one.drifts.items()))
        digits = digits_of(compared.comparison.metrics.get(metric))
        texts = [fitted(_said(items[one.place]), _TEXT_CELLS) for items in (baseline, candidate)]
        name = fitted(baseline[one.place].id, NAME_CELLS)
        table.add_row(name, metric, signed(drift, digits), *texts)
    return table


def _said(item: "Item") -> str:
    return " / ".join(str(output.text) for output in item.spoken) or "(nothing)"
