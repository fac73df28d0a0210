"""Adjusts p-values of many tests for their number."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from semscale.types import Floats

Correction = Literal["holm", "benjamini-hochberg"]
"""``holm`` bounds the chance of any false alarm, ``benjamini-hochberg`` the share of false ones."""

CorrectionName = Literal["holm", "bh", "benjamini-hochberg"]
"""What users may write: a correction, or ``bh`` for ``benjamini-hochberg``."""


def holm(p_values: Floats) -> Floats:
    """Adjust p-values after Holm: the i-th smallest of m times m - i + 1, and no less than those before it.

    Args:
        p_values: shape (m,), 0 to 1.

    Returns:
        Shape (m,), in the order given. Rejecting what lies below alpha keeps the chance of any false
        rejection at alpha or less, whatever the tests have to do with each other.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70, https://www.jstor.org/stable/4615733.

    Example:
        >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
        [0.03, 0.06, 0.06]
    """
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.maximum.accumulate(p_values[order] * np.arange(m, 0, -1))
    return np.minimum(adjusted, 1.0)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Adjust p-values after Benjamini and Hochberg: m / i times the i-th smallest, no more than those after.

    Args:
        p_values: shape (m,), 0 to 1.

    Returns:
        Shape (m,), in the order given. Rejecting what lies below alpha keeps the share of false rejections
        among all at alpha or less on average, for independent or positively dependent tests.

    References:
        Benjamini and Hochberg (1995), JRSS-B 57(1), 289-300, doi 10.1111/j.2517-6161.1995.tb02031.x.

    Example:
        >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(6).tolist()
        [0.03, 0.04, 0.04]
    """
    if not len(p_values):
        return np.empty(0)
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p_values, method="bh"), dtype=np.float64)


def in_full(name: CorrectionName) -> Correction:
    """Return the full name of a correction.

    Example:
        >>> in_full("bh"), in_full("holm")
        ('benjamini-hochberg', 'holm')
    """
    return "benjamini-hochberg" if name == "bh" else name


def adjusted(p_values: Floats, correction: CorrectionName) -> Floats:
    """Adjust the p-values that are not NaN; NaN stays NaN and counts as no test.

    Example:
        >>> adjusted(np.array([0.02, np.nan, 0.5]), "holm").tolist()
        [0.04, nan, 0.5]
    """
    methods: dict[Correction, Callable[[Floats], Floats]] = {
        "holm": holm,
        "benjamini-hochberg": benjamini_hochberg,
    }
    tested = ~np.isnan(p_values)
    shown = np.full(len(p_values), np.nan)
    shown[tested] = methods[in_full(correction)](p_values[tested])
    return shown


def adjusted_discrete(p_values: Floats, least: Floats, correction: Correction, alpha: float) -> Floats:
    """Adjust p-values of tests that have a smallest possible p-value; those that cannot reject do not count.

    After Tarone, k is the smallest number with at most k tests whose least p-value is at most ``alpha / k``.
    Only these tests are adjusted. The others cannot reject at that level, and get 1. The choice depends on
    which results are possible, and not on the result, so that the correction keeps the error of the single
    p-values; that of mid-p-values is close to alpha, and up to .09 at .05 where few items differ.

    Args:
        p_values: shape (m,), 0 to 1; NaN stays NaN and counts as no test.
        least: shape (m,), the smallest p-value that each test can have.
        correction: of the tests that count.
        alpha: level of all tests together.

    References:
        Tarone (1990), Biometrics 46(2), 515-522, doi 10.2307/2531456.

    Example:
        >>> adjusted_discrete(np.array([0.02, 0.3, 1.0]), np.array([0.001, 0.25, 1.0]), "holm", 0.05).tolist()
        [0.02, 1.0, 1.0]
    """
    known = ~np.isnan(p_values)
    able = known
    for k in range(1, int(known.sum()) + 1):
        able = known & (np.nan_to_num(least, nan=1.0) <= alpha / k)
        if able.sum() <= k:
            break
    return np.where(
        able, adjusted(np.where(able, p_values, np.nan), correction), np.where(known, 1.0, np.nan)
    )
