"""Pictures and tables of rated texts: estimates, the PMF, groups, single texts, anchor sets."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from semscale.report.chart_kit import NARROW_LIMIT, mass_heads, point_colours, point_names, scale_digits
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Figure,
    Number,
    Quoted,
    Share,
    Swatch,
    Verbatim,
    Verbatims,
    WithInterval,
    Words,
)
from semscale.report.formatting import (
    count,
    counted,
    coverage,
    ends,
    has_interval,
    number,
    percent,
    percent_with_interval,
    plain,
)
from semscale.report.lint.figures import correlations_figure
from semscale.report.parts import (
    Columns,
    altogether_title,
    base_of,
    group_label,
    group_name,
    group_table,
    largest_groups,
    listed_groups,
    small_base_note,
    table_of,
    unlisted_words,
)
from semscale.report.rating.comparison import CORRECTED, rated_texts
from semscale.report.row_charts import Bar, GroupRow, bars, group_rows, strips
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary
    from semscale.results.estimates import Estimates
    from semscale.scales import Scale
    from semscale.stats.intervals.estimates import Estimate, GroupEstimate

CHARTED_GROUPS = 40
_DARKEST_SHARE = 0.35  # the heat map's darkest colour never stands for less, so that flat PMFs look flat
_COMMON_ERROR = (
    "The error of the calibration is largely common to all groups: do not compare groups by these intervals."
)


def estimate_table(summary: "RatingSummary") -> DataTable:
    """List the figures about all texts, each with its interval and with what it is."""
    overall, values = summary.estimates.overall, [plain(value) for value in summary.scale.values]
    shares = (
        ("top 2 points", overall.top_2_box, f"top-2-box: mass on {' and '.join(values[-2:])}"),
        ("bottom 2 points", overall.bottom_2_box, f"bottom-2-box: mass on {' and '.join(values[:2])}"),
        ("net (top less bottom)", overall.net, "top-2-box minus bottom-2-box"),
        ("NPS", overall.nps, "net promoter score: mass on 9 and 10 minus mass on 0 to 6"),
    )
    mean = WithInterval.of(overall.mean, scale_digits(summary.scale))
    rows = [(Words(name), _share(estimate), Words(meaning)) for name, estimate, meaning in shares if estimate]
    rows = [*_corrected(summary), *rows]
    return DataTable(
        ("", "estimate", "what it is"),
        ((Words(f"mean, from {values[0]} to {values[-1]}"), mean, Words("expected value")), *rows),
        title=altogether_title((mean, *(share for _, share, _ in rows)), summary.estimates.interval),
        explained=True,
    )


def _corrected(summary: "RatingSummary") -> list[tuple[Words, WithInterval, Words]]:
    """Give the mean that labels correct, where there are labels of a part of the texts."""
    corrected = None if summary.comparison is None else summary.comparison.corrected
    if corrected is None:
        return []
    figure = WithInterval.of(corrected, scale_digits(summary.scale), note=corrected.note or "")
    meaning = f"what people would give to all {rated_texts(corrected)} rated texts"
    return [(Words(CORRECTED), figure, Words(meaning))]


def pmf_figure(summary: "RatingSummary") -> Figure:
    """Draw the survey PMF, the highest point on top, each bar with its interval."""
    names, masses = point_names(summary.scale), summary.estimates.overall.pmf
    drawn = [_bar(row, mass) for row, mass in enumerate(reversed(masses))]
    described = "; ".join(f"{n}: {percent_with_interval(m)}" for n, m in zip(names, masses, strict=True))
    rows = tuple(
        (Quoted(f"{plain(point.value)} {point.label}"), _share(mass))
        for point, mass in zip(summary.scale.points, masses, strict=True)
    )
    lines = f"; the thin line is its {coverage(summary.estimates.interval)} interval"
    return Figure(
        "distribution",
        lambda width: bars(drawn, names[::-1], width),
        f"Bars: share of each point. {described}.",
        DataTable(("point", "share"), rows, title="Distribution", bars=tuple(mass.value for mass in masses)),
        caption="Each bar is the probability mass that the rated texts put on a point, averaged over texts"
        f"{lines if any(map(has_interval, masses)) else ''}.",
    )


def group_estimate_table(summary: "RatingSummary") -> DataTable:
    """List each group's mean and top-2-box, for the screen."""
    estimates = summary.estimates
    has_boxes = any(group.top_2_box for group in estimates.groups)
    boxes: Columns[GroupEstimate] = (("top 2 points", lambda group: _share(group.top_2_box)),)
    table = group_table(
        estimates, noun="row", digits=scale_digits(summary.scale), further=boxes if has_boxes else ()
    )
    return replace(table, note=_groups_note(estimates), detail="brief")


