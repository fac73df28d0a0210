"""Square pictures: two measures of the same items against each other, with the line on which they agree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.charts.palette import ACCENT, MUTED
from semscale.report.charts.theme import Specification, marks_of, themed
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt

Range = tuple[float, float]
_SIDE = 330  # pixels
_SMALLEST, _LARGEST = 60, 220  # area of a bin's dot in square pixels


@dataclass(frozen=True)
class ReliabilityDot:
    """One bin: mean probability, share that was right with the ends of its interval, and its size."""

    predicted: float
    observed: float
    low: float
    high: float
    n: int


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Specification:
    """Draw points, with a dashed line of equality where both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: what the x axis and the y axis cover.
        titles: what stands at the x axis and the y axis.
    """
    import altair as alt

    across, up = (alt.Scale(domain=list(domain), nice=False) for domain in domains)
    x = alt.X("x:Q", axis=_axis(titles[0]), scale=across)
    y = alt.Y("y:Q", axis=_axis(titles[1]), scale=up)
    dots = [{"x": round(float(x), 4), "y": round(float(y), 4)} for x, y in points]
    opacity = float(np.clip(12 / np.sqrt(max(len(points), 1)), 0.22, 0.85))  # density shows
    drawn = marks_of("dots").mark_point(
        shape="M0,0h0", strokeCap="round", strokeWidth=5, stroke=ACCENT, strokeOpacity=opacity, opacity=1
    )
    layers = [drawn.encode(x=x, y=y), *([_equality(x, y)] if domains[0] == domains[1] else [])]
    ends = [{"x": left, "y": low} for left, low in zip(*domains, strict=True)]
    return themed(alt.layer(*layers), [], 0, {"dots": dots, "ends": ends}, width=_SIDE, height=_SIDE)


def reliability(dots: Sequence[ReliabilityDot]) -> Specification:
    """Draw bins as dots with their intervals, beside the dashed line on which probabilities hold.

    Args:
        dots: one a bin.
    """
    import altair as alt

    unit = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("predicted:Q", axis=_axis("probability of being right, given"), scale=unit)
    y = alt.Y("observed:Q", axis=_axis("share that was right"), scale=unit)
    most, least = (choose((dot.n for dot in dots), default=1) for choose in (max, min))
    area = alt.Scale(domain=[min(least, most - 1), most], range=[_SMALLEST, _LARGEST], clamp=True)
    size = alt.Size("n:Q", legend=None, scale=area)
    base = marks_of("dots")
    layers = alt.layer(
        _equality(x, y),
        base.mark_rule(stroke=ACCENT, strokeWidth=1.5, opacity=0.55).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
        ),
        base.mark_line(stroke=ACCENT, strokeWidth=1.2, opacity=0.5).encode(x=x, y=y),
        base.mark_circle(color=ACCENT, opacity=1).encode(x=x, y=y, size=size),
    )
    records = [{name: round(float(value), 4) for name, value in asdict(dot).items()} for dot in dots]
    ends = [{"predicted": end, "observed": end} for end in (0, 1)]
    return themed(layers, [], 0, {"dots": records, "ends": ends}, width=_SIDE, height=_SIDE)


def _axis(title: str) -> "alt.Axis":
    import altair as alt

    return alt.Axis(title=title, grid=True, tickCount=5)


def _equality(x: "alt.X", y: "alt.Y") -> "alt.Chart":
    """Draw the line on which both measures are equal."""
    import altair as alt

    line: alt.Chart = marks_of("ends").mark_line(stroke=MUTED, strokeDash=[4, 4], strokeWidth=1.2)
    return line.encode(x=x, y=y)
