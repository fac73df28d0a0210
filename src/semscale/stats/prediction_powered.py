"""Means that labels of some items correct, for the items that a judge scored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtrit

from semscale.errors import InputError
from semscale.stats.intervals import Estimate, IntervalPlan, MeanEstimate, check_interval, estimate_mean
from semscale.stats.sampling import SampleDesign, checked_inclusion
from semscale.types import Floats, Integers, Mask


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


LabelledMethod = Literal[
    "jackknife", "jackknife with added labels", "linearized", "linearized with added labels"
]
"""How an interval from labels of a part was made."""


FEWEST_LABELS = 3


PRIOR_LABELS = 4
"""Labels without a slope that the tuning is estimated with, so that few real ones cannot carry it away."""


WHOLE_SCALE = "the interval is the whole scale: so few labels do not narrow it"
"""Why ends are missing where they would be the two bounds."""


_ROUNDING = 1e-12


_TWO_KINDS = 2


@dataclass(frozen=True)
class CorrectedMean:
    """A mean corrected by labels, with what it would be without the correction and without the judge.

    Attributes:
        value: the corrected mean, within the labels' bounds; NaN without a label.
        low: lower end of its interval; NaN with fewer than 3 labels, with most weight on one item, or where
            the interval would be the whole of the labels' bounds.
        high: upper end, NaN likewise.
        naive: mean of the judge's scores, whose interval knows nothing of the judge's errors and need not
            cover; linearized, and without bounds, as the scores may be on any scale.
        labels_only: mean of the labels, with an interval that covers and does without the judge.
        bias: mean of score less label where both are there; NaN without a label.
        tuning: how much of the judge's scores is used; 0 uses labels only.
        n_labelled: items with score and label.
        n_unlabelled: items with a score only.
        n_left_out: items without a score, labelled or not.
        method: ``jackknife``; ``linearized`` with weights, clusters or probabilities of a label; either
            ``with added labels`` where labels are of two kinds or all alike; ``None`` where there is no
            interval.
        note: why there is no interval.
    """

    value: float
    low: float
    high: float
    naive: MeanEstimate
    labels_only: Estimate
    bias: float
    tuning: float
    n_labelled: int
    n_unlabelled: int
    n_left_out: int
    method: LabelledMethod | None
    note: str | None = None


class _Sample(NamedTuple):
    """Labels (n,), the judge's scores of the same items (n,), and of the others (m,)."""

    labels: Floats
    scores: Floats
    others: Floats