def groups_figure(summary: "RatingSummary") -> Figure | None:
    """Draw means and distributions of the largest groups; ``None`` where no group has a figure."""
    estimates, scale = summary.estimates, summary.scale
    scored = [group for group in estimates.groups if group.mean is not None]
    if not scored or estimates.overall.mean is None:
        return None
    charted = largest_groups(scored, CHARTED_GROUPS)
    rows = [row for group in charted if (row := _group_row(group, summary.by)) is not None]
    reference, digits, colours = estimates.overall.mean.value, scale_digits(scale), point_colours(scale)
    described = "; ".join(f"{row.name}: {number(row.mean, digits)}" for row in rows)
    kept = f"The {count(len(charted))} largest of {counted(len(scored), 'group')} are drawn, all are below. "
    return Figure(
        "groups",
        lambda width: group_rows(rows, colours, reference=reference, width=width),
        f"Mean of each group, highest first: {described}. All texts: {number(reference, digits)}.",
        _whole_group_table(summary),
        caption=(kept if len(charted) < len(scored) else "")
        + f"Dots are means, lines their {coverage(estimates.interval)} intervals, the dashed line is the "
        "mean of all texts; the axis shows only the part of the scale that is needed. "
        f"Bars show the share of each point in percent. {_groups_note(estimates)}".rstrip(),
        legend=tuple(Swatch(*pair) for pair in zip(colours, point_names(scale), strict=True)),
    )


def heat_figure(summary: "RatingSummary") -> Figure | None:
    """Draw the sampled PMFs side by side, from the lowest mean to the highest; ``None`` below two of them."""
    sample = summary.sample.sort("mean", "row")
    if sample.height < 2:  # noqa: PLR2004 - one column is no map
        return None
    scale, digits = summary.scale, scale_digits(summary.scale)
    pmf, means = np.array(sample["pmf"].to_list(), dtype=np.float64), sample["mean"].to_numpy()
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    low, middle, high = (number(float(level), digits) for level in (means[0], np.median(means), means[-1]))
    scored = summary.counts.get("scored", 0)
    sampled = f"A random sample of {count(sample.height)} of the {counted(scored, 'rated text')}"
    whose = "Every rated text" if sample.height == scored else sampled
    levels, names = (pmf.T / darkest)[::-1], point_names(scale)[::-1]
    return Figure(
        "texts",
        lambda width: strips(levels, names, _ticks(means, digits, width), width=width),
        f"Heat map of {counted(sample.height, 'PMF')} by mean: {low} to {high}, median {middle}.",
        _sample_table(sample, scale, digits),
        caption=f"{whose}: one column a text, sorted by mean score (below the picture). "
        "The stronger a cell's colour, the more mass the text puts on that point, up to "
        f"{percent(darkest, 0)}.",
        style="heat",
    )


def verbatims(summary: "RatingSummary") -> Verbatims | None:
    """Show the texts with the least and with the most entropy, each once; ``None`` without texts."""
    most, least = (rows.drop_nulls("text") for rows in (summary.most_certain, summary.least_certain))
    ranks = [{row: rank for rank, row in enumerate(rows["row"])} for rows in (most, least)]
    # Of few texts both lists have the same rows: each row stays where it is nearer to the top.
    nearer_most = [row for row, rank in ranks[0].items() if rank <= ranks[1].get(row, rank)]
    titled = (
        ("most certain", most.filter(pl.col("row").is_in(nearer_most))),
        ("least certain", least.filter(~pl.col("row").is_in(nearer_most))),
    )
    columns = tuple((title, _verbatims(rows, summary.scale)) for title, rows in titled if rows.height)
    return Verbatims(columns) if columns else None


def sets_figure(summary: "RatingSummary") -> Figure | None:
    """Draw the correlations between anchor sets; ``None`` where none is defined."""
    caption = (
        "Each set words the same points differently; where two sets order the texts differently, the wording "
        "decides, not the texts."
    )
    return correlations_figure(summary.set_names, summary.set_agreement, caption)


