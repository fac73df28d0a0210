"""Tests of differences between groups, of independence, and of many hypotheses at once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from string import ascii_uppercase
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, fdtrc, stdtr

from semscale.errors import InputError
from semscale.stats.survey_designs import AnyDesign, Domains, ReplicateDesign, validate_domains
from semscale.stats.survey_estimates import (
    Linearized,
    SurveyEstimates,
    Variances,
    linearized_totals,
    t_interval,
)
from semscale.types import Floats, Integers, Mask

Correction = Literal["holm", "benjamini-hochberg"]
"""``holm`` limits the chance of any false rejection, ``benjamini-hochberg`` the share of false ones."""

CorrectionName = Literal["holm", "bh", "benjamini-hochberg"]
"""Accepted names: a correction, or ``bh`` for ``benjamini-hochberg``."""


@dataclass(frozen=True, eq=False)
class SurveyDifferences:
    """Differences of two estimates, first minus second, all arrays of one shape.

    Attributes:
        values: the differences; NaN where one side has no rows.
        standard_errors: standard errors, with the covariance of both sides.
        df: degrees of freedom.
    """

    values: Floats
    standard_errors: Floats
    df: Floats

    @property
    def p_values(self) -> Floats:
        """Two-sided p-values of t tests; NaN without a standard error above 0."""
        known = (self.standard_errors > 0) & (self.df >= 1)
        t = np.divide(self.values, self.standard_errors, out=np.full_like(self.values, np.nan), where=known)
        return 2 * stdtr(np.where(known, self.df, np.nan), -np.abs(t))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Ends of t intervals.

        Args:
            level: nominal coverage, between 0 and 1.

        Raises:
            InputError: ``level`` out of range.
        """
        return t_interval(self.values, self.standard_errors, self.df, level)

    def adjusted_p_values(
        self,
        correction: CorrectionName | None,
        tested: Mask | None = None,
        families: npt.ArrayLike = 0,
    ) -> Floats:
        """P-values adjusted for the number of tests in each family of this table.

        Args:
            correction: Holm or Benjamini and Hochberg; ``None`` for no correction.
            tested: mask of the tests, of the differences' shape; by default all with a p-value. The others
                are NaN.
            families: number of each test's family, in a shape that fits the differences'; by default all are
                one family.
        """
        p_values = self.p_values if tested is None else np.where(tested, self.p_values, np.nan)
        if correction is None:
            return p_values
        adjusted, numbers = np.empty(p_values.shape), np.broadcast_to(families, p_values.shape)
        for family in np.unique(numbers):
            adjusted[numbers == family] = adjust_p_values(p_values[numbers == family], correction)
        return adjusted


@dataclass(frozen=True, eq=False)
class GroupDifferences(SurveyDifferences):
    """Differences between all pairs of groups in one sample, shape (v, pairs).

    Attributes:
        first: shape (pairs,), number of each pair's first group.
        second: shape (pairs,), number of its second group, above the first.
    """

    first: Integers
    second: Integers


