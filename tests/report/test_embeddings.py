"""Documents of embedded texts say how many rows have a vector, and of which model."""

from semscale.embedding.file_embedding import EmbeddingSummary
from semscale.report.preparation import embedding_document
from semscale.signature import Signature
from semscale.types import Status


def test_rows_by_status_and_the_model():
    counts = {Status.SCORED: 5, Status.MISSING: 2}
    summary = EmbeddingSummary(Signature.of("embed", model="toy"), 7, counts, 3, 1, "a.csv", "text")
    document = embedding_document(summary)
    assert [(name, cell.value) for name, cell in document.facts] == [
        ("Rows", 7),
        ("Rows missing", 2),
        ("Rows with a vector", 5),
        ("Numbers in a vector", 3),
        ("Texts read in several windows", 1),
    ]
    assert document.signature == summary.signature
    assert "model" in [name for name, _ in document.settings]
