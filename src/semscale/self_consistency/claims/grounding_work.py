"""Judges the answers of a table by their passages, part by part, and sums the parts up."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.embedding.languages.language_counts import LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample
from semscale.matching.match_columns import MatchColumns, match_cells
from semscale.results.estimating import estimate_values
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.self_consistency.claims.claim_support import ClaimJudge, Support
from semscale.self_consistency.claims.grounding_summary import KEPT_CLAIMS, GroundedClaim, GroundingSummary
from semscale.self_consistency.claims.long_answers import grounded, grounding_signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import floats_in, statuses_in
from semscale.store.result_columns import check_free
from semscale.store.table import Table
from semscale.store.table_run import WorkedPart
from semscale.store.writing import PREFIX
from semscale.types import Floats, Progress, Status, Statuses, count_statuses


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
    columns: MatchColumns
    judge: ClaimJudge
    plan: IntervalPlan
    progress: Progress | None = None
    stage = "judging claims"
    kept = ""
    private = ()

    def __post_init__(self) -> None:
        self._n = self._n_claims = self._n_contradicted = 0
        self._score: list[Floats] = []
        self._status: list[Statuses] = []
        self._groups: list[str | None] = []
        self._verdicts: Counter[Support] = Counter()
        self._worst = ForemostRows[GroundedClaim](KEPT_CLAIMS)
        self._left_out, self._sample, self._languages = LeftOutRows(), LanguageSample(), LanguageCounter()

    def key(self) -> dict[str, str]:
        """Name the columns and the fields of the signature."""
        return {
            "prediction": self.columns.prediction,
            "context": ", ".join(self.columns.references),
            **dict(self.judge.signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Judge the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            cells = match_cells(batch, self.columns, first_row)
            found = grounded(cells.predictions, cells.references, self.judge, self.progress)
            added = found.to_frame().rename(lambda name: PREFIX + name)
            yield WorkedPart(pl.concat([cells.rows, added], how="horizontal"))
            first_row += batch.height

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:  # noqa: ARG002 - no part has notes
        """Take a part."""
        cells = match_cells(frame, self.columns, self._n)
        score, status = floats_in(frame[f"{PREFIX}score"]), statuses_in(frame[f"{PREFIX}status"])
        self._score.append(score)
        self._status.append(status)
        self._groups += cells.groups or []
        self._add_claims(frame[f"{PREFIX}claims"].to_list())
        answers = cells.predictions
        self._left_out.add(status, self._n, answers.__getitem__)
        worded = np.flatnonzero(np.isin(status, [Status.SCORED, Status.WEIGHTLESS]))
        self._sample.add(worded, answers.__getitem__, self._n)
        self._languages.add_texts(([str(cell or "")] for cell in answers), status)
        self._n += frame.height

    def summary(self) -> GroundingSummary:
        """Sum all parts up."""
        status, by, plan = np.concatenate(self._status), self.columns.by, self.plan
        estimates = estimate_values(
            {"score": np.concatenate(self._score)},
            status,
            bounds={"score": (0.0, 1.0)},
            signature=grounding_signature(self.judge),
            by=None if by is None else pl.Series(by, self._groups, pl.String),
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
        )
        return GroundingSummary(
            source=self.table.name,
            columns=self.columns,
            n=self._n,
            counts=count_statuses(status),
            claims={verdict: self._verdicts[verdict] for verdict in Support},
            n_contradicted=self._n_contradicted,
            uses_entailment=self.judge.uses_entailment,
            estimates=estimates,
            worst=self._worst.items,
            examples=self._left_out.examples,
            languages=self._languages.counts,
            unread_language=self._sample.unread_language(estimates.signature),
            signature=estimates.signature,
        )

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are judged."""

    def _add_claims(self, rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
        claims = [
            GroundedClaim(
                row=self._n + place,
                claim=one["claim"],
                verdict=Support(one["verdict"]),
                score=one["score"],
                sentence=one["sentence"],
                reason=one["reason"],
            )
            for place, row in enumerate(rows)
            for one in row
        ]
        self._verdicts.update(one.verdict for one in claims)
        contradicted = {one.row for one in claims if one.verdict is Support.CONTRADICTED}
        self._n_contradicted += len(contradicted)
        badness = np.array([_place_among_worst(one) for one in claims], np.float64)
        self._worst.add(badness, self._n_claims, claims.__getitem__)
        self._n_claims += len(claims)


def _place_among_worst(claim: GroundedClaim) -> float:
    """Put contradicted claims first, then those not found, the least supported first; NaN for others."""
    match claim.verdict:
        case Support.CONTRADICTED:
            return -1.0
        case Support.NOT_FOUND:
            return claim.score or 0.0
        case _:
            return np.nan
