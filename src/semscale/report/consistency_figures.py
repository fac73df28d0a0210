"""Pictures of a consistency report: how values are spread, and how well probabilities hold."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.report.charts.histograms import GROUP, HISTOGRAM, UNRELATED, HistogramRow, histograms
from semscale.report.charts.palette import ACCENT, CONTRAST
from semscale.report.charts.reliability import ReliabilityDot, reliability
from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.consistency_words import MEASURE_NAMES
from semscale.report.figures import Figure, Table
from semscale.report.wording import bracket, count, coverage, has_interval, number, one_line, percent
from semscale.self_consistency.measures import MEASURES
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.self_consistency.correctness_probability import Trust
    from semscale.self_consistency.summary import ConsistencySummary
    from semscale.stats.intervals.means import MeanEstimate

_BINS = 20
_CHARTED_GROUPS = 10


def spread_figure(summary: "ConsistencySummary") -> Figure:
    """Draw how the first measure is spread, raw NCS below it where it was measured, then groups."""
    found = summary.found
    score = found.score[~np.isnan(found.score)]
    shown = {found.main: HISTOGRAM}
    if "cosine_sim" in found.measures and found.main != "cosine_sim":
        shown["cosine_sim"] = UNRELATED
    edges = bin_edges(score, MEASURES[found.main].bounds, bins=_BINS)
    rows = [
        _row(
            _capital(MEASURE_NAMES[name]),
            found.measures[name],
            edges,
            summary.estimates.overall_mean(name),
            colour,
        )
        for name, colour in shown.items()
    ]
    groups = {name: one for name, one in summary.estimates.group_means().items() if one.n}
    charted = sorted(groups, key=lambda name: -groups[name].n)[:_CHARTED_GROUPS]
    names = np.array(summary.cells.groups or [], dtype=object)
    for name in sorted(charted, key=lambda name: -groups[name].value):
        rows.append(_row(one_line(name) or "(blank)", found.score[names == name], edges, groups[name], GROUP))
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    return Figure.drawn(
        lambda width: histograms(rows, edges, width=width),
        f"Histograms over prompts. {described}.",
        _means_table(summary, groups),
        caption=_spread_caption(summary, with_ncs="cosine_sim" in shown),
    )


def reliability_figure(trust: "Trust") -> Figure:
    """Draw the share of right answers against the probability that was given, bin by bin."""
    dots = [
        ReliabilityDot(one.predicted, one.observed.value, one.observed.low, one.observed.high, one.n)
        for one in trust.figures.bins
    ]
    table = Table(
        ("P(correct)", "Labelled answers", "Share right", "95 % interval"),
        tuple((number(dot.predicted), count(dot.n), number(dot.observed), _ends(dot)) for dot in dots),
    )
    described = "; ".join(f"{number(dot.predicted)} given, {number(dot.observed)} right" for dot in dots)
    return Figure.once(
        reliability(dots),
        f"Share of right answers by probability. {described}.",
        table,
        caption=(
            "Each dot is about equally many labelled answers, larger where they are more; its line is the "
            "95 % interval of their share. On the dashed line probabilities hold. Every answer was judged "
            "by a curve that had not seen it."
        ),
    )


def areas_table(trust: "Trust") -> Table:
    """Say how well each measure, and each null of lengths alone, tells right answers from wrong ones."""
    rows = sorted(trust.areas.items(), key=lambda item: -item[1])
    return Table(
        ("Measure", "AUC"), tuple((_capital(MEASURE_NAMES[name]), number(area, 3)) for name, area in rows)
    )


def decision_bar(trust: "Trust") -> list[tuple[str, str, float, str]]:
    """Give the share of prompts of each decision, with a colour, for one bar."""
    decided = [decision for decision in trust.decision if decision is not None]
    colours = {"accept": ACCENT, "review": "#b9b3a4", "abstain": CONTRAST}
    shares = {name: decided.count(name) / max(len(decided), 1) for name in colours}
    return [(name, colours[name], round(100 * share, 2), percent(share)) for name, share in shares.items()]


def _row(name: str, values: Floats, edges: Floats, estimate: "MeanEstimate", colour: str) -> HistogramRow:
    there = values[~np.isnan(values)]
    low, high = (estimate.low, estimate.high) if has_interval(estimate) else (None, None)
    return HistogramRow(
        _capital(name), bin_counts(there, edges) / max(len(there), 1), float(there.mean()), low, high, colour
    )


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _spread_caption(summary: "ConsistencySummary", *, with_ncs: bool) -> str:
    said = (
        "How many prompts have which value, each histogram by its own measure; the dot is the mean, the line "
        f"its {coverage(summary.interval)} interval."
    )
    if with_ncs:
        said += " Raw cosine similarity crowds near 1 even where samples contradict the answer."
    return said


def _means_table(summary: "ConsistencySummary", groups: "dict[str, MeanEstimate]") -> Table:
    estimates = summary.estimates
    rows = [
        _table_row(_capital(MEASURE_NAMES[name]), estimates.overall_mean(name))
        for name in summary.found.measures
    ]
    rows += [_table_row(one_line(name) or "(blank)", one) for name, one in groups.items()]
    return Table(("", "Prompts", "Left out", "Mean", f"{coverage(summary.interval)} interval"), tuple(rows))


def _table_row(name: str, estimate: "MeanEstimate") -> tuple[str, ...]:
    return name, count(estimate.n), count(estimate.n_left_out), number(estimate.value), bracket(estimate)


def _ends(dot: ReliabilityDot) -> str:
    return f"[{number(dot.low)}, {number(dot.high)}]"