def group_differences(estimates: SurveyEstimates) -> GroupDifferences:
    """Compare all pairs of groups of one sample, with their covariance.

    ``var = var_a + var_b - 2 cov_ab``; the degrees of freedom are those of both groups together minus 1, as
    in a regression on the group. Waves with the same respondents or clusters are groups too: stack the waves,
    and pass respondents as clusters.

    Args:
        estimates: result of ``survey_means``, ``survey_totals`` or ``survey_ratios``, with at least two
            groups.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> from semscale.stats.survey_estimates import survey_means
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


def letter(number: int) -> str:
    """Name a column as spreadsheets do: A to Z, then AA, AB and so on.

    Examples:
        >>> letter(0), letter(25), letter(26)
        ('A', 'Z', 'AA')
    """
    name = ""
    number += 1
    while number:
        number, last = divmod(number - 1, len(ascii_uppercase))
        name = ascii_uppercase[last] + name
    return name


def column_letters(
    differences: GroupDifferences,
    *,
    tested: Mask,
    alpha: float = 0.05,
    correction: CorrectionName | None = "holm",
    families: npt.ArrayLike = 0,
) -> npt.NDArray[np.object_]:
    """Letter the cells of a crosstab: each gets the letters of the columns that it significantly exceeds.

    Args:
        differences: differences between the columns, from ``group_differences``.
        tested: shape (v, g), whether a cell is tested; ``False`` for a base that is too small. Such a cell
            has no letters, its letter appears in no cell, and it is not counted in the number of tests.
        alpha: significance level of the tests, between 0 and 1.
        correction: correction for the number of tests of a family; ``None`` for no correction.
        families: number of the family of each difference, as in ``adjusted_p_values``; by default one.

    Returns:
        Shape (v, g), the letters in order, separated by blanks; "" for none.

    Raises:
        InputError: ``alpha`` out of range, or ``tested`` of another shape.
    """
    if not 0 < alpha < 1:
        raise InputError("alpha", f"must be between 0 and 1, got {alpha}")
    first, second = differences.first, differences.second
    groups = int(second.max()) + 1 if len(second) else np.shape(tested)[1]
    if np.shape(tested) != (len(differences.values), groups):
        raise InputError(
            "tested", f"must have shape {(len(differences.values), groups)}, got {np.shape(tested)}"
        )
    pairs = tested[:, first] & tested[:, second]
    significant = differences.adjusted_p_values(correction, pairs, families) <= alpha
    above = np.zeros((*np.shape(tested), groups), dtype=bool)
    above[:, first, second] = significant & (differences.values > 0)
    above[:, second, first] = significant & (differences.values < 0)
    names = [letter(number) for number in range(groups)]
    letters = np.empty(np.shape(tested), dtype=object)
    for row, column in np.ndindex(*np.shape(tested)):
        letters[row, column] = " ".join(names[other] for other in np.flatnonzero(above[row, column]))
    return letters


@dataclass(frozen=True)
class Association:
    """A test of independence of rows and columns of a crosstab.

    Attributes:
        chi_square: Pearson's X2 of the weighted shares, with base n.
        f: X2 / trace of the design effects; NaN without a test.
        df: degrees of freedom of the numerator.
        df_below: degrees of freedom of the denominator.
        p_value: p-value, 0 to 1; NaN without a test.
        n: number of rows with both answers.
        reason: reason for the missing test; empty with a test.
    """

    chi_square: float
    f: float
    df: float
    df_below: float
    p_value: float
    n: int
    reason: str = ""


def rao_scott(rows: npt.ArrayLike, columns: npt.ArrayLike, design: AnyDesign) -> Association:
    """Test whether two questions are independent: chi-square with Rao and Scott's second-order correction.

    With the generalised design effects d of the contrasts of a saturated log-linear model, ``F = X2 /
    sum(d)`` has ``sum(d) ** 2 / sum(d ** 2)`` degrees of freedom, and this number times the design's degrees
    of freedom in the denominator.

    Args:
        rows: shape (n,), answers to one question, whole numbers from 0; -1 where missing.
        columns: shape (n,), answers to the other question, or the group.
        design: design of the survey.

    Returns:
        The test; all NaN but ``n`` if a question has fewer than two answers, too many cells are empty, or no
        degrees of freedom are left; ``reason`` states which.

    Raises:
        InputError: lengths or numbers that do not fit.

    References:
        Rao and Scott (1984), Annals of Statistics 12(1), 46-60, doi 10.1214/aos/1176346391. Thomas and Rao
        (1987), JASA 82(398), 630-636, doi 10.1080/01621459.1987.10478476.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> test = rao_scott([0, 0, 1, 1], [0, 1, 0, 1], SurveyDesign(np.ones(4)))
        >>> round(test.chi_square, 6), test.p_value
        (0.0, 1.0)
    """
    across, down = (validate_domains(answers, None, design.n) for answers in (columns, rows))
    both = (across.codes >= 0) & (down.codes >= 0) & (design.weights > 0)
    if not both.any():
        raise InputError("rows and columns have no row with both answers")
    cells, shape = _cells(down.codes, across.codes, both)
    n = int(both.sum())
    untested = partial(Association, np.nan, np.nan, np.nan, np.nan, np.nan, n)
    if min(shape) < 2:
        return untested("all answers are the same" if shape[0] < 2 else "only one group has answers")
    domains = Domains(cells, shape[0] * shape[1])
    totals = linearized_totals(both[:, None].astype(np.float64), design, domains)
    shares = totals.values[0] / totals.values.sum()
    effects = _design_effects(shares, _share_covariance(totals, design, domains), shape, n)
    if effects is None:
        return untested("too many cells are empty")
    everyone = Domains(np.zeros(design.n, dtype=np.int64), 1)
    degrees = float(Variances(design, everyone).pair_degrees(both[:, None])[0, 0, 0])
    table = shares.reshape(shape)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    chi_square = float(n * ((table - expected) ** 2 / expected).sum())
    trace, squares = float(np.trace(effects)), float(np.trace(effects @ effects))
    if degrees < 1:
        return untested("the survey design leaves no degrees of freedom")
    if not trace > 0:
        return untested("the shares have no sampling variance")
    f, df = chi_square / trace, trace**2 / squares
    return Association(chi_square, f, df, df * degrees, float(fdtrc(df, df * degrees, f)), n)


def _cells(rows: Integers, columns: Integers, both: Mask) -> tuple[Integers, tuple[int, int]]:
    """Number the cells of the answers that occur; -1 for rows without both."""
    (n_down, down), (n_across, across) = (_renumber(codes[both]) for codes in (rows, columns))
    cells = down[np.where(both, rows, 0)]
    cells *= n_across
    cells += across[np.where(both, columns, 0)]
    cells[~both] = -1
    return cells, (n_down, n_across)


def _renumber(codes: Integers) -> tuple[int, Integers]:
    """Return how many numbers occur among codes from 0, and for each number up to the largest a new one."""
    occurs = np.bincount(codes) > 0
    return int(occurs.sum()), np.cumsum(occurs) - 1


def _share_covariance(totals: Linearized, design: AnyDesign, domains: Domains) -> Floats:
    """Covariance of the cells' shares, shape (cells, cells)."""
    variances = Variances(design, domains)
    total = totals.values.sum()
    if isinstance(design, ReplicateDesign):
        shares = totals.spread / totals.spread.sum(axis=2, keepdims=True)
        return np.asarray(variances.covariance(Linearized(totals.values / total, shares))[0])
    # A share is a total over the sum of all totals, so its influence is linear in theirs.
    jacobian = (np.eye(domains.count) - totals.values.T / total) / total
    return np.asarray(jacobian @ variances.covariance(totals)[0] @ jacobian.T)


