"""Tables of a comparison: figures and tests of each metric, thresholds, and tests over all runs."""

from collections.abc import Sequence

from semscale.drift.gate.decision import GateDecision, SequenceTest, ThresholdCheck
from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.measure.metrics import Metric, metric_label
from semscale.report.document.blocks import DataTable
from semscale.report.document.values import Cell, Count, Detail, Flag, Number, Quoted, WithInterval, Words
from semscale.report.drift.words import (
    CHANGES,
    LEVELS,
    UNTESTED,
    beyond_chance_words,
    coverage_words,
    digits_of,
    drift_cell,
    evidence,
    group_label,
    is_untested,
    label,
    p_value,
)
from semscale.report.formatting import count, counted, one_line
from semscale.report.parts import Columns, covered, table_of
from semscale.report.sentences import small_base_words
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS

MOST_ROWS = 250
_MOST_GROUPS = 24


def covered_words(summary: DriftSummary) -> str:
    """Say at the end of a title what intervals cover; empty where no drift over all items has one."""
    return covered((WithInterval.of(figure.drift) for figure in summary.overall), summary.plan.interval)


def has_small_base(figure: DriftFigure) -> bool:
    """Say whether a group's figure rests on fewer than 10 items."""
    return figure.group is not None and 0 < figure.drift.n < FEWEST_CLUSTERS


def base_of(figure: DriftFigure) -> Count:
    """Count the items behind a figure, with a mark where a group has few."""
    return Count(figure.drift.n, is_small=has_small_base(figure))


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
    figures_of_all: list[str | Quoted] = ["metric", "loss", "of reruns", "drift"]
    columns = ["group", "items", *figures_of_all] if by_group else figures_of_all
    further: list[str | Quoted] = []
    if tested:
        columns += ["margin", "passes below", Quoted("p over runs" if over_runs else "p"), ""]
        further += [Quoted("raw p")] if by_group else []
        columns += [] if by_group else ["change"]
    left_out = any(one.drift.n_left_out for one in figures)
    further += ["left out"] if left_out else []
    shown = figures[:MOST_ROWS]
    cut = [f"The first {MOST_ROWS} of {count(len(figures))}; the JSON has all."]
    cut = cut if len(figures) > MOST_ROWS else []
    untested = [summary.decision is not None and is_untested(summary.decision, one.test) for one in shown]
    small = [small_base_words("item")] if any(map(has_small_base, figures)) else []
    return DataTable(
        (*columns, *further),
        tuple(
            _drift_row(one, by_group=by_group, left_out=left_out, is_untested=unknown)
            for one, unknown in zip(shown, untested, strict=True)
        ),
        title,
        note=" ".join([*cut, *([UNTESTED] if by_group and any(untested) else []), *small]),
        most=_MOST_GROUPS,
        detail=detail,
        brief_title=brief_title,
        brief=len(columns),
    )


def metric_table(summary: DriftSummary, figures: Sequence[DriftFigure]) -> DataTable:
    """Lay out what each metric's figures over all items mean: as similarities, and beside unrelated text."""
    floors = summary.comparison.floors

    def shown(one: DriftFigure, value: float | None) -> Number:
        return Number(value, digits_of(one.metric))

    columns: Columns[DriftFigure] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("similarity",
         lambda one: shown(one, one.metric.in_its_terms(one.loss) if one.metric.is_similarity else None)),
        ("loss", lambda one: shown(one, one.loss)),
        ("reruns lose", lambda one: shown(one, one.noise)),
        (f"drift [{coverage_words(summary)}]", drift_cell),
        ("unrelated text loses", lambda one: shown(one, floors.get(one.metric.name))),
        ("worst case", lambda one: shown(one, one.metric.span)),
        ("items", lambda one: Count(one.drift.n)),
        *([(Quoted("raw p"), _raw_p)] if any(one.test for one in figures) else []),
    )  # fmt: skip
    return table_of(figures, columns, detail="full")


def _raw_p(figure: DriftFigure) -> Cell:
    return p_value(figure.test.p_value) if figure.test else Number(None)


def threshold_table(decision: GateDecision) -> DataTable:
    """Lay absolute thresholds out."""
    columns: Columns[ThresholdCheck] = (
        (
            "threshold",
            lambda one: Quoted(one.name if one.group is None else f"{one.name} in {group_label(one.group)}"),
        ),
        ("limit", lambda one: Number(one.limit, 3)),
        ("mean", lambda one: Number(one.value, 3)),
        ("", lambda one: Flag("pass", "pass") if one.passed else Flag("fail", "fail")),
        ("metric", lambda one: Words(metric_label(one.metric))),
    )
    return table_of(decision.thresholds, columns, brief_title="Thresholds", brief=4)


def sequence_table(decision: GateDecision) -> DataTable:
    """Lay tests over all runs out."""
    runs = max(len(one.losses) for one in decision.sequence)
    columns: Columns[SequenceTest] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("mean loss", lambda one: Number(one.mean_loss, 3)),
        ("latest", lambda one: Number(one.losses[-1] if one.losses else None, 3)),
        ("allowed", lambda one: Number(one.allowed, 3)),
        ("evidence", lambda one: evidence(one.latest_evidence)),
        (Quoted("p"), lambda one: p_value(one.p_adjusted)),
        ("loss is",
         lambda one: Flag(beyond_chance_words(one, decision), "fail")
         if one.is_significant else Words("within chance")),
        ("runs", lambda one: Count(len(one.losses))),
    )  # fmt: skip
    title = f"Over {counted(runs, 'run')} against this baseline"
    return table_of(decision.sequence, columns, title=title, brief=7)


def _drift_row(figure: DriftFigure, *, by_group: bool, left_out: bool, is_untested: bool) -> tuple[Cell, ...]:
    digits, test = digits_of(figure.metric), figure.test
    row: list[Cell] = [
        metric_cell(figure.metric),
        Number(figure.loss, digits),
        Number(figure.noise, digits),
        drift_cell(figure),
    ]
    if by_group:
        name = Quoted(group_label(figure.group)) if figure.group else Words("all items")
        row[:0] = name, base_of(figure)
    if test is not None:
        flag = Flag(str(test.outcome), LEVELS[test.outcome])
        limits = Number(test.margin, digits), Number(test.tolerance, digits)
        row += [*limits, Number(None) if is_untested else p_value(test.p_adjusted), flag]
        row += [p_value(test.p_value) if by_group else CHANGES[figure.change]]
    return *row, *([Count(figure.drift.n_left_out)] if left_out else [])
