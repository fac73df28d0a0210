"""Pictures of a matched table: how scores are spread, and how their parts differ."""

from typing import TYPE_CHECKING

from semscale.report.chart_kit import ACCENT, CONTRAST, NEUTRAL
from semscale.report.document import Count, DataTable, Figure, Histogram, Number, ScoreGroup, Swatch, Words
from semscale.report.formatting import count, counted, number, percent
from semscale.report.matching.words import part_name
from semscale.report.parts import (
    group_label,
    group_name,
    histogram_caption,
    label_with_base,
    largest_groups,
    listed_groups,
    mean_row,
    score_group,
    small_base_note,
    unlisted_note,
)
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED, DotRow, dots
from semscale.stats.sampling import SAMPLED_ROWS

if TYPE_CHECKING:
    from semscale.matching.summary import MatchSummary

CHARTED_GROUPS = 10
"""Groups that are drawn, the largest ones."""

_THIRDS = ("lowest third", "middle third", "highest third")
_THIRD_COLOURS = (CONTRAST, NEUTRAL, ACCENT)


def scores_histogram(summary: "MatchSummary") -> Histogram:
    """Count the scores: of all rows, of unrelated pairs, then of the largest groups, the best first."""
    estimates, separation, overall = summary.estimates, summary.separation, summary.estimates.overall
    everything = label_with_base("All rows", Count(overall.n))
    groups = [score_group(everything, summary.scores, HISTOGRAM, overall.mean)]
    rows = [mean_row(Words("all rows"), overall)]
    if separation:
        pairs = label_with_base("Unrelated pairs", Count(len(separation.unrelated)))
        groups.append(ScoreGroup(pairs, separation.unrelated, UNRELATED))
        mean = Number(float(separation.unrelated.mean()))
        rows.append((Words("unrelated pairs"), Count(len(separation.unrelated)), Count(None), mean))
    drawable = summary.group_scores
    scored = [group for group in estimates.groups if group.mean and group.group in drawable]
    charted = largest_groups(scored, CHARTED_GROUPS)
    for group in charted:
        name = group_label(group, estimates.by)
        groups.append(score_group(name, drawable[group.group], GROUP, group.mean))
    rows += [mean_row(group_name(group, estimates.by), group) for group in listed_groups(estimates)]
    return Histogram(
        "scores",
        tuple(groups),
        summary.bounds,
        ("score", "rows"),
        DataTable(("", "rows", "left out", "mean"), tuple(rows)),
        caption=_caption(summary, len(charted), len(scored)),
    )


def parts_figure(summary: "MatchSummary") -> Figure | None:
    """Draw each part's mean in rows with low, middling and high scores; ``None`` without parts or rows."""
    if not summary.thirds:
        return None
    told = {name: means for name, means in summary.thirds.items() if name != "cut"}  # no part of a score
    drawn = [DotRow(part_name(name), means) for name, means in told.items()]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure(
        "parts",
        lambda width: dots(drawn, _THIRD_COLOURS, width=width),
        f"Mean of each part in the lowest, middle and highest third of rows. {described}.",
        DataTable(
            ("part", *_THIRDS),
            tuple((Words(row.name), *map(Number, row.means)) for row in drawn),
            detail="full",
        ),
        caption="Rows are cut into thirds by their score. The further apart a part's dots are, the more it "
        "tells low scores from high ones; a part whose dots lie together hardly decides anything.",
        legend=tuple(Swatch(*pair) for pair in zip(_THIRD_COLOURS, _THIRDS, strict=True)),
    )


def _caption(summary: "MatchSummary", charted: int, groups: int) -> str:
    said = histogram_caption("rows have which score", summary.estimates)
    if summary.is_sampled:
        said += f" Counted in a random sample of {count(SAMPLED_ROWS)} rows."
    if summary.separation:
        pairs = counted(len(summary.separation.unrelated), "prediction")
        said += (
            f" Unrelated pairs are {pairs} with the references of other rows: "
            f"{percent(summary.separation.share)} of the time a row scores above such a pair."
        )
    if charted < groups:
        said += f" The {charted} largest of {count(groups)} groups are drawn, all are below."
    notes = (small_base_note(summary.estimates, "row"), unlisted_note(summary.estimates))
    return " ".join([said, *filter(None, notes)])
