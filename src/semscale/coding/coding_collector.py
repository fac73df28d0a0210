"""Collects coded parts of a table and sums them up; it keeps a sample of rows, and hand-coded ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.chat_codes import ChatCodes
from semscale.coding.coder import CodeScores
from semscale.coding.coding import FittedCodes, applied_thresholds
from semscale.coding.coding_cells import strata_names
from semscale.coding.coding_columns import CodingColumns, numbers_in
from semscale.coding.other_runs import OtherRun
from semscale.coding.summary import CodeTallies, CodingSummary, Covariates, SummaryPlan, SummarySample
from semscale.rating.cells import weights_in
from semscale.rating.rater import Rater
from semscale.results.respondents import NOBODY, numbered
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.sampling import SAMPLED_ROWS, Column, LabelledSample
from semscale.store.columns import column_in, floats_in, groups_in
from semscale.types import Integers, Progress, Status

_STATUSES = tuple(Status)


class CodingCollector:
    """Takes scored parts in the order of the rows, whether just made or read back, and sums them up.

    Args:
        fitted: codes answers.
        columns: which column is what.
        plan: how they are summed up.
        asked: what a chat model said about all answers; ``None`` where none was asked.
        scale: on which the answers are rated, for drivers; in the place of a column.
        other: another run on the same answers.
        most: rows of the sample that is kept; of fewer rows all are. Hand-coded rows are kept beside it.
        progress: called while answers are rated.
    """

    def __init__(  # noqa: PLR0913 - what is summed up, beside what, and how
        self,
        fitted: FittedCodes,
        columns: CodingColumns,
        plan: SummaryPlan,
        *,
        asked: ChatCodes | None = None,
        scale: str | None = None,
        other: OtherRun | None = None,
        most: int = SAMPLED_ROWS,
        progress: Progress | None = None,
    ) -> None:
        self._fitted, self._columns, self._plan, self._asked = fitted, columns, plan, asked
        self._rater = None if scale is None else Rater(scale)
        self._other, self._progress = other, progress
        applied = applied_thresholds(fitted.calibrations, fitted.thresholds)
        self._tallies = CodeTallies(fitted.codebook.names, [threshold.assigned for threshold in applied])
        self._strata: dict[str, int] = {}
        self._sample = LabelledSample(most, plan.intervals.seed)

    def add(self, scores: CodeScores, answers: Sequence[str | None], frame: pl.DataFrame) -> None:
        """Add the next part.

        Args:
            scores: of m answers.
            answers: the m answers; ``None`` for a cell that was no text.
            frame: the input's columns of these rows.

        Raises:
            InputError: another run had other answers.
        """
        rows = np.arange(self._tallies.n, self._tallies.n + len(answers))
        asked = None if self._asked is None else self._asked.some(rows)
        coding = self._fitted.code(scores, rows, asked)
        covariates = self._covariates(scores, answers, frame, rows)
        groups = self._tallies.add(coding, answers, covariates)
        design = covariates.design
        columns: dict[str, Column | None] = {
            "likeness": scores.likeness,
            "status": np.array([_STATUSES.index(each) for each in scores.text_status], np.int8),
            "rating": covariates.ratings,
            "other": covariates.other,
            "weight": design.weights,
            "cluster": design.clusters,
            "stratum": design.strata,
            **{f"by {column}": numbers for column, numbers in groups.items()},
        }
        there = {name: values for name, values in columns.items() if values is not None}
        self._sample.add(there, self._fitted.positions(rows) >= 0)

    def summary(self) -> CodingSummary:
        """Sum up everything that was added.

        Raises:
            InputError: weights that sum to 0, a rating without a number, or another run with more answers.
        """
        if self._other is not None:
            self._other.check_ended()
        sampled = self._sample.kept()
        rows, kept = sampled.rows, sampled.columns
        status = np.array(_STATUSES, dtype=object)[kept["status"]]
        scores = CodeScores(self._fitted.codebook, kept["likeness"], status, self._fitted.signature)
        asked = None if self._asked is None else self._asked.some(rows)
        coding = self._fitted.code(scores, rows, asked)
        clusters = kept.get("cluster")
        design = SampleDesign(
            weights=kept.get("weight"),
            clusters=None if clusters is None else _numbered_anew(clusters),
            strata=kept.get("stratum"),
        )
        covariates = Covariates(ratings=kept.get("rating"), other=kept.get("other"), design=design)
        groups = {column: kept[f"by {column}"] for column in self._columns.by}
        sample = SummarySample(coding, covariates, groups, sampled)
        return sample.summary(self._tallies, self._plan, self._asked)

    def _covariates(
        self, scores: CodeScores, answers: Sequence[Any], frame: pl.DataFrame, rows: Integers
    ) -> Covariates:
        columns = self._columns
        ratings = other = None
        if self._rater is not None:
            ratings = self._rater.rate(answers, progress=self._progress).mean
        elif columns.rating is not None:
            ratings = numbers_in(frame, columns.rating)
        if self._other is not None:
            other = self._other.take(answers, scores.text_status == Status.NOT_TEXT)
        by = {name: tuple(groups_in(column_in(frame, name)).to_list()) for name in columns.by}
        return Covariates(by, ratings, other, self._design(frame, rows))

    def _design(self, frame: pl.DataFrame, rows: Integers) -> SampleDesign:
        """How the rows were drawn: weights, strata, and whose answers they are."""
        columns, strata, clusters = self._columns, None, None
        if columns.strata is not None:
            names = strata_names(frame, columns.strata)
            strata = np.array([self._strata.setdefault(name, len(self._strata)) for name in names], np.int64)
        if columns.respondent is not None:
            who = groups_in(column_in(frame, columns.respondent)).to_list()
            clusters = numbered(who, frame.height)
            # A row without a name is one by itself.
            clusters = np.where(clusters == NOBODY, NOBODY - 1 - rows, clusters)
        weight = columns.weight
        return SampleDesign(
            weights=None if weight is None else floats_in(weights_in(column_in(frame, weight))),
            clusters=clusters,
            strata=strata,
        )


def _numbered_anew(clusters: Integers) -> Integers:
    """Number clusters from 0 in order of first appearance, rows that stand alone after the others."""
    known, first, place = np.unique(clusters, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.lexsort((first, known < 0))] = np.arange(len(first))
    return rank[place]
