"""Intervals of shares, which stay within 0 to 1."""

from typing import Literal

import numpy as np
from scipy.special import expit, logit, stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.exact_shares import clopper_pearson_ends
from semscale.stats.intervals.resampling import check_interval
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.types import Floats

ShareMethod = Literal["logit", "beta"]
"""``logit``: a t interval of the log odds. ``beta``: Korn and Graubard's, exact for a plain sample."""


def share_interval(
    shares: SurveyEstimates, level: float = 0.95, *, method: ShareMethod = "logit"
) -> tuple[Floats, Floats]:
    """Lower and upper ends of intervals of shares, each of shape (v, g), 0 to 1.

    Logit: ``expit(logit p +- t_df se / (p (1 - p)))``. Beta: Clopper and Pearson's with
    ``n* = p (1 - p) / se ** 2 (t_(n-1) / t_df) ** 2``, the effective number of rows, in the place of n. A
    share of 0 or 1 has no spread; both methods take Kish's effective number for n* then.

    Args:
        shares: means of columns of zeros and ones.
        level: coverage to aim at, between 0 and 1.
        method: logit or beta.

    Raises:
        InputError: an unknown method, a level out of range, or means outside 0 to 1.

    References:
        Korn and Graubard (1998), Survey Methodology 24(2), 193-201. Korn and Graubard (1999), Analysis of
        Health Surveys, section 3.2.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> from semscale.stats.survey.means import survey_means
        >>> shares = survey_means(np.zeros(10), SurveyDesign(np.ones(10)))
        >>> low, high = share_interval(shares)
        >>> low.tolist(), high.round(4).tolist()  # 1 - .025 ** (1 / 10)
        ([[0.0]], [[0.3085]])
    """
    check_interval(level)
    p = shares.values
    if np.any((p < 0) | (p > 1)):
        raise InputError("shares must be means of zeros and ones, but some lie outside 0 to 1")
    if method not in ("logit", "beta"):
        raise InputError(f"method must be 'logit' or 'beta', got {method!r}")
    error, df = shares.standard_errors, np.where(shares.df >= 1, shares.df, np.nan)
    inside = (p > 0) & (p < 1) & (error > 0)
    low, high = clopper_pearson_ends(p, shares.effective_n, level)
    low[np.isnan(df) | np.isnan(p)] = high[np.isnan(df) | np.isnan(p)] = np.nan
    some = (p[inside], error[inside], df[inside])
    if method == "logit":
        low[inside], high[inside] = _logit_ends(*some, level)
    else:
        low[inside], high[inside] = _beta_ends(*some, shares.n[inside].astype(np.float64), level)
    return low, high


def _logit_ends(p: Floats, error: Floats, df: Floats, level: float) -> tuple[Floats, Floats]:
    half = stdtrit(df, (1 + level) / 2) * error / (p * (1 - p))
    return expit(logit(p) - half), expit(logit(p) + half)


def _beta_ends(p: Floats, error: Floats, df: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
    upper = (1 + level) / 2
    effective = p * (1 - p) / error**2 * (stdtrit(n - 1.0, upper) / stdtrit(df, upper)) ** 2
    return clopper_pearson_ends(p, effective, level)
