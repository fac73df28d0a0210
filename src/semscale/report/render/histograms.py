"""Turns histograms into figures, for renderers that draw."""

import numpy as np

from semscale.report.charts.histograms import HistogramRow, histograms
from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.document.blocks import Figure, Histogram, ScoreGroup
from semscale.report.formatting import ends, number
from semscale.types import Floats

_BINS = 20


def as_figure(histogram: Figure | Histogram) -> Figure:
    """Lay a histogram out as a figure, without groups that have no score; a figure stays as it is."""
    if isinstance(histogram, Figure):
        return histogram
    groups = [group for group in histogram.groups if len(group.scores)]
    edges = bin_edges(np.concatenate([group.scores for group in groups]), histogram.bounds, bins=_BINS)
    rows = [_row(group, edges) for group in groups]
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    return Figure(
        name=histogram.name,
        chart=lambda width: histograms(rows, edges, title=histogram.axis, width=width),
        description=f"Histograms of {histogram.axis}. {described}.",
        table=histogram.table,
        caption=histogram.caption,
    )


def _row(group: ScoreGroup, edges: Floats) -> HistogramRow:
    shares = bin_counts(group.scores, edges) / len(group.scores)
    low, high = ends(group.low, group.high)
    return HistogramRow(group.name, shares, group.mean, low, high, group.colour)
