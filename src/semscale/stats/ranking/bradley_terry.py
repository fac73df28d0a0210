"""Strengths of competitors from paired comparisons, by the model of Bradley and Terry."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.estimates import DEFAULT_INTERVAL, Estimate
from semscale.stats.intervals.resampling import check_interval
from semscale.types import Floats, Integers

_MOST_STEPS = 200
_SMALLEST_STEP = 1e-10
_ROUNDING = 1e-12  # variance on the scale of log-odds
_FEWEST_COMPETITORS = _FEWEST_CLUSTERS = 2


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths of k competitors, on the scale of log-odds.

    The chance that i is preferred to j is ``1 / (1 + exp(strength j - strength i))``.

    A chance has no interval where all clusters score alike, as nothing shows how far others may differ.

    Attributes:
        strengths: shape (k,); their mean is 0.
        covariance: shape (k, k), of the strengths; NaN with fewer than two clusters.
        n_clusters: what varied independently: comparisons, or the clusters they were said to belong to.
    """

    strengths: Floats
    covariance: Floats
    n_clusters: int

    def chance(self, first: int, second: int, *, interval: float = DEFAULT_INTERVAL) -> Estimate:
        """Estimate the chance that one competitor is preferred to another, from 0 to 1.

        Args:
            first: the number of the one, from 0.
            second: the number of the other.
            interval: coverage of the interval, between 0 and 1.
        """
        contrast = np.zeros(len(self.strengths))
        contrast[first] += 1.0
        contrast[second] -= 1.0
        return self._chance(contrast, interval)

    def chance_against_average(self, which: int, *, interval: float = DEFAULT_INTERVAL) -> Estimate:
        """Estimate the chance, from 0 to 1, to be preferred to a competitor of the others' mean strength."""
        k = len(self.strengths)
        contrast = np.full(k, -1.0 / (k - 1))
        contrast[which] = 1.0
        return self._chance(contrast, interval)

    def _chance(self, contrast: Floats, interval: float) -> Estimate:
        check_interval(interval)
        logit = float(contrast @ self.strengths)
        if self.n_clusters < _FEWEST_CLUSTERS:
            return Estimate(float(expit(logit)), np.nan, np.nan)
        variance = max(float(contrast @ self.covariance @ contrast), 0.0)
        if variance < _ROUNDING:  # every cluster says the same, which tells nothing of others
            return Estimate(float(expit(logit)), np.nan, np.nan)
        reach = float(stdtrit(self.n_clusters - 1, (1 + interval) / 2)) * np.sqrt(variance)
        return Estimate(*(float(expit(logit + move)) for move in (0.0, -reach, reach)))


def bradley_terry(
    first: Integers,
    second: Integers,
    points: Floats,
    *,
    names: Sequence[str],
    clusters: Integers | None = None,
) -> BradleyTerry:
    """Estimate strengths by maximum likelihood, with a covariance that allows for clusters.

    A tie counts as half a win of each. The covariance is the sandwich ``H^+ S H^+``: H is the information
    matrix, and S sums the outer products of the clusters' scores, times ``g / (g - 1)`` for g clusters.
    Intervals use the t quantile with g - 1 degrees of freedom.

    Args:
        first: shape (m,), numbers of competitors from 0 to k - 1.
        second: shape (m,), their opponents.
        points: shape (m,), what ``first`` got: 1 for a win, 0.5 for a tie, 0 for a loss, or between.
        names: the k competitors' names, for messages.
        clusters: shape (m,), numbers of comparisons that belong together, such as those of one item; every
            comparison by itself unless given.

    Raises:
        InputError: there are fewer than two competitors, points out of range, a competitor who is compared
            with itself, competitors that no comparisons link, or some who never lost a point to the others,
            so that their strengths have no finite value.

    References:
        Bradley and Terry (1952), Biometrika 39, 324-345, doi 10.2307/2334029. Hunter (2004), Annals of
        Statistics 32(1), 384-406, doi 10.1214/aos/1079120141: when the estimate exists (Assumption 1).

    Example:
        >>> first, second = np.array([0, 0, 0, 0]), np.array([1, 1, 1, 1])
        >>> found = bradley_terry(first, second, np.array([1.0, 1.0, 1.0, 0.0]), names=("a", "b"))
        >>> round(found.chance(0, 1).value, 6)
        0.75
    """
    k = len(names)
    _check(first, second, points, k)
    _check_finite(first, second, points, names)
    design = np.zeros((len(points), k))
    design[np.arange(len(points)), first] = 1.0
    design[np.arange(len(points)), second] = -1.0
    strengths = _most_likely(design, points)
    expected = expit(design @ strengths)
    bread = np.linalg.pinv(_information(design, expected), hermitian=True)
    groups = np.arange(len(points)) if clusters is None else np.asarray(clusters)
    _, place = np.unique(groups, return_inverse=True)
    g = int(place.max()) + 1
    scores = np.zeros((g, k))
    np.add.at(scores, place, design * (points - expected)[:, None])
    if g < _FEWEST_CLUSTERS:
        return BradleyTerry(strengths, np.full((k, k), np.nan), g)
    spread = g / (g - 1) * scores.T @ scores
    return BradleyTerry(strengths, bread @ spread @ bread, g)


