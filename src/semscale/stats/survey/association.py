"""Chi-square test of a crosstab from a complex sample."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import fdtrc

from semscale.errors import InputError
from semscale.stats.survey.domains import Domains, checked_domains
from semscale.stats.survey.figures_with_spread import FiguresWithSpread, total_figures
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.variances import AnyDesign, Variances
from semscale.types import Floats, Integers

_FEWEST = 2


@dataclass(frozen=True)
class Association:
    """A test of whether rows and columns of a crosstab are independent.

    Attributes:
        chi_square: Pearson's X2 of the weighted shares, with n as their base.
        f: X2 over the trace of the design effects; NaN where there is no test.
        df: numerator's degrees of freedom.
        df_below: denominator's.
        p_value: NaN where there is no test.
        n: rows with both answers.
    """

    chi_square: float
    f: float
    df: float
    df_below: float
    p_value: float
    n: int


def rao_scott(rows: npt.ArrayLike, columns: npt.ArrayLike, design: AnyDesign) -> Association:
    """Test whether two questions are independent: chi-square with Rao and Scott's second-order correction.

    With the generalised design effects d of the contrasts of a saturated log-linear model,
    ``F = X2 / sum(d)`` has ``sum(d) ** 2 / sum(d ** 2)`` and that times the design's degrees of freedom.

    Args:
        rows: shape (n,), answers to one question, whole numbers from 0; -1 where there is none.
        columns: shape (n,), answers to the other question, or the group.
        design: how respondents were drawn.

    Returns:
        NaN in all but ``n`` where a question has fewer than two answers, too many cells are empty, or no
        degrees of freedom are left.

    Raises:
        InputError: lengths or numbers that do not fit.

    References:
        Rao and Scott (1984), Annals of Statistics 12(1), 46-60, doi 10.1214/aos/1176346391. Thomas and Rao
        (1987), JASA 82(398), 630-636, doi 10.1080/01621459.1987.10478476.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> found = rao_scott([0, 0, 1, 1], [0, 1, 0, 1], SurveyDesign(np.ones(4)))
        >>> round(found.chi_square, 6), found.p_value
        (0.0, 1.0)
    """
    across, down = (checked_domains(one, None, design.n) for one in (columns, rows))
    both = (across.codes >= 0) & (down.codes >= 0) & (design.weights > 0)
    if not both.any():
        raise InputError("rows and columns have no row with both answers")
    cells, shape = _cells(down.codes, across.codes, np.flatnonzero(both))
    n = int(both.sum())
    none = Association(np.nan, np.nan, np.nan, np.nan, np.nan, n)
    if min(shape) < _FEWEST:
        return none
    domains = Domains(cells, shape[0] * shape[1])
    totals = total_figures(both[:, None].astype(np.float64), design, domains)
    shares = totals.values[0] / totals.values.sum()
    effects = _design_effects(shares, _share_covariance(totals, design, domains), shape, n)
    if effects is None:
        return none
    degrees = _degrees(design, both)
    table = shares.reshape(shape)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    chi_square = float(n * ((table - expected) ** 2 / expected).sum())
    trace, squares = float(np.trace(effects)), float(np.trace(effects @ effects))
    if degrees < 1 or not trace > 0:
        return none
    f, df = chi_square / trace, trace**2 / squares
    return Association(chi_square, f, df, df * degrees, float(fdtrc(df, df * degrees, f)), n)


def _cells(rows: Integers, columns: Integers, complete: Integers) -> tuple[Integers, tuple[int, int]]:
    """Number the cells of the answers that occur; -1 for rows without both."""
    down, row = np.unique(rows[complete], return_inverse=True)
    across, column = np.unique(columns[complete], return_inverse=True)
    cells = np.full(len(rows), -1, dtype=np.int64)
    cells[complete] = row * len(across) + column
    return cells, (len(down), len(across))


def _share_covariance(totals: FiguresWithSpread, design: AnyDesign, domains: Domains) -> Floats:
    """Covariance of the cells' shares, shape (cells, cells)."""
    variances = Variances(design, domains)
    if isinstance(design, ReplicateDesign):
        replicated = totals.spread / totals.spread.sum(axis=2, keepdims=True)
        return np.asarray(variances.covariance(totals.values / totals.values.sum(), replicated)[0])
    total = totals.values.sum()
    # A share is a total over the sum of all totals, so its influence is linear in theirs.
    jacobian = (np.eye(domains.count) - totals.values.T / total) / total
    return np.asarray(jacobian @ variances.covariance(totals.values, totals.spread)[0] @ jacobian.T)


def _design_effects(shares: Floats, covariance: Floats, shape: tuple[int, int], n: int) -> Floats | None:
    """Generalised design effects of the contrasts between rows and columns, a square matrix.

    ``None`` where so many cells are empty that the contrasts cannot be told apart.
    """
    contrasts = np.kron(_contrasts(shape[0]), _contrasts(shape[1]))
    inverse = np.divide(1.0, shares, out=np.zeros_like(shares), where=shares > 0)
    scaled = inverse[:, None] * contrasts
    products = contrasts.T @ scaled / n
    if np.linalg.matrix_rank(products) < len(products):
        return None
    return np.linalg.solve(products, scaled.T @ covariance @ scaled)


def _contrasts(k: int) -> Floats:
    """Columns that span what sums to 0, shape (k, k - 1)."""
    return np.eye(k)[:, :-1] - 1 / k


def _degrees(design: AnyDesign, both: npt.NDArray[np.bool_]) -> float:
    one = Domains(np.zeros(design.n, dtype=np.int64), 1)
    return float(Variances(design, one).pair_degrees(both[:, None])[0, 0, 0])
