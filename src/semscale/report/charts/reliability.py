"""The picture that shows whether probabilities hold: the share that was right against what was given."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from semscale.report.charts.palette import ACCENT, MUTED
from semscale.report.charts.theme import Specification, themed

_SIDE = 340
_SMALLEST, _LARGEST = 60, 220  # area of a dot in square pixels


@dataclass(frozen=True)
class ReliabilityDot:
    """One bin: mean probability, share that was right with the ends of its interval, and its size."""

    predicted: float
    observed: float
    low: float
    high: float
    n: int


def reliability(dots: Sequence[ReliabilityDot]) -> Specification:
    """Draw bins as dots with their intervals, beside the dashed line on which probabilities hold.

    Args:
        dots: one a bin.
    """
    import altair as alt

    def axis(title: str) -> "alt.Axis":
        return alt.Axis(title=title, grid=True, tickCount=5, domain=False, ticks=False, format=".1f")

    unit = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("predicted:Q", axis=axis("probability of being right, given"), scale=unit)
    y = alt.Y("observed:Q", axis=axis("share that was right"), scale=unit)
    most = max((dot.n for dot in dots), default=1)
    least = min((dot.n for dot in dots), default=1)
    size = alt.Size(
        "n:Q",
        legend=None,
        scale=alt.Scale(domain=[min(least, most - 1), most], range=[_SMALLEST, _LARGEST], clamp=True),
    )
    base = alt.Chart(alt.NamedData(name="dots"))
    layers = alt.layer(
        alt.Chart(alt.NamedData(name="ends"))
        .mark_line(stroke=MUTED, strokeDash=[4, 4], strokeWidth=1.2)
        .encode(x=x, y=y),
        base.mark_rule(stroke=ACCENT, strokeWidth=1.5, opacity=0.55).encode(x=x, y="low:Q", y2="high:Q"),
        base.mark_line(stroke=ACCENT, strokeWidth=1.2, opacity=0.5).encode(x=x, y=y),
        base.mark_circle(color=ACCENT, opacity=1).encode(x=x, y=y, size=size),
    )
    records = [{name: round(float(value), 4) for name, value in asdict(dot).items()} for dot in dots]
    ends = [{"predicted": 0, "observed": 0}, {"predicted": 1, "observed": 1}]
    return themed(layers, [], 0, {"dots": records, "ends": ends}, width=_SIDE, height=_SIDE)
