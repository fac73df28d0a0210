"""Prediction-powered means: means of a judge's scores, corrected by the labels of some items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import fdtrc

from semscale.errors import InputError
from semscale.stats.intervals import (
    Estimate,
    IntervalPlan,
    MeanEstimate,
    check_interval,
    estimate_mean,
    t_half_width,
)
from semscale.stats.sampling import SampleDesign, validate_inclusion
from semscale.types import Floats, Integers

LabelledMethod = Literal[
    "jackknife", "jackknife with added labels", "linearized", "linearized with added labels"
]
"""Method of an interval of a corrected mean."""

FEWEST_LABELS = 3

PRIOR_LABELS = 4
"""Number of added labels without a slope that shrink the tuning."""

WHOLE_SCALE = "the interval is the whole scale: there are too few labels to narrow it"
"""Note for ends that are missing because they would be the bounds."""

_ROUNDING = 1e-12

_NO_ENDS = (float("nan"), float("nan"))


@dataclass(frozen=True)
class CorrectedMean:
    """A mean corrected by labels, with the mean of the scores alone and of the labels alone.

    Attributes:
        value: corrected mean, within the labels' bounds; NaN without a label.
        low: lower end of its interval; NaN with fewer than 3 labels, with most weight on one item, or if the
            interval would span the labels' bounds.
        high: upper end; NaN if ``low`` is NaN.
        naive: mean of the judge's scores; its linearized interval ignores the judge's errors and may be too
            narrow. It has no bounds, as the scores may be on any scale.
        labels_only: mean of the labels, with a valid interval that does not use the judge.
        bias: mean of score minus label over items with both; NaN without a label.
        tuning: weight of the judge's scores; 0 uses labels only.
        n_labelled: items with score and label.
        n_unlabelled: items with a score only.
        n_left_out: items without a score, labelled or not.
        method: ``jackknife``; ``linearized`` with weights, clusters or probabilities of a label; either
            ``with added labels`` if all labels are at the bounds or equal; ``None`` without an interval.
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


