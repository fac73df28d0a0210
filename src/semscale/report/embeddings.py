"""The document of embedded texts: how many rows have a vector, and of which model."""

from typing import TYPE_CHECKING

from semscale.report.document.document import Document, stamp
from semscale.report.document.values import Cell, Count, Quoted
from semscale.report.formatting import counted
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.embedding.file_embedding import EmbeddingSummary


def embedding_document(summary: "EmbeddingSummary") -> Document:
    """Turn the summary of an embedding into a document."""
    facts: tuple[tuple[str, Cell], ...] = (
        ("Rows", Count(summary.n)),
        *((f"Rows {status}", Count(n)) for status, n in summary.counts.items() if status != Status.SCORED),
        ("Rows with a vector", Count(summary.counts.get(Status.SCORED, 0))),
        ("Numbers in a vector", Count(summary.dimensions)),
        ("Texts read in several windows", Count(summary.n_windowed)),
    )
    return Document(
        kind="embedding",
        name="Embedding",
        title=("Vectors of ", Quoted(summary.column)),
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(counted(summary.n, "row"),),
        facts=facts,
        sections=(),
        settings=(
            ("Source", Quoted(summary.source)),
            *((name, value) for name, value in summary.signature.fields),
            ("Made", stamp(summary.created)),
        ),
    )
