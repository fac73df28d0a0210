"""Rogan and Gladen's share: what people would call yes, from some labels and a judge's yes and no."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from semscale.errors import InputError
from semscale.stats.calibration.prediction_powered import checked_labels
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.resampling import check_interval
from semscale.stats.intervals.shares import wilson_interval
from semscale.types import Floats


@dataclass(frozen=True)
class CorrectedShare:
    """A share corrected for what the judge overlooks and what it makes up.

    Attributes:
        value: the corrected share, 0 to 1; NaN where it is not defined.
        low: lower end of its interval, NaN likewise.
        high: upper end.
        naive: the share that the judge calls yes, whose interval knows nothing of its errors.
        sensitivity: share of people's yes that the judge calls yes.
        specificity: share of people's no that the judge calls no.
        n_labelled: items with a judgement and a label.
        n_unlabelled: items with a judgement only.
        n_left_out: items without a judgement.
        method: ``Lang-Reiczigel``; ``None`` where there is no interval.
        note: why there is no value.
    """

    value: float
    low: float
    high: float
    naive: Estimate
    sensitivity: Estimate
    specificity: Estimate
    n_labelled: int
    n_unlabelled: int
    n_left_out: int
    method: str | None
    note: str | None = None


class _Share(NamedTuple):
    hits: float
    n: float

    @property
    def p(self) -> float:
        return self.hits / self.n

    @property
    def variance(self) -> float:
        return self.p * (1 - self.p) / self.n

    def padded(self, more: float) -> "_Share":
        """With so many more of each kind."""
        return _Share(self.hits + more, self.n + 2 * more)


def rogan_gladen(judged: Floats, labels: Floats, *, interval: float = 0.95) -> CorrectedShare:
    """Rogan and Gladen's share: (share judged yes + specificity - 1) / (sensitivity + specificity - 1).

    The share judged yes is that of unlabelled items; sensitivity and specificity come from the labelled
    ones. These may be a random sample, or so many of each kind as was decided beforehand. With a random
    sample ``prediction_powered_mean`` has the narrower interval, as it uses the labels' own share too.

    The interval is Lang and Reiczigel's: normal, about a centre that is moved by one more of each kind for
    sensitivity and specificity, and z^2 / 2 more for the share.

    Args:
        judged: shape (n,), 1 where the judge says yes, 0 no, NaN nothing.
        labels: shape (n,), likewise people's.
        interval: coverage to aim at, between 0 and 1.

    Returns:
        NaN, with a note, without unlabelled items, without labels of both kinds, or if the judge's yes is no
        more frequent among people's yes than among their no.

    Raises:
        InputError: lengths differ, values other than 0, 1 and NaN, or a coverage out of range.

    References:
        Rogan and Gladen (1978), doi 10.1093/oxfordjournals.aje.a112510. Lang and Reiczigel (2014),
        doi 10.1016/j.prevetmed.2013.09.015.

    Example:
        >>> judged = np.repeat([1.0, 0, 1, 0, 1, 0], [45, 5, 10, 40, 300, 700])
        >>> labels = np.repeat([1.0, 0, np.nan], [50, 50, 1000])
        >>> round(rogan_gladen(judged, labels).value, 6)  # (.3 + .8 - 1) / (.9 + .8 - 1)
        0.142857
    """
    judged, labels = checked_labels(judged, labels, (0, 1))
    check_interval(interval)
    for name, values in (("judged", judged), ("labels", labels)):
        if not np.isin(values[~np.isnan(values)], (0, 1)).all():
            raise InputError(f"{name} must be 1 for yes, 0 for no, or NaN, got another value")
    there, known = ~np.isnan(judged), ~np.isnan(labels)
    yes, no, rest = (judged[there & which] for which in (labels == 1, labels == 0, ~known))
    everything = judged[there]
    found, right = _Share(yes.sum(), len(yes)), _Share((1 - no).sum(), len(no))
    called = _Share(rest.sum(), len(rest))
    note = _undefined(found, right, called)
    value, low, high = (np.nan,) * 3 if note else _corrected(found, right, called, interval)
    return CorrectedShare(
        value=value,
        low=low,
        high=high,
        naive=wilson_interval(int(everything.sum()), len(everything), interval),
        sensitivity=wilson_interval(int(found.hits), int(found.n), interval),
        specificity=wilson_interval(int(right.hits), int(right.n), interval),
        n_labelled=len(yes) + len(no),
        n_unlabelled=len(rest),
        n_left_out=int((~there).sum()),
        method=None if note else "Lang-Reiczigel",
        note=note,
    )


def _undefined(found: _Share, right: _Share, called: _Share) -> str | None:
    if not called.n:
        return "there is no unlabelled item: take the mean of the labels"
    if not (found.n and right.n):
        return "labels must have both kinds: nothing says how often the judge errs on the other"
    if found.p + right.p <= 1:
        return "the judge's yes is no more frequent among people's yes than among their no"
    return None


def _corrected(found: _Share, right: _Share, called: _Share, interval: float) -> tuple[float, float, float]:
    value = (called.p + right.p - 1) / (found.p + right.p - 1)
    z = float(ndtri((1 + interval) / 2))
    se, sp, ap = found.padded(1), right.padded(1), called.padded(z**2 / 2)
    youden = se.p + sp.p - 1
    if youden <= 0:
        return float(np.clip(value, 0, 1)), 0.0, 1.0
    centre = (ap.p + sp.p - 1) / youden
    shift = 2 * z**2 * (centre * se.variance - (1 - centre) * sp.variance)
    variance = (ap.variance + centre**2 * se.variance + (1 - centre) ** 2 * sp.variance) / youden**2
    half = z * np.sqrt(variance)
    ends = (value, centre + shift - half, centre + shift + half)
    value, low, high = (float(np.clip(end, 0, 1)) for end in ends)
    return value, min(low, value), max(high, value)
