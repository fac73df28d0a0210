"""Data of charts that Excel and PowerPoint draw: categories, series with intervals, and number format."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar

if TYPE_CHECKING:
    from semscale.report.document import Interval

_T = TypeVar("_T")

ChartKind = Literal["bars", "columns", "stack", "points"]
"""Horizontal bars, vertical columns, horizontal bars that sum to 100 %, or points with intervals."""

Order = Literal["none", "bad to good", "good to bad", "low to high", "promoters"]
"""Order of the series, or of a single series' categories: none, that of a scale's points, or 0 to 10 with
detractors, passives and promoters."""

SHARE: Final = "0%"
"""Excel's number format of a share from 0 to 1."""


@dataclass(frozen=True)
class Series:
    """One series of a chart.

    Attributes:
        name: name for readers; a user's text or a phrase of Semscale.
        values: value of each category; NaN for a missing one.
        low: lower ends of the intervals, likewise; empty without intervals.
        high: upper ends.
        marks: text after each value's label, such as the letters of a test; empty without marks.
    """

    name: str
    values: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChartData:
    """Data of a chart.

    Attributes:
        kind: kind of the chart.
        categories: names of the categories, from top to bottom or from left to right. In these and in
            names of series, what follows a line break, such as a base, stays if a name is cut.
        series: the series; in a stack, from left to right.
        number_format: Excel's number format of the values.
        quantity: name of the quantity on the value axis.
        limits: least and greatest possible value; ``None`` if unknown.
        order: order of the series.
        reference: value that the others are compared with, such as the mean of all; ``None`` without one.
        has_total: true if the first category sums up the others; with several series of bars, the first
            series.
        coverage: coverage of the intervals, between 0 and 1; ``None`` without intervals.
        note: sentence on how to read the chart, in plain words.
    """

    kind: ChartKind
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    number_format: str = SHARE
    quantity: str = ""
    limits: tuple[float, float] | None = None
    order: Order = "none"
    reference: float | None = None
    has_total: bool = False
    coverage: float | None = None
    note: str = ""

    @property
    def has_panels(self) -> bool:
        """True for bars of several series, which have a panel each."""
        return self.kind == "bars" and len(self.series) > 1

    def select(self, categories: Sequence[int]) -> "ChartData":
        """Return the chart with some of its categories, by their indices."""

        def cut(part: tuple[_T, ...]) -> tuple[_T, ...]:
            return tuple(part[index] for index in categories) if part else ()

        series = tuple(
            Series(entry.name, cut(entry.values), cut(entry.low), cut(entry.high), cut(entry.marks))
            for entry in self.series
        )
        return replace(self, categories=cut(self.categories), series=series)


Charts = tuple[ChartData, ...]
"""Charts that belong together: a chart alone, or a stack with the means of its rows."""


@dataclass(frozen=True)
class ScatterData:
    """Data of a chart of points with two axes.

    Attributes:
        x: position of each point from left to right.
        y: position from bottom to top.
        titles: titles of the two axes.
        limits: least and greatest value of each axis.
        low: lower ends of the intervals of ``y``; empty without intervals.
        high: upper ends.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    titles: tuple[str, str]
    limits: tuple[tuple[float, float], tuple[float, float]]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @property
    def has_equality(self) -> bool:
        """True if both axes have the same range, so that a line shows where both values are equal."""
        return self.limits[0] == self.limits[1]


def decimals(digits: int) -> str:
    """Return Excel's number format with fixed decimals.

    Examples:
        >>> decimals(2), decimals(0)
        ('0.00', '0')
    """
    return f"0.{'0' * digits}" if digits else "0"


def estimates(
    name: str, rows: Iterable[tuple[str, "Interval"]]
) -> tuple[tuple[str, ...], tuple[Series, ...]]:
    """Return the categories of a chart of figures with intervals, and its only series.

    Args:
        name: name of the series.
        rows: name and figure of each category.

    Examples:
        >>> from semscale.stats.intervals import Estimate
        >>> estimates("mean", [("north", Estimate(3.5, 3.0, 4.0))])
        (('north',), (Series(name='mean', values=(3.5,), low=(3.0,), high=(4.0,), marks=()),))
    """
    names, figures = zip(*rows, strict=True)
    values, low, high = (
        tuple(float(getattr(figure, part)) for figure in figures) for part in ("value", "low", "high")
    )
    return names, (Series(name, values, low, high),)


def stack(rows: Iterable[tuple[str, Sequence[float]]], points: Sequence[str], order: Order) -> ChartData:
    """Return the data of a stack: the share of each point in each row.

    Args:
        rows: name of each row, and the share of each point.
        points: names of the points, from left to right.
        order: order of the points.

    Examples:
        >>> stack([("north", [0.25, 0.75])], ["bad", "good"], "bad to good").series[1].values
        (0.75,)
    """
    names, masses = zip(*rows, strict=True)
    series = (
        Series(point, tuple(map(float, values)))
        for point, values in zip(points, zip(*masses, strict=True), strict=True)
    )
    return ChartData("stack", names, tuple(series), limits=(0.0, 1.0), order=order)
