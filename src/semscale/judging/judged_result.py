"""Estimates and summary that the results of a judge and of a panel share."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Unpack

import polars as pl

from semscale.errors import InputError
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.judge_columns import JudgeColumns
from semscale.judging.prompts.template import Template
from semscale.judging.summary.judge_collector import JudgeCollector
from semscale.judging.summary.judge_summary import JudgeSummary, estimate_scores
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, IntervalSettings
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.cells import column_of, storable
from semscale.store.columns import as_list
from semscale.store.writing import PREFIX
from semscale.types import Floats


class JudgedResult(Result):
    """Verdicts on n items, of one judge or of several."""

    @property
    @abstractmethod
    def stopped(self) -> str | None:
        """Why not every item was asked about, or ``None``."""

    @property
    @abstractmethod
    def _figures(self) -> Mapping[str, Floats]:
        """Values whose means are estimated, by name, each of shape (n,), 0 to 1; the main one first."""

    @property
    @abstractmethod
    def _applied(self) -> Mapping[str, tuple[Template, Signature]]:
        """Template and signature of each judge, by its name."""

    @property
    def _criteria(self) -> Mapping[str, float]:
        """Weights of the criteria of a judge that has a rubric."""
        return {}

    @property
    @abstractmethod
    def _not_taken(self) -> Sequence[tuple[FormRefusal, ...]]:
        """Forms of asking that each judge's model did not take, and why."""

    @abstractmethod
    def part_frame(self) -> pl.DataFrame:
        """Lay out the columns that a run over a table keeps of a part: ``to_frame`` and further ones."""

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate means of all items and of each group, with intervals.

        One judge has ``score``, which is the main figure, and ``expected``; a panel has ``mean``.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_scores(self._figures, self.status, self.signature, **settings)

    def summarize(
        self,
        questions: object,
        answers: object,
        *,
        human: object = None,
        by: object = None,
        source: str = "items in memory",
        **intervals: Unpack[IntervalSettings],
    ) -> JudgeSummary:
        """Sum the verdicts up: a report, a document and JSON come from the summary.

        Args:
            questions: shape (n,), as they were judged.
            answers: shape (n,), likewise.
            human: shape (n,), people's labels, as ``semscale.judging.human_labels.label_table`` takes them.
            by: shape (n,), names of groups.
            source: what the items are from.
            intervals: how intervals are made.

        Raises:
            InputError: a column of the wrong length, a label that is none of the template's, or a setting out
                of range.
        """
        items = {"question": questions, "answer": answers, "human": human, "by": by}
        cells = {name: as_list(column, name) for name, column in items.items() if column is not None}
        for name, column in cells.items():
            if len(column) != self.n:
                raise InputError(f"{name} must have {self.n} rows, as many as verdicts, got {len(column)}")
        human_column, by_column = (name if name in cells else None for name in ("human", "by"))
        columns = JudgeColumns("question", "answer", human=human_column, by=by_column)
        templates = {name: template for name, (template, _) in self._applied.items()}
        collector = JudgeCollector(templates, columns, IntervalPlan(**intervals), self._criteria)
        rows = storable(pl.DataFrame([column_of(name, column) for name, column in cells.items()]))
        found = self.part_frame().rename(lambda name: PREFIX + name)
        collector.add(pl.concat([rows, found], how="horizontal"))
        signatures = [signature for _, signature in self._applied.values()]
        return collector.summary(source, signatures, self.signature, self.stopped, self._not_taken)

    def _short_summary(self) -> JudgeSummary:
        return self.summarize(questions=[None] * self.n, answers=[None] * self.n)
