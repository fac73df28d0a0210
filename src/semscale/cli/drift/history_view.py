"""A history on the screen: runs, comparisons, and how each metric developed."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.cli.drift.view import COLOURS, in_margins
from semscale.cli.runs.score_tables import NAME_CELLS
from semscale.drift.gate.decision import Outcome
from semscale.history.runs import short_id
from semscale.report.drift_words import evidence_words, p_words, signed
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.trend_words import spans_days
from semscale.report.wording import MISSING, count, counted, number, one_line, printable

if TYPE_CHECKING:
    from semscale.cli.drift.history_run import SeenDataset, SeenHistory
    from semscale.drift.gate.trend import MetricTrend, Trends
    from semscale.history.stored_comparison import StoredComparison
    from semscale.history.summaries import RunSummary

_SHOWN = 20
_TIME = "%Y-%m-%d %H:%M"
_QUIET = "dim"


def show_history(seen: "SeenHistory") -> None:
    """Print what a history holds to standard output."""
    print_plainly(lambda console: _print(console, seen))


def _print(console: Console, seen: "SeenHistory") -> None:
    console.print(Text.assemble(("History", "bold"), (f"  {printable(seen.where)}", _QUIET)))
    for other, merged in seen.merged.items():
        parts = (merged.runs, "run"), (merged.approvals, "approval"), (merged.comparisons, "comparison")
        new = ", ".join(counted(n, noun) for n, noun in parts)
        console.print(Text(f"taken in from {printable(other)}: {new}"))
    if not seen.datasets:
        console.print("It holds no run yet: semscale drift record OUTPUTS --model NAME")
    for dataset in seen.datasets:
        for line in _heads(dataset):
            console.print(line)
        for table in _tables(dataset):
            console.print(table)
        for caution in dataset.trends.cautions if dataset.trends else ():
            console.print(Text(f"trend: {printable(caution)}", style="yellow"))
    if seen.report is not None:
        console.print(f"report: {printable(seen.report)}")


def _heads(dataset: "SeenDataset") -> Iterator[Text]:
    runs = counted(len(dataset.runs), "run")
    compared = counted(len(dataset.comparisons), "comparison")
    yield Text.assemble((f"\n{one_line(dataset.name)}", "bold"), f"  {runs}, {compared}")
    approval = dataset.approval
    if approval is None:
        yield Text("no baseline: semscale drift approve RUN --by NAME --why REASON", style="yellow")
        return
    until = f" until {approval.expires:{_TIME}} UTC" if approval.expires else ""
    said = (
        f"baseline {short_id(approval.run_id)}, approved by {one_line(approval.by)} on "
        f"{approval.approved:%Y-%m-%d}{until}: {one_line(approval.why)}"
    )
    yield Text(f"{said} (expired)" if dataset.is_stale else said, style="yellow" if dataset.is_stale else "")


def _tables(dataset: "SeenDataset") -> Iterator[Table]:
    yield _run_table(dataset)
    if dataset.comparisons:
        yield _comparison_table(dataset)
    if dataset.trends is not None and len(dataset.trends.comparison_ids) > 1:
        yield _trend_table(dataset.trends)


def _run_table(dataset: "SeenDataset") -> Table:
    table = figure_grid(
        "run", "recorded", "model", "items", "revision", "", title=f"\nRuns{_latest(len(dataset.runs))}"
    )
    for column in (*table.columns[1:3], *table.columns[4:]):
        column.justify = "left"
    for run in dataset.runs[-_SHOWN:]:
        cells = [f"{run.recorded:{_TIME}}", fitted(run.model, NAME_CELLS), count(run.n_items)]
        table.add_row(short_id(run.id), *cells, run.revision or MISSING, _about(run, dataset))
    return table


def _about(run: "RunSummary", dataset: "SeenDataset") -> str:
    said = []
    if dataset.approval is not None and run.id == dataset.approval.run_id:
        said.append("baseline")
    if run.rerun_of is not None:
        said.append(f"rerun of {short_id(run.rerun_of)}")
    if run.note is not None:
        said.append(fitted(run.note, NAME_CELLS))
    return ", ".join(said)


def _comparison_table(dataset: "SeenDataset") -> Table:
    comparisons = dataset.comparisons
    title = f"\nComparisons{_latest(len(comparisons))}"
    table = figure_grid(
        "compared", "candidate", "model", "baseline", "outcome", "greatest drift", title=title
    )
    for column in table.columns[1:]:
        column.justify = "left"
    for kept in comparisons[-_SHOWN:]:
        outcome = MISSING if kept.outcome is None else kept.outcome
        style = COLOURS[Outcome(outcome)] if kept.outcome is not None else ""
        table.add_row(
            f"{kept.compared:{_TIME}}",
            short_id(kept.candidate_id),
            fitted(kept.model, NAME_CELLS),
            short_id(kept.baseline_id),
            Text(outcome, style=style),
            _greatest(kept),
        )
    return table


def _greatest(kept: "StoredComparison") -> str:
    """Name the metric that drifted by the most margins."""
    known = [one for one in kept.figures if one.group is None]
    worst = max(known, key=in_margins, default=None)
    return MISSING if worst is None else f"{worst.metric} {signed(worst.drift, 3)}"


def _trend_table(trends: "Trends") -> Table:
    n, baseline = len(trends.comparison_ids), short_id(trends.baseline_id)
    title = f"\nTrend over {counted(n, 'run')} against {baseline}"
    heads = ("metric", "first loss", "last loss", "a day", "p", "change of level", "evidence")
    table = figure_grid(*heads, title=title)
    table.columns[5].justify = "left"
    for trend in trends.metrics.values():
        losses = trend.losses[~(trend.losses != trend.losses)]  # noqa: PLR0124 - NaN
        ends = (float(losses[0]), float(losses[-1])) if len(losses) else (None, None)
        slope = signed(trend.course.slope.value, 4) if spans_days(trends) else MISSING
        cells = [*(number(end, 3) for end in ends), slope]
        evidence = trend.sequence.evidence[-1] if trend.sequence and trend.sequence.evidence else math.nan
        table.add_row(
            trend.metric,
            *cells,
            p_words(trend.course.p_value),
            _change(trends, trend),
            evidence_words(evidence),
        )
    return table


def _change(trends: "Trends", trend: "MetricTrend") -> str:
    change = trend.change
    if change is None:
        return MISSING
    at = f"{short_id(trends.candidate_ids[change.place])}, {trends.times[change.place]:%Y-%m-%d}"
    return f"{number(change.before, 3)} to {number(change.after, 3)} at {at} (p {p_words(change.p_value)})"


def _latest(n: int) -> str:
    return f", the latest {_SHOWN} of {count(n)}; --json has all" if n > _SHOWN else ""
