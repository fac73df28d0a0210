"""What moves a mean: texts, anchor sets and the rest, and what would make it more exact."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import Block, Cell, DataTable, Paragraph, Share, Subheading, WithInterval, Words
from semscale.report.formatting import counted, number, percent

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary
    from semscale.stats.variance_components.crossed_means import CrossedComponents

_DIGITS = 3


def spread_blocks(summary: "RatingSummary") -> Iterator[Block]:
    """Show the variances of texts and anchor sets, and say what would lower the error of the mean most."""
    found = summary.set_variances
    if found is None:
        return
    yield Subheading("More texts, or other anchors?")
    yield _table(found)
    yield Paragraph(advice(found))
    note = (
        f"Under one set texts are {percent(found.icc)} of the variance, under all sets "
        f"{percent(found.icc_of_all)} (intraclass correlations 2,1 and 2,k). Variances are of the means "
        "under single sets, before calibration and without weights, in squared units of the scale; the rest "
        "is how differently sets order texts. Estimates below 0 are noise, and count as 0. Intervals "
        "elsewhere in this report are over other texts alone."
    )
    yield Paragraph(note, "note")


def advice(found: "CrossedComponents") -> str:
    """Say in a sentence whether more texts or other anchors would make the mean more exact."""
    now, texts, sets = found.error(), found.error(respondents=2), found.error(sets=2)
    if not now > 0:
        return "The mean is the same under all sets and for all texts."
    what = "mend the anchors or add sets" if sets < texts else "rate more texts"
    return (
        f"Over other texts and other anchor sets the standard error of the mean is {number(now, _DIGITS)}. "
        f"With twice the texts it is {number(texts, _DIGITS)}, with twice the sets {number(sets, _DIGITS)}: "
        f"{what}."
    )


def _table(found: "CrossedComponents") -> DataTable:
    parts = (
        (counted(found.n, "text"), found.respondent),
        (counted(found.n_sets, "anchor set"), found.anchor_set),
        ("the rest", found.residual),
    )
    whole = sum(max(each.value, 0.0) for _, each in parts)
    rows: list[tuple[Cell, ...]] = [
        (
            Words(name),
            WithInterval.of(each, _DIGITS),
            Share(max(each.value, 0.0) / whole if whole > 0 else None),
        )
        for name, each in parts
    ]
    return DataTable(("between", "variance", "of all"), tuple(rows), detail="full")
