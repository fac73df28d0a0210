"""Pictures of the agreement with human ratings: text by text, and distribution beside distribution."""

import numpy as np

from semscale.rating.human.comparison import RatingComparison
from semscale.report.charts.bars import Bar, bars
from semscale.report.charts.palette import ACCENT, CONTRAST
from semscale.report.charts.scatter import scatter
from semscale.report.figures import Figure, Swatch, Table
from semscale.report.scale_points import point_names
from semscale.report.wording import count, counted, number, percent, with_interval
from semscale.scales import Scale

_DRAWN_POINTS = 1000
_HALF_WIDTH = 420  # pixels: two pictures stand side by side


def scatter_figure(comparison: RatingComparison, scale: Scale) -> Figure | None:
    """Draw machine means against human means; ``None`` without points."""
    points = comparison.points[np.isfinite(comparison.points).all(axis=1)]
    if len(points) == 0:
        return None
    points = points[np.linspace(0, len(points) - 1, min(len(points), _DRAWN_POINTS)).astype(int)]
    limits = (float(scale.values[0]), float(scale.values[-1]))
    human = (float(points[:, 0].min()), float(points[:, 0].max()))
    inside = limits[0] <= human[0] and human[1] <= limits[1]
    same_units = inside and human[1] - human[0] > (limits[1] - limits[0]) / 2
    domain = limits if same_units else human if human[0] < human[1] else (human[0] - 0.5, human[1] + 0.5)
    drawn = (
        f"{count(len(points))} of {count(comparison.n)} texts, a sample"
        if len(points) < comparison.n
        else f"All {counted(len(points), 'text')}"
    )
    return Figure.once(
        scatter(points, (domain, limits), ("human mean, as given", "Semscale mean")),
        f"Scatter of human mean and Semscale mean, {drawn}. Pearson r {with_interval(comparison.pearson)}, "
        f"Spearman {with_interval(comparison.spearman)}.",
        Table(("Human mean", "Semscale mean"), tuple((number(x, 2), number(y, 2)) for x, y in points)),
        caption=f"{drawn}; one dot a text."
        + (" On the dashed line both would give the same score." if same_units else ""),
    )


def distributions_figure(comparison: RatingComparison, scale: Scale) -> Figure | None:
    """Draw the humans' PMF below the machine's; ``None`` where there is none."""
    if not np.isfinite(comparison.human_pmf).all() or not np.isfinite(comparison.machine_pmf).all():
        return None
    names = point_names(scale)[::-1]
    pairs = list(zip(comparison.machine_pmf[::-1], comparison.human_pmf[::-1], strict=True))
    drawn = [
        Bar(row, float(share), None, None, percent(share), percent(share), colour)
        for row, pair in enumerate(pairs)
        for share, colour in zip(pair, (ACCENT, CONTRAST), strict=True)
    ]
    rows = tuple((n, percent(m), percent(h)) for n, (m, h) in zip(names, pairs, strict=True))
    described = "; ".join(f"{name}: {machine} and {human}" for name, machine, human in rows)
    return Figure.once(
        bars(drawn, names, _HALF_WIDTH),
        f"Share of each point, Semscale and humans: {described}.",
        Table(("Point", "Semscale", "Humans"), rows),
        caption="The same texts, rated by Semscale and by people; human values lie linearly on the points.",
        legend=(Swatch(ACCENT, "Semscale"), Swatch(CONTRAST, "Humans")),
    )
