"""The result of a panel: every judge's verdicts, figures of each item, and how far the judges agree."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.judged_result import JudgedResult
from semscale.judging.prompts.template import Template
from semscale.judging.verdicts import Verdicts
from semscale.signature import Signature
from semscale.stats.agreement.panels import (
    EffectiveJudges,
    PairAgreement,
    effective_judges,
    pairwise_agreement,
    severities,
)
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate
from semscale.types import Floats, Integers, Mask, Statuses

_OF_EACH = (
    "score",
    "standard_error",
    "status",
    "reason",
    "not_taken",
    "provenance",
    "explanation",
    "replies",
)


@dataclass(frozen=True, repr=False)
class PanelVerdicts(JudgedResult):
    """Verdicts of k judges on n items.

    A figure for an item is made of the judges that scored it; ``n_judges`` says how many these are.

    Attributes:
        names: of the judges.
        judges: each judge's verdicts.
        status: shape (n,), ``scored`` where one judge or more gave a score.
        signature: what was applied.
    """

    names: tuple[str, ...]
    judges: tuple[Verdicts, ...]
    status: Statuses
    signature: Signature

    def __post_init__(self) -> None:
        for verdicts in self.judges:
            if len(verdicts) != len(self.status):
                raise InputError(f"every judge must have {len(self.status)} verdicts, got {len(verdicts)}")
        own = self.status.view()
        own.flags.writeable = False
        object.__setattr__(self, "status", own)

    @property
    def expected(self) -> Floats:
        """Expected scores, shape (n, k); NaN where a judge has none."""
        return np.column_stack([verdicts.expected for verdicts in self.judges])

    @property
    def score(self) -> Floats:
        """Levels as they were stated, shape (n, k); NaN where a judge has none."""
        return np.column_stack([verdicts.score for verdicts in self.judges])

    @property
    def n_judges(self) -> Integers:
        """How many judges scored each item, shape (n,)."""
        counts: Integers = (~np.isnan(self.expected)).sum(axis=1).astype(np.int64)
        return counts

    @property
    def mean(self) -> Floats:
        """Mean of the judges' expected scores, shape (n,); NaN where nobody gave one."""
        return self._over_judges(np.mean)

    @property
    def median(self) -> Floats:
        """Median of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.median)

    @property
    def min(self) -> Floats:
        """Lowest of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.min)

    @property
    def max(self) -> Floats:
        """Highest of the judges' expected scores, shape (n,)."""
        return self._over_judges(np.max)

    @property
    def spread(self) -> Floats:
        """Highest less lowest, shape (n,); NaN with fewer than two judges."""
        return np.where(self.n_judges > 1, self.max - self.min, np.nan)

    @property
    def stopped(self) -> str | None:
        """Why not every judge was asked about everything, or ``None``."""
        return next((verdicts.stopped for verdicts in self.judges if verdicts.stopped), None)

    def severities(self, plan: IntervalPlan | None = None) -> tuple[MeanEstimate, ...]:
        """How much higher each judge scores than the others do on the same items; below 0 is severe."""
        return severities(self.expected, plan=plan)

    def agreement(self, *, interval: float = 0.95, seed: int = 0) -> tuple[PairAgreement, ...]:
        """Quadratic weighted kappa of every two judges, of the levels that they stated."""
        return pairwise_agreement(self.score, interval=interval, seed=seed)

    def effective_judges(
        self, truth: Floats | None = None, *, interval: float = 0.95, seed: int = 0
    ) -> EffectiveJudges:
        """How many judges with independent errors have a mean as good as this panel's.

        Args:
            truth: shape (n,), such as human labels from 0 to 1; without one the number is a lower bound.
            interval: coverage that the interval aims at.
            seed: of the bootstrap.
        """
        return effective_judges(self.expected, truth=truth, interval=interval, seed=seed)

    @property
    def _model_name(self) -> str:
        return "+".join(self.names)

    @property
    def _figures(self) -> dict[str, Floats]:
        return {"mean": self.mean}

    @property
    def _applied(self) -> dict[str, tuple[Template, Signature]]:
        return {
            name: (verdicts.template, verdicts.signature)
            for name, verdicts in zip(self.names, self.judges, strict=True)
        }

    @property
    def _not_taken(self) -> list[tuple[FormRefusal, ...]]:
        return [verdicts.not_taken for verdicts in self.judges]

    def _with_rows(self, rows: Mask) -> Self:
        judges = tuple(verdicts.filter(rows) for verdicts in self.judges)
        return replace(self, judges=judges, status=self.status[rows])

    def to_frame(self) -> pl.DataFrame:
        """Lay the verdicts out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status``, ``n_judges``, ``mean``, ``median``, ``min``, ``max``, ``spread``, and for each
            judge its expected score as ``judge_<k>``, with ``judge_<k>_score``, ``_standard_error``,
            ``_status``, ``_reason``, ``_provenance``, ``_explanation`` and ``_replies``, and of one by
            decisions ``_not_taken``; k is counted from 1.
        """
        figures = {name: getattr(self, name) for name in ("mean", "median", "min", "max", "spread")}
        columns = [
            pl.Series("status", [str(status) for status in self.status], pl.String),
            pl.Series("n_judges", self.n_judges),
            *(pl.Series(name, values, nan_to_null=True) for name, values in figures.items()),
        ]
        for number, verdicts in enumerate(self.judges, start=1):
            own = verdicts.to_frame()
            columns.append(own["expected"].rename(f"judge_{number}"))
            columns += [
                own[name].rename(f"judge_{number}_{name}") for name in _OF_EACH if name in own.columns
            ]
        return pl.DataFrame(columns)

    def part_frame(self) -> pl.DataFrame:
        """Lay out the columns that a run over a table keeps of a part: ``to_frame``, and more of each judge.

        That is ``judge_<k>_masses``, ``_deviation``, ``_covered`` and ``_order_bias``, as
        ``Verdicts.part_frame`` has them.
        """
        further = [
            own[name].rename(f"judge_{number}_{name}")
            for number, verdicts in enumerate(self.judges, start=1)
            for own in [verdicts.part_frame()]
            for name in ("masses", "deviation", "covered", "order_bias")
        ]
        return self.to_frame().with_columns(further)

    def _over_judges(self, figure: Callable[[Floats], Floats]) -> Floats:
        """Apply a figure to the scores that each item has; the judges' order changes nothing."""
        figures = np.full(len(self), np.nan)
        for row, scores in enumerate(np.sort(self.expected, axis=1)):
            present = scores[~np.isnan(scores)]
            if len(present):
                figures[row] = figure(present)
        return figures
