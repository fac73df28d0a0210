"""Pictures of a matching report: how scores are spread, and what they are made of."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.report.charts.histograms import (
    GROUP,
    HISTOGRAM,
    UNRELATED,
    DotRow,
    HistogramRow,
    dots,
    histograms,
)
from semscale.report.charts.palette import ACCENT, CONTRAST
from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.figures import Figure, Swatch, Table
from semscale.report.wording import (
    bracket,
    count,
    counted,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
)
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.matching.match_summary import MatchSummary
    from semscale.stats.intervals.means import MeanEstimate

CHARTED_GROUPS = 10
_BINS = 20
_THIRDS = ("lowest third", "middle third", "highest third")
_THIRD_COLOURS = (CONTRAST, "#b9b3a4", ACCENT)
_FEWEST = 6


def scores_figure(summary: "MatchSummary") -> Figure:
    """Draw how the scores are spread: all rows, unrelated pairs beside them, then the largest groups."""
    score = summary.matches.score
    scored = score[summary.matches.scored]
    unrelated = summary.separation.unrelated if summary.separation else np.empty(0)
    edges = bin_edges(np.concatenate([scored, unrelated]), summary.matches.bounds, bins=_BINS)
    rows = [_row("All rows", scored, edges, summary.estimates.overall_mean(), HISTOGRAM)]
    if summary.separation:
        rows.append(_row("Unrelated pairs", unrelated, edges, None, UNRELATED))
    groups = {name: group for name, group in summary.estimates.group_means().items() if group.n}
    charted = sorted(groups, key=lambda name: -groups[name].n)[:CHARTED_GROUPS]
    names = np.array(summary.cells.groups or [], dtype=object)
    for name in sorted(charted, key=lambda name: -groups[name].value):
        rows.append(_row(_named(name), scored_in(score, names == name), edges, groups[name], GROUP))
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    return Figure.drawn(
        lambda width: histograms(rows, edges, width=width),
        f"Histograms of scores. {described}.",
        _scores_table(summary, groups),
        caption=_caption(summary, len(charted), len(groups)),
    )


def parts_figure(summary: "MatchSummary") -> Figure | None:
    """Draw each part's mean in rows with low, middling and high scores; ``None`` without parts or rows."""
    parts = summary.matches.components
    rows = np.flatnonzero(summary.matches.scored)
    if not parts or len(rows) < _FEWEST:
        return None
    thirds = np.array_split(rows[np.argsort(summary.matches.score[rows], kind="stable")], 3)
    drawn = [
        DotRow(one_line(name).replace("_", " "), tuple(float(np.mean(values[third])) for third in thirds))
        for name, values in {"score": summary.matches.score, **parts}.items()
    ]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure.drawn(
        lambda width: dots(drawn, _THIRD_COLOURS, width=width),
        f"Mean of each part in the lowest, middle and highest third of rows. {described}.",
        Table(
            ("Part", *(f"{third[0].upper()}{third[1:]}" for third in _THIRDS)),
            tuple((row.name, *map(number, row.means)) for row in drawn),
        ),
        caption="Rows are cut into thirds by their score. The further apart a part's dots are, the more it "
        "tells low scores from high ones; a part whose dots lie together hardly decides anything.",
        legend=tuple(Swatch(*pair) for pair in zip(_THIRD_COLOURS, _THIRDS, strict=True)),
    )


def scored_in(score: Floats, chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Floats:
    """Take the scores of chosen rows, as far as they have one."""
    return score[chosen & ~np.isnan(score)]


def _row(
    name: str, score: Floats, edges: Floats, estimate: "MeanEstimate | None", colour: str
) -> HistogramRow:
    shares = bin_counts(score, edges) / max(len(score), 1)
    known = estimate is not None and has_interval(estimate)
    low, high = (estimate.low, estimate.high) if estimate is not None and known else (None, None)
    return HistogramRow(name, shares, float(score.mean()), low, high, colour)


def _named(name: str) -> str:
    return one_line(name) or "(blank)"


def _caption(summary: "MatchSummary", charted: int, groups: int) -> str:
    method = summary.estimates.overall.method
    interval = f", the line its {coverage(summary.interval)} interval" if method else ""
    said = (
        f"How many rows have which score, each histogram by its own measure; the dot is the mean{interval}."
    )
    if summary.separation:
        pairs = counted(len(summary.separation.unrelated), "prediction")
        said += (
            f" Unrelated pairs are {pairs} with the references of other rows: "
            f"{percent(summary.separation.share)} of the time a row scores above such a pair."
        )
    if charted < groups:
        said += f" The {charted} largest of {count(groups)} groups are drawn, all are below."
    return said


def _scores_table(summary: "MatchSummary", groups: "dict[str, MeanEstimate]") -> Table:
    rows = [_table_row("All rows", summary.estimates.overall_mean())]
    if summary.separation:
        unrelated = summary.separation.unrelated
        rows.append(("Unrelated pairs", count(len(unrelated)), "–", number(float(unrelated.mean())), "–"))
    rows += [_table_row(_named(name), group) for name, group in groups.items()]
    return Table(("", "Rows", "Left out", "Mean", f"{coverage(summary.interval)} interval"), tuple(rows))


def _table_row(name: str, estimate: "MeanEstimate") -> tuple[str, ...]:
    return name, count(estimate.n), count(estimate.n_left_out), number(estimate.value), bracket(estimate)
