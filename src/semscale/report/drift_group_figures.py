"""Pictures that set groups beside each other: one metric with intervals, and all metrics as a map."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from semscale.drift.gate.decision import DriftTest
from semscale.report.charts.forest import ForestRow, forest, legend
from semscale.report.charts.labels import NARROW_LIMIT
from semscale.report.charts.matrix import matrix
from semscale.report.charts.palette import diverging
from semscale.report.drift_figures import forest_row
from semscale.report.drift_tables import table_of_tests
from semscale.report.drift_words import (
    SYMBOLS,
    capitalized,
    digits_of,
    in_margins,
    metric_label,
    signed,
    urgency,
)
from semscale.report.figures import Figure, Swatch
from semscale.report.wording import clipped, count, one_line

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison
    from semscale.drift.measure.metrics import Metric

DRAWN_GROUPS = 40


def groups_figure(
    comparison: "Comparison", tests: Sequence[DriftTest], overall: DriftTest | None, *, interval: str
) -> Figure:
    """Draw one metric in every group, the most urgent first, and over all items at the top.

    Args:
        comparison: what was measured.
        tests: of one metric in groups of one kind.
        overall: its test over all items, if there is one.
        interval: what intervals cover, in words.
    """
    metrics, metric = comparison.metrics, tests[0].metric
    chosen = sorted(tests, key=urgency)[:DRAWN_GROUPS]
    rows = [_group_row("all items", overall, metrics[metric])] if overall is not None else []
    rows += [_group_row(_group_name(test), test, metrics[metric]) for test in chosen]
    unit = f", {one_line(metrics[metric].unit)}" if metrics[metric].unit else ""
    more = f" The {DRAWN_GROUPS} most urgent of {count(len(tests))} groups are drawn." * (
        len(tests) > len(chosen)
    )
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return Figure.drawn(
        lambda width: forest(rows, f"mean loss of {metric_label(metric)}{unit}", width=width),
        f"Drift of {metric_label(metric)} by group. {described}.",
        table_of_tests(comparison, tests, interval=interval),
        caption=f"{capitalized(metric_label(metric))} in each group, with its number of items, beside what "
        f"reruns lose there and the margin.{more}",
        legend=legend(rows, gated=True),
    )


def groups_map(comparison: "Comparison", tests: Sequence[DriftTest], *, interval: str) -> Figure:
    """Draw every metric in every group as a coloured cell: its drift in margins; the worst groups first.

    Args:
        comparison: what was measured.
        tests: of several metrics in groups of one kind.
        interval: what intervals cover, in words.
    """
    found = {(test.group, test.metric): test for test in tests}
    metrics = [name for name in comparison.metrics if any(test.metric == name for test in tests)]
    worst: dict[tuple[str, str], tuple[int, bool, float]] = {}
    for test in tests:
        if test.group is not None:
            worst[test.group] = min(urgency(test), worst.get(test.group, (3, True, 0.0)))
    groups = sorted(worst, key=lambda group: worst[group])[:DRAWN_GROUPS]
    cells = [[found.get((group, name)) for name in metrics] for group in groups]
    colours = [[_cell_colour(test) for test in row] for row in cells]
    names = [clipped(group[1], 60).shown or "(blank)" for group in groups]
    labels = [metric_label(name) for name in metrics]
    return Figure.drawn(
        lambda width: matrix(
            colours,
            [[_cell_text(comparison, test, narrow=width < NARROW_LIMIT) for test in row] for row in cells],
            names,
            labels,
            width=width,
        ),
        "Drift of each metric in each group. "
        + "; ".join(
            f"{name}: {_cells_said(comparison, row)}" for name, row in zip(names, cells, strict=True)
        ),
        table_of_tests(comparison, tests, interval=interval),
        caption="Drift of each metric in each group: sand is no drift, orange worse, full orange twice the "
        "margin or more, blue nearer to the baseline than its reruns. ✕ failed, ? undecided. Intervals and "
        "numbers of items stand in the table.",
        legend=(
            Swatch(diverging(-1.0), "two margins worse, or more"),
            Swatch(diverging(-0.5), "one margin worse"),
            Swatch(diverging(0.0), "no drift"),
        ),
    )


def _group_row(name: str, test: DriftTest, metric: "Metric") -> ForestRow:
    return forest_row(name, test.drift, test.noise, test, metric, share=1.0)


def _group_name(test: DriftTest) -> str:
    name = "" if test.group is None else clipped(test.group[1], 60).shown
    return f"{name or '(blank)'} ({count(test.drift.n)})"


def _cell_colour(test: DriftTest | None) -> str:
    if test is None or math.isnan(test.drift.value):
        return "#ffffff"
    return diverging(-min(max(in_margins(test) / 2, -1.0), 1.0))


def _cell_text(comparison: "Comparison", test: DriftTest | None, *, narrow: bool) -> str:
    if test is None:
        return ""
    if narrow:
        return SYMBOLS[test.outcome]
    digits = min(digits_of(comparison.metrics.get(test.metric)), 2)
    return f"{signed(test.drift.value, digits)} {SYMBOLS[test.outcome]}".strip()


def _cells_said(comparison: "Comparison", row: Sequence[DriftTest | None]) -> str:
    shown = [test for test in row if test is not None]
    return ", ".join(
        f"{metric_label(test.metric)} {_cell_text(comparison, test, narrow=False)}" for test in shown
    )
