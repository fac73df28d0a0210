"""Means, shares, ratios and totals of a survey's columns by group, with design-based errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit, logit, stdtrit

from semscale.errors import InputError
from semscale.stats.intervals import check_interval, clopper_pearson_ends, effective_size, t_half_width
from semscale.stats.survey_designs import (
    AnyDesign,
    Domains,
    MarginCalibration,
    ReplicateDesign,
    Stage,
    SurveyDesign,
    add_rows,
    validate_domains,
    validate_weights,
)
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True, eq=False)
class SurveyEstimates:
    """A figure of v columns in g groups; a group without rows has NaN.

    Attributes:
        values: shape (v, g).
        covariance: shape (v, g, g), between the groups of one column.
        pair_df: shape (v, g, g), degrees of freedom of two groups together, of one group on the diagonal.
        n: shape (v, g), unweighted number of rows used, with a value and a weight above 0.
        n_missing: shape (v, g), number of the group's rows without a value; they are in no base.
        weight: shape (v, g), sum of the weights of the rows used.
        effective_n: shape (v, g), Kish's effective number of these rows.
    """

    values: Floats
    covariance: Floats
    pair_df: Floats
    n: Integers
    n_missing: Integers
    weight: Floats
    effective_n: Floats

    @property
    def df(self) -> Floats:
        """Degrees of freedom, shape (v, g)."""
        return np.diagonal(self.pair_df, axis1=1, axis2=2)

    @property
    def standard_errors(self) -> Floats:
        """Standard errors, shape (v, g); NaN with fewer than two clusters."""
        variances = np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0)
        known = (self.df >= 1) & ~np.isnan(self.values)
        return np.where(known, np.sqrt(variances), np.nan)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends of t intervals, each of shape (v, g).

        Args:
            level: nominal coverage, between 0 and 1.

        Raises:
            InputError: ``level`` out of range.
        """
        return t_interval(self.values, self.standard_errors, self.df, level)


