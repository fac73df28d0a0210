"""Pictures of a comparison: how far each metric drifted, over all items and by group, and its losses."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semscale.drift.gate.decision import FEWEST_TO_PASS, Outcome
from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.cells import cell_text
from semscale.report.charts.forest import ForestRow, forest, legend
from semscale.report.charts.histograms import GROUP, HISTOGRAM
from semscale.report.charts.matrix import MatrixCell, matrix
from semscale.report.charts.palette import diverging
from semscale.report.document.blocks import (
    Block,
    DataTable,
    Figure,
    Histogram,
    ScoreGroup,
    Subheading,
    Swatch,
)
from semscale.report.document.values import Cell, Count, Number, Quoted
from semscale.report.drift.tables import base_of, drift_table, metric_table
from semscale.report.drift.words import (
    OUTCOMES,
    coverage_words,
    digits_of,
    drift_cell,
    group_name,
    label,
)
from semscale.report.formatting import capitalised, count, has_interval, number, one_line, signed
from semscale.report.parts import label_with_base, score_group

DRAWN_GROUPS = 40

_SYMBOLS = {Outcome.FAIL: "✕", Outcome.UNDECIDED: "?", Outcome.PASS: ""}  # where a word has no room
_RULE = (
    " The gate fails a metric whose drift is beyond chance and reaches the margin. It passes one whose drift "
    "is shown, by a one-sided bound, to lie below the tolerance (“passes below” in the table): the margin, "
    f"or half of the noise if that is more. With fewer than {FEWEST_TO_PASS} items none passes."
)


def metrics_figure(summary: DriftSummary) -> Figure:
    """Draw every metric over all items, each as a share of its worst case; the most urgent first."""
    gated = summary.decision is not None
    figures = sorted(summary.overall, key=lambda figure: figure.urgency)
    rows = [_row(label(figure.metric), figure, share=figure.metric.span) for figure in figures]
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return Figure(
        "metrics",
        lambda width: forest(rows, "mean loss, as a share of the worst case", width=width),
        f"Drift of each metric over all items. {described}.",
        metric_table(summary, figures),
        caption="Losses: 0 is as the baseline. The mark is the candidate, the line its "
        f"{coverage_words(summary)} interval, and the figure its drift, in the metric's own unit: its loss "
        f"less what reruns of the baseline lose by chance.{_RULE if gated else ''}",
        legend=legend(rows, gated=gated),
    )


def spread_blocks(summary: DriftSummary) -> Iterator[Block]:
    """Draw how the losses of one metric, the most urgent one, are spread over items, and those of reruns."""
    tested = (figure for figure in summary.overall if figure.test is not None)
    metric = min(tested, key=lambda figure: figure.urgency, default=summary.overall[0]).metric
    comparison, digits = summary.comparison, digits_of(metric)
    sets = [("Candidate", comparison.losses(metric.name), HISTOGRAM)]
    if again := comparison.rerun_losses(metric.name):
        sets.append(("Reruns of the baseline", np.concatenate(again), GROUP))
    groups = [score_group(*one) for one in sets]
    if not len(groups[0].scores):
        return
    floor = comparison.floors.get(metric.name)
    unrelated = (
        ""
        if floor is None
        else f" Text that has nothing to do with the item loses {number(floor, digits)} on average."
    )
    yield Subheading("How the losses are spread over the items")
    yield Histogram(
        "losses",
        tuple(groups),
        metric.bounds,
        ("loss", "items"),
        DataTable(
            ("", "losses", "mean", "median", "9 of 10 lie below"),
            tuple(_spread_row(group, digits) for group in groups if len(group.scores)),
        ),
        caption=f"How many items have which loss of {label(metric)}, each histogram by its own measure; the "
        f"dot is the mean.{unrelated}",
        axis=f"loss of {label(metric)}",
        detail="full",
    )


def group_figures(summary: DriftSummary, figures: Sequence[DriftFigure]) -> Iterator[Figure]:
    """Draw the tests of one kind of groups: the metric that is worst in any of them, and a map of all."""
    chosen = sorted(figures, key=lambda figure: figure.urgency)
    worst = chosen[0].metric.name
    yield _groups_figure(summary, [one for one in chosen if one.metric.name == worst])
    if len({one.metric.name for one in chosen}) > 1:
        yield _groups_map(summary, chosen)


def _groups_figure(summary: DriftSummary, chosen: Sequence[DriftFigure]) -> Figure:
    """Draw one metric in every group, and over all items at the top."""
    metric = chosen[0].metric
    rows = [
        _row(label_with_base("all items", Count(one.drift.n)), one)
        for one in summary.overall
        if one.metric.name == metric.name
    ]
    rows += [_row(label_with_base(_name(one), base_of(one)), one) for one in chosen[:DRAWN_GROUPS]]
    unit = f", {one_line(metric.unit)}" if metric.unit else ""
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    more = f" The {DRAWN_GROUPS} most urgent of {count(len(chosen))} groups are drawn."
    return Figure(
        "groups",
        lambda width: forest(rows, f"mean loss of {label(metric)}{unit}", width=width),
        f"Drift of {label(metric)} by group. {described}.",
        drift_table(summary, chosen, detail="full"),
        caption=f"{capitalised(label(metric))} in each group, with its number of items, beside what reruns "
        f"lose there and the margin.{more if len(chosen) > DRAWN_GROUPS else ''}",
        legend=legend(rows, gated=True),
    )


def _groups_map(summary: DriftSummary, figures: Sequence[DriftFigure]) -> Figure:
    """Draw every metric in every group as a coloured cell: its drift in margins; the worst groups first."""
    found = {(figure.group, figure.metric.name): figure for figure in figures}
    tested = {figure.metric.name for figure in figures}
    metrics = [name for name in summary.comparison.metrics if name in tested]
    groups = list(dict.fromkeys(figure.group for figure in figures))[:DRAWN_GROUPS]
    cells = [[found.get((group, name)) for name in metrics] for group in groups]
    drawn = [[_cell(figure) for figure in row] for row in cells]
    # A group may have fewer items in one metric than in another; the map names the most.
    most = [max((one for one in row if one), key=lambda one: one.drift.n) for row in cells]
    names = [label_with_base(_name(one), base_of(one)) for one in most]
    metrics_named = list(map(label, metrics))
    described = "; ".join(f"{name}: {_said(row)}" for name, row in zip(names, cells, strict=True))
    return Figure(
        "groups-map",
        lambda width: matrix(drawn, names, metrics_named, width=width),
        f"Drift of each metric in each group. {described}.",
        drift_table(summary, figures, detail="full"),
        caption="Drift of each metric in each group: sand is no drift, orange worse, full orange twice the "
        "margin or more, blue nearer to the baseline than its reruns. ✕ failed, ? undecided. Intervals "
        "stand in the table.",
        legend=(
            Swatch(diverging(-1.0), "two margins worse, or more"),
            Swatch(diverging(-0.5), "one margin worse"),
            Swatch(diverging(0.0), "no drift"),
        ),
    )


def _row(name: str, figure: DriftFigure, *, share: float = 1.0) -> ForestRow:
    """Lay a row of the forest out; ``share``: what its figures are drawn as shares of."""
    drift, noise, outcome = figure.drift, figure.noise, figure.outcome
    known = has_interval(drift)
    said = "" if outcome is None else f" {OUTCOMES[outcome]}"
    return ForestRow(
        name=name,
        drift=None if math.isnan(drift.value) else drift.value / share,
        low=drift.low / share if known else None,
        high=drift.high / share if known else None,
        noise=0.0 if noise is None or math.isnan(noise) else noise / share,
        margin=None if figure.test is None else figure.margin / share,
        outcome=outcome,
        text=f"{cell_text(drift_cell(figure))}{said}",
        short_text=_signed(figure, digits_of(figure.metric)),
    )


def _spread_row(group: ScoreGroup, digits: int) -> tuple[Cell, ...]:
    scores = group.scores
    summed = group.mean, float(np.median(scores)), float(np.quantile(scores, 0.9))
    return Quoted(group.name), Count(len(scores)), *(Number(value, digits) for value in summed)


def _cell(figure: DriftFigure | None) -> MatrixCell:
    """Colour a cell by its drift in margins; with little room only the symbol of its outcome is written."""
    if figure is None:
        return MatrixCell("#ffffff", "")
    symbol = "" if figure.outcome is None else _SYMBOLS[figure.outcome]
    text = f"{_signed(figure, min(digits_of(figure.metric), 2))} {symbol}".strip()
    if math.isnan(figure.drift.value):
        return MatrixCell("#ffffff", text, symbol)
    return MatrixCell(diverging(-min(max(figure.in_margins / 2, -1.0), 1.0)), text, symbol)


def _said(row: Sequence[DriftFigure | None]) -> str:
    return ", ".join(f"{label(one.metric)} {_cell(one).text}" for one in row if one)


def _signed(figure: DriftFigure, digits: int) -> str:
    return signed(number(figure.drift.value, digits))


def _name(figure: DriftFigure) -> str:
    return group_name(figure.group) if figure.group else ""