@dataclass(frozen=True)
class _Sample:
    """Labels (n,), the judge's scores of the same items (n,), and of the rest (m,)."""

    labels: Floats
    scores: Floats
    rest: Floats

    def tuning(self) -> float:
        """Slope of labels on scores / (1 + n / m); 0 if it is undefined or not used."""
        n, m, added = len(self.labels), len(self.rest), self._squares_of_added()
        if n < FEWEST_LABELS or not m or not added:
            return 0.0
        deviation = self.scores - self.scores.mean()
        return float(deviation @ self.labels / (deviation @ deviation + added) / (1 + n / m))

    def mean(self, tuning: float) -> float:
        """Mean label + tuning * (mean score of other items - mean score of labelled items)."""
        return float(self.labels.mean() + tuning * (self._mean_of_rest() - self.scores.mean()))

    def ends(self, tuning: float | None, interval: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Ends of the t interval with the jackknife variance, within the bounds; best tuning by default."""
        n, m = len(self.labels), len(self.rest)
        used = self.tuning() if tuning is None else tuning
        left_out = self._left_out(tuning)
        variance = (n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()
        if m > 1:
            variance += used**2 * self.rest.var(ddof=1) / m
        freedom = freedom_after_tuning(n) if tuning is None else n - 1
        half = float(t_half_width(np.sqrt(variance), freedom, interval))
        value = self.mean(used)
        return max(value - half, bounds[0]), min(value + half, bounds[1])

    def add_labels(self, bounds: tuple[float, float]) -> "_Sample":
        """Add labels if the labels cannot show their spread."""
        added = labels_to_add(self.labels, np.concatenate([self.scores, self.rest]), bounds)
        if added is None:
            return self
        labels, scores = added
        return _Sample(
            np.concatenate([self.labels, labels]), np.concatenate([self.scores, scores]), self.rest
        )

    def _left_out(self, tuning: float | None) -> Floats:
        """The mean (n,) without each label; the tuning is estimated anew unless it is fixed."""
        n, m = len(self.labels), len(self.rest)
        scores, labels = self.scores - self.scores.mean(), self.labels - self.labels.mean()
        mean_label = self.labels.mean() - labels / (n - 1)
        factors = np.full(n, 0.0 if tuning is None else tuning)
        added = self._squares_of_added()
        if tuning is None and added and m:
            squares = scores @ scores + added - n / (n - 1) * scores**2
            factors = (scores @ labels - n / (n - 1) * scores * labels) / squares / (1 + n / m)
        gaps = self._mean_of_rest() - (self.scores.mean() - scores / (n - 1))
        without: Floats = mean_label + factors * gaps
        return without

    def _mean_of_rest(self) -> float:
        return float(self.rest.mean() if len(self.rest) else self.scores.mean())

    def _squares_of_added(self) -> float:
        """Sum of squares of the added labels without a slope; 0 if scores do not vary."""
        scores = np.concatenate([self.scores, self.rest])
        if not len(scores) or not np.ptp(scores) > _ROUNDING * np.abs(scores).max():
            return 0.0
        return float(PRIOR_LABELS * scores.var())


class WeightedItems(NamedTuple):
    """Items with a score, all of shape (n,); ``expanded`` is weight / probability, 0 without a label.

    ``strata`` is the stratum of each of m clusters, shape (m,); ``None`` without strata.
    """

    scores: Floats
    labels: Floats
    weights: Floats
    expanded: Floats
    clusters: Integers
    strata: Integers | None

    def add_labels(self, bounds: tuple[float, float], *, part: float = 1.0) -> "WeightedItems":
        """Add four labels, in stratum -1, if the labels cannot show their spread.

        Args:
            bounds: least and greatest possible label.
            part: weight of an added label, as a share of the average label's weight.
        """
        labelled = self.expanded > 0
        added = labels_to_add(self.labels[labelled], self.scores, bounds)
        if added is None or not labelled.any():
            return self
        labels, scores = added
        n, new = len(labels), int(self.clusters.max()) + 1
        return WeightedItems(
            np.concatenate([self.scores, scores]),
            np.concatenate([self.labels, labels]),
            np.concatenate([self.weights, np.zeros(n)]),
            np.concatenate([self.expanded, np.full(n, part * self.expanded[labelled].mean())]),
            np.concatenate([self.clusters, np.arange(new, new + n)]),
            None if self.strata is None else np.concatenate([self.strata, np.full(n, -1)]),
        )


@dataclass(frozen=True)
class LinearizedTerms:
    """Parts of a prediction-powered mean of weighted items, and the contributions of m clusters to them.

    Attributes:
        mean_label: Hajek's mean of the labels.
        bias: Hajek's mean of score minus label.
        gap: mean score of all items minus that of the labelled ones.
        label: shape (m,), linearized contributions to the mean label.
        gaps: shape (m,), linearized contributions to the gap.
        share: shape (m,), shares of the labelled items' weight.
        added: sum of squares that the added labels without a slope add to that of ``gaps``.
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

    def value(self, tuning: float) -> float:
        """The mean with a tuning."""
        return self.mean_label + tuning * self.gap

    def best_tuning(self) -> float:
        """Tuning with the least linearized variance, shrunk by added labels; 0 if scores do not vary."""
        spread = self.gaps @ self.gaps + self.added
        return float(-(self.label @ self.gaps) / spread) if spread > 0 else 0.0

    def freedom(self, tuning: float) -> float:
        """Degrees of freedom of the effective number of labelled clusters, minus those of a tuning."""
        effective = _effective_number(self.share)
        return max(1.0, freedom_after_tuning(effective) if tuning else effective - 1)

    def variance(self, tuning: float) -> float:
        """Variance of the mean: the sum of squares of ``centred_changes``."""
        return float((self.centred_changes(tuning) ** 2).sum())

    def centred_changes(self, tuning: float) -> Floats:
        """Contributions (m,) of clusters to the variance, before squaring.

        Without strata, they are the changes times sqrt((n - 1) / n), with n labelled clusters, as in a
        jackknife.
        """
        changes, n = self._changes(tuning), int((self.share > 0).sum())
        if self.strata is None:
            scaled: Floats = changes * np.sqrt((n - 1) / n)
            return scaled
        return within_strata(changes, self.strata)

    def ends(self, interval: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Ends of the t interval at the best tuning, within the bounds."""
        tuning = self.best_tuning()
        half = float(t_half_width(np.sqrt(self.variance(tuning)), self.freedom(tuning), interval))
        return max(self.value(tuning) - half, bounds[0]), min(self.value(tuning) + half, bounds[1])

    def without_scores(self) -> "LinearizedTerms":
        """The terms of the mean label alone."""
        return replace(self, gap=0.0, gaps=np.zeros(len(self.gaps)), added=0.0)

    def _changes(self, tuning: float) -> Floats:
        """Changes (m,) of the estimate without each cluster.

        Without a cluster the means over labelled items move by ``contribution / (1 - share)``. The tuning is
        the slope of a regression of the labels' contributions on the gaps', and changes as a slope does
        without a point.
        """
        contribution, rest = self.label + tuning * self.gaps, 1 - self.share
        spread = float(self.gaps @ self.gaps) + self.added
        without: Floats = spread - self.gaps**2
        defined = (self.share > 0) & (without > _ROUNDING * spread)
        retuned = np.where(defined, self.gaps * contribution / np.where(defined, without, 1.0), 0.0)
        changes: Floats = retuned * (self.gap - self.gaps / rest) - contribution / rest
        return changes


def estimate_corrected_mean(
    scores: Floats,
    labels: Floats,
    *,
    bounds: tuple[float, float],
    design: SampleDesign | None = None,
    interval: float = 0.95,
) -> CorrectedMean:
    """Estimate a prediction-powered mean, weighted if the items have weights, probabilities or clusters.

    Args:
        scores: shape (n,), the judge's scores; NaN where missing.
        labels: shape (n,), human labels; NaN where missing.
        bounds: least and greatest possible label; value and intervals stay within.
        design: weights, probabilities of a label, clusters and strata; by default there are none.
        interval: nominal coverage, between 0 and 1.

    Raises:
        InputError: as ``prediction_powered_mean`` and ``weighted_prediction_powered_mean``.
    """
    if design is None or design.is_plain:
        return prediction_powered_mean(scores, labels, bounds=bounds, interval=interval)
    return weighted_prediction_powered_mean(scores, labels, bounds=bounds, design=design, interval=interval)


def prediction_powered_mean(
    scores: Floats,
    labels: Floats,
    *,
    bounds: tuple[float, float],
    tuning: float | None = None,
    interval: float = 0.95,
) -> CorrectedMean:
    """Estimate a prediction-powered mean: mean label + tuning * (mean score of unlabelled - labelled items).

    Items without a score are left out, so the mean is for the items that the judge scored. Labelled items
    must be a random sample of these; then the value is unbiased however bad the judge is. The best tuning is
    slope / (1 + n / m), with the slope of labels on scores, n labelled and m other items. So a judge may use
    another scale than people do, and a useless judge costs almost no precision. The slope is shrunk as if
    four more labels, at the scores' mean plus or minus their standard deviation, had shown no slope, because
    few labels may show any slope.

    The interval uses the jackknife variance of the labelled part, which includes the error of the slope, and
    t quantiles with ``freedom_after_tuning`` degrees. If all labels are at the bounds, or all are equal, four
    labels are added: one at each bound for a lower and a higher score of the judge. Without them, the
    interval would be too narrow if one label is rare. An interval that spans the bounds is replaced by NaN.

    Args:
        scores: shape (n,), the judge's scores; NaN where missing.
        labels: shape (n,), human labels; NaN where missing.
        bounds: least and greatest possible label; intervals stay within.
        tuning: weight of the judge's scores; estimated by default. 1 gives the method of the first paper.
        interval: nominal coverage, between 0 and 1.

    Raises:
        InputError: lengths differ, an infinite value, labels beyond their bounds, or a setting out of range.

    References:
        Angelopoulos et al. (2023), Science 382, 669-674, doi 10.1126/science.adi6000; tuning: Angelopoulos,
        Duchi and Zrnic (2023), arXiv 2311.01453, section 6. Added labels: Agresti and Caffo (2000), doi
        10.1080/00031305.2000.10474560. Shrinkage of a slope: Hoerl and Kennard (1970), doi
        10.1080/00401706.1970.10488634.

    Examples:
        >>> scores = np.array([0.6, 0.8, 0.4, 0.9, 0.7, 0.7])
        >>> labels = np.array([0.5, 0.7, 0.3, np.nan, np.nan, np.nan])
        >>> corrected = prediction_powered_mean(scores, labels, bounds=(0, 1), tuning=1)
        >>> round(corrected.naive.value, 3), round(corrected.bias, 3), round(corrected.value, 3)
        (0.683, 0.1, 0.667)
    """
    scores, labels = validate_labels(scores, labels, bounds)
    check_interval(interval)
    if tuning is not None and not np.isfinite(tuning):
        raise InputError("tuning", f"must be a finite number, got {tuning!r}")
    scored, labelled = ~np.isnan(scores), ~np.isnan(labels)
    both = scored & labelled
    sample = _Sample(labels[both], scores[both], scores[scored & ~labelled])
    n = len(sample.labels)
    used = sample.tuning() if tuning is None else tuning
    note = None if n >= FEWEST_LABELS else f"an interval needs {FEWEST_LABELS} labels or more"
    method: LabelledMethod | None = None
    ends = ends_of_labels = _NO_ENDS
    if note is None:
        padded = sample.add_labels(bounds)
        method = "jackknife" if padded is sample else "jackknife with added labels"
        ends, ends_of_labels = (padded.ends(factor, interval, bounds) for factor in (tuning, 0.0))
    plan = IntervalPlan(interval=interval, method="linearized")
    corrected = CorrectedMean(
        *_ends_around(sample.mean(used) if n else np.nan, ends, bounds),
        naive=estimate_mean(scores, bounds=(-np.inf, np.inf), plan=plan),
        labels_only=Estimate(*_ends_around(sample.labels.mean() if n else np.nan, ends_of_labels, bounds)),
        bias=float((sample.scores - sample.labels).mean()) if n else np.nan,
        tuning=used,
        n_labelled=n,
        n_unlabelled=len(sample.rest),
        n_left_out=int((~scored).sum()),
        method=method,
        note=note,
    )
    return _add_note(corrected)


_FEWEST_EFFECTIVE = 1.5


def weighted_prediction_powered_mean(
    scores: Floats,
    labels: Floats,
    *,
    bounds: tuple[float, float],
    design: SampleDesign,
    interval: float = 0.95,
) -> CorrectedMean:
    """Estimate a weighted prediction-powered mean: tuning * mean score + mean of (label - tuning * score).

    With weights w and probabilities p, the first mean is that of all scored items, ``sum w f / sum w``, and
    the second is Hajek's of the labelled ones, ``sum (w / p) (y - tuning f) / sum (w / p)``. The tuning is
    the one with the least estimated variance, shrunk as in ``prediction_powered_mean`` by four added labels
    of average weight. Items without a score or weight are left out.

    The variance is linearized: contributions of items are summed by cluster, squared and added up.
    Contributions of labelled clusters are those of a jackknife, which includes the error of tuning and means
    from few labels. Quantiles are those of t with ``freedom_after_tuning`` degrees, from Kish's effective
    number of labelled clusters. If all labels are at the bounds, or all are equal, four labels are added, as
    in ``prediction_powered_mean``. If the effective number of labelled clusters, or of all clusters by their
    weights, is below 1.5, more than two thirds of the weight is on one cluster; then there is no interval,
    and the value is the labels' mean. There is no interval either if it would span the bounds. Items count as
    drawn from a larger population: for the mean of just these items, the interval is too wide if most have a
    label.

    Args:
        scores: shape (n,), the judge's scores; NaN where missing.
        labels: shape (n,), human labels; NaN where missing.
        bounds: least and greatest possible label; value and intervals stay within.
        design: weights, probabilities of a label, and clusters.
        interval: nominal coverage, between 0 and 1.

    Raises:
        InputError: lengths differ, an infinite value, labels beyond their bounds, a wrong weight or
            probability, a label without a probability, or ``interval`` out of range.

    References:
        Hajek (1971), in Godambe and Sprott (eds.), Foundations of Statistical Inference, 236. Sarndal,
        Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 5.5 to 5.7 and 6.4. Tuning:
        Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453, section 6. Effective number: Kish (1965),
        Survey Sampling, section 11.7.

    Examples:
        >>> scores = np.array([1.0, 2.0, 4.0, 5.0])
        >>> labels = np.array([2.0, np.nan, 5.0, np.nan])
        >>> design = SampleDesign(inclusion=np.array([0.25, 0.5, 0.75, 0.5]))
        >>> corrected = weighted_prediction_powered_mean(scores, labels, bounds=(1, 5), design=design)
        >>> round(corrected.labels_only.value, 6)  # (4 * 2 + 4 / 3 * 5) / (4 + 4 / 3)
        2.75
    """
    scores, labels = validate_labels(scores, labels, bounds)
    check_interval(interval)
    items = weighted_items(scores, labels, design)
    terms = linearized_terms(items)
    note = _shortage(items, terms, design)
    method: LabelledMethod | None = None
    tuning, ends, ends_of_labels = 0.0, _NO_ENDS, _NO_ENDS
    if note is None:
        tuning, padded = terms.best_tuning(), items.add_labels(bounds)
        method = "linearized" if padded is items else "linearized with added labels"
        telling = linearized_terms(padded)
        ends, ends_of_labels = (part.ends(interval, bounds) for part in (telling, telling.without_scores()))
    n_labelled = int((items.expanded > 0).sum())
    corrected = CorrectedMean(
        *_ends_around(terms.value(tuning), ends, bounds),
        naive=estimate_mean(
            items.scores,
            bounds=(-np.inf, np.inf),
            clusters=items.clusters,
            weights=items.weights,
            plan=IntervalPlan(interval=interval, method="linearized"),
        ),
        labels_only=Estimate(*_ends_around(terms.mean_label, ends_of_labels, bounds)),
        bias=terms.bias,
        tuning=tuning,
        n_labelled=n_labelled,
        n_unlabelled=len(items.scores) - n_labelled,
        n_left_out=len(scores) - len(items.scores),
        method=method,
        note=note,
    )
    return _add_note(corrected)


def _shortage(items: WeightedItems, terms: LinearizedTerms, design: SampleDesign) -> str | None:
    """Return the reason for a missing interval: few labels, or most weight on one; ``None`` without one."""
    by_respondent = design.clusters is not None
    if int((terms.share > 0).sum()) < FEWEST_LABELS:
        labels = f"an interval needs {FEWEST_LABELS} labels or more"
        return f"{labels}, each from another respondent" if by_respondent else labels
    weight = _cluster_sums(items, items.weights / items.weights.sum())
    heavy = None
    if _effective_number(terms.share) < _FEWEST_EFFECTIVE:
        heavy = "the labels of one respondent" if by_respondent else "one label"
    elif _effective_number(weight) < _FEWEST_EFFECTIVE:
        heavy = "one respondent" if by_respondent else "one item"
    # An effective number below 1.5 means that the largest share is above 1 / 1.5.
    return f"no interval, as more than two thirds of the weight is on {heavy}" if heavy else None


def _ends_around(
    value: float, ends: tuple[float, float], bounds: tuple[float, float]
) -> tuple[float, float, float]:
    """Return the estimate of a value within the bounds; its ends are NaN if they are the bounds.

    If a value computed without added labels lies beyond an end, that end is moved to it.
    """
    inside = float(np.clip(value, *bounds))
    low, high = min(ends[0], inside), max(ends[1], inside)
    return (inside, np.nan, np.nan) if (low, high) == bounds else (inside, low, high)


def _add_note(corrected: CorrectedMean) -> CorrectedMean:
    """Add the note that an interval is missing because it spans the bounds."""
    if corrected.method is None or not np.isnan(corrected.low):
        return corrected
    return replace(corrected, method=None, note=WHOLE_SCALE)


def validate_labels(scores: Floats, labels: Floats, bounds: tuple[float, float]) -> tuple[Floats, Floats]:
    """Check scores and labels of the same items, NaN where missing, and return them as floats.

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
        raise InputError("bounds", f"must be the lowest and the highest label, got {bounds}")
    known = labels[~np.isnan(labels)]
    beyond = known[(known < least) | (known > greatest)]
    if len(beyond):
        raise InputError("labels", f"must lie within bounds {least} to {greatest}, got {beyond[0]}")
    return scores, labels


def freedom_after_tuning(n: float) -> float:
    """Compute the degrees of freedom of an estimate from n labels and a slope shrunk by four more.

    The mean takes one degree, and the shrunk slope (n - 1) / (n - 1 + 4).

    Examples:
        >>> freedom_after_tuning(5), freedom_after_tuning(100)  # 4 - 4 / 8 and 99 - 99 / 103
        (3.5, 98.03883495145631)
    """
    return n - 1 - (n - 1) / (n - 1 + PRIOR_LABELS)


def labels_to_add(
    labels: Floats, scores: Floats, bounds: tuple[float, float]
) -> tuple[Floats, Floats] | None:
    """Choose four labels to add to labels that are all equal or at the bounds: each bound at two scores.

    Args:
        labels: shape (n,), without NaN.
        scores: shape (m,), the judge's scores of all items.
        bounds: least and greatest possible label.

    Returns:
        The labels (4,) and their scores (4,); ``None`` if other labels vary.

    Examples:
        >>> [column.tolist() for column in labels_to_add(np.ones(3), np.array([0.25, 0.75]), (0, 1))]
        [[0.0, 1.0, 0.0, 1.0], [0.25, 0.25, 0.75, 0.75]]
    """
    kinds = np.unique(labels)
    if len(kinds) > 2 or (len(kinds) == 2 and not np.isin(kinds, bounds).all()):
        return None
    if not len(scores):
        return None
    higher = scores > scores.mean()
    middle = float(scores.mean())
    ends = [float(part.mean()) if len(part) else middle for part in (scores[~higher], scores[higher])]
    return np.array([*bounds, *bounds], dtype=np.float64), np.repeat(ends, 2)


FEWEST_IN_GROUP = 10
"""Least number of labels of a tested group."""

_ADDED_WEIGHT = 0.5


@dataclass(frozen=True)
class CorrectedGroupTest:
    """A test that corrected means are equal in all groups.

    Attributes:
        tested: numbers of the tested groups, in ascending order.
        f: Welch's statistic; NaN if fewer than two groups can be tested.
        df: degrees of freedom of the numerator, groups - 1.
        df_below: degrees of freedom of the denominator.
        p_value: p-value, 0 to 1; NaN if fewer than two groups can be tested.
    """

    tested: tuple[int, ...]
    f: float
    df: float
    df_below: float
    p_value: float


class _GroupMean(NamedTuple):
    """A group's mean with its variance; ``changes`` belong to the clusters ``clusters``."""

    value: float
    variance: float
    freedom: float
    changes: Floats
    clusters: Integers


def corrected_group_test(
    scores: Floats,
    labels: Floats,
    groups: Integers,
    *,
    bounds: tuple[float, float],
    design: SampleDesign | None = None,
) -> CorrectedGroupTest:
    """Test whether prediction-powered means are equal in all groups.

    Each group's mean, variance and degrees of freedom are those of ``weighted_prediction_powered_mean``, with
    one tuning per group. If all labels are at the bounds, the four added labels have half the weight that
    they have there, after Agresti and Caffo's result for differences.

    V is the covariance of the means m, including that from clusters in several groups, and C has k - 1
    contrasts between the k groups. The statistic is ``(C m)' (C V C')^-1 (C m) / (k - 1)``, divided by
    Welch's ``1 + 2 (k - 2) / (k ** 2 - 1) A``. Here ``A = sum of (1 - w / sum w) ** 2 / df``, with w = 1 /
    variance. It has k - 1 and ``(k ** 2 - 1) / (3 A)`` degrees of freedom.

    Args:
        scores: shape (n,), the judge's scores; NaN where missing.
        labels: shape (n,), human labels; NaN where missing.
        groups: shape (n,), number of each row's group, from 0; -1 for none. A group with fewer than 10
            labels, or without a variance, is not tested.
        bounds: least and greatest possible label.
        design: weights, probabilities of a label, clusters and strata.

    Raises:
        InputError: as ``weighted_prediction_powered_mean``.

    References:
        Welch (1951), On the comparison of several mean values, doi 10.1093/biomet/38.3-4.330. The means: as
        ``weighted_prediction_powered_mean``. Added labels: Agresti and Caffo (2000),
        doi 10.1080/00031305.2000.10474560.

    Examples:
        >>> labels = np.tile([0.2, 0.4, 0.6], 8)
        >>> test = corrected_group_test(labels, labels, np.repeat([0, 1], 12), bounds=(0, 1))
        >>> test.tested, round(test.p_value, 6)
        ((0, 1), 1.0)
    """
    scores, labels = validate_labels(scores, labels, bounds)
    design = design or SampleDesign()
    rows = np.arange(len(scores)) if design.clusters is None else design.clusters
    means: dict[int, _GroupMean] = {}
    n_labels = np.bincount(groups[(groups >= 0) & ~np.isnan(labels)])
    for number in np.flatnonzero(n_labels >= FEWEST_IN_GROUP).tolist():
        scored = (groups == number) & ~np.isnan(scores)
        mean = _group_mean(scores[scored], labels[scored], design.some(scored), rows[scored], bounds)
        if mean is not None:
            means[number] = mean
    if len(means) < 2:
        return CorrectedGroupTest(tuple(means), *[float("nan")] * 4)
    return CorrectedGroupTest(tuple(means), *_welch(list(means.values())))


def _group_mean(
    scores: Floats, labels: Floats, design: SampleDesign, rows: Integers, bounds: tuple[float, float]
) -> _GroupMean | None:
    """Estimate one group; ``None`` if it cannot be tested."""
    items = weighted_items(scores, labels, design)
    if (items.expanded > 0).sum() < FEWEST_IN_GROUP:
        return None
    terms = linearized_terms(items.add_labels(bounds, part=_ADDED_WEIGHT))
    tuning = terms.best_tuning()
    variance = terms.variance(tuning)
    if not variance > 0:
        return None
    weighted = rows if design.weights is None else rows[np.nan_to_num(design.weights, nan=0.0) > 0]
    clusters = np.unique(weighted)
    changes = terms.centred_changes(tuning)[: len(clusters)]
    return _GroupMean(terms.value(tuning), variance, terms.freedom(tuning), changes, clusters)


def _covariance(means: Sequence[_GroupMean]) -> Floats:
    """Covariances between groups, shape (k, k); 0 if no cluster is in both."""
    clusters = np.concatenate([mean.clusters for mean in means])
    names, number = np.unique(clusters, return_inverse=True)
    variances = np.diag([mean.variance for mean in means])
    if len(names) == len(clusters):
        return variances
    from scipy.sparse import csr_array

    group = np.repeat(np.arange(len(means)), [len(mean.clusters) for mean in means])
    changes = np.concatenate([mean.changes for mean in means])
    table = csr_array((changes, (number, group)), shape=(len(names), len(means)))
    shared = (table.T @ table).toarray()
    np.fill_diagonal(shared, np.diag(variances))
    return np.asarray(shared)


def _welch(means: Sequence[_GroupMean]) -> tuple[float, float, float, float]:
    """Welch's statistic, its degrees of freedom and its p-value."""
    k = len(means)
    contrasts = np.eye(k)[1:] - np.eye(k)[0]
    apart = contrasts @ np.array([mean.value for mean in means])
    wald = float(apart @ np.linalg.pinv(contrasts @ _covariance(means) @ contrasts.T) @ apart)
    weight = 1 / np.array([mean.variance for mean in means])
    freedom = np.array([mean.freedom for mean in means])
    lost = float(((1 - weight / weight.sum()) ** 2 / freedom).sum())
    f = wald / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lost)
    below = (k**2 - 1) / (3 * lost)
    return f, float(k - 1), below, float(fdtrc(k - 1, below, f))


def weighted_items(scores: Floats, labels: Floats, design: SampleDesign) -> WeightedItems:
    """Select the items that have a score and a weight, with clusters numbered from 0."""
    n, labelled = len(scores), ~np.isnan(labels)
    weights: Floats = np.ones(n) if design.weights is None else np.nan_to_num(design.weights, nan=0.0)
    drawn = np.ones(n) if design.inclusion is None else validate_inclusion(design.inclusion, labelled)
    clusters = np.arange(n) if design.clusters is None else design.clusters
    if weights.shape != scores.shape or clusters.shape != scores.shape:
        raise InputError(
            f"weights and clusters must have {n} rows, one for each item, got {weights.shape} and "
            f"{clusters.shape}"
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError("weights", f"must be finite and >= 0, got {weights.min()} to {weights.max()}")
    scored = ~np.isnan(scores) & (weights > 0)
    expanded = np.where(labelled, weights / np.where(labelled, drawn, 1.0), 0.0)
    _, first, numbered = np.unique(clusters[scored], return_index=True, return_inverse=True)
    strata = None if design.strata is None else design.strata[scored][first]
    return WeightedItems(scores[scored], labels[scored], weights[scored], expanded[scored], numbered, strata)


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
    share = _cluster_sums(items, part)
    unknown = 1 - float(whole[items.expanded > 0].sum())
    variance = float(whole @ (items.scores - mean_score) ** 2)
    return LinearizedTerms(
        mean_label=float(mean_label),
        bias=float(mean_labelled - mean_label),
        gap=float(mean_score - mean_labelled),
        label=_cluster_sums(items, part * (labels - mean_label)),
        gaps=_cluster_sums(items, gaps * varied),
        share=share,
        added=varied * PRIOR_LABELS * variance * unknown / _effective_number(share) ** 2,
        strata=items.strata,
    )


def _cluster_sums(items: WeightedItems, column: Floats) -> Floats:
    """Sums by cluster, shape (m,)."""
    sums: Floats = np.bincount(items.clusters, column).astype(np.float64)
    return sums


def within_strata(changes: Floats, strata: Integers) -> Floats:
    """Centre the changes (m,) of each stratum, and stretch them by sqrt(m_h / (m_h - 1)).

    A cluster alone in its stratum and added labels (stratum -1) are not changed.

    Examples:
        >>> within_strata(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1])).round(4).tolist()
        [-1.4142, 1.4142, 5.0]
    """
    _, number, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    alone = (sizes[number] == 1) | (strata < 0)
    means = np.bincount(number, changes)[number] / sizes[number]
    stretch = np.sqrt(sizes / np.maximum(sizes - 1, 1))[number]
    return np.where(alone, changes, (changes - means) * stretch)


def _effective_number(share: Floats) -> float:
    """Kish's effective number of shares that sum to 1, shape (m,)."""
    return 1 / float(share @ share)