def survey_means(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Estimate weighted means of columns in each group.

    A column of zeros and ones gives a share; ``indicators`` makes such columns of a question's answers.

    Args:
        columns: shape (n,) or (n, v); NaN where a row has no value.
        design: design of the survey.
        groups: shape (n,), each row's group, from 0; -1 for no group. One group of all rows by default.
        n_groups: number of groups; the highest number + 1 by default.

    Raises:
        InputError: lengths or values that do not fit, or a group whose weights sum to 0.

    References:
        Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, section 5.6 (ratios) and
        chapter 10 (domains).

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> means = survey_means(np.array([1.0, 2.0, 3.0, np.nan]), SurveyDesign(np.ones(4)))
        >>> means.values.tolist(), means.n.tolist(), means.n_missing.tolist()
        ([[2.0]], [[3]], [[1]])
        >>> means.standard_errors.round(4).tolist()  # sqrt(4 / 3 * (1 + 1) / 9), one of four without a value
        [[0.5443]]
    """
    return estimate_columns([columns], design, groups, n_groups, mean_figures)


def survey_means_in_blocks(
    read: Callable[[slice], Floats], v: int, design: AnyDesign, domains: Domains
) -> SurveyEstimates:
    """Estimate means as ``survey_means`` does, of columns that need not be in memory at the same time.

    Args:
        read: returns some of the columns, shape (n, some), finite or NaN where a row has no value.
        v: number of columns.
        design: design of the survey.
        domains: the groups.

    Raises:
        InputError: a group whose weights sum to 0.
    """
    return _estimate_blocks(lambda block: [read(block)], v, design, domains, mean_figures)


def survey_totals(
    columns: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Estimate weighted totals of columns in each group; arguments and errors as in ``survey_means``.

    A total is that of the rows with a value.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> survey_totals(np.array([1.0, 2.0, 3.0]), SurveyDesign(np.full(3, 10.0))).values.tolist()
        [[60.0]]
    """
    return estimate_columns([columns], design, groups, n_groups, _total_figures)


def survey_ratios(
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    design: AnyDesign,
    *,
    groups: npt.ArrayLike | None = None,
    n_groups: int | None = None,
) -> SurveyEstimates:
    """Estimate ratios of two columns' totals in each group; errors as in ``survey_means``.

    Args:
        numerators: shape (n,) or (n, v); a row is used if it has both values.
        denominators: same shape as ``numerators``.
        design: design of the survey.
        groups: as in ``survey_means``.
        n_groups: likewise.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> survey_ratios([1.0, 2.0], [2.0, 4.0], SurveyDesign(np.ones(2))).values.tolist()
        [[0.5]]
    """
    return estimate_columns([numerators, denominators], design, groups, n_groups, _ratio_figures)


def indicators(answers: npt.ArrayLike, n_answers: int) -> Floats:
    """Convert a question's answers to columns of zeros and ones, one for each possible answer.

    Args:
        answers: shape (n,), whole numbers from 0; -1 where there is no answer.
        n_answers: number of possible answers.

    Returns:
        Shape (n, n_answers); NaN in rows without an answer.

    Raises:
        InputError: a number out of range; its row is named.

    Examples:
        >>> indicators([1, -1], 2).tolist()
        [[0.0, 1.0], [nan, nan]]
    """
    codes = np.asarray(answers)
    domains = validate_domains(codes, n_answers, len(codes))
    columns: Floats = (domains.codes[:, None] == np.arange(n_answers)).astype(np.float64)
    columns[domains.codes < 0] = np.nan
    return columns


def t_interval(values: Floats, errors: Floats, df: Floats, level: float) -> tuple[Floats, Floats]:
    """Ends of ``value +- t_df se``; NaN with fewer than one degree of freedom.

    Examples:
        >>> low, high = t_interval(np.array([1.0]), np.array([0.1]), np.array([10.0]), 0.95)
        >>> low.round(4).tolist(), high.round(4).tolist()  # t_10 is 2.2281
        ([0.7772], [1.2228])
    """
    check_interval(level)
    half = t_half_width(errors, np.where(df >= 1, df, np.nan), level)
    return values - half, values + half


ShareMethod = Literal["logit", "beta"]
"""``logit``: a t interval of the log odds. ``beta``: Korn and Graubard's, exact for a plain sample."""


def share_interval(
    shares: SurveyEstimates, level: float = 0.95, *, method: ShareMethod = "logit"
) -> tuple[Floats, Floats]:
    """Compute lower and upper ends of intervals of shares, each of shape (v, g), 0 to 1.

    Logit: ``expit(logit p +- t_df se / (p (1 - p)))``. Beta: Clopper and Pearson's with ``n* = p (1 - p) / se
    ** 2 (t_(n-1) / t_df) ** 2``, the effective number of rows, instead of n. For a share of 0 or 1, which has
    no spread, both methods use Clopper and Pearson's with Kish's effective number for n*.

    Args:
        shares: means of columns of zeros and ones.
        level: nominal coverage, between 0 and 1.
        method: logit or beta.

    Raises:
        InputError: an unknown method, a level out of range, or means outside 0 to 1.

    References:
        Korn and Graubard (1998), Survey Methodology 24(2), 193-201. Korn and Graubard (1999), Analysis of
        Health Surveys, section 3.2.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> from semscale.stats.survey_estimates import survey_means
        >>> shares = survey_means(np.zeros(10), SurveyDesign(np.ones(10)))
        >>> low, high = share_interval(shares)
        >>> low.tolist(), high.round(4).tolist()  # 1 - .025 ** (1 / 10)
        ([[0.0]], [[0.3085]])
    """
    check_interval(level)
    p = shares.values
    if np.any((p < 0) | (p > 1)):
        raise InputError("shares", "must be means of zeros and ones, but some lie outside 0 to 1")
    if method not in ("logit", "beta"):
        raise InputError("method", f"must be 'logit' or 'beta', got {method!r}")
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
    half = t_half_width(error, df, level) / (p * (1 - p))
    return expit(logit(p) - half), expit(logit(p) + half)


def _beta_ends(p: Floats, error: Floats, df: Floats, n: Floats, level: float) -> tuple[Floats, Floats]:
    upper = (1 + level) / 2
    effective = p * (1 - p) / error**2 * (stdtrit(n - 1.0, upper) / stdtrit(df, upper)) ** 2
    return clopper_pearson_ends(p, effective, level)


def kish_design_effect(weights: npt.ArrayLike) -> float:
    """Compute the design effect of unequal weights, ``n sum(w ** 2) / sum(w) ** 2``, at least 1.

    Args:
        weights: shape (n,), finite and not negative; rows with 0 are left out.

    Raises:
        InputError: a weight out of range, or weights that sum to 0.

    References:
        Kish (1965), Survey Sampling, section 11.7.

    Examples:
        >>> kish_design_effect([1.0, 3.0])  # 2 * 10 / 16
        1.25
    """
    values = validate_weights(weights)
    return float((values > 0).sum() / effective_size(values.sum(), (values**2).sum()))


@dataclass(frozen=True, eq=False)
class Linearized:
    """Figures of v columns in g groups, with the values that their covariance is computed from.

    Attributes:
        values: shape (v, g).
        spread: influence values, shape (n, v), or replicates' figures, shape (r, v, g).
    """

    values: Floats
    spread: Floats

    def __sub__(self, other: "Linearized") -> "Linearized":
        """Subtract figures; differences are linear in both."""
        return Linearized(self.values - other.values, self.spread - other.spread)


Estimator = Callable[[list[Floats], AnyDesign, Domains], tuple[Linearized, Mask]]
"""A figure of a block of columns with NaN where missing, and a mask of the rows used, shape (n, v)."""

_NUMBERS_AT_ONCE = 1_000_000
"""Greatest number of values in a block of columns, which limits memory."""


def estimate_columns(
    columns: list[npt.ArrayLike],
    design: AnyDesign,
    groups: npt.ArrayLike | None,
    n_groups: int | None,
    estimator: Estimator,
) -> SurveyEstimates:
    """Estimate a figure of columns in each group, block by block.

    Args:
        columns: tables of one shape, (n,) or (n, v).
        design: design of the survey.
        groups: as in ``survey_means``.
        n_groups: likewise.
        estimator: estimator of the figure.

    Raises:
        InputError: tables of different shapes, values or lengths that do not fit, or a group whose weights
            sum to 0.
    """
    tables = [_validate_columns(column, design.n) for column in columns]
    if len({table.shape for table in tables}) > 1:
        raise InputError(
            "columns", f"must have the same shape, got {' and '.join(str(t.shape) for t in tables)}"
        )
    domains = validate_domains(groups, n_groups, design.n)
    return _estimate_blocks(
        lambda block: [table[:, block] for table in tables], tables[0].shape[1], design, domains, estimator
    )


def _estimate_blocks(
    read: Callable[[slice], list[Floats]], v: int, design: AnyDesign, domains: Domains, estimator: Estimator
) -> SurveyEstimates:
    """Estimate a figure of v columns, of which ``read`` returns a block of each table."""
    _check_groups(design, domains)
    variances = Variances(design, domains)
    step = max(1, _NUMBERS_AT_ONCE // design.n)
    blocks = []
    for start in range(0, v, step):
        # Sums are fastest with the values of a column next to each other.
        tables = [
            table.astype(np.float64, order="F", copy=False) for table in read(slice(start, start + step))
        ]
        figures, valid = estimator(tables, design, domains)
        blocks.append(_add_counts(figures, valid, design, domains, variances))
    names = SurveyEstimates.__dataclass_fields__
    return SurveyEstimates(*(np.concatenate([getattr(part, name) for part in blocks]) for name in names))


def mean_figures(columns: list[Floats], design: AnyDesign, domains: Domains) -> tuple[Linearized, Mask]:
    """Estimate means: ratios of totals to the weights of the rows that have a value."""
    valid = _present(columns, design)
    return linearized_ratios(
        np.where(valid, columns[0], 0.0), valid.astype(np.float64), design, domains
    ), valid


def _ratio_figures(columns: list[Floats], design: AnyDesign, domains: Domains) -> tuple[Linearized, Mask]:
    valid = _present(columns, design)
    numerators, denominators = (np.where(valid, column, 0.0) for column in columns)
    return linearized_ratios(numerators, denominators, design, domains), valid


def _total_figures(columns: list[Floats], design: AnyDesign, domains: Domains) -> tuple[Linearized, Mask]:
    valid = _present(columns, design)
    return linearized_totals(np.where(valid, columns[0], 0.0), design, domains), valid


def _present(columns: list[Floats], design: AnyDesign) -> Mask:
    """Mark rows with a weight and a value in all tables, shape (n, v)."""
    return np.asarray(~np.isnan(sum(columns)) & (design.weights > 0)[:, None])


def linearized_ratios(
    numerators: Floats, denominators: Floats, design: AnyDesign, domains: Domains
) -> Linearized:
    """Compute ratios of weighted totals in each group.

    The influence of row i on the ratio R of totals is ``w_i (y_i - R x_i) / sum of w x``.

    Args:
        numerators: y, shape (n, v), 0 in rows that do not count.
        denominators: x, likewise; ones for a mean.
        design: design of the survey.
        domains: the groups.
    """
    if isinstance(design, ReplicateDesign):
        over, under = (linearized_totals(column, design, domains) for column in (numerators, denominators))
        return Linearized(_divide(over.values, under.values), _divide(over.spread, under.spread))
    weights = design.weights[:, None]
    totals, bases = (domains.sums(column * weights) for column in (numerators, denominators))
    values = _divide(totals, bases)
    residuals = numerators - denominators * domains.spread_out(np.nan_to_num(values))
    scale = domains.spread_out(np.nan_to_num(_divide(np.ones(1), bases)))
    return Linearized(values, residuals * weights * scale)


def linearized_totals(columns: Floats, design: AnyDesign, domains: Domains) -> Linearized:
    """Compute weighted totals in each group; the influence of row i is ``w_i y_i``."""
    weighted = columns * design.weights[:, None]
    if not isinstance(design, ReplicateDesign):
        return Linearized(domains.sums(weighted), weighted)
    replicated = np.empty((design.replicates.shape[1], columns.shape[1], domains.count))
    for group in range(domains.count):
        rows = np.flatnonzero(domains.codes == group)
        replicated[:, :, group] = design.replicates[rows].T @ columns[rows]
    return Linearized(domains.sums(weighted), replicated)


def _divide(over: Floats, under: Floats) -> Floats:
    shape = np.broadcast_shapes(over.shape, under.shape)
    return np.asarray(np.divide(over, under, out=np.full(shape, np.nan), where=under != 0))


def _add_counts(
    figures: Linearized, valid: Mask, design: AnyDesign, domains: Domains, variances: "Variances"
) -> SurveyEstimates:
    """Return figures with their covariance and counts."""
    counts = valid.astype(np.float64)
    n = domains.sums(counts)
    weight = domains.sums(counts * design.weights[:, None])
    squares = domains.sums(counts * design.weights[:, None] ** 2)
    rows = domains.sums((design.weights > 0)[:, None].astype(np.float64))
    return SurveyEstimates(
        values=np.where(n > 0, figures.values, np.nan),
        covariance=variances.covariance(figures),
        pair_df=variances.pair_degrees(valid),
        n=n.astype(np.int64),
        n_missing=(rows - n).astype(np.int64),
        weight=weight,
        effective_n=np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0),
    )


def _validate_columns(columns: npt.ArrayLike, n: int) -> Floats:
    """Check columns, shape (n, v): numbers, NaN where a value is missing."""
    try:
        table = np.asarray(columns)
        table = table if table.dtype.kind == "f" else table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("columns", f"must be numbers: {error}") from error
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != n or not table.shape[1]:
        raise InputError("columns", f"must have {n} rows as the design has, got shape {table.shape}")
    if np.isinf(table).any():
        row = int(np.flatnonzero(np.isinf(table).any(axis=1))[0])
        raise InputError("columns", f"must be finite, but row {row + 1:,} has an infinite value")
    return table


def _check_groups(design: AnyDesign, domains: Domains) -> None:
    """Check that groups with rows have weight."""
    rows = np.bincount(domains.codes[domains.rows], minlength=domains.count)
    weights = np.bincount(domains.codes[domains.rows], design.weights[domains.rows], minlength=domains.count)
    empty = np.flatnonzero((rows > 0) & (weights == 0))
    if len(empty):
        raise InputError(f"the weights of group {empty[0]} sum to 0 over {rows[empty[0]]} rows")


_ROUNDING = 1e-13
"""Variance, as a share of the sum of squares, that is rounding error."""


class Variances:
    """Computes covariances between groups for many columns under one design.

    Args:
        design: design of the survey.
        domains: g groups.
    """

    def __init__(self, design: AnyDesign, domains: Domains) -> None:
        self._design, self._domains = design, domains
        self._products: Sequence[DomainProducts] = ()
        self._correction: MarginCorrection | None = None
        if isinstance(design, SurveyDesign):
            self._products = [DomainProducts(stage, domains) for stage in design.stages]
            if design.calibration is not None:
                self._correction = MarginCorrection(design.calibration, design.stages, domains)

    def covariance(self, figures: Linearized) -> Floats:
        """Covariances between groups of each column, shape (v, g, g)."""
        if isinstance(self._design, ReplicateDesign):
            return _replicate_covariance(figures, self._design)
        influence = figures.spread
        squares = np.zeros((influence.shape[1], self._domains.count, self._domains.count))
        centring = np.zeros_like(squares)
        for stage, products in zip(self._design.stages, self._products, strict=True):
            sums = products.part_sums(influence)
            squares += products.over_clusters(sums, stage.scale)
            centring += products.over_strata(sums, stage.scale * stage.centring)
        covariance = squares - centring
        if self._correction is not None:
            covariance = self._correction.residual(covariance, influence)
        # Clusters that are all alike leave rounding, which is no variance.
        rounding = np.abs(covariance) <= _ROUNDING * squares
        return np.where(rounding & np.eye(self._domains.count, dtype=bool), 0.0, covariance)

    def pair_degrees(self, valid: Mask) -> Floats:
        """Return degrees of freedom of two groups together, shape (v, g, g), of one group on the diagonal.

        They are the number of first-stage clusters with a used row, minus the number of strata with one. With
        replicate weights, they are the rank of the replicates of used rows - 1.

        Args:
            valid: shape (n, v), whether a row is used.
        """
        if isinstance(self._design, ReplicateDesign):
            return self._design.pair_degrees(self._domains, valid)
        alike = bool((valid == valid[:, :1]).all())
        products = self._products[0]
        sums = products.part_sums((valid[:, :1] if alike else valid).astype(np.float64))
        shared = products.clusters_present(sums) - products.strata_present(sums)
        single = np.diagonal(shared, axis1=1, axis2=2)
        degrees = single[:, :, None] + single[:, None, :] - shared
        return np.broadcast_to(degrees, (valid.shape[1], *degrees.shape[1:]))


def _replicate_covariance(figures: Linearized, design: ReplicateDesign) -> Floats:
    """Covariances from replicates; a replicate without weight in a group is left out there."""
    rscales = np.asarray(design.rscales)
    if design.mse:
        centre = figures.values
    else:
        used = figures.spread[rscales > 0]
        known = ~np.isnan(used)
        sums = np.where(known, used, 0.0).sum(axis=0)
        centre = np.divide(sums, known.sum(axis=0), out=np.full_like(sums, np.nan), where=known.any(axis=0))
    deviations = np.nan_to_num(figures.spread - centre) * np.sqrt(rscales)[:, None, None]
    by_column = deviations.transpose(1, 2, 0)
    return np.asarray(design.scale * (by_column @ by_column.transpose(0, 2, 1)))


_CELLS = 4_000_000
"""Greatest number of values in a table of clusters by groups, which limits memory."""


class DomainProducts:
    """Rows of groups in the clusters of one stage of a draw.

    Rows are summed within *parts*, the rows of one cluster in one group. Products of different groups come
    only from clusters with rows of several groups.

    Args:
        stage: the stage.
        domains: g groups.
    """

    def __init__(self, stage: Stage, domains: Domains) -> None:
        self._g, self._h, self._rows = domains.count, len(stage.scale), domains.rows
        cluster, self._group = stage.cluster[self._rows], domains.codes[self._rows]
        parts = cluster * self._g + self._group
        self._part: Integers | None = None
        if not (parts[1:] > parts[:-1]).all():  # otherwise, each row is a part, in the order of parts
            parts, self._part = np.unique(parts, return_inverse=True)
            cluster, self._group = np.divmod(parts, self._g)
        # One number serves all parts of a single stratum.
        self._stratum = stage.stratum[cluster] if self._h > 1 else np.zeros(1, dtype=np.int64)
        self._cell = self._stratum * self._g + self._group if self._h > 1 else self._group
        several = np.bincount(cluster, minlength=len(stage.stratum)) > 1
        self._shared = np.flatnonzero(several[cluster])
        self._shared_cluster = cluster[self._shared]

    def part_sums(self, columns: Floats) -> Floats:
        """Sum columns within each part, shape (n, v) to (parts, v)."""
        rows = columns[self._rows]
        return rows if self._part is None else add_rows(rows, self._part, len(self._group))

    def over_clusters(self, sums: Floats, factors: Floats) -> Floats:
        """Sum products of two groups' totals in a cluster over all clusters.

        Args:
            sums: shape (parts, v), contribution of each part to its cluster's total.
            factors: shape (h,), factor of each stratum's products.

        Returns:
            Shape (v, g, g).
        """
        weighted = sums * np.sqrt(factors)[self._stratum][:, None]
        products = np.zeros((sums.shape[1], self._g, self._g))
        diagonal = np.arange(self._g)
        products[:, diagonal, diagonal] = add_rows(weighted**2, self._group, self._g).T
        if len(self._shared):
            self._add_shared(products, weighted[self._shared])
        return products

    def _add_shared(self, products: Floats, weighted: Floats) -> None:
        """Add the products of different groups, from clusters that have several."""
        _, row = np.unique(self._shared_cluster, return_inverse=True)
        group, m = self._group[self._shared], int(row.max()) + 1
        off_diagonal = ~np.eye(self._g, dtype=bool)
        step = max(1, _CELLS // (m * self._g))
        for start in range(0, weighted.shape[1], step):
            some = weighted[:, start : start + step]
            table = np.zeros((some.shape[1], m, self._g))
            table[:, row, group] = some.T
            products[start : start + step] += (table.transpose(0, 2, 1) @ table) * off_diagonal

    def over_strata(self, sums: Floats, factors: Floats) -> Floats:
        """Sum products of two groups' totals in a stratum over all strata, shape (v, g, g).

        Args:
            sums: shape (parts, v), contribution of each part to its stratum's total.
            factors: shape (h,), factor of each stratum's product.
        """
        totals = self._cell_sums(sums)
        return np.asarray((totals * factors[:, None]).transpose(0, 2, 1) @ totals)

    def strata_present(self, sums: Floats) -> Floats:
        """Count the strata that two groups share, shape (v, g, g); ``sums`` are at least 0."""
        totals = self._cell_sums(sums)
        present = (totals > 0).astype(np.float64)
        return present.transpose(0, 2, 1) @ present

    def clusters_present(self, sums: Floats) -> Floats:
        """Count the clusters that two groups share, shape (v, g, g)."""
        return self.over_clusters((sums > 0).astype(np.float64), np.ones(self._h))

    def _cell_sums(self, sums: Floats) -> Floats:
        """Sum parts within each stratum and group, shape (parts, v) to (v, h, g)."""
        return add_rows(sums, self._cell, self._h * self._g).T.reshape(sums.shape[1], self._h, self._g)


class MarginCorrection:
    """Converts covariances of influence values to those of residuals from a regression on margins.

    With z the influence values of a group, 0 in all other rows, the residuals are ``z - w X b``: w are the
    raked weights, X the margins' indicators, and ``b`` the slopes of ``z / w`` on X. A covariance C of sums
    over clusters is bilinear, so ``C(z_a, z_b)`` becomes
    ``C(z_a, z_b) - C(z_a, wX) b_b - b_a C(wX, z_b) + b_a C(wX, wX) b_b``.

    Args:
        calibration: margins and weights.
        stages: stages of the draw.
        domains: g groups.

    References:
        Deville and Särndal (1992), JASA 87(418), 376-382, doi 10.1080/01621459.1992.10475217, section 3.
    """

    def __init__(self, calibration: MarginCalibration, stages: tuple[Stage, ...], domains: Domains) -> None:
        used = calibration.weights > 0
        inverse = np.divide(1.0, calibration.weights, out=np.zeros(len(used)), where=used)
        importance = np.where(used, calibration.importance, 0.0)
        indicators = calibration.indicators()
        squares = (indicators.T @ _scale_rows(indicators, importance)).toarray()
        # Categories of several margins sum to one, so that the squares have no inverse of their own.
        to_slopes = _scale_rows(indicators, importance * inverse) @ np.linalg.pinv(squares, hermitian=True)
        weighted = _scale_rows(indicators, calibration.weights)
        to_cross = np.zeros(indicators.shape)
        for stage in stages:
            to_cross += _kernel(stage, weighted)[stage.cluster]
        self._margins = np.asarray(weighted.T @ to_cross)
        self._rows = [np.flatnonzero(domains.codes == group) for group in range(domains.count)]
        self._turning = [np.hstack([to_slopes[rows], to_cross[rows]]) for rows in self._rows]

    def residual(self, covariance: Floats, influence: Floats) -> Floats:
        """Convert covariances of influence values to those of their residuals.

        Args:
            covariance: shape (v, g, g).
            influence: shape (n, v).
        """
        if not self._rows:
            return covariance
        both = [influence[rows].T @ turning for rows, turning in zip(self._rows, self._turning, strict=True)]
        slopes, cross = np.split(np.stack(both, axis=1), 2, axis=2)
        turned = slopes.transpose(0, 2, 1)
        shared = cross @ turned
        corrected = covariance - shared - shared.transpose(0, 2, 1) + slopes @ self._margins @ turned
        return np.asarray(corrected)


def _scale_rows(matrix: csr_array, factors: Floats) -> csr_array:
    """Multiply each row with a factor."""
    return csr_array(matrix.multiply(factors[:, None]))


def _kernel(stage: Stage, rows: csr_array) -> Floats:
    """Compute the factor of each cluster's total in a covariance, shape (m, p)."""
    n, m, h = len(stage.cluster), len(stage.stratum), len(stage.scale)
    sums = (csr_array((np.ones(n), (stage.cluster, np.arange(n))), shape=(m, n)) @ rows).toarray()
    strata = csr_array((np.ones(m), (stage.stratum, np.arange(m))), shape=(h, m)) @ sums
    centres = (stage.centring[:, None] * strata)[stage.stratum]
    return np.asarray(stage.scale[stage.stratum][:, None] * (sums - centres))
