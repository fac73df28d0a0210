"""How far personas say the same when they are asked again."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.intraclass import intraclass_correlation
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.measures import values_in
from semscale.types import Floats, Mask

_FEWEST_SAMPLES = 2


@dataclass(frozen=True)
class RerunReliability:
    """The reliability of a persona's mean answer over its samples.

    Attributes:
        question: name of the question.
        method: how it was measured.
        reliability: intraclass correlation 1,k within concepts; 1 where samples are always alike.
        model: that answered; ``None`` where the study has one alone.
    """

    question: str
    method: str
    reliability: AgreementEstimate
    model: str | None = None


def answer_reliabilities(
    question: SurveyQuestion, method: str, rows: pl.DataFrame, plan: IntervalPlan
) -> Iterator[RerunReliability]:
    """Estimate the reliability of a question by a method; nothing where each persona was asked once.

    Args:
        question: what was asked.
        method: how it was measured.
        rows: its answers.
        plan: coverage and seed; personas are resampled as a whole.
    """
    place = {name: pl.col(name).rank("dense").cast(pl.Int64) - 1 for name in ("persona", "concept", "sample")}
    places = rows.select(**place)
    shape = tuple(int(places[name].max() or 0) + 1 for name in place)  # type: ignore[arg-type]
    if shape[-1] < _FEWEST_SAMPLES:
        return
    repeats = np.full(shape, np.nan)
    repeats[tuple(places[name].to_numpy() for name in place)] = values_in(rows)
    yield RerunReliability(question.name, method, repeated_reliability(repeats, plan))


def repeated_reliability(repeats: Floats, plan: IntervalPlan) -> AgreementEstimate:
    """Intraclass correlation 1,k of repeated answers, each less its concept's mean.

    Args:
        repeats: shape (n, c, samples): answers of n personas about c concepts, two samples or more; NaN where
            there is none. Personas count for a concept where they have all samples.
        plan: coverage and seed; personas are resampled as a whole.
    """
    complete: Mask = np.asarray(~np.isnan(repeats).any(axis=2))
    filled = np.where(complete[..., None], repeats, 0.0)
    means = filled.mean(axis=2).sum(axis=0) / np.maximum(complete.sum(axis=0), 1)
    centred = filled - means[None, :, None]
    persons = np.broadcast_to(np.arange(len(repeats))[:, None], complete.shape)[complete]
    return intraclass_correlation(
        centred[complete], form="1,k", clusters=persons, interval=plan.interval, seed=plan.seed
    )
