"""Drivers: codes that go with high and low values of a rating."""

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

_FEWEST_JOINT = 2
"""Codes in the joint model: for one alone it is the difference."""


@dataclass(frozen=True)
class Driver:
    """Relation of one code to the rating.

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
    """Relation of codes to a rating; nothing here says that a code causes it.

    Attributes:
        rating: name of the rating.
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


def find_drivers(  # noqa: PLR0913 - the ratings and codes; the rest are settings
    ratings: Floats,
    assigned: Floats,
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
    probabilities of the codes if there are any (regression calibration): decisions, which are wrong now and
    then, would make its coefficients too small.

    Args:
        ratings: shape (n,), NaN where there is none.
        assigned: shape (n, k), 1, 0 or NaN.
        codes: k names.
        rating: name of the rating.
        probability: shape (n, k), calibrated; ``None`` where a code has none.
        weights: shape (n,), of the answers, which count by them in means and models; those with NaN or 0 are
            left out.
        clusters: shape (n,), whose answers they are, or what was drawn together; each answer by itself if
            omitted.
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
    answers = _RatedAnswers(ratings, weights, clusters, interval)
    singles = [answers.difference(column) for column in assigned.T]
    raw = [np.nan if model is None else model.p_value[0] for model in singles]
    p_values = adjusted(np.array(raw), "holm")
    in_joint, joint = _joint_model(answers, assigned if probability is None else probability, assigned)
    joint_p_values = np.full(len(codes), np.nan)
    if joint is not None:
        joint_p_values[in_joint] = adjusted(joint.p_value, "holm")
    drivers = []
    for position, (code, model) in enumerate(zip(codes, singles, strict=True)):
        has, lacks = answers.split(assigned[:, position])
        drivers.append(
            Driver(
                code,
                int(has.sum()),
                int(lacks.sum()),
                answers.mean(has),
                answers.mean(lacks),
                Estimate(np.nan, np.nan, np.nan) if model is None else _estimate(model, 0),
                float(p_values[position]),
                None
                if joint is None or position not in in_joint
                else _estimate(joint, in_joint.index(position)),
                float(joint_p_values[position]),
            )
        )
    return Drivers(
        rating,
        tuple(drivers),
        0 if joint is None else joint.n,
        float("nan") if joint is None else joint.r_squared,
        probability is not None,
        "HC3" if clusters is None else "CR2",
    )


class _RatedAnswers(NamedTuple):
    """Ratings of answers, NaN for those that do not count, with their weights and clusters."""

    ratings: Floats
    weights: Floats
    clusters: Integers | None
    interval: float

    def split(self, assigned: Floats) -> tuple[Mask, Mask]:
        """Return which rated answers have a code, and which lack it."""
        rated = ~np.isnan(self.ratings)
        return rated & (assigned == 1), rated & (assigned == 0)

    def mean(self, rows: Mask) -> float:
        """Average the ratings of some rows; NaN without any."""
        if not rows.any():
            return float("nan")
        return float(np.average(self.ratings[rows], weights=self.weights[rows]))

    def difference(self, assigned: Floats) -> Coefficients | None:
        """Fit the difference of one code; ``None`` where it is too rare, or too frequent."""
        has, lacks = self.split(assigned)
        return self.fit(has | lacks, assigned[:, None]) if self.is_frequent(has, lacks) else None

    def fit(self, rows: Mask, predictors: Floats) -> Coefficients:
        """Fit the ratings of some rows, shape (n,), by the same rows of predictors, shape (n, k)."""
        return robust_regression(
            self.ratings[rows],
            predictors[rows],
            weights=self.weights[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
            interval=self.interval,
        )

    def is_frequent(self, has: Mask, lacks: Mask) -> bool:
        """Return whether enough answers, of enough people, have a code, and enough lack it."""
        return min(self.n_units(has), self.n_units(lacks)) >= FEWEST

    def n_units(self, rows: Mask) -> int:
        """Count the clusters of rows; the rows themselves where there are no clusters."""
        return int(rows.sum()) if self.clusters is None else len(np.unique(self.clusters[rows]))


def _joint_model(
    answers: _RatedAnswers, predictors: Floats, assigned: Floats
) -> tuple[list[int], Coefficients | None]:
    """Fit the model of all codes that are frequent enough; ``None`` where fewer than two of them are."""
    columns = range(assigned.shape[1])
    frequent = [column for column in columns if answers.is_frequent(*answers.split(assigned[:, column]))]
    rows = ~np.isnan(answers.ratings) & ~np.isnan(predictors[:, frequent]).any(axis=1)
    used = [frequent[index] for index in independent_columns(predictors[rows][:, frequent])]
    if len(used) < _FEWEST_JOINT or answers.n_units(rows) < FEWEST * len(used):
        return [], None
    return used, answers.fit(rows, predictors[:, used])


def _estimate(model: Coefficients, index: int) -> Estimate:
    return Estimate(float(model.value[index]), float(model.low[index]), float(model.high[index]))
