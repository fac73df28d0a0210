"""Tables, figures and sentences on groups of rated texts."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report import figures, parts
from semscale.report.calibration import CORRECTED
from semscale.report.chart_kit import mass_heads, scale_digits
from semscale.report.document import (
    Block,
    Count,
    DataTable,
    Figure,
    Interval,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    estimate_cell,
    p_cell,
    share_cell,
)
from semscale.report.formatting import (
    clip_text,
    count,
    count_of,
    coverage,
    join_list,
    number,
    one_line,
    p_value_text,
    percent,
    plain,
)
from semscale.report.parts import Columns, section, table_of, without_none
from semscale.report.sentences import unlikely_to_be_chance
from semscale.stats.intervals import FEWEST_CLUSTERS
from semscale.stats.prediction_powered import FEWEST_IN_GROUP

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary
    from semscale.results.estimates import Estimates, GroupDifference
    from semscale.stats.groups import GroupEstimate

_COMMON_ERROR = (
    "The error of the calibration is largely common to all groups: do not compare groups by these intervals."
)
_CHARTED_GROUPS = 40
_NAMED_GROUPS = 4


def groups_section(name: str, summary: "RatingSummary") -> Section | None:
    """Build the section on the groups of a column.

    Args:
        name: name of the section.
        summary: ratings with the estimates of these groups.
    """
    figure = groups_figure(summary) or Paragraph("No group has a rated text.")
    return section(
        name,
        parts.group_title(summary.estimates),
        group_estimate_table(summary),
        figure,
        *_group_tests(summary),
    )


def group_estimate_table(summary: "RatingSummary") -> DataTable:
    """List the mean and the top-2-box of each group, for the screen."""
    estimates = summary.estimates
    boxes: Columns[GroupEstimate] = (("top 2 points", lambda group: share_cell(group.top_2_box)),)
    has_boxes = any(group.top_2_box for group in estimates.groups)
    listing = parts.group_table(
        estimates,
        digits=scale_digits(summary.scale),
        further=without_none(*_correction_columns(summary, ("mean",)), *(boxes if has_boxes else ())),
    )
    # The figure of the groups has the chart's data.
    return replace(listing, note=_groups_note(estimates), detail="brief", data=())


def _groups_note(estimates: "Estimates") -> str:
    """Explain the mark of small groups, and the effect of a calibration's error on comparisons."""
    compared = estimates.refits and sum(group.n > 0 for group in estimates.groups) > 1
    small, unlisted = parts.small_base_note(estimates, "row"), parts.omission_note(estimates)
    return " ".join(without_none(small, _COMMON_ERROR if compared else "", unlisted))


def groups_figure(summary: "RatingSummary") -> Figure | None:
    """Draw means and distributions of the largest groups; ``None`` if no group has a mean."""
    estimates, scale, digits = summary.estimates, summary.scale, scale_digits(summary.scale)
    title = estimates.group_title
    n_scored = sum(group.mean is not None for group in estimates.groups)
    if not n_scored or estimates.overall.mean is None:
        return None
    rows = [
        (
            parts.group_label(group, title),
            group.mean,
            [mass.value for mass in group.pmf],
        )
        for group in parts.largest_groups(estimates.groups, _CHARTED_GROUPS)
        if group.mean is not None
    ]
    drawn = f"The {count(len(rows))} largest of {count_of(n_scored, 'group')} are drawn, all are below. "
    reference, points = estimates.overall.mean.value, figures.point_legend(scale)
    means = f"mean score ({plain(scale.values[0])} to {plain(scale.values[-1])})"
    return Figure(
        "groups",
        *figures.distribution_chart(
            rows,
            points,
            reference=reference,
            about=f"Mean of all texts {number(reference, digits)}, and of each group",
            digits=digits,
            axes=(means, "share of each point"),
        ),
        _whole_group_table(summary),
        legend=points,
        caption=(drawn if len(rows) < n_scored else "")
        + f"Dots are means, lines their {coverage(estimates.interval)} intervals, the dashed line is the "
        "mean of all texts; the axis shows only the part of the scale that is needed. "
        f"Bars show the share of each point in percent. {_groups_note(estimates)}".rstrip(),
        data=figures.distribution_data(
            [_total_row(summary), *rows],
            points,
            reference=reference,
            order=figures.scale_order(scale),
            digits=digits,
            quantity=means,
            level=estimates.interval,
            has_total=True,
        ),
        finding=groups_finding(summary),
    )


def _total_row(summary: "RatingSummary") -> tuple[str, Interval, list[float]]:
    """Return the row of all texts, for native charts."""
    overall = summary.estimates.overall
    mean = estimate_cell(overall.mean, scale_digits(summary.scale))
    name = parts.label_with_base("All texts", Count(overall.n))
    return name, mean, [mass.value for mass in overall.pmf]


def groups_finding(summary: "RatingSummary") -> str:
    """State which groups differ in their mean, with the certainty in words."""
    estimates, digits = summary.estimates, scale_digits(summary.scale)
    differences = summary.group_differences.get(summary.by or "group", ())
    means = {
        one_line(str(group.group)): group.mean.value
        for group in estimates.groups
        if group.mean is not None and group.group is not None
    }
    below: dict[str, list[str]] = {}
    for difference in differences:
        if difference.adjusted < 1 - estimates.interval:
            names = [one_line(name) for name in (difference.first, difference.second)]
            low, high = names if difference.difference.value < 0 else names[::-1]
            below.setdefault(high, []).append(low)
    if not means:
        return ""
    if not below:
        least, most = (number(end, digits) for end in (min(means.values()), max(means.values())))
        return f"Differences between the groups (means {least} to {most}) may be chance"
    best = max(below, key=lambda name: (len(below[name]), means[name]))
    others = [f"{clip_text(name, 40).shown} ({number(means[name], digits)})" for name in below[best]]
    named = join_list(others) if len(others) <= _NAMED_GROUPS else f"{len(others)} other groups"
    return (
        f"The mean is higher for {clip_text(best, 40).shown} ({number(means[best], digits)}) than for "
        f"{named}; {unlikely_to_be_chance(len(others))}"
    )