def _bar(row: int, mass: "Estimate") -> Bar:
    low, high = ends(mass.low, mass.high)
    return Bar(row, mass.value, low, high, percent_with_interval(mass), percent(mass.value))


def _share(estimate: "Estimate | None") -> WithInterval:
    return WithInterval.of(estimate, 1, is_share=True)


def _mean_column(summary: "RatingSummary") -> "tuple[str, Callable[[GroupEstimate], Cell]]":
    digits = scale_digits(summary.scale)
    return "mean", lambda group: WithInterval.of(group.mean, digits)


def _whole_group_table(summary: "RatingSummary") -> DataTable:
    """List every group with all its figures; a group without a rated text has dashes."""
    overall = summary.estimates.overall
    everything = [overall, *listed_groups(summary.estimates)]
    columns: list[tuple[str | Quoted, Callable[[GroupEstimate], Cell]]] = [
        ("group", lambda one: Words("all texts") if one is overall else group_name(one, summary.by)),
        ("rated", lambda group: Count(group.n) if group is overall else base_of(group)),
    ]
    if any(not math.isclose(group.effective_n, group.n) for group in everything if group.n):
        columns.append(("effective n", lambda group: Number(group.effective_n, 1)))
    columns += [("left out", lambda group: Count(group.n_left_out)), _mean_column(summary)]
    if any(group.top_2_box for group in everything):
        columns += [
            ("top 2 points", lambda group: _share(group.top_2_box)),
            ("bottom 2 points", lambda group: _share(group.bottom_2_box)),
            ("net", lambda group: _share(group.net)),
        ]
    if any(group.nps for group in everything):
        columns.append(("NPS", lambda group: _share(group.nps)))
    columns += [(head, partial(_mass, place)) for place, head in enumerate(mass_heads(summary.scale))]
    return table_of(everything, columns, detail="full")


def _groups_note(estimates: "Estimates") -> str:
    """Say what the mark of small groups means, and what a calibration's error does to comparisons."""
    compared = estimates.refits and sum(group.n > 0 for group in estimates.groups) > 1
    small, unlisted = small_base_note(estimates, "row"), unlisted_words(estimates)
    return " ".join(filter(None, (small, _COMMON_ERROR if compared else "", unlisted)))


def _mass(place: int, group: "GroupEstimate") -> Share:
    return Share(group.pmf[place].value if group.pmf else None)


def _group_row(group: "GroupEstimate", by: str | None) -> GroupRow | None:
    if group.mean is None:
        return None
    name, (low, high) = group_label(group, by), ends(group.mean.low, group.mean.high)
    return GroupRow(name, group.mean.value, low, high, tuple(mass.value for mass in group.pmf))


def _ticks(means: Floats, digits: int, width: int) -> list[tuple[int, str]]:
    """Choose columns at equal distances, the first and the last among them, with their means."""
    n = min(5 if width < NARROW_LIMIT else 9, len(means))
    columns = np.linspace(0, len(means) - 1, n).round().astype(int).tolist()
    return [(column, number(means[column], digits)) for column in columns]


def _sample_table(sample: pl.DataFrame, scale: "Scale", digits: int) -> DataTable:
    rows: list[tuple[Cell, ...]] = [
        (Quoted(text, 90), Count(row + 1), Number(mean, digits), *map(Share, pmf))
        for text, row, mean, pmf in sample.select("text", "row", "mean", "pmf").iter_rows()
    ]
    return DataTable(("text", "row", "mean", *mass_heads(scale)), tuple(rows), detail="full")


def _verbatims(rows: pl.DataFrame, scale: "Scale") -> tuple[Verbatim, ...]:
    shown, digits = [], scale_digits(scale)
    known = rows.select("text", "row", "mean", "entropy", "pmf")
    for text, row, mean, entropy, pmf in known.iter_rows():
        masses = (
            f"{plain(value)}: {percent(share, 0)}" for value, share in zip(scale.values, pmf, strict=True)
        )
        label = f"PMF: {', '.join(masses)}"
        shown.append(
            Verbatim(Quoted(text), row + 1, Number(mean, digits), Number(entropy), tuple(pmf), label)
        )
    return tuple(shown)