def prediction_powered_mean(
    scores: Floats,
    labels: Floats,
    *,
    bounds: tuple[float, float],
    tuning: float | None = None,
    interval: float = 0.95,
) -> CorrectedMean:
    """Prediction-powered mean: mean label + tuning * (mean score of unlabelled - of labelled items).

    Items without a score, labelled or not, are left out, so the mean is of the items that the judge scored.
    Those with a label must be a random sample of them: then the value is right on average however bad the
    judge is. The best tuning is slope / (1 + n / m), with the slope of labels on scores, n labelled and m
    other items. A judge may therefore use another scale than people do, and a useless one costs next to
    nothing. The slope is estimated as if four more labels, at the scores' mean plus or minus their standard
    deviation, had shown no slope: three labels alone may show any.

    The interval has the jackknife variance of the labelled part, which allows for the slope being estimated,
    and t quantiles with ``tuned_freedom`` degrees. Where labels are the two bounds only, or all alike, it is
    made with four more labels: one at each bound for a lower and a higher score of the judge. Without them it
    would be too narrow whenever one kind of label is rare. An interval that is the whole of the bounds is not
    given, as it holds whatever the labels are.

    Args:
        scores: shape (n,), the judge's; NaN where it has none.
        labels: shape (n,), people's; NaN where nobody was asked.
        bounds: least and greatest label that there can be; intervals stay within.
        tuning: how much to use the judge; estimated unless given. 1 is the method as first published.
        interval: coverage to aim at, between 0 and 1.

    Raises:
        InputError: lengths differ, an infinite value, labels beyond their bounds, or a setting out of range.

    References:
        Angelopoulos et al. (2023), Science 382, 669-674, doi 10.1126/science.adi6000; tuning: Angelopoulos,
        Duchi and Zrnic (2023), arXiv 2311.01453, section 6. Added labels: Agresti and Caffo (2000),
        doi 10.1080/00031305.2000.10474560. A slope held down by added squares: Hoerl and Kennard (1970),
        doi 10.1080/00401706.1970.10488634.

    Example:
        >>> scores = np.array([0.6, 0.8, 0.4, 0.9, 0.7, 0.7])
        >>> labels = np.array([0.5, 0.7, 0.3, np.nan, np.nan, np.nan])
        >>> corrected = prediction_powered_mean(scores, labels, bounds=(0, 1), tuning=1)
        >>> round(corrected.naive.value, 3), round(corrected.bias, 3), round(corrected.value, 3)
        (0.683, 0.1, 0.667)
    """
    scores, labels = checked_labels(scores, labels, bounds)
    check_interval(interval)
    if tuning is not None and not np.isfinite(tuning):
        raise InputError(f"tuning must be a finite number, got {tuning!r}")
    scored, labelled = ~np.isnan(scores), ~np.isnan(labels)
    both = scored & labelled
    sample = _Sample(labels[both], scores[both], scores[scored & ~labelled])
    n = len(sample.labels)
    used = _tuning(sample) if tuning is None else tuning
    padded = _padded(sample, bounds)
    low, high = _ends(padded, tuning, interval, bounds)
    alone_low, alone_high = _ends(padded, 0.0, interval, bounds)
    value = float(np.clip(_mean(sample, used), *bounds)) if n else float("nan")
    mean_label = float(sample.labels.mean()) if n else float("nan")
    plan = IntervalPlan(interval=interval, method="linearized")
    note = None if n >= FEWEST_LABELS else f"an interval needs {FEWEST_LABELS} labels or more"
    corrected = Estimate(value, min(low, value), max(high, value))
    alone = Estimate(mean_label, min(alone_low, mean_label), max(alone_high, mean_label))
    made: LabelledMethod = "jackknife" if padded is sample else "jackknife with added labels"
    return with_telling_ends(
        CorrectedMean(
            value=value,
            low=np.nan if note else corrected.low,
            high=np.nan if note else corrected.high,
            naive=estimate_mean(scores, bounds=(-np.inf, np.inf), plan=plan),
            labels_only=Estimate(mean_label, np.nan, np.nan) if note else alone,
            bias=float((sample.scores - sample.labels).mean()) if n else np.nan,
            tuning=used,
            n_labelled=n,
            n_unlabelled=len(sample.others),
            n_left_out=int((~scored).sum()),
            method=None if note else made,
            note=note,
        ),
        bounds,
    )


def with_telling_ends(found: CorrectedMean, bounds: tuple[float, float]) -> CorrectedMean:
    """Take away ends of intervals that are the two bounds, which hold whatever the labels are.

    Args:
        found: with its intervals.
        bounds: least and greatest label that there can be.
    """
    alone = found.labels_only
    if (alone.low, alone.high) == bounds:
        found = replace(found, labels_only=Estimate(alone.value, np.nan, np.nan))
    if (found.low, found.high) == bounds:
        found = replace(found, low=np.nan, high=np.nan, method=None, note=WHOLE_SCALE)
    return found


def checked_labels(scores: Floats, labels: Floats, bounds: tuple[float, float]) -> tuple[Floats, Floats]:
    """Take scores and labels of the same items, NaN where there is none.

    Raises:
        InputError: lengths differ, an infinite value, or labels beyond their bounds.
    """
    scores, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if scores.ndim != 1 or scores.shape != labels.shape:
        raise InputError(
            "scores and labels must be two lists of one length (NaN where there is no label), "
            f"got shapes {scores.shape} and {labels.shape}"
        )
    if np.isinf(scores).any() or np.isinf(labels).any():
        raise InputError("scores and labels must be finite, or NaN where missing, got an infinite value")
    least, greatest = bounds
    if not least < greatest:
        raise InputError(f"bounds must be the least and the greatest label, got {bounds}")
    known = labels[~np.isnan(labels)]
    beyond = known[(known < least) | (known > greatest)]
    if len(beyond):
        raise InputError(f"labels must lie within bounds {least} to {greatest}, got {beyond[0]}")
    return scores, labels


def tuned_freedom(n: float) -> float:
    """Degrees of freedom of an estimate from n labels and a slope that four more held down.

    The mean takes one, and the slope (n - 1) / (n - 1 + 4): its share of what it would take alone.

    Example:
        >>> tuned_freedom(5), tuned_freedom(100)  # 4 - 4 / 8 and 99 - 99 / 103
        (3.5, 98.03883495145631)
    """
    return n - 1 - (n - 1) / (n - 1 + PRIOR_LABELS)


def _tuning(sample: _Sample) -> float:
    """Slope of labels on scores / (1 + n / m); 0 where there is nothing to learn it from or use it for."""
    n, m = len(sample.labels), len(sample.others)
    added = _added_squares(sample)
    if n < FEWEST_LABELS or not m or not added:
        return 0.0
    deviation = sample.scores - sample.scores.mean()
    return float(deviation @ sample.labels / (deviation @ deviation + added) / (1 + n / m))


