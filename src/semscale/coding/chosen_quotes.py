"""Answers that somebody chose to quote on slides: a table with the columns ``code`` and ``text``."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from semscale.coding.summary import CodingSummary
from semscale.errors import EmptyTableError
from semscale.store.columns import column_in
from semscale.store.reading import open_table

CODE, TEXT = "code", "text"
"""Columns of the table: a code, and the answer to quote for it."""

_BATCH = 10_000


def read_quotes(path: str | Path) -> list[tuple[str, str]]:
    """Read the codes and answers of a table; none of a table without rows.

    Raises:
        InputError: it cannot be read, or lacks one of the columns.
    """
    try:
        table = open_table(path)
    except EmptyTableError:
        return []
    for name in (CODE, TEXT):
        table.require(name, "quotes")
    quotes: list[tuple[str, str]] = []
    for batch in table.batches(_BATCH):
        codes, texts = (column_in(batch, name).cast(pl.String).to_list() for name in (CODE, TEXT))
        quotes += [(code, text) for code, text in zip(codes, texts, strict=True) if code and text]
    return quotes


def with_quotes(
    summary: CodingSummary,
    quotes: Sequence[tuple[str, str]],
    answers: Collection[object],
    evidence: Mapping[tuple[str, str], str | None],
) -> CodingSummary:
    """Return a summary whose slides quote the chosen answers.

    Quotes for unknown codes, and texts that are no answers, are left out with a note.

    Args:
        summary: the summary.
        quotes: codes and answers, as ``read_quotes`` returns them.
        answers: all answers.
        evidence: the sentence or clause that decided about a code of an answer.
    """
    known = set(answers)
    chosen = tuple(
        (code, text, evidence.get((code, text)))
        for code, text in quotes
        if code in summary.codebook.names and text in known
    )
    left_out = len(quotes) - len(chosen)
    note = (
        f"{left_out} of {len(quotes)} chosen quotes were left out: the codebook has no such code, or the "
        "table no such answer"
    )
    notes = (*summary.input_notes, *([note] if left_out else []))
    return replace(summary, chosen=chosen, input_notes=notes)
