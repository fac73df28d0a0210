"""Ratings by decisions beside those by similarity, in a rating report, and the cautions on them."""

from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Number,
    Paragraph,
    Share,
    WithInterval,
    Words,
)
from semscale.report.formatting import counted, one_line
from semscale.report.sentences import forms_not_taken_words

if TYPE_CHECKING:
    from semscale.rating.decided import DecidedComparison, MissingDecisions

_STAND_IN = "next-token"


def decided_blocks(found: "DecidedComparison") -> tuple[Block, ...]:
    """Lay the comparison out as a table, with what the decisions left out."""
    rows: list[tuple[str, Cell]] = [
        ("distinct texts with both ratings", Count(found.n)),
        ("mean by similarity", WithInterval.of(found.rated)),
        ("mean by decisions", WithInterval.of(found.decided)),
        ("decision less similarity", WithInterval.of(found.difference, signed=True)),
        ("correlation of the texts’ means", WithInterval.of(found.correlation)),
        ("reliability of the means by similarity", Number(found.reliability)),
        ("reliability of the means by decisions", Number(found.decided_reliability)),
        (f"correlation, corrected for {_corrected_for(found)}", Number(found.corrected)),
        ("agreement of the texts’ means, ICC(2,1)", WithInterval.of(found.intraclass)),
        ("KS similarity of both distributions", Number(found.ks)),
    ]
    if found.order_bias >= 0:
        rows.append(("order bias of the decisions", Share(found.order_bias, 0)))
    table = DataTable(
        ("", "value"), tuple((Words(name), cell) for name, cell in rows), brief_title="Beside decisions"
    )
    return (table, Paragraph(_EXPLAINED, "note", detail="full"))


def decided_title(found: "DecidedComparison") -> str:
    """Title the section."""
    return f"Beside typed decisions of {one_line(found.model)}"


_EXPLAINED = (
    "Reliability of the means by similarity comes from the agreement of the anchor sets, that of the "
    "decisions from the agreement of the orders in which the points were read (Spearman-Brown); it is not "
    "known with one set, or one order. The corrected correlation is what it would be without that error; the "
    "error of a side that is not corrected still lowers it. ICC(2,1) asks for equal means and not only for "
    "an equal order: a difference between the two methods lowers it."
)


def _corrected_for(found: "DecidedComparison") -> str:
    """Name the sides whose error the correction takes off."""
    words = {(): "neither side’s error", ("similarity", "decisions"): "the error of both sides"}
    return words.get(found.corrected_for) or f"the error of {found.corrected_for[0]} alone"


def decided_cautions(found: "DecidedComparison | None") -> tuple[str, ...]:
    """Say which texts have no decision and why, what stood in for decisions, and what was mended."""
    if found is None:
        return ()
    name, said = one_line(found.model), []
    if n := found.counts["unusable"]:
        why = one_line(found.reason).rstrip(".")
        said.append(f"{name} gave no usable answer about {counted(n, 'text')}, most often because: {why}.")
    if n := found.counts["refused"]:
        said.append(f"{name} declined to answer about {counted(n, 'text')}.")
    if found.form == _STAND_IN:
        said.append(f"{name} takes no typed decisions, so probabilities of the points’ letters stand in.")
        told = "; ".join(f"{form}: {why}" for form, why in found.not_taken.items())
        said += forms_not_taken_words(name, told)
    if n := found.counts["normalised"]:
        said.append(
            f"The probabilities of {counted(n, 'decision')} of {name} did not sum to 1, within what rounding "
            "explains, and were made to."
        )
    return tuple(said)


def undecided_cautions(lost: "MissingDecisions | None") -> tuple[str, ...]:
    """Say that no text has a decision, and why; nothing where decisions came, or nobody was to decide."""
    if lost is None:
        return ()
    why = one_line(lost.reason).rstrip(".")
    return (f"No text has a decision of {one_line(lost.model)}; ratings by similarity are complete: {why}.",)
