"""Linearized terms of a prediction-powered mean of weighted items, and its variance by clusters."""

from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.stats.calibration.prediction_powered import PRIOR_LABELS, added_labels
from semscale.stats.calibration.sample_design import SampleDesign, checked_inclusion
from semscale.types import Floats, Integers

_ROUNDING = 1e-12


class WeightedItems(NamedTuple):
    """Items with a score, all of shape (n,); ``expanded`` is weight / probability, 0 without a label.

    ``strata`` has the stratum of each of m clusters, shape (m,); ``None`` without strata.
    """

    scores: Floats
    labels: Floats
    weights: Floats
    expanded: Floats
    clusters: Integers
    strata: Integers | None


class LinearizedTerms(NamedTuple):
    """What the estimate is made of, and what each of m clusters contributes.

    Attributes:
        mean_label: Hajek's mean of the labels.
        bias: likewise, of score less label.
        gap: mean score of all items less that of the labelled ones.
        label: shape (m,), linearized contributions to the mean label.
        gaps: shape (m,), likewise to the gap.
        share: shape (m,), parts of the labelled items' weight.
        added: what labels without a slope add to the sum of squares of ``gaps``.
        strata: shape (m,), the stratum of each cluster; ``None`` without strata.
    """

    mean_label: float
    bias: float
    gap: float
    label: Floats
    gaps: Floats
    share: Floats
    added: float
    strata: Integers | None = None


def weighted_items(scores: Floats, labels: Floats, design: SampleDesign) -> WeightedItems:
    """Keep the items that have a score and a weight, with clusters numbered from 0."""
    n, labelled = len(scores), ~np.isnan(labels)
    weights: Floats = np.ones(n) if design.weights is None else np.nan_to_num(design.weights, nan=0.0)
    drawn = np.ones(n) if design.inclusion is None else checked_inclusion(design.inclusion, labelled)
    clusters = np.arange(n) if design.clusters is None else design.clusters
    if weights.shape != scores.shape or clusters.shape != scores.shape:
        raise InputError(
            f"weights and clusters must have {n} rows, one for each item, "
            f"got {weights.shape} and {clusters.shape}"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"weights must be finite and >= 0, got {weights.min()} to {weights.max()}")
    kept = ~np.isnan(scores) & (weights > 0)
    expanded = np.where(labelled, weights / np.where(labelled, drawn, 1.0), 0.0)
    _, first, numbered = np.unique(clusters[kept], return_index=True, return_inverse=True)
    strata = None if design.strata is None else design.strata[kept][first]
    return WeightedItems(scores[kept], labels[kept], weights[kept], expanded[kept], numbered, strata)


def linearized_terms(items: WeightedItems) -> LinearizedTerms:
    """Linearize Hajek's mean of the labels and the gap between the mean scores; NaN without a label."""
    total = items.expanded.sum()
    if not total > 0:
        nothing = np.zeros(0)
        return LinearizedTerms(np.nan, np.nan, np.nan, nothing, nothing, nothing, 0.0)
    part, whole = items.expanded / total, items.weights / items.weights.sum()
    labels = np.where(items.expanded > 0, items.labels, 0.0)
    mean_label, mean_labelled, mean_score = part @ labels, part @ items.scores, whole @ items.scores
    varied = np.ptp(items.scores) > _ROUNDING * np.abs(items.scores).max()
    gaps = whole * (items.scores - mean_score) - part * (items.scores - mean_labelled)
    share = cluster_sums(items.clusters, part)
    unknown = 1 - float(whole[items.expanded > 0].sum())
    variance = float(whole @ (items.scores - mean_score) ** 2)
    return LinearizedTerms(
        mean_label=float(mean_label),
        bias=float(mean_labelled - mean_label),
        gap=float(mean_score - mean_labelled),
        label=cluster_sums(items.clusters, part * (labels - mean_label)),
        gaps=cluster_sums(items.clusters, gaps * varied),
        share=share,
        added=varied * PRIOR_LABELS * variance * unknown / effective_number(share) ** 2,
        strata=items.strata,
    )


