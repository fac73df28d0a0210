"""Figures that documents of several instruments share, built from data."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import chart_data
from semscale.report.chart_data import ChartData, Charts
from semscale.report.chart_kit import ACCENT, BAR, TOTAL, point_colours, point_names, series_colours
from semscale.report.document import (
    Chart,
    DataTable,
    Figure,
    Interval,
    Quoted,
    Swatch,
    Value,
    WithInterval,
    estimate_cell,
    share_cell,
)
from semscale.report.formatting import (
    brief_percent,
    capitalise,
    chart_name,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
    percent_with_interval,
    with_interval,
)
from semscale.report.parts import group_label, largest_groups, table
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.report.row_charts import (
    Bar,
    ForestRow,
    GroupRow,
    ScoreGroup,
    bars,
    bin_counts,
    bin_edges,
    dots,
    forest,
    group_rows,
    histograms,
    panels,
)
from semscale.scales import Scale
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.results.estimates import Estimates

_HISTOGRAMS_OF_GROUPS = 10
_BINS, _BRIEF_BINS = 20, 10  # of a histogram, and of one on the screen


def describe_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Return the text alternative of a chart's rows: each name with its figures.

    Examples:
        >>> describe_rows([("north", "0.50"), ("south", "0.60")])
        'north: 0.50; south: 0.60'
    """
    return "; ".join(f"{name}: {figures}" for name, figures in rows)


def legend(colours: Sequence[str], labels: Sequence[str], shape: str = "") -> tuple[Swatch, ...]:
    """Return legend entries for colours and their meanings."""
    return tuple(Swatch(colour, label, shape) for colour, label in zip(colours, labels, strict=True))


def point_legend(scale: Scale) -> tuple[Swatch, ...]:
    """Return legend entries for a scale's points, from low to high."""
    return legend(point_colours(scale), point_names(scale))


def distribution_data(
    rows: Sequence[GroupRow],
    points: Sequence[Swatch],
    *,
    reference: float | None,
    order: chart_data.Order,
    digits: int = 2,
    quantity: str = "mean score",
    level: float | None = None,
    has_total: bool = False,
) -> tuple[ChartData, ...]:
    """Return the data of native charts of rows: their means, and their shares of a scale's points.

    Args:
        rows: label, mean, and the mass of each point.
        points: labels of the points, from low to high.
        reference: mean that the others are compared with.
        order: order of the points.
        digits: number of decimals of means.
        quantity: name of the means.
        level: coverage of the intervals, between 0 and 1.
        has_total: true if the first row sums up the others.
    """
    names, means = chart_data.estimates(quantity, ((label, mean) for label, mean, _ in rows))
    form = chart_data.decimals(digits)
    stack = chart_data.stack(
        [(label, masses) for label, _, masses in rows], [point.label for point in points], order
    )
    points_data = ChartData("points", names, means, form, quantity, reference=reference, coverage=level)
    return replace(points_data, has_total=has_total), replace(stack, has_total=has_total)


def scale_order(scale: Scale) -> chart_data.Order:
    """Return the order of a scale's points from low to high."""
    orders: dict[str, chart_data.Order] = {
        "ascending-good": "bad to good",
        "ascending-bad": "good to bad",
    }
    return orders.get(scale.polarity, "low to high")


def distribution_chart(
    rows: Sequence[GroupRow],
    points: tuple[Swatch, ...],
    *,
    reference: float,
    about: str,
    digits: int = 2,
    axes: tuple[str, str] = ("mean score", "share of each point"),
    marks: Sequence[str] = (),
) -> tuple[Chart, str]:
    """Return a chart of each row's mean with its interval, and of its distribution over a scale's points.

    Args:
        rows: label, mean, and the mass of each point.
        points: colours and labels of the points, from low to high.
        reference: mean drawn as a dashed line.
        about: beginning of the description.
        digits: number of decimals of means.
        axes: titles of the axes of means and of shares.
        marks: text after the mean of each row, such as the letters of a test; empty for none.

    Returns:
        The chart and its description.
    """
    colours = [point.colour for point in points]
    figures = [number(mean.value, digits) for _, mean, _ in rows]
    labels = [
        f"{figure} {mark}".rstrip() for figure, mark in zip(figures, marks or [""] * len(rows), strict=True)
    ]
    means = describe_rows((row[0], label) for row, label in zip(rows, labels, strict=True))
    return (
        lambda width: group_rows(rows, colours, reference=reference, titles=axes, labels=labels, width=width),
        f"{about}: {means}.",
    )


