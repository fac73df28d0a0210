"""Judges the answers of a table by their passages, part by part, and sums the parts up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.claims.claim_collector import ClaimCollector
from semscale.answer_consistency.claims.claim_support import ClaimJudge, Support
from semscale.answer_consistency.claims.grounding_summary import GroundedClaim, GroundingSummary
from semscale.answer_consistency.claims.long_answers import grounded, grounding_signature
from semscale.matching.settings import GroundingColumns
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.result_columns import check_free
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress


@dataclass
class GroundingWork:
    """Judges the rows of a table part by part, and keeps the numbers and claims that a report shows.

    Attributes:
        table: the input.
        columns: names of the columns; references are the passages.
        judge: judges claims; its estimates must not depend on the part.
        plan: how intervals are made.
        progress: called while texts are embedded.
    """

    table: Table
    columns: GroundingColumns
    judge: ClaimJudge
    plan: IntervalPlan
    progress: Progress | None = None
    stage = "judging claims"
    kept = ""
    private = ()

    def __post_init__(self) -> None:
        self._collector = ClaimCollector(_shown, _badness)

    def key(self) -> dict[str, str]:
        """Name the columns and the fields of the signature."""
        return {
            "prediction": self.columns.prediction,
            "context": ", ".join(self.columns.context),
            **dict(self.judge.signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Judge the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            cells = self.columns.read(batch, first_row)
            found = grounded(cells["prediction"], cells["context"], self.judge, self.progress)
            added = found.to_frame().rename(lambda name: PREFIX + name)
            yield WorkedPart(pl.concat([cells.rows, added], how="horizontal"))
            first_row += batch.height

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:  # noqa: ARG002 - no part has notes
        """Take a part."""
        cells = self.columns.read(frame, self._collector.n)
        groups = None if cells.get("by") is None else pl.Series(self.columns.by, cells.get("by"), pl.String)
        self._collector.add(frame, cells["prediction"], groups)

    def summary(self) -> GroundingSummary:
        """Sum all parts up."""
        collector = self._collector
        estimates = collector.estimated(grounding_signature(self.judge), self.plan)
        return GroundingSummary(
            source=self.table.name,
            columns=self.columns,
            uses_entailment=self.judge.uses_entailment,
            estimates=estimates,
            worst=collector.worst,
            **collector.counted(estimates.signature),
        )

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are judged."""


def _shown(row: int, one: Mapping[str, Any]) -> GroundedClaim:
    return GroundedClaim(
        row=row,
        claim=one["claim"],
        verdict=Support(one["verdict"]),
        score=one["score"],
        sentence=one["sentence"],
        reason=one["reason"],
    )


def _badness(one: Mapping[str, Any]) -> float:
    """Put contradicted claims first, then those not found, the least supported first; NaN for others."""
    match Support(one["verdict"]):
        case Support.CONTRADICTED:
            return -1.0
        case Support.NOT_FOUND:
            return one["score"] or 0.0
        case _:
            return np.nan
