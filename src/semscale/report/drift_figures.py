"""Pictures of a drift report: how far every metric drifted, and how one is spread over the items."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.gate.decision import DriftTest, GateDecision
from semscale.report.charts.forest import ForestRow, forest, legend
from semscale.report.charts.histograms import GROUP, HISTOGRAM, HistogramRow, histograms
from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.drift_facts import overall_tests
from semscale.report.drift_tables import metrics_table
from semscale.report.drift_words import (
    OUTCOMES,
    digits_of,
    estimate_words,
    interval_words,
    metric_label,
    signed,
    urgency,
)
from semscale.report.figures import Figure, Table
from semscale.report.wording import count, has_interval, number
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison
    from semscale.drift.measure.metrics import Metric
    from semscale.stats.intervals.means import MeanEstimate

_BINS = 20
_CAPTION = (
    "Losses: 0 is as the baseline. The mark is the candidate, the line its {interval} interval, and the "
    "figure its drift: its loss less what reruns of the baseline lose by chance."
)
_RULE = (
    " The gate fails a metric whose drift is beyond chance and reaches the margin, and passes it where the "
    "whole interval lies below the margin."
)


def metrics_figure(
    comparison: "Comparison", decision: GateDecision | None, drifts: "Mapping[str, MeanEstimate]"
) -> Figure:
    """Draw every metric over all items, each as a share of its worst case; the most urgent first.

    Args:
        comparison: what was measured.
        decision: what the gate decided; ``None`` where none was asked.
        drifts: every metric's mean drift.
    """
    tests = overall_tests(decision)
    shares = {name: np.nan_to_num(one.value) / comparison.metrics[name].span for name, one in drifts.items()}
    order = sorted(
        drifts,
        key=lambda name: urgency(tests[name]) if name in tests else (len(OUTCOMES), True, -shares[name]),
    )
    rows = [_metric_row(comparison, name, drifts[name], tests.get(name)) for name in order]
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    interval = interval_words(decision)
    caption = _CAPTION.format(interval=interval)
    return Figure.drawn(
        lambda width: forest(rows, "mean loss, as a share of the worst case", width=width),
        f"Drift of each metric over all items. {described}.",
        metrics_table(comparison, {name: drifts[name] for name in order}, interval=interval),
        caption=caption if decision is None else caption + _RULE,
        legend=legend(rows, gated=decision is not None),
    )


def spread_figure(comparison: "Comparison", metric: str) -> Figure | None:
    """Draw how one metric's losses are spread over items, and those of reruns; ``None`` without any."""
    sets = {"Candidate": comparison.losses(metric)}
    if comparison.reruns:
        sets["Reruns of the baseline"] = np.concatenate([rerun.losses[metric] for rerun in comparison.reruns])
    known = {name: losses[~np.isnan(losses)] for name, losses in sets.items()}
    known = {name: losses for name, losses in known.items() if len(losses)}
    if "Candidate" not in known:
        return None
    edges = bin_edges(
        np.concatenate(list(known.values())), (0.0, comparison.metrics[metric].span), bins=_BINS
    )
    rows = [
        HistogramRow(
            name,
            bin_counts(losses, edges) / len(losses),
            float(losses.mean()),
            None,
            None,
            HISTOGRAM if name == "Candidate" else GROUP,
        )
        for name, losses in known.items()
    ]
    digits = digits_of(comparison.metrics[metric])
    floor = comparison.floors.get(metric)
    unrelated = (
        ""
        if floor is None
        else f" Text that has nothing to do with the item loses {number(floor, digits)} on average."
    )
    return Figure.drawn(
        lambda width: histograms(rows, edges, title=f"loss of {metric_label(metric)}", width=width),
        "Histograms of losses. " + "; ".join(f"{row.name}: mean {number(row.mean, digits)}" for row in rows),
        Table(
            ("", "Losses", "Mean", "Median", "9 of 10 lie below"),
            tuple(
                (name, count(len(losses)), *(number(float(value), digits) for value in _summary(losses)))
                for name, losses in known.items()
            ),
        ),
        caption=f"How many items have which loss of {metric_label(metric)}, each histogram by its own "
        f"measure; the dot is the mean.{unrelated}",
    )


def _metric_row(
    comparison: "Comparison", name: str, drift: "MeanEstimate", test: DriftTest | None
) -> ForestRow:
    metric = comparison.metrics[name]
    noise = test.noise if test is not None else comparison.noise(name)
    return forest_row(metric_label(name), drift, noise, test, metric, share=metric.span)


def forest_row(
    name: str,
    drift: "MeanEstimate",
    noise: float | None,
    test: DriftTest | None,
    metric: "Metric",
    *,
    share: float,
) -> ForestRow:
    """Lay a row of the forest out.

    Args:
        name: at its left.
        drift: mean drift with its interval.
        noise: what reruns lose; ``None`` without any.
        test: its test; ``None`` where no gate was asked.
        metric: what was measured.
        share: what figures are drawn as shares of: the metric's span, or 1 for its own unit.
    """
    known, digits = has_interval(drift), digits_of(metric)
    outcome = None if test is None else test.outcome
    said = f" {OUTCOMES[outcome]}" if outcome is not None else ""
    return ForestRow(
        name=name,
        drift=None if math.isnan(drift.value) else drift.value / share,
        low=drift.low / share if known else None,
        high=drift.high / share if known else None,
        noise=0.0 if noise is None or math.isnan(noise) else noise / share,
        margin=None if test is None else test.margin / share,
        outcome=outcome,
        text=f"{estimate_words(drift, digits)}{said}",
        short_text=signed(drift.value, digits),
    )


def _summary(losses: Floats) -> tuple[float, float, float]:
    return float(losses.mean()), float(np.median(losses)), float(np.quantile(losses, 0.9))
