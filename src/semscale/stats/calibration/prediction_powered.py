"""Prediction-powered mean: what people would give the items that a judge scored, from labels of some."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.intervals.resampling import check_interval
from semscale.types import Floats

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