def bar_chart(
    rows: Sequence[tuple[str, Interval]], *, about: str, digits: int | None = None
) -> tuple[Chart, str]:
    """Return a chart with a bar for each row, and its interval.

    Args:
        rows: label and figure, from top to bottom.
        about: beginning of the description.
        digits: number of decimals; by default, figures are shares in percent.

    Returns:
        The chart and its description.
    """
    labels, drawn = [label for label, _ in rows], []
    for row, (_, figure) in enumerate(rows):
        text, short = percent_with_interval(figure), percent(figure.value)
        if digits is not None:
            text, short = with_interval(figure, digits), number(figure.value, digits)
        drawn.append(Bar(row, figure.value, figure.low, figure.high, text, short))
    figures = describe_rows((label, bar.text) for label, bar in zip(labels, drawn, strict=True))
    return lambda width: bars(drawn, labels, width), f"{about}. {figures}."


def shares_figure(
    name: str,
    rows: Sequence[tuple[str, Interval]],
    *,
    head: str,
    quantity: str,
    measure: str,
    numbers: DataTable | None = None,
    pale_from: Sequence[float] = (),
) -> Figure:
    """Draw a share with its interval for each row, as dots on one axis.

    Args:
        name: name of the figure's file.
        rows: a user's label and the share.
        head: heading of the column with row names.
        quantity: full name of the quantity.
        measure: short name of the quantity.
        numbers: table of the figure, if it is not the table of shares.
        pale_from: value of each row from which on its interval is drawn pale; empty for none.
    """
    drawn = [
        ForestRow(
            name=one_line(label),
            value=share.value,
            low=share.low,
            high=share.high,
            text=percent_with_interval(share),
            short_text=percent(share.value),
            colour=ACCENT,
            pale_from=end,
        )
        for (label, share), end in zip(rows, pale_from or [math.inf] * len(rows), strict=True)
    ]
    return Figure(
        name,
        lambda width: forest(drawn, quantity, width=width, percent=True),
        f"{quantity.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in drawn)}.",
        numbers
        or table(
            (head, quantity),
            [(Quoted(one_line(label), 60), share_cell(share)) for label, share in rows],
            detail="full",
        ),
        caption=f"The dot is the {measure}, the line its interval.",
        data=(ChartData("bars", *chart_data.estimates(measure, rows), quantity=quantity),) if rows else (),
    )


def charts_figure(
    name: str, charts: Charts, numbers: DataTable, *, finding: str = "", caption: str = ""
) -> Figure:
    """Draw the data of native charts, with their table below.

    Args:
        name: name of the figure's file.
        charts: a chart alone, or a stack with the means of its rows.
        numbers: table of the figures.
        finding: sentence with the main result.
        caption: explanation of the figure.
    """
    first = charts[0]
    points: tuple[Swatch, ...] = ()
    if first.kind == "stack":
        points = legend(series_colours(first.order, len(first.series)), [s.name for s in first.series])
    if first.kind in ("stack", "points"):
        chart, described = _rows_chart(charts, points)
    elif first.has_panels:
        chart, described = _panels_chart(first)
    else:
        (series,) = first.series
        rows = zip(first.categories, _series_cells(series, first), strict=True)
        about = first.quantity or series.name
        chart, described = bar_chart([(chart_name(row), cell) for row, cell in rows], about=about)
    return Figure(
        name,
        chart,
        capitalise(described),
        numbers,
        caption,
        points,
        data=charts,
        finding=finding,
        shows_table=True,
    )


