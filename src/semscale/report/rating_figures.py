"""Pictures of a rating report: survey PMF, groups, single PMFs, anchor sets, human ratings."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from semscale.rating.summary import RatingSummary
from semscale.report.charts.bars import Bar, bars
from semscale.report.charts.groups import GroupRow, group_rows
from semscale.report.charts.labels import NARROW_LIMIT
from semscale.report.charts.matrix import matrix
from semscale.report.charts.palette import correlation_colour
from semscale.report.charts.strips import strips
from semscale.report.figures import Figure, Swatch, Table
from semscale.report.rating_tables import group_name, group_table
from semscale.report.scale_points import point_colours, point_names, scale_digits
from semscale.report.wording import (
    clipped,
    count,
    counted,
    coverage,
    has_interval,
    number,
    percent,
    percent_bracket,
    percent_with_interval,
    plain,
)
from semscale.scales import Scale
from semscale.stats.intervals.estimates import Estimate, GroupEstimate
from semscale.types import Floats

CHARTED_GROUPS = 40
_DARKEST_SHARE = 0.35  # the heat map's darkest colour never stands for less, so that flat PMFs look flat


def pmf_figure(scale: Scale, pmf: Sequence[Estimate], *, interval: float) -> Figure:
    """Draw the survey PMF, the highest point on top, each bar with its interval."""
    names = point_names(scale)[::-1]
    shares = list(pmf)[::-1]
    drawn = [
        Bar(row, share.value, *_ends(share), percent_with_interval(share), percent(share.value))
        for row, share in enumerate(shares)
    ]
    described = "; ".join(f"{n}: {percent_with_interval(s)}" for n, s in zip(names, shares, strict=True))
    rows = tuple((n, percent(s.value), percent_bracket(s)) for n, s in zip(names, shares, strict=True))
    return Figure.drawn(
        lambda width: bars(drawn, names, width),
        f"Bars: share of each point. {described}.",
        Table(("Point", "Share", f"{coverage(interval)} interval"), rows),
        caption="Each bar is the probability mass that the rated texts put on a point, averaged over texts"
        + (
            f"; the thin line is its {coverage(interval)} interval."
            if any(map(has_interval, shares))
            else "."
        ),
    )


def groups_figure(summary: RatingSummary) -> Figure | None:
    """Draw means and distributions of the largest groups; ``None`` where no group has a figure."""
    estimates, scale = summary.estimates, summary.scale
    scored = [group for group in estimates.groups if group.mean is not None]
    if not scored or estimates.overall.mean is None:
        return None
    charted = sorted(scored, key=lambda group: -group.n)[:CHARTED_GROUPS]
    rows = [row for group in charted if (row := _group_row(group, summary.by)) is not None]
    rows.sort(key=lambda row: -row.mean)
    reference, digits = estimates.overall.mean.value, scale_digits(scale)
    colours = point_colours(scale)
    described = "; ".join(f"{row.name}: {number(row.mean, digits)}" for row in rows)
    kept = f"The {count(len(charted))} largest of {counted(len(scored), 'group')} are drawn, all are below. "
    return Figure.drawn(
        lambda width: group_rows(rows, colours, reference=reference, width=width),
        f"Mean of each group, highest first: {described}. All texts: {number(reference, digits)}.",
        group_table(estimates, scale, by=summary.by, digits=digits),
        caption=(kept if len(charted) < len(scored) else "")
        + f"Dots are means, lines their {coverage(estimates.interval)} intervals, the dashed line is the "
        "mean of all texts; the axis shows only the part of the scale that is needed. "
        "Bars show the share of each point in percent.",
        legend=tuple(Swatch(*pair) for pair in zip(colours, point_names(scale), strict=True)),
    )


def heat_figure(summary: RatingSummary) -> Figure | None:
    """Draw the sampled PMFs side by side, from the lowest mean to the highest; ``None`` below two of them."""
    sample = summary.sample.sort("mean", "row")
    if sample.height < 2:  # noqa: PLR2004 - one column is no map
        return None
    scale, digits = summary.scale, scale_digits(summary.scale)
    pmf = np.array(sample["pmf"].to_list(), dtype=np.float64)
    means = sample["mean"].to_numpy()
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    names = point_names(scale)[::-1]
    low, middle, high = (number(float(level), digits) for level in (means[0], np.median(means), means[-1]))
    scored = summary.counts.get("scored", 0)
    sampled = f"A random sample of {count(sample.height)} of the {counted(scored, 'rated text')}"
    whose = "Every rated text" if sample.height == scored else sampled
    levels = (pmf.T / darkest)[::-1]
    return Figure.drawn(
        lambda width: strips(levels, names, _ticks(means, digits, width), width=width),
        f"Heat map of {counted(sample.height, 'PMF')} by mean: {low} to {high}, median {middle}.",
        _sample_table(sample, scale, digits),
        caption=f"{whose}: one column a text, sorted by mean score (below the picture). "
        "The darker a cell, the more mass the text puts on that point: paper is 0\u00a0%, "
        f"the deepest blue {percent(darkest, 0)}.",
    )


def sets_figure(summary: RatingSummary) -> Figure | None:
    """Draw the correlations between anchor sets; ``None`` where none is defined."""
    names, table = list(summary.set_names), summary.set_agreement
    pairs = table[np.triu_indices(len(names), 1)]
    known = pairs[np.isfinite(pairs)]
    if known.size == 0:
        return None
    lowest, highest, mean = (number(float(r)) for r in (known.min(), known.max(), known.mean()))
    spread = f"Between two sets r runs from {lowest} to {highest}, mean {mean}."
    texts = [[number(value) for value in row] for row in table]
    colours = [[correlation_colour(value) for value in row] for row in table]
    return Figure.drawn(
        lambda width: matrix(colours, texts, names, names, width=width),
        f"Matrix of Pearson correlations between anchor sets. {spread}",
        Table(("Set", *names), tuple((name, *row) for name, row in zip(names, texts, strict=True))),
        caption=f"{spread} Each set words the same points differently; where two sets order the texts "
        "differently, the wording decides, not the texts.",
    )


def _group_row(group: GroupEstimate, by: str | None) -> GroupRow | None:
    if group.mean is None:
        return None
    shares = tuple(share.value for share in group.pmf)
    return GroupRow(group_name(group, by), group.mean.value, *_ends(group.mean), shares)


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    return (estimate.low, estimate.high) if has_interval(estimate) else (None, None)


def _ticks(means: Floats, digits: int, width: int) -> list[tuple[int, str]]:
    """Choose columns at equal distances, the first and the last among them, with their means."""
    n = min(5 if width < NARROW_LIMIT else 9, len(means))
    columns = np.linspace(0, len(means) - 1, n).round().astype(int).tolist()
    return [(column, number(means[column], digits)) for column in columns]


def _sample_table(sample: pl.DataFrame, scale: Scale, digits: int) -> Table:
    rows = tuple(
        (
            clipped(text, 90).shown,
            count(row + 1),
            number(mean, digits),
            *(number(100 * share, 1) for share in pmf),
        )
        for text, row, mean, pmf in sample.select("text", "row", "mean", "pmf").iter_rows()
    )
    return Table(("Text", "Row", "Mean", *(f"{plain(value)}, %" for value in scale.values)), rows)
