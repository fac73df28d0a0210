"""Prediction-powered mean of weighted or clustered items whose labels were drawn with known probabilities."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.calibration.prediction_powered import (
    FEWEST_LABELS,
    PRIOR_LABELS,
    CorrectedMean,
    LabelledMethod,
    added_labels,
    checked_labels,
    tuned_freedom,
    with_telling_ends,
)
from semscale.stats.calibration.sample_design import SampleDesign, checked_inclusion
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.stats.intervals.resampling import check_interval
from semscale.types import Floats, Integers

_ROUNDING = 1e-12
_FEWEST_EFFECTIVE = 1.5


class _Items(NamedTuple):
    """Items with a score, all of shape (n,); ``expanded`` is weight / probability, 0 without a label."""

    scores: Floats
    labels: Floats
    weights: Floats
    expanded: Floats
    clusters: Integers


class _Terms(NamedTuple):
    """What the estimate is made of, and what each of m clusters contributes.

    Attributes:
        mean_label: Hajek's mean of the labels.
        bias: likewise, of score less label.
        gap: mean score of all items less that of the labelled ones.
        label: shape (m,), linearized contributions to the mean label.
        gaps: shape (m,), likewise to the gap.
        share: shape (m,), parts of the labelled items' weight.
        added: what labels without a slope add to the sum of squares of ``gaps``.
    """

    mean_label: float
    bias: float
    gap: float
    label: Floats
    gaps: Floats
    share: Floats
    added: float


def weighted_prediction_powered_mean(
    scores: Floats,
    labels: Floats,
    *,
    bounds: tuple[float, float],
    design: SampleDesign,
    interval: float = 0.95,
) -> CorrectedMean:
    """Prediction-powered mean: tuning * mean score of all + mean of (label - tuning * score).

    With weights w and probabilities p, the first mean is that of all scored items, ``sum w f / sum w``, and
    the second is Hajek's of the labelled ones, ``sum (w / p) (y - tuning f) / sum (w / p)``. The tuning is
    the one with the least estimated variance, as if four more labels of average weight had shown no slope, as
    in ``prediction_powered_mean``. Items without a score or weight are left out.

    The variance is linearized: what each item contributes is summed by cluster, squared and added up.
    Contributions of labelled clusters are those of a jackknife, which allows for tuning and means that come
    from few labels. Quantiles are those of t with ``tuned_freedom`` degrees, from Kish's effective number of
    labelled clusters. Where labels are the two bounds only, or all alike, the interval is made with four
    more, as in ``prediction_powered_mean``. There is no interval, and the value is the labels' mean, where
    the effective number of labelled clusters, or of all clusters by their weights, is below 1.5: more than
    two thirds of the weight is then on one, and the others cannot show how far it may be off. Nor is there
    one where it would be the whole of the bounds. Items count as drawn from a larger population: for the
    mean of just these items the interval is too wide where most have a label.

    Args:
        scores: shape (n,), the judge's; NaN where it has none.
        labels: shape (n,), people's; NaN where nobody was asked.
        bounds: least and greatest label that there can be; value and intervals stay within.
        design: weights, probabilities and clusters.
        interval: coverage to aim at, between 0 and 1.

    Raises:
        InputError: lengths differ, an infinite value, labels beyond their bounds, a wrong weight or
            probability, a label without a probability, or ``interval`` out of range.

    References:
        Hajek (1971), in Godambe and Sprott (eds.), Foundations of Statistical Inference, 236. Sarndal,
        Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 5.5 to 5.7 and 6.4. Tuning:
        Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453, section 6. Effective number: Kish (1965),
        Survey Sampling, section 11.7.

    Example:
        >>> scores = np.array([1.0, 2.0, 4.0, 5.0])
        >>> labels = np.array([2.0, np.nan, 5.0, np.nan])
        >>> design = SampleDesign(inclusion=np.array([0.25, 0.5, 0.75, 0.5]))
        >>> found = weighted_prediction_powered_mean(scores, labels, bounds=(1, 5), design=design)
        >>> round(found.labels_only.value, 6)  # (4 * 2 + 4 / 3 * 5) / (4 + 4 / 3)
        2.75
    """
    scores, labels = checked_labels(scores, labels, bounds)
    check_interval(interval)
    items = _items(scores, labels, design)
    terms, padded = _terms(items), _padded(items, bounds)
    note = _lacks(items, terms, design)
    enough = note is None
    method: LabelledMethod = "linearized" if padded is items else "linearized with added labels"
    tuning = _tuning(terms) if enough else 0.0
    value = float(np.clip(terms.mean_label + tuning * terms.gap, *bounds))
    ends = alone = (np.nan, np.nan)
    if enough:
        ends = _ends(_terms(padded), interval, bounds)
        alone = _ends(_without_scores(_terms(padded)), interval, bounds)
    n_labelled = int((items.expanded > 0).sum())
    found = CorrectedMean(
        value=value,
        low=min(ends[0], value),
        high=max(ends[1], value),
        naive=estimate_mean(
            items.scores,
            bounds=(-np.inf, np.inf),
            clusters=items.clusters,
            weights=items.weights,
            plan=IntervalPlan(interval=interval, method="linearized"),
        ),
        labels_only=Estimate(
            terms.mean_label, min(alone[0], terms.mean_label), max(alone[1], terms.mean_label)
        ),
        bias=terms.bias,
        tuning=tuning,
        n_labelled=n_labelled,
        n_unlabelled=len(items.scores) - n_labelled,
        n_left_out=len(scores) - len(items.scores),
        method=method if enough else None,
        note=note,
    )
    return with_telling_ends(found, bounds)


def _items(scores: Floats, labels: Floats, design: SampleDesign) -> _Items:
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
    numbered = np.unique(clusters[kept], return_inverse=True)[1]
    return _Items(scores[kept], labels[kept], weights[kept], expanded[kept], numbered)


def _terms(items: _Items) -> _Terms:
    """Linearize Hajek's mean of the labels and the gap between the mean scores; NaN without a label."""
    total = items.expanded.sum()
    if not total > 0:
        nothing = np.zeros(0)
        return _Terms(np.nan, np.nan, np.nan, nothing, nothing, nothing, 0.0)
    part, whole = items.expanded / total, items.weights / items.weights.sum()
    labels = np.where(items.expanded > 0, items.labels, 0.0)
    mean_label, mean_labelled, mean_score = part @ labels, part @ items.scores, whole @ items.scores
    varied = np.ptp(items.scores) > _ROUNDING * np.abs(items.scores).max()
    gaps = whole * (items.scores - mean_score) - part * (items.scores - mean_labelled)
    share = _summed(items.clusters, part)
    unknown = 1 - float(whole[items.expanded > 0].sum())
    variance = float(whole @ (items.scores - mean_score) ** 2)
    return _Terms(
        mean_label=float(mean_label),
        bias=float(mean_labelled - mean_label),
        gap=float(mean_score - mean_labelled),
        label=_summed(items.clusters, part * (labels - mean_label)),
        gaps=_summed(items.clusters, gaps * varied),
        share=share,
        added=varied * PRIOR_LABELS * variance * unknown / _effective(share) ** 2,
    )


