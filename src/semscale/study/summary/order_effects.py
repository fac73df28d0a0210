"""Order effects: answers to what stood first in an interview, against answers to the same things later."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.measures import values_in
from semscale.types import Floats, Integers, Mask

Ordered = Literal["concept", "question"]
"""What has a place in an interview."""


@dataclass(frozen=True)
class OrderEffect:
    """What standing first does to the answers.

    Attributes:
        question: name of the question.
        method: how it was measured.
        ordered: whose first place is meant.
        effect: mean of the answers in the first place less that of the others, each less its concept's mean.
        model: that answered; ``None`` where the study has one alone.
    """

    question: str
    method: str
    ordered: Ordered
    effect: MeanEstimate
    model: str | None = None


def order_effects(
    question: SurveyQuestion, method: str, rows: pl.DataFrame, plan: IntervalPlan
) -> Iterator[OrderEffect]:
    """Estimate what the first place does, for concepts and for questions.

    Args:
        question: what was asked.
        method: how it was measured.
        rows: its answers.
        plan: how intervals are made; personas are resampled as a whole.
    """
    spread = float(np.ptp(question.scale.values))
    scored = rows.filter(pl.col("value").is_not_null())
    concepts = scored["concept"].rank("dense").to_numpy().astype(np.int64)
    personas = scored["persona"].rank("dense").to_numpy().astype(np.int64)
    orders: tuple[Ordered, ...] = ("concept", "question")
    for ordered in orders:
        places = scored[f"{ordered}_place"]
        if places.null_count() or places.n_unique() < 2:  # noqa: PLR2004 - first and later
            continue
        first = (places == 1).to_numpy()
        contrasts = place_contrasts(values_in(scored), first, concepts)
        most = 2 * spread / min(first.mean(), 1 - first.mean())
        effect = estimate_mean(contrasts, bounds=(-most, most), clusters=personas, plan=plan)
        yield OrderEffect(question.name, method, ordered, effect)


def place_contrasts(values: Floats, first: Mask, concepts: Integers) -> Floats:
    """Give each answer the number whose mean over all answers is the effect of the first place.

    With d, the answer less its concept's mean, and p, the share of answers in the first place, it is d / p in
    the first place and -d / (1 - p) elsewhere; the mean is that of d in the first place less that of d
    elsewhere.

    Args:
        values: shape (n,), answers.
        first: shape (n,), whether it stood first; some did, and some did not.
        concepts: shape (n,), numbers of concepts.

    Example:
        >>> values, first = np.array([4.0, 2.0, 5.0, 5.0]), np.array([True, False, True, False])
        >>> place_contrasts(values, first, np.array([0, 0, 1, 1])).tolist()
        [2.0, 2.0, 0.0, -0.0]
    """
    _, place = np.unique(concepts, return_inverse=True)
    means = np.bincount(place, values) / np.bincount(place)
    deviations = values - means[place]
    share = first.mean()
    contrasts: Floats = np.where(first, deviations / share, -deviations / (1 - share))
    return contrasts