def _most_likely(design: Floats, points: Floats) -> Floats:
    """Climb to the maximum of the log-likelihood, which is concave, by Newton's steps that never go down."""
    strengths = np.zeros(design.shape[1])
    reached = _log_likelihood(design, points, strengths)
    for _ in range(_MOST_STEPS):
        expected = expit(design @ strengths)
        gradient = design.T @ (points - expected)
        step = np.linalg.pinv(_information(design, expected), hermitian=True) @ gradient
        while (found := _log_likelihood(design, points, strengths + step)) < reached - _SMALLEST_STEP:
            step = step / 2
        strengths, reached = strengths + step, found
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    centred: Floats = strengths - strengths.mean()
    return centred


def _log_likelihood(design: Floats, points: Floats, strengths: Floats) -> float:
    logits = design @ strengths
    return float(points @ log_expit(logits) + (1 - points) @ log_expit(-logits))


def _information(design: Floats, expected: Floats) -> Floats:
    found: Floats = design.T @ (design * (expected * (1 - expected))[:, None])
    return found


def _check(first: Integers, second: Integers, points: Floats, k: int) -> None:
    if k < _FEWEST_COMPETITORS:
        raise InputError(f"names must have at least two competitors, got {k}")
    if not len(first) == len(second) == len(points):
        raise InputError(
            "first, second and points must be of equal length, got "
            f"{len(first)}, {len(second)}, {len(points)}"
        )
    if not ((points >= 0) & (points <= 1)).all():
        raise InputError("points must be from 0 for a loss to 1 for a win")
    if (np.asarray(first) == np.asarray(second)).any():
        raise InputError("a competitor cannot be compared with itself: first and second must differ")


def _check_finite(first: Integers, second: Integers, points: Floats, names: Sequence[str]) -> None:
    """Check that each competitor got a point, directly or through others, against every other."""
    k = len(names)
    got = np.zeros((k, k))
    np.add.at(got, (first, second), points)
    np.add.at(got, (second, first), 1 - points)
    n_linked, linked = connected_components(csr_array(got), directed=True, connection="weak")
    if n_linked > 1:
        ours, theirs = (_listed(names, side) for side in (linked == linked[0], linked != linked[0]))
        raise InputError(
            f"{ours} and {theirs} have no comparison that links them, so that their strengths cannot be "
            "compared: compare one of each"
        )
    n_strong, strong = connected_components(csr_array(got), directed=True, connection="strong")
    if n_strong > 1:
        unbeaten = next(
            members
            for members in (strong == component for component in range(n_strong))
            if not got[np.ix_(~members, members)].any()
        )
        raise InputError(
            f"{_listed(names, unbeaten)} won every comparison with the others, so that no finite strength "
            "fits: it takes a tie or a loss to say by how much"
        )


def _listed(names: Sequence[str], members: np.ndarray) -> str:
    return " and ".join(repr(name) for name, is_member in zip(names, members, strict=True) if is_member)
