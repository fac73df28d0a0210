"""Prediction-powered mean of weighted or clustered items whose labels were drawn with known probabilities."""

import math

import numpy as np
from scipy.special import stdtrit

from semscale.stats.calibration.linearized_terms import (
    LinearizedTerms,
    WeightedItems,
    best_tuning,
    cluster_sums,
    effective_number,
    linearized_terms,
    padded_items,
    variance_of,
    weighted_items,
)
from semscale.stats.calibration.prediction_powered import (
    FEWEST_LABELS,
    CorrectedMean,
    LabelledMethod,
    checked_labels,
    tuned_freedom,
    with_telling_ends,
)
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.stats.intervals.resampling import check_interval
from semscale.types import Floats

_FEWEST_EFFECTIVE = 1.5


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
    items = weighted_items(scores, labels, design)
    terms, padded = linearized_terms(items), padded_items(items, bounds)
    note = _lacks(items, terms, design)
    enough = note is None
    method: LabelledMethod = "linearized" if padded is items else "linearized with added labels"
    tuning = best_tuning(terms) if enough else 0.0
    value = float(np.clip(terms.mean_label + tuning * terms.gap, *bounds))
    ends = alone = (np.nan, np.nan)
    if enough:
        ends = _ends(linearized_terms(padded), interval, bounds)
        alone = _ends(_without_scores(linearized_terms(padded)), interval, bounds)
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


def _without_scores(terms: LinearizedTerms) -> LinearizedTerms:
    return terms._replace(gap=0.0, gaps=np.zeros(len(terms.gaps)), added=0.0)


def _ends(terms: LinearizedTerms, interval: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Ends of the t interval, within the bounds."""
    tuning = best_tuning(terms)
    half = float(stdtrit(freedom_of(terms, tuning), (1 + interval) / 2)) * math.sqrt(
        variance_of(terms, tuning)
    )
    value = terms.mean_label + tuning * terms.gap
    return max(value - half, bounds[0]), min(value + half, bounds[1])


def freedom_of(terms: LinearizedTerms, tuning: float) -> float:
    """Degrees of freedom: of the effective number of labelled clusters, and of a tuning that is used."""
    effective = effective_number(terms.share)
    return max(1.0, tuned_freedom(effective) if tuning else effective - 1)


def _lacks(items: WeightedItems, terms: LinearizedTerms, design: SampleDesign) -> str | None:
    """Say why there is no interval: few labels, or most weight on one; ``None`` where there is one."""
    people = design.clusters is not None
    if int((terms.share > 0).sum()) < FEWEST_LABELS:
        labels = f"an interval needs {FEWEST_LABELS} labels or more"
        return f"{labels}, each from another respondent" if people else labels
    if effective_number(terms.share) < _FEWEST_EFFECTIVE:
        return _heavy("the labels of one respondent" if people else "one label")
    if (
        effective_number(cluster_sums(items.clusters, items.weights / items.weights.sum()))
        < _FEWEST_EFFECTIVE
    ):
        return _heavy("one respondent" if people else "one item")
    return None


def _heavy(one: str) -> str:
    """Say what an effective number below 1.5 means: the largest share is above 1 / 1.5."""
    return f"no interval, as more than two thirds of the weight is on {one}"