def _added_squares(sample: _Sample) -> float:
    """What labels without a slope add to the scores' sum of squares; 0 where the scores do not vary."""
    scores = np.concatenate([sample.scores, sample.others])
    if not len(scores) or not np.ptp(scores) > _ROUNDING * np.abs(scores).max():
        return 0.0
    return float(PRIOR_LABELS * scores.var())


def _mean(sample: _Sample, tuning: float) -> float:
    others = sample.others.mean() if len(sample.others) else sample.scores.mean()
    return float(sample.labels.mean() + tuning * (others - sample.scores.mean()))


def added_labels(labels: Floats, scores: Floats, bounds: tuple[float, float]) -> tuple[Floats, Floats] | None:
    """Give four labels, one at each bound for a lower and a higher score, to labels without a spread.

    Args:
        labels: shape (n,), without gaps.
        scores: shape (m,), the judge's, of all items.
        bounds: least and greatest label that there can be.

    Returns:
        The labels (4,) and their scores (4,); ``None`` where labels are of more kinds than the two bounds.

    Example:
        >>> [column.tolist() for column in added_labels(np.ones(3), np.array([0.25, 0.75]), (0, 1))]
        [[0.0, 1.0, 0.0, 1.0], [0.25, 0.25, 0.75, 0.75]]
    """
    kinds = np.unique(labels)
    if len(kinds) > _TWO_KINDS or (len(kinds) == _TWO_KINDS and not np.isin(kinds, bounds).all()):
        return None
    if not len(scores):
        return None
    higher = scores > scores.mean()
    middle = float(scores.mean())
    ends = [float(part.mean()) if len(part) else middle for part in (scores[~higher], scores[higher])]
    return np.array([*bounds, *bounds], dtype=np.float64), np.repeat(ends, 2)


def _padded(sample: _Sample, bounds: tuple[float, float]) -> _Sample:
    """Add labels where those that there are cannot tell their spread."""
    added = added_labels(sample.labels, np.concatenate([sample.scores, sample.others]), bounds)
    if added is None:
        return sample
    labels, scores = added
    return _Sample(
        np.concatenate([sample.labels, labels]), np.concatenate([sample.scores, scores]), sample.others
    )


def _ends(
    sample: _Sample, tuning: float | None, interval: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Ends of the t interval with the jackknife variance, within the bounds."""
    n, m = len(sample.labels), len(sample.others)
    if n < FEWEST_LABELS:
        return np.nan, np.nan
    used = _tuning(sample) if tuning is None else tuning
    value = _mean(sample, used)
    left_out = _left_out(sample, tuning)
    variance = (n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()
    if m > 1:
        variance += used**2 * sample.others.var(ddof=1) / m
    freedom = tuned_freedom(n) if tuning is None else n - 1
    half = stdtrit(freedom, (1 + interval) / 2) * np.sqrt(variance)
    return max(value - half, bounds[0]), min(value + half, bounds[1])


def _left_out(sample: _Sample, tuning: float | None) -> Floats:
    """The mean (n,) without each label, the tuning found anew each time."""
    n, m = len(sample.labels), len(sample.others)
    scores, labels = sample.scores - sample.scores.mean(), sample.labels - sample.labels.mean()
    mean_label = sample.labels.mean() - labels / (n - 1)
    if tuning is None:
        added = _added_squares(sample)
        slope = np.zeros(n)
        if added:
            rest = scores @ scores + added - n / (n - 1) * scores**2
            slope = (scores @ labels - n / (n - 1) * scores * labels) / rest
        factors = slope / (1 + n / m) if m else np.zeros(n)
    else:
        factors = np.full(n, tuning)
    others = sample.others.mean() if m else sample.scores.mean()
    gaps: Floats = mean_label + factors * (others - (sample.scores.mean() - scores / (n - 1)))
    return gaps


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
        ends = _linearized_ends(linearized_terms(padded), interval, bounds)
        alone = _linearized_ends(_without_scores(linearized_terms(padded)), interval, bounds)
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


def _linearized_ends(
    terms: LinearizedTerms, interval: float, bounds: tuple[float, float]
) -> tuple[float, float]:
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


FEWEST_IN_GROUP = 10
"""Labels that a group needs to be tested."""


_FEWEST_GROUPS = 2


_ADDED_WEIGHT = 0.5


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
    terms = linearized_terms(padded_items(items, bounds, part=_ADDED_WEIGHT))
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
    from scipy.sparse import csr_array

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