def _rows_chart(charts: Charts, points: tuple[Swatch, ...]) -> tuple[Chart, str]:
    """Return a chart of means, of stacks, or of both, and its description."""
    first = charts[0]
    means = next((chart for chart in charts if chart.kind == "points"), None)
    names = [chart_name(name) for name in first.categories]
    masses: list[tuple[float, ...]] = [()] * len(names)
    if points:
        masses = list(zip(*(series.values for series in first.series), strict=True))
    shares = first.quantity if points else ""
    if means is None:
        missing = [estimate_cell(None)] * len(names)
        rows = list(zip(names, missing, masses, strict=True))
        described = describe_rows(
            (name, ", ".join(map(brief_percent, row))) for name, row in zip(names, masses, strict=True)
        )
        colours = [point.colour for point in points]
        titles = ("", shares)
        return (
            lambda width: group_rows(rows, colours, titles=titles, width=width),
            f"{first.quantity}: {described}.",
        )
    (series,) = means.series
    cells = _series_cells(series, means)
    return distribution_chart(
        list(zip(names, cells, masses, strict=True)),
        points,
        reference=series.values[0] if means.has_total else float("nan"),
        about=means.quantity,
        digits=cells[0].digits,
        axes=(means.quantity, shares),
        marks=series.marks,
    )


def _series_cells(series: chart_data.Series, chart: ChartData) -> list[WithInterval]:
    """Return the values of a series with their intervals."""
    digits = len(chart.number_format.partition(".")[2])
    missing = (float("nan"),) * len(series.values)
    ends = zip(series.values, series.low or missing, series.high or missing, strict=True)
    return [
        WithInterval(value, low, high, digits, is_share=chart.number_format == chart_data.SHARE)
        for value, low, high in ends
    ]


def _panels_chart(chart: ChartData) -> tuple[Chart, str]:
    """Return a chart with a panel of bars for each series, and its description."""
    columns, described = [], []
    for index, series in enumerate(chart.series):
        colour = TOTAL if chart.has_total and index == 0 else BAR
        marks = series.marks or ("",) * len(series.values)
        drawn = []
        for row, (cell, mark) in enumerate(zip(_series_cells(series, chart), marks, strict=True)):
            text = f"{brief_percent(cell.value)} {mark}".rstrip()
            drawn.append(Bar(row, cell.value, cell.low, cell.high, text, text, colour))
        columns.append((series.name, drawn))
        described.append((chart_name(series.name), ", ".join(bar.text for bar in drawn)))
    names = [chart_name(name) for name in chart.categories]
    return (
        lambda width: panels(columns, names, has_total=chart.has_total, width=width),
        f"{chart.quantity} ({', '.join(names)}): {describe_rows(described)}.",
    )


def dot_chart(
    rows: Mapping[str, Sequence[float]], series: tuple[Swatch, ...], *, about: str, title: str = "mean"
) -> tuple[Chart, str]:
    """Return a chart with a dot for each series in each row.

    Args:
        rows: values of each series, by the row's label.
        series: colours and labels of the series.
        about: beginning of the description.
        title: title of the axis.

    Returns:
        The chart and its description.
    """
    colours = [swatch.colour for swatch in series]
    described = "; ".join(f"{label} {', '.join(map(number, values))}" for label, values in rows.items())
    return lambda width: dots(rows, colours, title=title, width=width), f"{about}. {described}."


def dot_data(
    rows: Mapping[str, Sequence[float]], series: Sequence[Swatch], *, digits: int = 2, quantity: str = ""
) -> ChartData:
    """Return the data of a native chart with a point for each series in each row.

    Args:
        rows: values of each series, by the row's label.
        series: labels of the series.
        digits: number of decimals.
        quantity: name of the values.
    """
    columns = zip(*rows.values(), strict=True)
    drawn = (chart_data.Series(swatch.label, values) for swatch, values in zip(series, columns, strict=True))
    return ChartData("points", tuple(rows), tuple(drawn), chart_data.decimals(digits), quantity)


def matrix_chart(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    colour: Callable[[float], str],
    text: Callable[[float], str] = number,
) -> Chart:
    """Return a chart of coloured cells.

    Args:
        rows: labels of the rows.
        columns: labels of the columns.
        values: values row by row, from top to bottom.
        colour: returns the colour of a value.
        text: formats a value.
    """
    cells = [[MatrixCell(colour(value), text(value)) for value in row] for row in values]
    return lambda width: matrix(cells, rows, columns, width=width)


def matrix_table(
    head: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]]
) -> DataTable:
    """Build the table of a matrix, whose rows and columns have users' labels."""
    listed: list[tuple[Value, ...]] = [(Quoted(label), *row) for label, row in zip(rows, values, strict=True)]
    return table((head, *map(Quoted, columns)), listed, detail="full")


