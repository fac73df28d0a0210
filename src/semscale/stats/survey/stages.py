"""How each stage of a survey was drawn, as the variance needs it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.errors import InputError, RowError
from semscale.types import Floats, Integers, Mask

Lonely = Literal["fail", "certainty", "average", "adjust"]
"""What a stratum with a single cluster adds to the variance.

``fail``: an error. ``certainty``: nothing, as if it had been taken for sure. ``average``: what the other
strata add on average. ``adjust``: its distance from the mean of the whole sample, which is on the safe side.
"""

_ALL_TAKEN = 1e-7
"""Share of a stratum that was not drawn, below which the stratum adds nothing."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of a draw: its clusters and strata.

    The variance of a total is ``sum over strata h of scale_h (sum over clusters c of t_hc ** 2 -
    centring_h (sum over clusters of t_hc) ** 2)``, with t_hc a cluster's total.

    Attributes:
        cluster: shape (n,), number of each row's cluster, 0 to m - 1.
        stratum: shape (m,), number of each cluster's stratum, 0 to h - 1.
        scale: shape (h,), ``(1 - f) m_h / (m_h - 1)``, times the sampled shares of the stages before.
        centring: shape (h,), ``1 / m_h``; 0 where a stratum is not centred.
    """

    cluster: Integers
    stratum: Integers
    scale: Floats
    centring: Floats


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Counts of a stage: clusters of each stratum, share drawn, and the cluster of the stage before."""

    cluster: Integers
    stratum: Integers
    sizes: Integers
    fractions: Floats
    parent: Integers
    multiplier: Floats


def drawn_stages(
    clusters: list[Integers], strata: list[Integers], fpc: list[Floats] | None, lonely: Lonely
) -> tuple[Stage, ...]:
    """Prepare the stages of a draw; without ``fpc`` the first stage alone counts.

    Args:
        clusters: of each stage, shape (n,), numbers from 0.
        strata: of each stage, shape (n,), numbers from 0.
        fpc: of each stage, shape (n,): clusters in the population, or the share drawn if at most 1.
        lonely: what a stratum with a single cluster adds.

    Raises:
        InputError: a cluster in several strata, more clusters than the population has, a population that
            differs within a stratum, or a single cluster in a stratum (with ``fail``).
    """
    n = len(clusters[0])
    parent, multiplier = np.zeros(n, dtype=np.int64), np.ones(n)
    stages = []
    for place, cluster_given in enumerate(clusters):
        # Later stages are numbered within the clusters of the stage before.
        stratum = _joined(parent, strata[place]) if place else strata[place]
        cluster = _joined(parent, cluster_given) if place else cluster_given
        drawn = _counted(cluster, stratum, None if fpc is None else fpc[place], parent, multiplier)
        stages.append(_stage(drawn, lonely, place))
        if fpc is None:
            break
        parent, multiplier = cluster, multiplier * drawn.fractions[drawn.stratum][cluster]
    return tuple(stages)


def _joined(outer: Integers, inner: Integers) -> Integers:
    _, codes = np.unique(outer * (int(inner.max()) + 1) + inner, return_inverse=True)
    return np.asarray(codes, dtype=np.int64)


def _counted(
    cluster: Integers, stratum: Integers, fpc: Floats | None, parent: Integers, multiplier: Floats
) -> _Drawn:
    m, h = int(cluster.max()) + 1, int(stratum.max()) + 1
    stratum_of = np.zeros(m, dtype=np.int64)
    stratum_of[cluster] = stratum
    split = np.flatnonzero(stratum_of[cluster] != stratum)
    if len(split):
        raise RowError(
            "the cluster of {row} lies in more than one stratum: "
            "give clusters numbers of their own, or nested=True if they are numbered within each stratum",
            int(split[0]),
        )
    sizes = np.bincount(stratum_of, minlength=h)
    parents, multipliers = np.zeros(h, dtype=np.int64), np.ones(h)
    parents[stratum], multipliers[stratum] = parent, multiplier
    return _Drawn(cluster, stratum_of, sizes, _fractions(fpc, stratum, sizes), parents, multipliers)


def _fractions(fpc: Floats | None, stratum: Integers, sizes: Integers) -> Floats:
    """Share of each stratum's clusters that was drawn, shape (h,)."""
    if fpc is None:
        return np.zeros(len(sizes))
    population = np.empty(len(sizes))
    population[stratum] = fpc
    differing = np.flatnonzero(population[stratum] != fpc)
    if len(differing):
        row = int(differing[0])
        raise RowError(
            f"fpc must be one number within a stratum, but {{row}} has {fpc[row]:g} and another row "
            f"of its stratum {population[stratum[row]]:g}; name the strata, or correct the number",
            row,
        )
    fractions = np.where(population <= 1, population, sizes / population)
    wrong = np.flatnonzero((fractions > 1) | ~(fractions > 0))
    if len(wrong):
        row = int(np.flatnonzero(stratum == wrong[0])[0])
        raise RowError(
            "fpc must be at least the number of clusters drawn, but the stratum of {row} has "
            f"{sizes[wrong[0]]} of {population[wrong[0]]:g}",
            row,
        )
    return fractions


def _stage(drawn: _Drawn, lonely: Lonely, place: int) -> Stage:
    sizes, left = drawn.sizes, 1 - drawn.fractions
    single = (sizes == 1) & (left >= _ALL_TAKEN)
    if lonely == "fail" and single.any():
        row = int(np.flatnonzero(single[drawn.stratum][drawn.cluster])[0])
        raise RowError(
            f"the stratum of {{row}} has a single cluster at stage {place + 1}: join strata, or "
            "choose lonely='certainty', 'average' or 'adjust'",
            row,
        )
    scale = drawn.multiplier * np.where(left < _ALL_TAKEN, 0.0, left)
    scale = scale * np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 1.0)
    centring = 1.0 / sizes
    if lonely == "adjust":
        centring = np.where(single, 0.0, centring)
    if lonely == "average":
        scale = scale * _lifted(single, drawn.parent)
    return Stage(drawn.cluster, drawn.stratum, scale, centring)


def _lifted(single: Mask, parent: Integers) -> Floats:
    """Factor that makes up for single clusters: strata / strata with more, within each earlier cluster."""
    number = np.bincount(parent).astype(np.float64)
    usable = np.bincount(parent, ~single, len(number))
    if np.any((usable == 0) & (number > 0)):
        raise InputError("lonely='average' needs a stratum with two clusters or more")
    factors = np.divide(number, usable, out=np.ones(len(number)), where=usable > 0)
    return np.asarray(factors[parent])
