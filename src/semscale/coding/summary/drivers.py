"""Which codes go with high and low values of a rating."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.linear_models import Coefficients, independent_columns, robust_regression
from semscale.stats.testing.multiple_testing import adjusted
from semscale.types import Floats, Integers, Mask

FEWEST = 5
"""Rated answers with a code, and without it, that a difference needs, and people who gave them."""


@dataclass(frozen=True)
class Driver:
    """How one code goes with the rating.

    Attributes:
        code: its name.
        n_with: rated answers with the code.
        n_without: rated answers without it.
        mean_with: mean rating of the first; NaN without any.
        mean_without: of the others.
        difference: ``mean_with - mean_without`` with its interval; NaN with fewer than 5 answers, or people,
            of either.
        p_value: of no difference, adjusted by Holm over all codes; NaN likewise.
        joint: what the code adds while the other codes stay as they are; ``None`` where it is not in the
            joint model.
        joint_p_value: of adding nothing, adjusted likewise; NaN likewise.
    """

    code: str
    n_with: int
    n_without: int
    mean_with: float
    mean_without: float
    difference: Estimate
    p_value: float
    joint: Estimate | None
    joint_p_value: float


@dataclass(frozen=True)
class Drivers:
    """How codes go with a rating; nothing here says that a code causes it.

    Attributes:
        rating: what the rating is called.
        drivers: one for each code.
        n: answers in the joint model; 0 where there is none.
        r_squared: share of the rating's variance that it explains; NaN likewise.
        by_probability: whether the joint model takes probabilities of codes, not decisions.
        standard_errors: ``HC3``, or ``CR2`` where answers belong together.
    """

    rating: str
    drivers: tuple[Driver, ...]
    n: int
    r_squared: float
    by_probability: bool
    standard_errors: Literal["HC3", "CR2"] = "HC3"


def drivers_of(  # noqa: PLR0913 - what is compared, and how
    ratings: Floats,
    given: Floats,
    codes: Sequence[str],
    *,
    rating: str,
    probability: Floats | None = None,
    weights: Floats | None = None,
    clusters: Integers | None = None,
    interval: float = 0.95,
) -> Drivers:
    """Compare ratings with and without each code, and of all codes together.

    Differences and the joint model have HC3 standard errors, or CR2 where answers belong together: several
    answers of one person say less than those of as many people. The joint model takes calibrated
    probabilities of the codes where they are given (regression calibration): decisions, which are wrong now
    and then, would make its coefficients too small.

    Args:
        ratings: shape (n,), NaN where there is none.
        given: shape (n, k), 1, 0 or NaN.
        codes: k names.
        rating: what the rating is called.
        probability: shape (n, k), calibrated; ``None`` where a code has none.
        weights: shape (n,), of the answers, which count by them in means and models; those with NaN or 0 are
            left out.
        clusters: shape (n,), whose answers they are, or what was drawn together; each answer for itself
            unless given.
        interval: coverage to aim at.

    References:
        Carroll, Ruppert, Stefanski and Crainiceanu (2006), Measurement Error in Nonlinear Models, chapter 4.

    Raises:
        InputError: no answer has a rating.
    """
    weights = np.ones(len(ratings)) if weights is None else np.nan_to_num(weights, nan=0.0)
    ratings = np.where(weights > 0, ratings, np.nan)
    if np.isnan(ratings).all():
        raise InputError(f"rating: {rating!r} has no number in an answer that was coded")
    answers = _Answers(ratings, weights, clusters, interval)
    singles = [_difference(answers, given[:, place]) for place in range(len(codes))]
    joint, model = _joint(answers, given if probability is None else probability, given)
    p_values = adjusted(np.array([one.model.p_value[0] if one.model else np.nan for one in singles]), "holm")
    joint_p = np.full(len(codes), np.nan)
    if model is not None:
        joint_p[joint] = adjusted(model.p_value, "holm")
    drivers = []
    for place, (code, one) in enumerate(zip(codes, singles, strict=True)):
        together = None
        if model is not None and place in joint:
            at = joint.index(place)
            together = Estimate(*(float(each[at]) for each in (model.value, model.low, model.high)))
        drivers.append(
            Driver(
                code,
                one.n_with,
                one.n_without,
                one.mean_with,
                one.mean_without,
                _estimate(one.model),
                float(p_values[place]),
                together,
                float(joint_p[place]),
            )
        )
    found = (0, float("nan")) if model is None else (model.n, model.r_squared)
    errors: Literal["HC3", "CR2"] = "HC3" if clusters is None else "CR2"
    return Drivers(rating, tuple(drivers), *found, probability is not None, errors)


class _Answers(NamedTuple):
    """Rated answers, with what they count by and to whom they belong."""

    ratings: Floats
    weights: Floats
    clusters: Integers | None
    interval: float

    def fit(self, rows: Mask, predictors: Floats) -> Coefficients:
        """Fit the ratings of some rows, shape (n,), by the same rows of predictors, shape (n, k)."""
        return robust_regression(
            self.ratings[rows],
            predictors[rows],
            weights=self.weights[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
            interval=self.interval,
        )

    def n_units(self, rows: Mask) -> int:
        """Count what rows belong to; rows themselves where each stands for itself."""
        return int(rows.sum()) if self.clusters is None else len(np.unique(self.clusters[rows]))


class _Difference(NamedTuple):
    """Ratings with and without one code; no model with fewer than 5 of either."""

    n_with: int
    n_without: int
    mean_with: float
    mean_without: float
    model: Coefficients | None


def _difference(answers: _Answers, given: Floats) -> _Difference:
    ratings, weights = answers.ratings, answers.weights
    known = ~np.isnan(ratings)
    has, lacks = known & (given == 1), known & (given == 0)
    means = _mean(ratings[has], weights[has]), _mean(ratings[lacks], weights[lacks])
    n_with, n_without = int(has.sum()), int(lacks.sum())
    model = answers.fit(has | lacks, given[:, None]) if _is_often(answers, has, lacks) else None
    return _Difference(n_with, n_without, *means, model)


def _joint(answers: _Answers, predictors: Floats, given: Floats) -> tuple[list[int], Coefficients | None]:
    """Fit the model of all codes that occur often enough; ``None`` where fewer than two of them do."""
    rated = ~np.isnan(answers.ratings)
    often = [
        place
        for place in range(given.shape[1])
        if _is_often(answers, rated & (given[:, place] == 1), rated & (given[:, place] == 0))
    ]
    rows = rated & ~np.isnan(predictors[:, often]).any(axis=1)
    kept = [often[place] for place in independent_columns(predictors[rows][:, often])]
    if len(kept) < 2 or answers.n_units(rows) < FEWEST * len(kept):  # noqa: PLR2004 - one code needs none
        return [], None
    return kept, answers.fit(rows, predictors[:, kept])


def _is_often(answers: _Answers, has: Mask, lacks: Mask) -> bool:
    """Whether enough answers, of enough people, have a code, and enough lack it."""
    return min(answers.n_units(has), answers.n_units(lacks)) >= FEWEST


def _mean(values: Floats, weights: Floats) -> float:
    return float(np.average(values, weights=weights)) if len(values) else float("nan")


def _estimate(one: Coefficients | None) -> Estimate:
    if one is None:
        return Estimate(float("nan"), float("nan"), float("nan"))
    return Estimate(float(one.value[0]), float(one.low[0]), float(one.high[0]))
