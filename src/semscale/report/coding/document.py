"""The document of coded answers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.coding.figures import (
    cooccurrence_table,
    drivers_table,
    groups_table,
    lost_blocks,
    outcomes_table,
    pairs_table,
    quality_table,
    quotes_table,
    reasons_block,
    shares_figure,
    shares_table,
)
from semscale.report.coding.words import (
    basis_words,
    cautions,
    groups_note,
    outcome_words,
    shares_note,
    value_note,
)
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Document,
    Line,
    Paragraph,
    Quoted,
    Section,
    Subheading,
    stamp,
)
from semscale.report.formatting import count, one_line, percent
from semscale.report.parts import settings

if TYPE_CHECKING:
    from semscale.coding.summary.coding_summary import CodingSummary
    from semscale.coding.summary.drivers import Drivers

_CORRECTION = Citation(
    "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., & Zrnic, T. (2023).",
    "Prediction-powered inference",
    "Science 382, 669–674",
    "corrected shares",
)
_ALPHA = Citation(
    "Hayes, A. F., & Krippendorff, K. (2007).",
    "Answering the call for a standard reliability measure for coding data",
    "Communication Methods and Measures 1, 77–89",
    "alpha",
)


def coding_document(summary: "CodingSummary") -> Document:
    """Turn coded answers into a document."""
    said = outcome_words(summary)
    has_alpha = summary.agreement.people or summary.agreement.runs
    return Document(
        kind="coding report",
        name="Code",
        title=("What the answers in “", Quoted(summary.column), "” say"),
        source=(Quoted(summary.source), ("codebook ", Quoted(summary.codebook.name)), stamp(summary.created)),
        signature=summary.signature,
        counting=(said,),
        reading=(
            f"{said}.",
            basis_words(summary),
        ),
        facts=tuple(_facts(summary)),
        cautions=tuple(cautions(summary)),
        sections=tuple(_sections(summary)),
        settings=settings(summary.source, summary.created, tuple(_columns(summary)), summary.signature),
        citations=(*([_CORRECTION] if summary.n_hand else []), *([_ALPHA] if has_alpha else [])),
    )


def _facts(summary: "CodingSummary") -> Iterator[tuple[str, Cell]]:
    yield "Codes", Count(len(summary.codebook.codes))
    yield "Answers", Count(summary.n)
    yield "Coded", Count(summary.outcomes.get("coded", 0))
    yield "Other", Count(summary.outcomes.get("other", 0))
    yield "Cannot tell", Count(summary.outcomes.get("cannot-tell", 0))
    yield "Coded by hand", Count(summary.n_hand)


def _columns(summary: "CodingSummary") -> Iterator[tuple[str, Line]]:
    yield "Answers", ("column “", Quoted(summary.column), "”")
    for name in summary.people:
        yield "Coded by hand", ("column “", Quoted(name), "”")
    for grouping in summary.groupings:
        yield "Groups", ("column “", Quoted(grouping.by), "”")
    designed = (("Weights", summary.weight), ("Rows of one", summary.clusters), ("Strata", summary.strata))
    for role, name in designed:
        if name:
            yield role, ("column “", Quoted(name), "”")
    if summary.agreement.other_run:
        yield "Other run", Quoted(summary.agreement.other_run)
    if summary.asked is not None:
        yield "Asked as well", Quoted(summary.asked.model)


def _sections(summary: "CodingSummary") -> Iterator[Section]:
    shares = (shares_figure(summary), shares_table(summary), Paragraph(shares_note(summary), "note"))
    yield Section("shares", "How many answers have each code", shares)
    for number, grouping in enumerate(summary.groupings, start=1):
        title = ("Shares by “", Quoted(grouping.by), "”")
        note = Paragraph(groups_note(summary, grouping), "note", detail="both")
        name = "groups" if number == 1 else f"groups-{number}"
        yield Section(name, title, (groups_table(grouping, summary.min_base), note))
    if summary.n_hand or summary.agreement.runs:
        yield Section("quality", "How well codes hold", (quality_table(summary), Paragraph(_QUALITY, "note")))
    if summary.drivers is not None:
        yield _drivers(summary, summary.drivers)
    pairs = (Paragraph(_PAIRS, "lead"), pairs_table(summary), cooccurrence_table(summary))
    yield Section("pairs", "Codes that come together", pairs)
    yield _quotes(summary)
    outcomes: list[Block] = [outcomes_table(summary)]
    if summary.reasons:
        outcomes.append(reasons_block(summary))
    if summary.asked is not None and summary.asked.lost:
        outcomes += lost_blocks(summary.asked)
    yield Section("outcomes", "What became of the answers", tuple(outcomes))


_QUALITY = (
    "Area: chance that an answer with the code scores above one without it. Brier score: mean squared error "
    "of probabilities by curves that were fitted without the answer; it should be below that of the share "
    "alone. "
    "Alpha is Krippendorff’s, nominal."
)
_PAIRS = (
    "How many answers have two codes, and how many times as often as if these had nothing to do with each "
    "other."
)


_ERRORS = {
    "HC3": "HC3 standard errors",
    "CR2": "CR2 standard errors, which allow for rows that belong together",
}


def _drivers(summary: "CodingSummary", drivers: "Drivers") -> Section:
    said = (
        f"The difference compares mean ratings with and without a code ({_ERRORS[drivers.standard_errors]}). "
    )
    if drivers.n:
        basis = "probabilities of codes" if drivers.by_probability else "codes that were given"
        said += (
            f"Beside the other codes: a linear model of {basis}, with {count(drivers.n)} answers, that "
            f"explains {percent(drivers.r_squared, 0)} of the variance. "
        )
    said += "Both say what goes with the rating, and not what causes it."
    title = ("What goes with “", Quoted(one_line(drivers.rating)), "”")
    return Section(
        "drivers", title, (drivers_table(summary, drivers), Paragraph(said, "note", detail="both"))
    )


def _quotes(summary: "CodingSummary") -> Section:
    blocks: list[Block] = [Paragraph(value_note(summary), "lead")]
    for place, code in enumerate(summary.codebook.codes):
        blocks += [
            Subheading(Quoted(code.name)),
            Paragraph(Quoted(code.definition)),
            quotes_table(summary, place),
        ]
    return Section("quotes", "Answers that show each code", tuple(blocks))
