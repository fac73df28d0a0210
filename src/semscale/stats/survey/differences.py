"""Differences of survey estimates: between groups, columns seen by the same people, and samples."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from semscale.errors import InputError
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.estimates import SurveyEstimates, t_interval
from semscale.stats.survey.figures_with_spread import ratio_figures
from semscale.stats.survey.means import check_groups, checked_columns, column_blocks
from semscale.stats.survey.variances import AnyDesign, Variances
from semscale.stats.testing.multiple_testing import CorrectionName, adjusted
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True, eq=False)
class SurveyDifferences:
    """Differences of two estimates, first minus second, all arrays of one shape.

    Attributes:
        values: the differences; NaN where one side has no rows.
        standard_errors: with what both sides have in common taken into account.
        df: degrees of freedom.
    """

    values: Floats
    standard_errors: Floats
    df: Floats

    @property
    def p_values(self) -> Floats:
        """Two-sided p-values of t tests; NaN where there is no standard error above 0."""
        known = (self.standard_errors > 0) & (self.df >= 1)
        t = np.divide(self.values, self.standard_errors, out=np.full_like(self.values, np.nan), where=known)
        return 2 * stdtr(np.where(known, self.df, np.nan), -np.abs(t))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Ends of t intervals.

        Args:
            level: coverage to aim at, between 0 and 1.

        Raises:
            InputError: ``level`` out of range.
        """
        return t_interval(self.values, self.standard_errors, self.df, level)

    def adjusted_p_values(self, correction: CorrectionName | None, tested: Mask | None = None) -> Floats:
        """P-values adjusted for the number of tests in this table.

        Args:
            correction: Holm or Benjamini and Hochberg; ``None`` leaves them as they are.
            tested: which count as tests, of the differences' shape; all with a p-value unless given. The
                others have NaN.
        """
        p_values = self.p_values if tested is None else np.where(tested, self.p_values, np.nan)
        if correction is None:
            return p_values
        return adjusted(p_values.ravel(), correction).reshape(p_values.shape)


@dataclass(frozen=True, eq=False)
class GroupDifferences(SurveyDifferences):
    """Differences between all pairs of groups in one sample, shape (v, pairs).

    Attributes:
        first: shape (pairs,), number of each pair's first group.
        second: shape (pairs,), of its second group, above the first.
    """

    first: Integers
    second: Integers


def group_differences(estimates: SurveyEstimates) -> GroupDifferences:
    """Compare each two groups of one sample; their covariance is taken into account.

    ``var = var_a + var_b - 2 cov_ab``; the degrees of freedom are those of both groups together minus 1, as
    in a regression on the group. Waves whose respondents or clusters are the same are groups too: stack the
    waves, and give respondents as clusters.

    Args:
        estimates: what ``survey_means`` and its like give, with two groups or more.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> from semscale.stats.survey.means import survey_means
        >>> means = survey_means([1.0, 3.0, 2.0, 6.0], SurveyDesign(np.ones(4)), groups=[0, 0, 1, 1])
        >>> group_differences(means).values.tolist()
        [[-2.0]]
    """
    first, second = np.triu_indices(estimates.values.shape[1], k=1)
    variances = np.diagonal(estimates.covariance, axis1=1, axis2=2)
    shared = estimates.covariance[:, first, second]
    values = estimates.values[:, first] - estimates.values[:, second]
    errors = np.sqrt(np.maximum(variances[:, first] + variances[:, second] - 2 * shared, 0))
    df = estimates.pair_df[:, first, second] - 1
    known = ~np.isnan(values) & (df >= 1)
    return GroupDifferences(values, np.where(known, errors, np.nan), df, first, second)


def independent_differences(first: SurveyEstimates, second: SurveyEstimates) -> SurveyDifferences:
    """Compare estimates from two samples that were drawn independently, cell by cell.

    ``var = var_1 + var_2``, with Satterthwaite's degrees of freedom,
    ``var ** 2 / (var_1 ** 2 / df_1 + var_2 ** 2 / df_2)``.

    Args:
        first: of the first sample, such as this wave.
        second: of the second sample, with as many columns and groups.

    Returns:
        Arrays of shape (v, g).

    Raises:
        InputError: another number of columns or of groups.

    References:
        Satterthwaite (1946), Biometrics Bulletin 2(6), 110-114, doi 10.2307/3002019.
    """
    if first.values.shape != second.values.shape:
        raise InputError(
            f"both samples must have the same columns and groups, got {first.values.shape} and "
            f"{second.values.shape}"
        )
    one, two = first.standard_errors**2, second.standard_errors**2
    apart = one**2 / np.maximum(first.df, 1) + two**2 / np.maximum(second.df, 1)
    df = np.divide((one + two) ** 2, apart, out=np.minimum(first.df, second.df) * 1.0, where=apart > 0)
    return SurveyDifferences(first.values - second.values, np.sqrt(one + two), df)


def paired_differences(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyDifferences:
    """Compare the means of columns that the same people answered, such as two concepts or two waves.

    Each mean keeps its own base: a row counts for the side on which it has a value, and what both sides have
    in common is taken into account. The degrees of freedom are the design's minus 1, as R's svyttest has it.

    Args:
        first: shape (n,) or (n, v); NaN where a row has no value.
        second: of the same shape.
        design: how respondents were drawn.
        groups: shape (n,), each row's group, from 0; -1 for none. One group of all rows unless given.
        n_groups: how many groups there are; the highest number + 1 unless given.

    Returns:
        Arrays of shape (v, g).

    Raises:
        InputError: lengths or values that do not fit, or a group whose weights sum to 0.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> paired_differences([1.0, 2.0, 3.0], [0.0, 2.0, 1.0], SurveyDesign(np.ones(3))).values.tolist()
        [[1.0]]
    """
    domains = checked_domains(groups, n_groups, design.n)
    check_groups(design, domains)
    tables = [checked_columns(one, design.n) for one in (first, second)]
    if tables[0].shape != tables[1].shape:
        raise InputError(f"columns must have the same shape, got {tables[0].shape} and {tables[1].shape}")
    variances = Variances(design, domains)
    blocks = [
        _paired([table[:, block].astype(np.float64) for table in tables], design, domains, variances)
        for block in column_blocks(tables[0].shape[1], design.n)
    ]
    return SurveyDifferences(*(np.concatenate(part) for part in zip(*blocks, strict=True)))


def _paired(
    tables: list[Floats], design: AnyDesign, domains: Domains, variances: Variances
) -> tuple[Floats, Floats, Floats]:
    """Differences of a block of columns, their standard errors and degrees of freedom."""
    valid = [~np.isnan(table) & (design.weights > 0)[:, None] for table in tables]
    sides = [
        ratio_figures(np.where(there, table, 0.0), there.astype(np.float64), design, domains)
        for table, there in zip(tables, valid, strict=True)
    ]
    values = sides[0].values - sides[1].values
    covariance = variances.covariance(values, sides[0].spread - sides[1].spread)
    degrees = np.diagonal(variances.pair_degrees(valid[0] | valid[1]), axis1=1, axis2=2) - 1
    errors = np.sqrt(np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0))
    known = ~np.isnan(values) & (degrees >= 1)
    return values, np.where(known, errors, np.nan), degrees