def cluster_sums(clusters: Integers, column: Floats) -> Floats:
    """Sums by cluster, shape (m,)."""
    sums: Floats = np.bincount(clusters, column).astype(np.float64)
    return sums


def best_tuning(terms: LinearizedTerms) -> float:
    """Tuning with the least linearized variance, held down; 0 where the scores do not vary."""
    spread = terms.gaps @ terms.gaps + terms.added
    return float(-(terms.label @ terms.gaps) / spread) if spread > 0 else 0.0


def cluster_changes(terms: LinearizedTerms, tuning: float) -> Floats:
    """How far the estimate moves without each cluster, shape (m,).

    Without a cluster the means over labelled items move by ``contribution / (1 - share)``. The tuning is the
    slope of a regression of the labels' contributions on the gaps', and moves as that does without a point.
    """
    contribution, rest = terms.label + tuning * terms.gaps, 1 - terms.share
    spread = float(terms.gaps @ terms.gaps) + terms.added
    others: Floats = spread - terms.gaps**2
    defined = (terms.share > 0) & (others > _ROUNDING * spread)
    retuned = np.where(defined, terms.gaps * contribution / np.where(defined, others, 1.0), 0.0)
    changes: Floats = retuned * (terms.gap - terms.gaps / rest) - contribution / rest
    return changes


def padded_items(items: WeightedItems, bounds: tuple[float, float], *, part: float = 1.0) -> WeightedItems:
    """Add four labels where those that there are cannot tell their spread; they are a stratum, -1.

    Args:
        items: with n labels.
        bounds: least and greatest label that there can be.
        part: what an added label weighs, in average labels.
    """
    labelled = items.expanded > 0
    added = added_labels(items.labels[labelled], items.scores, bounds)
    if added is None or not labelled.any():
        return items
    labels, scores = added
    n, new = len(labels), int(items.clusters.max()) + 1
    return WeightedItems(
        np.concatenate([items.scores, scores]),
        np.concatenate([items.labels, labels]),
        np.concatenate([items.weights, np.zeros(n)]),
        np.concatenate([items.expanded, np.full(n, part * items.expanded[labelled].mean())]),
        np.concatenate([items.clusters, np.arange(new, new + n)]),
        None if items.strata is None else np.concatenate([items.strata, np.full(n, -1)]),
    )


def variance_of(terms: LinearizedTerms, tuning: float) -> float:
    """Variance of the mean: the sum of squares of ``centred_changes``."""
    return float((centred_changes(terms, tuning) ** 2).sum())


def centred_changes(terms: LinearizedTerms, tuning: float) -> Floats:
    """What each cluster adds to the variance, before it is squared, shape (m,).

    Without strata the changes times sqrt((n - 1) / n), with n labelled clusters, as a jackknife has it.
    """
    changes, n = cluster_changes(terms, tuning), int((terms.share > 0).sum())
    if terms.strata is None:
        scaled: Floats = changes * np.sqrt((n - 1) / n)
        return scaled
    return within_strata(changes, terms.strata)


def within_strata(changes: Floats, strata: Integers) -> Floats:
    """Centre the changes (m,) of each stratum, and stretch them by sqrt(m_h / (m_h - 1)).

    A cluster alone in its stratum, and added labels, which are in stratum -1, stay as they are.

    Example:
        >>> within_strata(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1])).round(4).tolist()
        [-1.4142, 1.4142, 5.0]
    """
    _, number, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    alone = (sizes[number] == 1) | (strata < 0)
    means = np.bincount(number, changes)[number] / sizes[number]
    stretch = np.sqrt(sizes / np.maximum(sizes - 1, 1))[number]
    return np.where(alone, changes, (changes - means) * stretch)


def effective_number(share: Floats) -> float:
    """Kish's effective number of shares that sum to 1, shape (m,)."""
    return 1 / float(share @ share)
