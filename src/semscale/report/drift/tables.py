"""Tables of a comparison: what every metric's figures and tests are, thresholds, and all runs together."""

from collections.abc import Sequence

from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.drift_summary import DriftFigure, DriftSummary
from semscale.drift.measure.metrics import Metric, metric_label
from semscale.report.document.blocks import DataTable
from semscale.report.document.values import Cell, Count, Detail, Flag, Number, Quoted, Words
from semscale.report.drift.words import (
    LEVELS,
    digits_of,
    drift_cell,
    evidence,
    group_label,
    interval_words,
    label,
    p_value,
)
from semscale.report.wording import count, counted, one_line

MOST_ROWS = 250
_MOST_GROUPS = 24


def metric_cell(metric: Metric | str) -> Words:
    """Name a metric: by its label, and by the name that options take where there is little room."""
    name = metric if isinstance(metric, str) else metric.name
    return Words(label(metric), brief=one_line(name))


def drift_table(
    summary: DriftSummary,
    figures: Sequence[DriftFigure],
    title: str = "",
    *,
    brief_title: str = "",
    detail: Detail = "both",
) -> DataTable:
    """Lay metrics out, over all items or by group: loss, drift, and the tests where the gate tested.

    Args:
        summary: the comparison.
        figures: in the order of the rows; as many are shown as a page can carry.
        title: of the table.
        brief_title: of the table in a brief rendering, where a section's title says the same on a page.
        detail: which renderings have it.
    """
    by_group, tested = any(one.group for one in figures), any(one.test for one in figures)
    over_runs = summary.decision is not None and summary.decision.sequence and not by_group
    columns: list[str | Quoted] = [*(["group"] if by_group else []), "metric", "loss", "of reruns", "drift"]
    further: list[str | Quoted] = ["items"]
    if tested:
        columns += ["margin", Quoted("p over runs" if over_runs else "p"), ""]
        further.insert(0, Quoted("raw p"))
    left_out = any(one.drift.n_left_out for one in figures)
    further += ["left out"] if left_out else []
    left = len(figures) - MOST_ROWS
    return DataTable(
        (*columns, *further),
        tuple(_drift_row(one, by_group=by_group, left_out=left_out) for one in figures[:MOST_ROWS]),
        title,
        note=f"The first {MOST_ROWS} of {count(len(figures))}; the JSON has all." if left > 0 else "",
        most=_MOST_GROUPS,
        detail=detail,
        brief_title=brief_title,
        brief=len(columns),
    )


def metric_table(summary: DriftSummary, figures: Sequence[DriftFigure]) -> DataTable:
    """Lay out what each metric's figures over all items mean: as similarities, and beside unrelated text."""
    rows = []
    for one in figures:
        metric, digits = one.metric, digits_of(one.metric)
        similarity = metric.in_its_terms(one.loss) if metric.is_similarity else None
        row: tuple[Cell, ...] = (
            metric_cell(metric),
            Number(similarity, digits),
            Number(one.loss, digits),
            Number(one.noise, digits),
            drift_cell(one),
            Number(summary.comparison.floors.get(metric.name), digits),
            Number(metric.span, digits),
            Count(one.drift.n),
        )
        rows.append(row)
    heads = ("metric", "similarity", "loss", "reruns lose", f"drift [{interval_words(summary)}]",
             "unrelated text loses", "worst case", "items")  # fmt: skip
    return DataTable(heads, tuple(rows), detail="full")


def threshold_table(decision: GateDecision) -> DataTable:
    """Lay absolute thresholds out."""
    rows = tuple(
        (
            Quoted(check.name),
            Number(check.limit, 3),
            Number(check.value, 3),
            Flag("pass", "pass") if check.passed else Flag("fail", "fail"),
            Words(metric_label(check.metric)),
        )
        for check in decision.thresholds
    )
    return DataTable(("threshold", "limit", "mean", "", "metric"), rows, brief_title="Thresholds", brief=4)


def sequence_table(decision: GateDecision) -> DataTable:
    """Lay tests over all runs out."""
    runs = max(len(one.losses) for one in decision.sequence)
    rows = tuple(
        (
            metric_cell(one.metric),
            Number(one.mean_loss, 3),
            Number(one.allowed, 3),
            evidence(one.latest_evidence),
            p_value(one.p_adjusted),
            Flag("beyond chance", "fail") if one.is_significant else Words("within chance"),
            Count(len(one.losses)),
        )
        for one in decision.sequence
    )
    heads = ("metric", "mean loss", "allowed", "evidence", Quoted("p"), "loss is", "runs")
    return DataTable(heads, rows, f"Over {counted(runs, 'run')} against this baseline", brief=6)


def _drift_row(figure: DriftFigure, *, by_group: bool, left_out: bool) -> tuple[Cell, ...]:
    digits, test = digits_of(figure.metric), figure.test
    row: list[Cell] = [
        metric_cell(figure.metric),
        Number(figure.loss, digits),
        Number(figure.noise, digits),
        drift_cell(figure),
    ]
    if by_group:
        row.insert(0, Quoted(group_label(figure.group)) if figure.group else Words("all items"))
    if test is not None:
        flag = Flag(str(test.outcome), LEVELS[test.outcome])
        row += [Number(test.margin, digits), p_value(test.p_adjusted), flag, p_value(test.p_value)]
    row.append(Count(figure.drift.n))
    return *row, *([Count(figure.drift.n_left_out)] if left_out else [])
