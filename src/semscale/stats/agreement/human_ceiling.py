"""A judge's agreement with people, beside people's agreement with each other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.agreement.correlations import weighted_pearson, weighted_spearman
from semscale.stats.agreement.estimates import (
    AgreementEstimate,
    Counted,
    checked_ratings,
    estimate_agreement,
)
from semscale.stats.agreement.kappa import kappa_coefficient
from semscale.stats.agreement.panels import mean_defined
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.jackknife import CORRELATION, NormalizingTransform
from semscale.types import Floats, Integers

Coefficient = Literal["pearson", "spearman", "kappa"]
"""``pearson`` and ``spearman``: with the mean of the others. ``kappa``: with each of them, quadratic."""

_DIFFERENCE = NormalizingTransform(np.asarray, np.asarray, -2.0, 2.0)
_FEWEST_RATERS = 2
_COUNTED: dict[str, Callable[[Floats, Floats], Counted]] = {
    "pearson": lambda x, y: lambda counts: weighted_pearson(x, y, counts),
    "spearman": lambda x, y: lambda counts: weighted_spearman(x, y, counts),
    "kappa": lambda x, y: kappa_coefficient(x, y, "quadratic"),
}


@dataclass(frozen=True)
class HumanComparison:
    """A judge's agreement with people beside theirs with each other, on the same items.

    Attributes:
        judge: the judge's agreement with people.
        ceiling: people's agreement with each other, each left out in turn.
        difference: judge less ceiling, with an interval of its own; above 0 the judge agrees with people
            better than one of them does.
        coefficient: of agreement.
        n_raters: people who could be left out.
    """

    judge: AgreementEstimate
    ceiling: AgreementEstimate
    difference: AgreementEstimate
    coefficient: Coefficient
    n_raters: int


@dataclass(frozen=True)
class _Turn:
    """One person left out: rows of the usable items, and both coefficients of these rows."""

    rows: Integers
    judge: Counted
    person: Counted


def compare_with_humans(  # noqa: PLR0913 - the coefficient, and one setting each of the resampling
    judge: Floats,
    human: Floats,
    *,
    coefficient: Coefficient = "spearman",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> HumanComparison:
    """Compare a judge with people, and each of the people with the others: leave one rater out.

    Each person is left out in turn. The judge and that person are then compared with the same others on the
    same items, so that neither has an easier reference. Both figures are means over turns.

    Args:
        judge: shape (n,), NaN where the judge has no score.
        human: shape (n, raters), NaN where a person did not rate. Where columns are not the same people
            throughout, a turn leaves out a place instead of a person.
        coefficient: of agreement; correlations ignore severity, kappa does not.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.

    Returns:
        Items without the judge or with fewer than two people are left out.

    Raises:
        InputError: lengths differ, not a table of two people or more, an infinite value, an unknown
            coefficient, or a setting out of range.

    References:
        The idea of people's own agreement as the yardstick: Calderon, Reichart and Dror (2025), The
        Alternative Annotator Test, arXiv 2501.10970.

    Example:
        >>> people = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
        >>> found = compare_with_humans(np.array([1.0, 2.0, 3.0]), people, coefficient="pearson")
        >>> round(found.judge.value, 2), round(found.ceiling.value, 2)
        (0.75, 0.5)
    """
    people = checked_ratings(human, "human")
    scores = np.asarray(judge, dtype=np.float64)
    if scores.shape != people.shape[:1] or np.isinf(scores).any():
        raise InputError(f"judge must have {len(people)} finite scores or NaN, got shape {scores.shape}")
    if coefficient not in _COUNTED:
        raise InputError(f"coefficient must be one of {', '.join(_COUNTED)}, got {coefficient!r}")
    usable = ~np.isnan(scores) & ((~np.isnan(people)).sum(axis=1) >= _FEWEST_RATERS)
    turns = _turns(scores[usable], people[usable], coefficient)
    plan = ResamplingPlan(clusters, interval, seed)
    figures: list[tuple[Counted, NormalizingTransform]] = [
        (lambda counts: _both(turns, counts)[0], CORRELATION),
        (lambda counts: _both(turns, counts)[1], CORRELATION),
        (lambda counts: np.subtract(*_both(turns, counts)), _DIFFERENCE),
    ]
    undefined = "in no turn do the judge's, the person's and the others' ratings all vary"
    estimates = (
        estimate_agreement(figure, usable, plan, transform, undefined=undefined)
        for figure, transform in figures
    )
    of_judge, of_people, difference = estimates
    return HumanComparison(of_judge, of_people, difference, coefficient, len(turns))


def _turns(judge: Floats, people: Floats, coefficient: Coefficient) -> list[list[_Turn]]:
    """For each person the comparisons that are made when that person is left out."""
    there = ~np.isnan(people)
    turns = []
    for person in range(people.shape[1]):
        others = [other for other in range(people.shape[1]) if other != person]
        if coefficient == "kappa":
            references = [(people[:, other], there[:, person] & there[:, other]) for other in others]
        else:
            left = there[:, others].sum(axis=1)
            means = np.where(there[:, others], people[:, others], 0.0).sum(axis=1) / np.maximum(left, 1)
            references = [(means, there[:, person] & (left > 0))]
        made = [_turn(judge, people[:, person], *reference, coefficient) for reference in references]
        turns.append([turn for turn in made if len(turn.rows)])
    return [made for made in turns if made]


def _turn(
    judge: Floats,
    person: Floats,
    reference: Floats,
    usable: npt.NDArray[np.bool_],
    coefficient: Coefficient,
) -> _Turn:
    rows = np.flatnonzero(usable)
    counted = _COUNTED[coefficient]
    return _Turn(rows, counted(judge[rows], reference[rows]), counted(person[rows], reference[rows]))


def _both(turns: list[list[_Turn]], counts: Floats) -> tuple[Floats, Floats]:
    """Mean over turns of the judge's and of the people's agreement, of turns in which both are defined."""
    judge, people = [], []
    for made in turns:
        pairs = np.array([_defined(turn, counts[:, turn.rows]) for turn in made])
        judge.append(mean_defined(pairs[:, 0]))
        people.append(mean_defined(pairs[:, 1]))
    if not turns:
        return np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    return mean_defined(judge), mean_defined(people)


def _defined(turn: _Turn, counts: Floats) -> tuple[Floats, Floats]:
    there = counts.sum(axis=1) > 1
    counts = np.where(there[:, None], counts, 1.0)
    judge, person = turn.judge(counts), turn.person(counts)
    missing = np.isnan(judge) | np.isnan(person) | ~there
    return np.where(missing, np.nan, judge), np.where(missing, np.nan, person)
