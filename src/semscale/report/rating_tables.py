"""Tables and lists of a rating report: estimates, groups, verbatims, what was left out."""

import math
from dataclasses import dataclass

import polars as pl

from semscale.rating.summary import RatingSummary
from semscale.report.figures import Table
from semscale.report.rating_reasons import MEANINGS, reasons_left_out
from semscale.report.wording import (
    MISSING,
    Clipped,
    bracket,
    clipped,
    count,
    coverage,
    number,
    one_line,
    percent,
    percent_bracket,
    percent_with_interval,
    plain,
    with_interval,
)
from semscale.results.estimates import Estimates
from semscale.scales import Scale
from semscale.stats.intervals.estimates import Estimate, GroupEstimate


@dataclass(frozen=True)
class Verbatim:
    """One respondent's text as a page shows it."""

    text: Clipped
    row: str
    mean: str
    entropy: str
    shares: tuple[float, ...]
    label: str


@dataclass(frozen=True)
class LeftOut:
    """Rows without a rating for one reason, with examples."""

    status: str
    meaning: str
    rows: str
    share: str
    examples: tuple[tuple[str, Clipped], ...]


def estimate_table(group: GroupEstimate, scale: Scale, *, digits: int, interval: float) -> Table:
    """List the figures about all texts, each with its interval and with what it means."""
    values = [plain(value) for value in scale.values]
    shares = (
        ("Top-2-box", group.top_2_box, f"mass on {' and '.join(values[-2:])}"),
        ("Bottom-2-box", group.bottom_2_box, f"mass on {' and '.join(values[:2])}"),
        ("Net", group.net, "top-2-box minus bottom-2-box"),
        ("Net promoter score", group.nps, "mass on 9 and 10 minus mass on 0 to 6"),
    )
    ends = f"expected value, {values[0]} to {values[-1]}"
    rows = []
    if group.mean is not None:
        rows.append(("Mean", number(group.mean.value, digits), bracket(group.mean, digits), ends))
    rows += [
        (name, percent(estimate.value), percent_bracket(estimate), meaning)
        for name, estimate, meaning in shares
        if estimate is not None
    ]
    return Table(("Figure", "Estimate", f"{coverage(interval)} interval", "What it is"), tuple(rows))


def group_table(estimates: Estimates, scale: Scale, *, by: str | None, digits: int) -> Table:
    """List every group with all its figures; a group without a rated text has dashes."""
    everything = [estimates.overall, *estimates.groups]
    boxes = any(group.top_2_box is not None for group in everything)
    promoters = any(group.nps is not None for group in everything)
    weighted = any(not math.isclose(group.effective_n, group.n) for group in everything if group.n)
    columns = ["Group", "Rated", *(["Effective n"] if weighted else []), "Left out", "Mean"]
    columns += [*(["Top-2-box", "Bottom-2-box", "Net"] if boxes else []), *(["NPS"] if promoters else [])]
    columns += [f"{plain(value)}, %" for value in scale.values]
    rows = []
    for index, group in enumerate(everything):
        row = ["All texts" if index == 0 else group_name(group, by), count(group.n)]
        row += [number(group.effective_n, 1)] if weighted else []
        row += [count(sum(group.left_out.values())), _shown(group.mean, digits)]
        figures = [group.top_2_box, group.bottom_2_box, group.net] if boxes else []
        figures += [group.nps] if promoters else []
        row += [_shown_share(figure) for figure in figures]
        row += [number(100 * share.value, 1) for share in group.pmf] or [MISSING] * scale.n_points
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows))


def group_name(group: GroupEstimate, by: str | None) -> str:
    """Name a group on one line; rows whose group is missing are called so."""
    return f"(no {one_line(by or 'group')})" if group.group is None else one_line(group.group) or "(blank)"


def verbatims(rows: pl.DataFrame, scale: Scale, *, digits: int) -> tuple[Verbatim, ...]:
    """Prepare verbatims for display, in their order."""
    shown = []
    for row, text, mean, entropy, pmf in rows.select("row", "text", "mean", "entropy", "pmf").iter_rows():
        pairs = zip(scale.values, pmf, strict=True)
        label = ", ".join(f"{plain(value)}: {percent(share, 0)}" for value, share in pairs)
        shown.append(
            Verbatim(
                clipped(text),
                count(row + 1),
                number(mean, digits),
                number(entropy),
                tuple(pmf),
                f"PMF: {label}",
            )
        )
    return tuple(shown)


def left_out(summary: RatingSummary) -> tuple[LeftOut, ...]:
    """List why rows have no rating or do not count, the most frequent reason first, with examples."""
    examples: dict[str, list[tuple[str, Clipped]]] = {}
    for row, text, status in summary.left_out.select("row", "text", "status").iter_rows():
        if text is not None and str(text).strip():
            examples.setdefault(str(status), []).append((count(row + 1), clipped(text, 160)))
    return tuple(
        LeftOut(
            status,
            MEANINGS.get(status, ""),
            count(n),
            percent(n / summary.n if summary.n else None),
            tuple(examples.get(status, ())),
        )
        for status, n in reasons_left_out(summary).items()
    )


def most_entropy(scale: Scale) -> str:
    """Write the entropy of a PMF that is the same everywhere, in nats."""
    return number(math.log(scale.n_points))


def _shown(estimate: Estimate | None, digits: int) -> str:
    return MISSING if estimate is None else with_interval(estimate, digits)


def _shown_share(estimate: Estimate | None) -> str:
    return MISSING if estimate is None else percent_with_interval(estimate)
