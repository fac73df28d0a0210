"""Intraclass correlations: how much of the variance of ratings is between the items."""

from typing import Literal

import numpy as np

from semscale.errors import InputError
from semscale.stats.agreement.estimates import (
    AgreementEstimate,
    Counted,
    checked_ratings,
    estimate_agreement,
)
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.jackknife import RELIABILITY, NormalizingTransform
from semscale.types import Floats, Integers

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""Shrout and Fleiss' forms: first the model, then one rater or the mean of k.

Model 1: other raters for every item. 2: the same raters, who stand for others; their severity counts as
disagreement. 3: these raters only; severity does not count.
"""

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def intraclass_correlation(
    ratings: Floats,
    *,
    form: Form = "2,1",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Intraclass correlation from mean squares: between items B, within W, between raters J, error E.

    1,1: (B - W) / (B + (k - 1) W). 2,1: (B - E) / (B + (k - 1) E + k (J - E) / n). 3,1: (B - E) / (B + (k -
    1) E). 1,k: (B - W) / B. 2,k: (B - E) / (B + (J - E) / n). 3,k: (B - E) / B.

    Args:
        ratings: shape (n, k), NaN where a rater did not rate.
        form: the model, and whether of one rater or of the mean of k.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1. Items are resampled, raters are not.
        seed: of the bootstrap.

    Returns:
        At most 1; below 0 where items differ less than by chance. Items that somebody did not rate are left
        out. NaN where ratings do not vary.

    Raises:
        InputError: not a table, an infinite value, an unknown form, or a setting out of range.

    References:
        Shrout and Fleiss (1979), Psychological Bulletin 86(2), 420-428, doi 10.1037/0033-2909.86.2.420.

    Example:
        >>> round(intraclass_correlation(np.array([[1.0, 2], [2, 3], [3, 4]]), form="2,1").value, 6)
        0.666667
    """
    table = checked_ratings(ratings)
    if form not in FORMS:
        raise InputError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    usable = np.asarray(~np.isnan(table).any(axis=1))
    return estimate_agreement(
        intraclass_coefficient(table[usable], form),
        usable,
        ResamplingPlan(clusters, interval, seed),
        RELIABILITY if form.endswith("k") else _of_one(table.shape[1], form),
        undefined="an intraclass correlation needs two items or more, whose ratings vary",
    )


def intraclass_coefficient(ratings: Floats, form: Form) -> Counted:
    """Make a correlation of complete ratings (n, k) a function of how often each item is there."""
    k = ratings.shape[1]
    centred = ratings - ratings.mean() if len(ratings) else ratings
    features = np.column_stack([centred, (centred**2).sum(axis=1), centred.sum(axis=1) ** 2 / k])

    def coefficient(counts: Floats) -> Floats:
        n = counts.sum(axis=1)
        sums = counts @ features
        raters, everything, items = sums[:, :k], sums[:, k], sums[:, k + 1]
        mean = raters.sum(axis=1) ** 2 / np.maximum(n * k, 1)
        between, total = items - mean, everything - mean
        judges = (raters**2).sum(axis=1) / np.maximum(n, 1) - mean
        freedom = np.maximum(n - 1, 1)
        top, bottom = _ratio(
            form,
            n,
            k,
            between=between / freedom,
            within=(total - between) / np.maximum(n * (k - 1), 1),
            judges=judges / (k - 1),
            error=np.maximum(total - between - judges, 0) / (freedom * (k - 1)),
        )
        # A sum of squares that is 0 but for rounding is 0.
        defined = (n > 1) & (total > 1e-12 * everything) & (bottom > 1e-12 * total / np.maximum(n * k, 1))
        return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)

    return coefficient


def _ratio(  # noqa: PLR0913 - the mean squares
    form: Form, n: Floats, k: int, *, between: Floats, within: Floats, judges: Floats, error: Floats
) -> tuple[Floats, Floats]:
    """Top and bottom of the fraction that a form is."""
    noise = within if form.startswith("1") else error
    severity = (judges - error) / np.maximum(n, 1) if form.startswith("2") else np.zeros_like(n)
    if form.endswith("k"):
        return between - noise, between + severity
    return between - noise, between + (k - 1) * noise + k * severity


def _of_one(k: int, form: Form) -> NormalizingTransform:
    """Fisher's z of an intraclass correlation of k raters; that of model 2 has no lowest value."""
    return NormalizingTransform(
        lambda r: np.log(np.maximum(1 + (k - 1) * r, 0) / (1 - r)) / 2,
        lambda z: 2 * np.tanh(z) / (k + (2 - k) * np.tanh(z)),
        -np.inf if form.startswith("2") else -1 / (k - 1),
        1.0,
    )
