"""What weights and clusters cost: design effects and effective numbers of respondents."""

import numpy as np
import numpy.typing as npt

from semscale.stats.intervals.moments import effective_size
from semscale.stats.survey.design import checked_weights
from semscale.stats.survey.domains import checked_domains
from semscale.stats.survey.means import checked_columns, survey_means
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats


def kish_design_effect(weights: npt.ArrayLike) -> float:
    """Design effect of unequal weights, ``n sum(w ** 2) / sum(w) ** 2``, at least 1.

    Args:
        weights: shape (n,), finite and not negative; rows with 0 are left out.

    Raises:
        InputError: a weight out of range, or weights that sum to 0.

    References:
        Kish (1965), Survey Sampling, section 11.7.

    Example:
        >>> kish_design_effect([1.0, 3.0])  # 2 * 10 / 16
        1.25
    """
    taken = checked_weights(weights)
    return float((taken > 0).sum() / effective_size(taken.sum(), (taken**2).sum()))


def mean_design_effects(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> Floats:
    """Design effects of means: variance over that of a plain sample of as many rows, with replacement.

    The plain variance is ``sum of w (y - mean) ** 2 / sum of w / (n - 1)``.

    Args:
        columns: shape (n,) or (n, v); NaN where a row has no value.
        design: how respondents were drawn.
        groups: as in ``survey_means``.
        n_groups: likewise.

    Returns:
        Shape (v, g); NaN where a column does not vary. n over it is the effective number of respondents.

    Raises:
        InputError: values or lengths that do not fit.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> mean_design_effects([1.0, 2.0, 4.0], SurveyDesign(np.ones(3))).round(6).tolist()
        [[1.0]]
    """
    domains = checked_domains(groups, n_groups, design.n)
    means = survey_means(columns, design, groups=groups, n_groups=n_groups)
    table = checked_columns(columns, design.n).astype(np.float64)
    apart = np.nan_to_num(table - domains.spread_out(means.values)) ** 2
    squares = domains.sums(apart * design.weights[:, None])
    plain = np.divide(
        squares, means.weight * (means.n - 1), out=np.full_like(squares, np.nan), where=means.n > 1
    )
    variances = means.standard_errors**2
    return np.divide(variances, plain, out=np.full_like(squares, np.nan), where=plain > 0)
