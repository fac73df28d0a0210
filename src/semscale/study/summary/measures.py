"""Figures about one question by one method: each concept's distribution, and groups of personas."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.results.estimates import Estimates
from semscale.results.estimating import estimate_rows
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.store.columns import statuses_in
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.counts import attribute_column
from semscale.types import Floats

PANEL_WEIGHT = "panel weight"
"""The column of the personas' weights beside the columns of answers; there only where a panel has any."""


@dataclass(frozen=True)
class QuestionMeasure:
    """One question by one method.

    Attributes:
        question: what was asked.
        method: how it was measured.
        estimates: of all concepts together, and of each concept; personas are resampled as a whole.
        by_attribute: all concepts together, for each group of personas, by attribute.
        model: that answered; ``None`` where the study has one alone.
    """

    question: SurveyQuestion
    method: str
    estimates: Estimates
    by_attribute: Mapping[str, Estimates]
    model: str | None = None

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "question": self.question.name,
            "text": self.question.text,
            "scale": self.question.scale.name,
            "points": [{"value": point.value, "label": point.label} for point in self.question.scale.points],
            "method": self.method,
            "model": self.model,
            "concepts": self.estimates,
            "groups": self.by_attribute,
        }


def measure_of(
    question: SurveyQuestion,
    method: str,
    rows: pl.DataFrame,
    *,
    attributes: tuple[str, ...],
    signature: Signature,
    plan: IntervalPlan,
) -> QuestionMeasure:
    """Estimate all figures about one question by one method.

    Args:
        question: what was asked.
        method: how it was measured.
        rows: its answers, with a column for each attribute.
        attributes: of personas, by which groups are made.
        signature: of the study.
        plan: how intervals are made.
    """
    columns = {name: attribute_column(name) for name in attributes}
    by_attribute = {
        name: _estimates(question, rows.sort(column, maintain_order=True), column, signature, plan)
        for name, column in columns.items()
    }
    return QuestionMeasure(
        question, method, _estimates(question, rows, "concept", signature, plan), by_attribute
    )


def masses_in(rows: pl.DataFrame, n_points: int) -> Floats:
    """Give the masses of answers, shape (n, k); NaN where there is no rating."""
    none = [float("nan")] * n_points
    found = [none if pmf is None else pmf for pmf in rows["pmf"].to_list()]
    return np.array(found, dtype=np.float64).reshape(-1, n_points)


def values_in(rows: pl.DataFrame, column: str = "value") -> Floats:
    """Give the values of answers, shape (n,); NaN where there is no rating."""
    return rows[column].fill_null(float("nan")).to_numpy().astype(np.float64)


def weights_in(rows: pl.DataFrame) -> Floats | None:
    """Give the weights of answers, shape (n,); ``None`` where all count alike."""
    return rows[PANEL_WEIGHT].to_numpy() if PANEL_WEIGHT in rows.columns else None


def _estimates(
    question: SurveyQuestion, rows: pl.DataFrame, by: str, signature: Signature, plan: IntervalPlan
) -> Estimates:
    return estimate_rows(
        Tallies([figures_of(question.scale.values)], signature),
        masses_in(rows, question.scale.n_points),
        statuses_in(rows["status"]),
        by=rows[by].alias(by.removeprefix(attribute_column(""))),
        weights=weights_in(rows),
        respondents=rows["persona"],
        interval=plan.interval,
        method=plan.method,
        seed=plan.seed,
        replicates=plan.replicates,
    )
