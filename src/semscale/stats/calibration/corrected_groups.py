"""Test of whether means that hand-made labels correct are the same in several groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import fdtrc

from semscale.stats.calibration.linearized_terms import (
    best_tuning,
    centred_changes,
    linearized_terms,
    padded_items,
    variance_of,
    weighted_items,
)
from semscale.stats.calibration.prediction_powered import checked_labels
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import freedom_of
from semscale.types import Floats, Integers, Mask

FEWEST_IN_GROUP = 10
"""Labels that a group needs to be tested."""

_FEWEST_GROUPS = 2
_ADDED = 0.5


@dataclass(frozen=True)
class CorrectedGroupTest:
    """Test of whether corrected means are the same in all groups.

    Attributes:
        tested: which of the groups took part, in ascending order.
        f: Welch's statistic; NaN where fewer than two groups can be tested.
        df: numerator's degrees of freedom, groups - 1.
        df_below: denominator's.
        p_value: NaN likewise.
    """

    tested: tuple[int, ...]
    f: float
    df: float
    df_below: float
    p_value: float


class _GroupMean(NamedTuple):
    """A group's mean with what it needs to be compared; ``changes`` are of the clusters ``clusters``."""

    value: float
    variance: float
    freedom: float
    changes: Floats
    clusters: Integers


def corrected_group_test(
    scores: Floats,
    labels: Floats,
    groups: Sequence[Mask],
    *,
    bounds: tuple[float, float],
    design: SampleDesign | None = None,
) -> CorrectedGroupTest:
    """Test whether prediction-powered means are the same in all groups.

    Each group's mean, variance and degrees of freedom are those of ``weighted_prediction_powered_mean``, with
    a tuning of its own; where labels are the two bounds only, the four that are added weigh half as much as
    there: one at each bound, as Agresti and Caffo found best for differences.

    V is the covariance of the means m, where clusters that lie in several groups count, and C has k - 1
    contrasts between the k groups. The statistic is ``(C m)' (C V C')^-1 (C m) / (k - 1)``, divided by
    Welch's ``1 + 2 (k - 2) / (k ** 2 - 1) A``. Here ``A = sum of (1 - w / sum w) ** 2 / df``, with
    w = 1 / variance. It has k - 1 and ``(k ** 2 - 1) / (3 A)`` degrees of freedom.

    Args:
        scores: shape (n,), the judge's; NaN where it has none.
        labels: shape (n,), people's; NaN where nobody was asked.
        groups: of each group the rows, shape (n,). One with fewer than 10 labels, or without a variance, does
            not take part.
        bounds: least and greatest label that there can be.
        design: weights, probabilities of a label, clusters and strata.

    Raises:
        InputError: as ``weighted_prediction_powered_mean``.

    References:
        Welch (1951), On the comparison of several mean values, doi 10.1093/biomet/38.3-4.330. The means: as
        ``weighted_prediction_powered_mean``. Added labels: Agresti and Caffo (2000),
        doi 10.1080/00031305.2000.10474560.

    Example:
        >>> labels = np.tile([0.2, 0.4, 0.6], 8)
        >>> north = np.arange(24) < 12
        >>> found = corrected_group_test(labels, labels, [north, ~north], bounds=(0, 1))
        >>> found.tested, round(found.p_value, 6)
        ((0, 1), 1.0)
    """
    scores, labels = checked_labels(scores, labels, bounds)
    design = design or SampleDesign()
    rows = np.arange(len(scores)) if design.clusters is None else design.clusters
    found = {}
    for number, mask in enumerate(groups):
        own = mask & ~np.isnan(scores)
        mean = _group_mean(scores[own], labels[own], design.some(own), rows[own], bounds)
        if mean is not None:
            found[number] = mean
    if len(found) < _FEWEST_GROUPS:
        return CorrectedGroupTest(tuple(found), *[float("nan")] * 4)
    means = list(found.values())
    return CorrectedGroupTest(tuple(found), *_welch(means, _covariance(means)))


def _group_mean(
    scores: Floats, labels: Floats, design: SampleDesign, rows: Integers, bounds: tuple[float, float]
) -> _GroupMean | None:
    """Estimate one group; ``None`` where it cannot be tested."""
    items = weighted_items(scores, labels, design)
    if (items.expanded > 0).sum() < FEWEST_IN_GROUP:
        return None
    terms = linearized_terms(padded_items(items, bounds, part=_ADDED))
    tuning = best_tuning(terms)
    variance = variance_of(terms, tuning)
    if not variance > 0:
        return None
    counted = rows if design.weights is None else rows[np.nan_to_num(design.weights, nan=0.0) > 0]
    clusters = np.unique(counted)
    changes = centred_changes(terms, tuning)
    value = terms.mean_label + tuning * terms.gap
    return _GroupMean(value, variance, freedom_of(terms, tuning), changes[: len(clusters)], clusters)


def _covariance(means: Sequence[_GroupMean]) -> Floats:
    """Covariances between groups, shape (k, k); 0 where no cluster lies in both."""
    clusters = np.concatenate([one.clusters for one in means])
    names, place = np.unique(clusters, return_inverse=True)
    found = np.diag([one.variance for one in means])
    if len(names) == len(clusters):
        return found
    group = np.repeat(np.arange(len(means)), [len(one.clusters) for one in means])
    changes = np.concatenate([one.changes for one in means])
    table = csr_array((changes, (place, group)), shape=(len(names), len(means)))
    shared = (table.T @ table).toarray()
    np.fill_diagonal(shared, np.diag(found))
    return np.asarray(shared)


def _welch(means: Sequence[_GroupMean], covariance: Floats) -> tuple[float, float, float, float]:
    """Welch's statistic, its degrees of freedom and its p-value."""
    k = len(means)
    contrasts = np.eye(k)[1:] - np.eye(k)[0]
    apart = contrasts @ np.array([one.value for one in means])
    wald = float(apart @ np.linalg.pinv(contrasts @ covariance @ contrasts.T) @ apart)
    weight = 1 / np.array([one.variance for one in means])
    freedom = np.array([one.freedom for one in means])
    lost = float(((1 - weight / weight.sum()) ** 2 / freedom).sum())
    f = wald / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lost)
    below = (k**2 - 1) / (3 * lost)
    return f, float(k - 1), below, float(fdtrc(k - 1, below, f))
