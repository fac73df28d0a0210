"""Coding of tables of any size: part by part, resumable, in bounded memory, in the order of the rows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from semscale.coding.chat_codes import ChatCodes
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import FittedCodes
from semscale.coding.coding_collector import CodingCollector
from semscale.coding.summary import CodingSummary
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS
from semscale.store.cells import storable
from semscale.store.columns import column_in, statuses_in
from semscale.store.result_columns import check_free
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status

# No code has an asterisk in the name of its column.
_BATCH = 50_000
LIKENESS, TEXT_STATUS = f"{PREFIX}*likeness", f"{PREFIX}*text_status"


class LearntCodes(NamedTuple):
    """What must be known before the first part is made.

    Attributes:
        fitted: turns scores into codes.
        collector: sums them up.
        asked: what a chat model said about all answers; ``None`` where none was asked.
    """

    fitted: FittedCodes
    collector: CodingCollector
    asked: ChatCodes | None = None


@dataclass
class CodingWork:
    """Codes the answers of a table part by part, and sums the parts up.

    Attributes:
        table: the input.
        text: column of the answers.
        coder: scores them.
        learn: learns from hand-coded answers, and asks a chat model where one is named; called once, when the
            output is known to be this run's, so that no call is paid for a run that is refused.
        settings: further ones that decide the codes, by name; a run goes on with the same ones alone.
        progress: called while texts are embedded.
        kept: clause on embeddings and replies that are kept.
    """

    table: Table
    text: str
    coder: Coder
    learn: Callable[[], LearntCodes]
    settings: Mapping[str, str] = field(default_factory=dict)
    progress: Progress | None = None
    kept: str = KEPT_EMBEDDINGS
    stage = "coding"
    private = (LIKENESS, TEXT_STATUS)

    def key(self) -> dict[str, str]:
        """Name the column, the fields of the coder's signature, and the further settings."""
        return {"text": self.text, **dict(self.coder.signature.fields), **self.settings}

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Code the rows after the first ``skip`` ones."""
        first_row, (fitted, _, said) = skip, self._learnt
        # A part is made again where a reply may still come, as it moves the codes of others too.
        failed = said is not None and Status.FAILED in said.counts
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            scores = self.coder.score(column_in(batch, self.text).to_list(), progress=self.progress)
            rows = np.arange(first_row, first_row + batch.height)
            asked = None if said is None else said.some(rows)
            coded = fitted.code(scores, rows, asked).to_frame()
            own = pl.DataFrame({
                LIKENESS: pl.Series(scores.likeness, dtype=pl.Array(pl.Float64, scores.likeness.shape[1])),
                TEXT_STATUS: pl.Series([str(each) for each in scores.text_status], dtype=pl.String),
            })  # fmt: skip
            frame = pl.concat([storable(batch), coded, own], how="horizontal")
            yield WorkedPart(frame, has_failed_calls=failed)
            first_row += batch.height

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part."""
        k = len(self.coder.codebook.codes)
        likeness = frame[LIKENESS].to_numpy().astype(np.float64).reshape(-1, k)
        status = statuses_in(frame[TEXT_STATUS])
        scores = CodeScores(self.coder.codebook, likeness, status, self.coder.signature)
        is_text = frame[TEXT_STATUS] != str(Status.NOT_TEXT)
        answers = column_in(frame, self.text).cast(pl.String).set(~is_text, None)
        self._learnt.collector.add(scores, answers.to_list(), frame)

    def summary(self) -> CodingSummary:
        """Sum all parts up."""
        return self._learnt.collector.summary()

    def late(self, start: int, stop: int) -> None:
        """No column depends on the rows after it."""

    @cached_property
    def _learnt(self) -> LearntCodes:
        return self.learn()


def score_table(table: Table, column: str, coder: Coder, *, progress: Progress | None = None) -> CodeScores:
    """Score the answers of a table part by part; only their scores are kept.

    Args:
        table: the input.
        column: of the answers.
        coder: scores them.
        progress: called while texts are embedded.
    """
    parts = [
        coder.score(column_in(batch, column).to_list(), progress=progress)
        for batch in table.batches_with([column], _BATCH)
    ]
    return CodeScores(
        coder.codebook,
        np.concatenate([part.likeness for part in parts]),
        np.concatenate([part.text_status for part in parts]),
        coder.signature,
    )
