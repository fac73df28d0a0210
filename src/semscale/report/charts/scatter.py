"""The picture that sets human ratings against Semscale's."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.report.charts.palette import ACCENT, MUTED
from semscale.report.charts.theme import Specification, themed
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt

Range = tuple[float, float]
_SIDE = 330


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Specification:
    """Draw points, with a dashed line of equality where both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: what the x axis and the y axis cover.
        titles: what stands at the x axis and the y axis.
    """
    import altair as alt

    (left, right), (low, high) = domains
    x = alt.X("x:Q", axis=_axis(titles[0]), scale=alt.Scale(domain=[left, right], nice=False))
    y = alt.Y("y:Q", axis=_axis(titles[1]), scale=alt.Scale(domain=[low, high], nice=False))
    dots = [{"x": round(float(x), 4), "y": round(float(y), 4)} for x, y in points]
    opacity = float(np.clip(12 / np.sqrt(max(len(points), 1)), 0.22, 0.85))  # density shows
    layers = [
        alt.Chart(alt.NamedData(name="dots"))
        .mark_point(
            shape="M0,0h0", strokeCap="round", strokeWidth=5, stroke=ACCENT, strokeOpacity=opacity, opacity=1
        )
        .encode(x=x, y=y)
    ]
    if domains[0] == domains[1]:
        line = (
            alt.Chart(alt.NamedData(name="ends"))
            .mark_line(stroke=MUTED, strokeDash=[4, 4], strokeWidth=1.2)
            .encode(x=x, y=y)
        )
        layers.append(line)
    ends = [{"x": left, "y": low}, {"x": right, "y": high}]
    return themed(alt.layer(*layers), [], 0, {"dots": dots, "ends": ends}, width=_SIDE, height=_SIDE)


def _axis(title: str) -> "alt.Axis":
    import altair as alt

    return alt.Axis(title=title, grid=True, tickCount=5)