def _summed(clusters: Integers, column: Floats) -> Floats:
    """Sums by cluster, shape (m,)."""
    sums: Floats = np.bincount(clusters, column).astype(np.float64)
    return sums


def _without_scores(terms: _Terms) -> _Terms:
    return terms._replace(gap=0.0, gaps=np.zeros(len(terms.gaps)), added=0.0)


def _tuning(terms: _Terms) -> float:
    """Tuning with the least linearized variance, held down; 0 where the scores do not vary."""
    spread = terms.gaps @ terms.gaps + terms.added
    return float(-(terms.label @ terms.gaps) / spread) if spread > 0 else 0.0


def _ends(terms: _Terms, interval: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Ends of the t interval, within the bounds."""
    tuning, n = _tuning(terms), int((terms.share > 0).sum())
    variance = (n - 1) / n * (_changes(terms, tuning) ** 2).sum()
    effective = _effective(terms.share)
    freedom = max(1.0, tuned_freedom(effective) if tuning else effective - 1)
    half = float(stdtrit(freedom, (1 + interval) / 2)) * math.sqrt(variance)
    value = terms.mean_label + tuning * terms.gap
    return max(value - half, bounds[0]), min(value + half, bounds[1])


def _changes(terms: _Terms, tuning: float) -> Floats:
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


def _padded(items: _Items, bounds: tuple[float, float]) -> _Items:
    """Add labels where those that there are cannot tell their spread; each weighs as the average label."""
    labelled = items.expanded > 0
    added = added_labels(items.labels[labelled], items.scores, bounds)
    if added is None or not labelled.any():
        return items
    labels, scores = added
    n, new = len(labels), int(items.clusters.max()) + 1
    return _Items(
        np.concatenate([items.scores, scores]),
        np.concatenate([items.labels, labels]),
        np.concatenate([items.weights, np.zeros(n)]),
        np.concatenate([items.expanded, np.full(n, items.expanded[labelled].mean())]),
        np.concatenate([items.clusters, np.arange(new, new + n)]),
    )


def _lacks(items: _Items, terms: _Terms, design: SampleDesign) -> str | None:
    """Say why there is no interval: few labels, or most weight on one; ``None`` where there is one."""
    people = design.clusters is not None
    if int((terms.share > 0).sum()) < FEWEST_LABELS:
        labels = f"an interval needs {FEWEST_LABELS} labels or more"
        return f"{labels}, each from another respondent" if people else labels
    if _effective(terms.share) < _FEWEST_EFFECTIVE:
        return _heavy("the labels of one respondent" if people else "one label")
    if _effective(_summed(items.clusters, items.weights / items.weights.sum())) < _FEWEST_EFFECTIVE:
        return _heavy("one respondent" if people else "one item")
    return None


def _heavy(one: str) -> str:
    """Say what an effective number below 1.5 means: the largest share is above 1 / 1.5."""
    return f"no interval, as more than two thirds of the weight is on {one}"


def _effective(share: Floats) -> float:
    """Kish's effective number of shares that sum to 1, shape (m,)."""
    return 1 / float(share @ share)