def score_group(name: str, scores: Floats, colour: str, mean: Interval | None = None) -> ScoreGroup:
    """Create a group for a histogram.

    Args:
        name: name of the items.
        scores: shape (n,); NaN for items without a score.
        colour: colour of its bars.
        mean: mean of the scores, with its interval if there is one.
    """
    shown = estimate_cell(mean)
    return ScoreGroup(name, scores[~np.isnan(scores)], colour, shown.low, shown.high)


def group_histograms(
    estimates: "Estimates", scores: Mapping[str | None, Floats], colour: str
) -> tuple[ScoreGroup, ...]:
    """Return score groups for the largest groups, in the order of the estimates.

    Args:
        estimates: estimates with groups.
        scores: scores of each group that can be drawn, by its name.
        colour: colour of their bars.
    """
    drawable = [group for group in estimates.groups if group.group in scores]
    return tuple(
        score_group(group_label(group, estimates.group_title), scores[group.group], colour, group.mean)
        for group in largest_groups(drawable, _HISTOGRAMS_OF_GROUPS)
    )


def histograms_figure(
    name: str,
    groups: Iterable[ScoreGroup],
    bounds: tuple[float, float],
    numbers: DataTable,
    *,
    axis: str = "score",
    caption: str = "",
) -> Figure | None:
    """Draw a histogram of each group with scores, all on one axis; ``None`` if no group has scores.

    Args:
        name: name of the figure's file.
        groups: groups from top to bottom.
        bounds: least and greatest possible score.
        numbers: table of the figure; the screen shows ``histogram_table`` instead.
        axis: title of the axis.
        caption: explanation of the figure.
    """
    drawn = [group for group in groups if len(group.scores)]
    if not drawn:
        return None
    edges = bin_edges(np.concatenate([group.scores for group in drawn]), bounds, bins=_BINS)
    described = "; ".join(f"{group.name}: mean {number(group.mean)}" for group in drawn)
    return Figure(
        name,
        lambda width: histograms(drawn, edges, title=axis, width=width),
        f"Histograms of {axis}. {described}.",
        replace(numbers, detail="full"),
        caption=caption,
        data=(_histogram_data(drawn[0], bounds, axis),),
    )


def _histogram_data(group: ScoreGroup, bounds: tuple[float, float], axis: str) -> ChartData:
    """Return the data of a histogram with few bins, as shares of a group's items."""
    edges = bin_edges(group.scores, bounds, bins=_BRIEF_BINS)
    counts = bin_counts(group.scores, edges)
    shares = tuple((counts / counts.sum()).tolist())
    names = tuple(f"{number(low, 1)}–{number(high, 1)}" for low, high in pairwise(edges.tolist()))
    return ChartData("columns", names, (chart_data.Series(group.name, shares),), quantity=axis)


def histogram_table(
    group: ScoreGroup, bounds: tuple[float, float], heads: tuple[str, str], title: str = "Scores"
) -> DataTable:
    """Build the table of a group's scores by bin, the highest first, for the screen.

    Args:
        group: group with its scores.
        bounds: least and greatest possible score.
        heads: names of the quantity and of the items.
        title: title of the table.
    """
    edges = bin_edges(group.scores, bounds, bins=_BRIEF_BINS)
    counts = bin_counts(group.scores, edges)
    names = [f"{number(low, 1)} to {number(high, 1)}" for low, high in pairwise(edges)]
    rows = list(zip(names, counts, strict=True))
    shares = counts / max(int(counts.max()), 1)
    return table(heads, rows[::-1], title=title, bars=tuple(shares[::-1].tolist()), detail="brief")


def histogram_caption(contents: str, estimates: "Estimates", sample: str = "") -> str:
    """Explain how to read histograms of scores.

    Args:
        contents: content of a bin, such as "rows have which score".
        estimates: estimates with the mean in the first histogram.
        sample: number of sampled rows, such as "2,000 rows", if not all rows are counted.
    """
    mean = estimates.overall.mean
    line = f", the line its {coverage(estimates.interval)} interval" if mean and has_interval(mean) else ""
    counted_in = f" Counted in a random sample of {sample}." if sample else ""
    return f"How many {contents}, each histogram by its own measure; the dot is the mean{line}.{counted_in}"
