"""Ratings by decisions beside those by similarity, in a rating report."""

from typing import TYPE_CHECKING

from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.values import Cell, Count, Number, Share, WithInterval, Words
from semscale.report.formatting import counted, one_line

if TYPE_CHECKING:
    from semscale.rating.decided.decided_comparison import DecidedComparison

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
        ("correlation, corrected for it", Number(found.corrected)),
        ("KS similarity of both distributions", Number(found.ks)),
    ]
    if found.order_bias >= 0:
        rows.append(("order bias of the decisions", Share(found.order_bias, 0)))
    table = DataTable(
        ("", "value"), tuple((Words(name), cell) for name, cell in rows), brief_title="Beside decisions"
    )
    return (table, Paragraph(_left_out(found), "note"), Paragraph(_EXPLAINED, "note", detail="full"))


def decided_title(found: "DecidedComparison") -> str:
    """Title the section."""
    return f"Beside typed decisions of {one_line(found.model)}"


_EXPLAINED = (
    "Reliability comes from the agreement of the anchor sets (Spearman-Brown). The corrected correlation is "
    "what it would be if similarity measured without error; the decisions’ own error still lowers it."
)


def _left_out(found: "DecidedComparison") -> str:
    said = [f"{counted(found.counts['answered'], 'text')} decided"]
    for name, words in (("refused", "refused"), ("unusable", "without a usable answer")):
        if found.counts[name]:
            said.append(f"{found.counts[name]:,} {words}")
    if found.counts["normalised"]:
        said.append(f"{found.counts['normalised']:,} with probabilities that were made to sum to 1")
    form = (
        "; the model takes no typed decisions, so these are probabilities of the points’ letters"
        if found.form == _STAND_IN
        else ""
    )
    return f"{', '.join(said)}{form}."