def _design_effects(shares: Floats, covariance: Floats, shape: tuple[int, int], n: int) -> Floats | None:
    """Generalised design effects of the contrasts between rows and columns, a square matrix.

    ``None`` if too many cells are empty to separate the contrasts.
    """
    contrasts = np.kron(_contrasts(shape[0]), _contrasts(shape[1]))
    inverse = np.divide(1.0, shares, out=np.zeros_like(shares), where=shares > 0)
    scaled = inverse[:, None] * contrasts
    products = contrasts.T @ scaled / n
    if np.linalg.matrix_rank(products) < len(products):
        return None
    return np.linalg.solve(products, scaled.T @ covariance @ scaled)


def _contrasts(k: int) -> Floats:
    """Basis of the vectors with sum 0, shape (k, k - 1)."""
    return np.eye(k)[:, :-1] - 1 / k


_DRAWN = 10_000

_LEAST_EXPECTED = 10

_ROUNDING = 1e-9


def independence_p_value(counts: Integers, *, seed: int = 0) -> float:
    """Test whether a share is equal in all groups, and return the p-value.

    The statistic is Pearson's sum of (observed - expected)^2 / expected. Its p-value is that of chi-squared
    if every expected count is at least 10. Otherwise it is (b + 1) / 10,001, with b the number of 10,000
    random tables with the same margins and at least the same statistic.

    Args:
        counts: shape (2, g), yes and no in each of g groups.
        seed: seed of the drawn tables.

    Returns:
        The p-value, 0 to 1; NaN with fewer than two non-empty groups, or if all or none are yes.

    References:
        Pearson (1900), doi 10.1080/14786440009463897. Drawn tables: Patefield (1981), doi 10.2307/2346669,
        and Davison and Hinkley (1997), Bootstrap Methods and their Application, section 4.2.5, for the added
        1.

    Examples:
        >>> round(independence_p_value(np.array([[20, 30], [30, 20]])), 4)
        0.0455
    """
    table = np.asarray(counts)[:, np.asarray(counts).sum(axis=0) > 0]
    rows = table.sum(axis=1)
    if table.shape[1] < 2 or not rows.all():  # one group has nothing to compare with
        return float("nan")
    columns = table.sum(axis=0)
    expected = np.outer(rows, columns) / table.sum()
    observed = _statistic(table[None], expected)[0]
    if expected.min() >= _LEAST_EXPECTED:
        return float(chdtrc(table.shape[1] - 1, observed))
    from scipy.stats import random_table  # takes half a second to import

    drawn = random_table(rows, columns).rvs(_DRAWN, random_state=np.random.default_rng(seed))
    as_great = _statistic(drawn, expected) >= observed * (1 - _ROUNDING)
    return float((1 + as_great.sum()) / (1 + _DRAWN))