def _whole_group_table(summary: "RatingSummary") -> DataTable:
    """Build the table of all groups and figures; a group without rated texts has dashes."""
    overall, digits = summary.estimates.overall, scale_digits(summary.scale)
    title = summary.estimates.group_title
    groups = [overall, *parts.groups_to_list(summary.estimates)]
    is_weighted = any(not math.isclose(group.effective_n, group.n) for group in groups if group.n)
    boxes: Columns[GroupEstimate] = (
        ("top 2 points", lambda group: share_cell(group.top_2_box)),
        ("bottom 2 points", lambda group: share_cell(group.bottom_2_box)),
        ("net", lambda group: share_cell(group.net)),
    )
    columns: Columns[GroupEstimate] = (
        (
            "group",
            lambda group: "all texts" if group is overall else parts.group_name(group.group, title),
        ),
        ("rated", lambda group: group.n if group is overall else parts.base_of(group)),
        ("effective n", lambda group: Number(group.effective_n, 1)) if is_weighted else None,
        ("left out", lambda group: group.n_left_out),
        ("mean", lambda group: estimate_cell(group.mean, digits)),
        *(boxes if any(group.top_2_box for group in groups) else ()),
        *_correction_columns(summary, ("mean", "top_2_box", "bottom_2_box")),
        ("NPS", lambda group: share_cell(group.nps)) if any(group.nps for group in groups) else None,
        *(
            (head, lambda group, point=point: Share(group.pmf[point].value if group.pmf else None))
            for point, head in enumerate(mass_heads(summary.scale))
        ),
    )
    return table_of(groups, columns, detail="full")


def _correction_columns(summary: "RatingSummary", names: Sequence[str]) -> "Columns[GroupEstimate]":
    """Return a column for each figure of groups that labels correct; none without labels."""
    compared = summary.comparison
    figures = {} if compared is None else compared.figures_by(summary.by or "group")
    if compared is None or not figures:
        return ()
    digits, overall = scale_digits(summary.scale), summary.estimates.overall
    figures_of_all = compared.figures_by(None)

    def cell(group: "GroupEstimate", name: str) -> Value:
        figure = (figures_of_all if group is overall else figures).get((group.group, name))
        if group is not overall and (figure is None or math.isnan(figure.value)):
            mean = figures.get((group.group, "mean"))
            return Label(f"not corrected ({count_of(0 if mean is None else mean.n_labelled, 'label')})")
        return estimate_cell(figure, digits) if name == "mean" else share_cell(figure)

    heads = {"mean": "mean", "top_2_box": "top 2 points", "bottom_2_box": "bottom 2 points"}
    known = [name for name in names if name in overall.figures]
    return tuple(
        (f"{heads[name]}, {CORRECTED}", lambda group, name=name: cell(group, name)) for name in known
    )


def _group_tests(summary: "RatingSummary") -> Iterator[Block | str]:
    """State which groups of a column differ in their ratings and, with labels, in corrected means."""
    by, level = summary.by or "group", summary.estimates.interval
    alpha = percent(1 - level, 0)
    differences = summary.group_differences.get(by, ())
    corrected = [] if summary.comparison is None else list(summary.comparison.figures_by(by).values())
    if differences:
        differing = sum(difference.adjusted < 1 - level for difference in differences)
        n = count(len(differences))
        tests = "t tests of the ratings as they are" if corrected else "t tests"
        how = "differ" if differing else "do not differ"
        basis = f"in {count(differing) if differing else 'any'} of {n} pairs of groups"
        adjusting = ", adjusted by Holm’s method for comparing several groups at once"
        if len(differences) == 1:
            basis, adjusting = "between the two groups", ""
        yield (
            f"Means {how} significantly {basis} at {alpha} ({tests}{adjusting}). "
            f"Groups of fewer than {FEWEST_CLUSTERS} are not tested."
        )
    if tested := [mean for mean in corrected if math.isfinite(mean.p_value)]:
        named = join_list([one_line(str(mean.group)) for mean in tested[:_NAMED_GROUPS]])
        more = len(tested) - _NAMED_GROUPS
        others = f" and {count_of(more, 'more group')}" if more > 0 else ""
        adjusted = tested[0].adjusted
        yield (
            f"Corrected by the labels, the means of {named}{others} "
            f"{'differ' if adjusted < 1 - level else 'do not differ'} significantly: "
            f"{p_value_text(adjusted)} for all of them together, adjusted by Holm over the "
            f"columns of groups. It takes {FEWEST_IN_GROUP} labels in a group."
        )
    if differences:
        digits = scale_digits(summary.scale)
        columns: Columns[GroupDifference] = (
            ("first", lambda row: Quoted(row.first)),
            ("second", lambda row: Quoted(row.second)),
            ("first minus second", lambda row: estimate_cell(row.difference, digits, signed=True)),
            ("p-value", lambda row: p_cell(row.p_value)),
            ("adjusted p-value", lambda row: p_cell(row.adjusted)),
        )
        yield table_of(
            differences,
            columns,
            note=f"{coverage(level)} intervals are of single comparisons, not adjusted.",
            noun="difference",
            detail="full",
            folded=f"Differences of groups ({count(len(differences))})",
        )
