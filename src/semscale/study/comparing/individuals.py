"""Individuals: whether a persona answers as the person does whose name it bears."""

from dataclasses import dataclass

import numpy as np

from semscale.stats.agreement.correlations import pearson_estimate, weighted_pearson
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.study.comparing.resampled_figures import SPLITS
from semscale.study.comparing.sides import ComparedSide
from semscale.types import Floats, Mask

_FEWEST = 3


@dataclass(frozen=True)
class Individuals:
    """How far personas answer one question as their namesakes among people do.

    Attributes:
        question: name of the question.
        n: personas with a namesake and an answer on both sides.
        correlation: Pearson's, within concepts; NaN where one side does not vary.
        error: mean absolute difference of the two answers, as a share of the scale's width.
        permuted_error: the same where personas are shuffled among people: the null.
        permuted_high: correlation that shuffled personas stay below with the coverage of the intervals; the
            null of the correlation itself is 0.
    """

    question: str
    n: int
    correlation: Estimate
    error: Estimate
    permuted_error: float
    permuted_high: float


def compare_individuals(
    panel: ComparedSide, people: ComparedSide, plan: IntervalPlan
) -> tuple[Individuals, ...]:
    """Compare personas with the people of the same name; empty where fewer than three names are shared.

    Args:
        panel: answers of the personas.
        people: answers of named people.
        plan: coverage and seed; persons are resampled as a whole.
    """
    place = {name: row for row, name in enumerate(people.names)}
    shared = [(row, place[name]) for row, name in enumerate(panel.names) if name in place]
    if len(shared) < _FEWEST:
        return ()
    own, others = (
        side.positions[list(rows)]
        for side, rows in zip((panel, people), zip(*shared, strict=True), strict=True)
    )
    weights = people.person_weights[[row for _, row in shared]]
    found = (
        _of_question(question.name, own[..., number], others[..., number], weights, plan)
        for number, question in enumerate(panel.questions)
    )
    return tuple(each for each in found if each is not None)


def _of_question(
    name: str, own: Floats, others: Floats, weights: Floats, plan: IntervalPlan
) -> Individuals | None:
    """Compare answers (n, c) to one question; ``None`` with fewer than three pairs."""
    both = ~np.isnan(own) & ~np.isnan(others)
    persons = np.broadcast_to(np.arange(len(own))[:, None], own.shape)[both]
    if len(np.unique(persons)) < _FEWEST:
        return None
    x, y = _within(own, weights, both), _within(others, weights, both)
    weight = np.broadcast_to(weights[:, None], own.shape)[both]
    r = pearson_estimate(x, y, clusters=persons, weights=weight, interval=plan.interval, seed=plan.seed)
    error = estimate_mean(
        np.abs(own - others)[both], bounds=(0, 1), clusters=persons, weights=weight, plan=plan
    )
    errors, correlations = _shuffled(own, others, weights, plan)
    high = float(np.quantile(correlations, (1 + plan.interval) / 2))
    return Individuals(
        name,
        len(np.unique(persons)),
        r,
        Estimate(error.value, error.low, error.high),
        float(np.mean(errors)),
        high,
    )


def _shuffled(
    own: Floats, others: Floats, weights: Floats, plan: IntervalPlan
) -> tuple[list[float], list[float]]:
    """Errors and correlations where personas are shuffled among people; undefined correlations are 0.

    People keep their weights (n,), as in the figures that these stand beside.
    """
    rng = np.random.default_rng(plan.seed)
    errors, correlations = [], []
    for _ in range(SPLITS):
        mixed = own[rng.permutation(len(own))]
        both = ~np.isnan(mixed) & ~np.isnan(others)
        if not both.any():
            continue
        weight = np.broadcast_to(weights[:, None], own.shape)[both]
        errors.append(float(np.average(np.abs(mixed - others)[both], weights=weight)))
        x, y = _within(mixed, weights, both), _within(others, weights, both)
        correlations.append(float(weighted_pearson(x, y, weight[None])[0]))
    return errors, np.nan_to_num(correlations).tolist()


def _within(values: Floats, weights: Floats, both: Mask) -> Floats:
    """Give the answers (n, c) of pairs less their concept's weighted mean, shape (pairs,)."""
    filled = np.where(both, values, 0.0)
    counted = both * weights[:, None]
    means = (filled * counted).sum(axis=0) / np.where(both.any(axis=0), counted.sum(axis=0), 1.0)
    centred: Floats = (values - means)[both]
    return centred