def _statistic(tables: Integers | Floats, expected: Floats) -> Floats:
    statistic: Floats = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
    return statistic


def holm(p_values: Floats) -> Floats:
    """Adjust p-values after Holm: the i-th smallest of m times m - i + 1, at least those before it.

    Args:
        p_values: shape (m,), 0 to 1.

    Returns:
        Shape (m,), in the order of ``p_values``. Rejecting all below alpha keeps the chance of any false
        rejection at alpha or less, for any dependence between tests.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70, https://www.jstor.org/stable/4615733.

    Examples:
        >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
        [0.03, 0.06, 0.06]
    """
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.maximum.accumulate(p_values[order] * np.arange(m, 0, -1))
    return np.minimum(adjusted, 1.0)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Adjust p-values after Benjamini and Hochberg: m / i times the i-th smallest, at most those after it.

    Args:
        p_values: shape (m,), 0 to 1.

    Returns:
        Shape (m,), in the order of ``p_values``. Rejecting all below alpha keeps the expected share of false
        rejections at alpha or less, for independent or positively dependent tests.

    References:
        Benjamini and Hochberg (1995), JRSS-B 57(1), 289-300, doi 10.1111/j.2517-6161.1995.tb02031.x.

    Examples:
        >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(6).tolist()
        [0.03, 0.04, 0.04]
    """
    if not len(p_values):
        return np.empty(0)
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p_values, method="bh"), dtype=np.float64)


def in_full(name: CorrectionName) -> Correction:
    """Return the full name of a correction.

    Examples:
        >>> in_full("bh"), in_full("holm")
        ('benjamini-hochberg', 'holm')
    """
    return "benjamini-hochberg" if name == "bh" else name


def adjust_p_values(p_values: Floats, correction: CorrectionName) -> Floats:
    """Adjust the p-values that are not NaN; NaN stays NaN and is not counted as a test.

    Examples:
        >>> adjust_p_values(np.array([0.02, np.nan, 0.5]), "holm").tolist()
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
