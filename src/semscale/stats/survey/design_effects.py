"""What weights and clusters cost: design effects and effective numbers of respondents."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.stats.intervals.moments import effective_size
from semscale.stats.survey.design import checked_weights
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.survey.means import checked_columns, column_blocks, survey_means
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats, Integers


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


@dataclass(frozen=True, eq=False)
class DesignEffects:
    """What weights and the draw cost the means of v columns in g groups, all arrays of shape (v, g).

    Attributes:
        overall: variance over that of a plain sample of as many rows; NaN where a column does not vary.
        weighting: Kish's, of unequal weights alone; NaN where there are no rows.
        n: rows that count.
    """

    overall: Floats
    weighting: Floats
    n: Integers

    @property
    def rest(self) -> Floats:
        """What clusters cost, and what strata, populations and margins save: overall over weighting."""
        return np.asarray(self.overall / self.weighting)

    @property
    def effective_n(self) -> Floats:
        """Respondents of a plain sample with as small a variance."""
        empty = np.full(self.n.shape, np.nan)
        return np.asarray(np.divide(self.n, self.overall, out=empty, where=self.overall > 0))


def mean_design_effects(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> DesignEffects:
    """Design effects of means, with Kish's part of them beside.

    The plain variance is ``sum of w (y - mean) ** 2 / sum of w / (n - 1)``, drawn with replacement.

    Args:
        columns: shape (n,) or (n, v); NaN where a row has no value.
        design: how respondents were drawn.
        groups: as in ``survey_means``.
        n_groups: likewise.

    Raises:
        InputError: values or lengths that do not fit.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> effects = mean_design_effects([1.0, 2.0, 4.0], SurveyDesign(np.ones(3)))
        >>> effects.overall.round(6).tolist(), effects.weighting.tolist()
        ([[1.0]], [[1.0]])
    """
    domains = checked_domains(groups, n_groups, design.n)
    means = survey_means(columns, design, groups=groups, n_groups=n_groups)
    plain = _plain_variances(checked_columns(columns, design.n), design, domains, means)
    overall = np.divide(means.standard_errors**2, plain, out=np.full_like(plain, np.nan), where=plain > 0)
    sizes = means.effective_n
    weighting = np.divide(means.n, sizes, out=np.full_like(sizes, np.nan), where=sizes > 0)
    return DesignEffects(overall, weighting, means.n)


def _plain_variances(table: Floats, design: AnyDesign, domains: Domains, means: SurveyEstimates) -> Floats:
    """Variances of means of plain samples of as many rows, shape (v, g); NaN for fewer than two rows."""
    squares = np.concatenate(
        [
            domains.sums(
                np.nan_to_num(table[:, block] - domains.spread_out(means.values[block])) ** 2
                * design.weights[:, None]
            )
            for block in column_blocks(table.shape[1], design.n)
        ]
    )
    below = means.weight * (means.n - 1)
    return np.asarray(np.divide(squares, below, out=np.full_like(squares, np.nan), where=means.n > 1))
