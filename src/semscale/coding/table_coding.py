"""Coding of tables of any size: scored part by part, resumable; codes follow when all rows are known."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from semscale.coding.coder import Coder, CodeScores
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS
from semscale.store.cells import storable
from semscale.store.columns import column_in
from semscale.store.result_columns import check_free
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status

# No code has an asterisk in the name of its column.
LIKENESS, TEXT_STATUS = f"{PREFIX}*likeness", f"{PREFIX}*text_status"

Summary = TypeVar("Summary")

Finish = Callable[[CodeScores, list[str | None]], tuple[Summary, pl.DataFrame]]
"""Makes a summary and the columns of codes (n rows) of all scores and answers."""


@dataclass
class CodingWork(Generic[Summary]):
    """Scores the answers of a table part by part, and codes them when all are there.

    Calibration, groups and drivers need all rows. Of each row the likeness of k codes is kept, 8 bytes each,
    its answer, and nothing of the other columns.

    Attributes:
        table: the input.
        text: column of the answers.
        coder: scores them.
        finish: codes all answers, and sums them up.
        settings: further ones that decide the codes, by name; a run goes on with the same ones alone.
        progress: called while texts are embedded.
    """

    table: Table
    text: str
    coder: Coder
    finish: Finish[Summary]
    settings: Mapping[str, str] = field(default_factory=dict)
    progress: Progress | None = None
    _likeness: list[np.ndarray] = field(default_factory=list)
    _status: list[pl.Series] = field(default_factory=list)
    _answers: list[pl.Series] = field(default_factory=list)
    _coded: pl.DataFrame | None = None
    stage = "coding"
    private = (LIKENESS, TEXT_STATUS)
    kept = KEPT_EMBEDDINGS

    def key(self) -> dict[str, str]:
        """Name the column, the fields of the coder's signature, and the further settings."""
        return {"text": self.text, **dict(self.coder.signature.fields), **self.settings}

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Score the rows after the first ``skip`` ones."""
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            scores = self.coder.score(column_in(batch, self.text).to_list(), progress=self.progress)
            found = pl.DataFrame({
                LIKENESS: pl.Series(scores.likeness, dtype=pl.Array(pl.Float64, scores.likeness.shape[1])),
                TEXT_STATUS: pl.Series([str(each) for each in scores.text_status], dtype=pl.String),
            })  # fmt: skip
            yield WorkedPart(pl.concat([storable(batch), found], how="horizontal"))

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part: scores and answers; a cell that was no text has none."""
        self._likeness.append(frame[LIKENESS].to_numpy().astype(np.float64))
        self._status.append(frame[TEXT_STATUS].cast(pl.Categorical))
        is_text = frame[TEXT_STATUS] != str(Status.NOT_TEXT)
        answers = column_in(frame, self.text).cast(pl.String)
        self._answers.append(answers.set(~is_text, None))

    def summary(self) -> Summary:
        """Code all answers, and sum them up."""
        k = len(self.coder.codebook.codes)
        likeness = np.concatenate([part.reshape(-1, k) for part in self._likeness])
        known = {str(each): each for each in Status}
        status = np.array([known[name] for part in self._status for name in part.to_list()], dtype=object)
        scores = CodeScores(self.coder.codebook, likeness, status, self.coder.signature)
        answers = [text for part in self._answers for text in part.to_list()]
        summary, self._coded = self.finish(scores, answers)
        return summary

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return the codes of some rows."""
        return None if self._coded is None else self._coded[start:stop]
