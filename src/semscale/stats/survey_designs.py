"""Designs of surveys: weights, strata and clusters, or replicate weights."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from semscale.errors import InputError, RowError
from semscale.types import Floats, Integers, Mask

Lonely = Literal["fail", "certainty", "average", "adjust"]
"""Treatment of a stratum with a single cluster in the variance.

``fail``: an error. ``certainty``: it adds nothing, as if it had been drawn with certainty. ``average``: it
adds the mean contribution of the other strata. ``adjust``: it adds its squared distance from the mean of the
whole sample, which is conservative.
"""


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of a draw: its clusters and strata.

    The variance of a total is ``sum over strata h of scale_h (sum over clusters c of t_hc ** 2 -
    centring_h (sum over clusters of t_hc) ** 2)``, with t_hc a cluster's total.

    Attributes:
        cluster: shape (n,), number of each row's cluster, 0 to m - 1.
        stratum: shape (m,), number of each cluster's stratum, 0 to h - 1.
        scale: shape (h,), ``(1 - f) m_h / (m_h - 1)``, times the sampling fractions of the earlier stages.
        centring: shape (h,), ``1 / m_h``; 0 if a stratum is not centred.
    """

    cluster: Integers
    stratum: Integers
    scale: Floats
    centring: Floats


@dataclass(frozen=True, eq=False)
class Margin:
    """The categories of one variable in a sample, and their targets in the population.

    Attributes:
        name: name of the variable.
        categories: names of the categories.
        codes: shape (n,), number of each row's category.
        targets: shape (categories,), required sum of the weights of each.
    """

    name: str
    categories: tuple[Hashable, ...]
    codes: Integers
    targets: Floats

    def sums(self, weights: Floats) -> Floats:
        """Return the sum of weights of each category."""
        return np.bincount(self.codes, weights, minlength=len(self.categories)).astype(np.float64)


Regression = Literal["weighted", "plain"]
"""Weights of the regression on the margins.

``weighted``: the weights before raking (R's ``calibrate``). ``plain``: no weights (R's ``rake``).
"""


@dataclass(frozen=True, eq=False)
class MarginCalibration:
    """Margins that weights were raked to.

    Attributes:
        margins: the variables.
        weights: shape (n,), the raked weights.
        importance: shape (n,), weights of the rows in the regression on the margins.
    """

    margins: tuple[Margin, ...]
    weights: Floats
    importance: Floats

    def indicators(self) -> csr_array:
        """Indicators of the categories, 0 or 1, shape (n, categories of all margins)."""
        n, sizes = len(self.weights), [len(margin.categories) for margin in self.margins]
        starts = np.cumsum(sizes) - sizes
        columns = [margin.codes + start for margin, start in zip(self.margins, starts, strict=True)]
        rows = np.tile(np.arange(n), len(columns))
        return csr_array((np.ones(len(rows)), (rows, np.concatenate(columns))), shape=(n, sum(sizes)))


@dataclass(frozen=True, eq=False)
class SurveyDesign:
    """A stratified draw of clusters, in one stage or several; variances by Taylor linearisation.

    Attributes:
        weights: shape (n,), finite and not negative; ones for a plain sample.
        strata: shape (n,), or (n, stages): numbers or names of the strata; one stratum by default.
        clusters: shape (n,), or (n, stages): numbers or names of the clusters; by default each row is its own
            cluster.
        fpc: shape (n,), or (n, stages): number of clusters of the row's stratum in the population, or, if at
            most 1, the sampling fraction. Without it, clusters count as drawn with replacement, and the
            variance comes from the first stage only.
        lonely: treatment of a stratum with a single cluster in the variance.
        nested: whether clusters are numbered within each stratum.
        calibration: margins that the weights were raked to, set by ``raked_design``.

    Raises:
        InputError: a length or a value that does not fit; the first row is named.

    References:
        Binder (1983), International Statistical Review 51(3), 279-292, doi 10.2307/1402588. Särndal,
        Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 4.3 and 5.5.

    Examples:
        >>> SurveyDesign(np.ones(4), clusters=np.array(["a", "a", "b", "b"])).n
        4
    """

    weights: Floats
    strata: npt.ArrayLike | None = None
    clusters: npt.ArrayLike | None = None
    fpc: npt.ArrayLike | None = None
    lonely: Lonely = "fail"
    nested: bool = False
    calibration: MarginCalibration | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", validate_weights(self.weights))
        if self.lonely not in get_args(Lonely):
            raise InputError("lonely", f"must be {' or '.join(get_args(Lonely))}, got {self.lonely!r}")
        _ = self.stages

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weights)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that the variance is computed from."""
        clusters = self._columns("clusters", self.clusters) or [np.arange(self.n)]
        strata = self._columns("strata", self.strata)
        strata += [np.broadcast_to(np.int64(0), self.n)] * (len(clusters) - len(strata))
        if self.nested:
            clusters[0] = _codes(strata[0] * (int(clusters[0].max()) + 1) + clusters[0])
        fpc = self._populations(len(clusters))
        return stages_of_draw(clusters, strata[: len(clusters)], fpc, self.lonely)

    def _columns(self, name: str, values: npt.ArrayLike | None) -> list[Integers]:
        if values is None:
            return []
        columns = np.asarray(values)
        self._check_rows(name, columns)
        return [_codes(column, name) for column in np.atleast_2d(columns.T)]

    def _populations(self, stages: int) -> list[Floats] | None:
        if self.fpc is None:
            return None
        populations = np.asarray(self.fpc, dtype=np.float64)
        self._check_rows("fpc", populations)
        columns = list(np.atleast_2d(populations.T))
        if any(np.isnan(column).any() for column in columns):
            raise InputError("fpc", "must have a value in every row, but some are missing")
        if len(columns) > stages:
            raise InputError("fpc", f"has {len(columns)} stages, but clusters has {stages}")
        # A later stage without a population size adds no variance.
        return columns + [np.ones(self.n)] * (stages - len(columns))

    def _check_rows(self, name: str, columns: npt.NDArray[np.generic]) -> None:
        if columns.shape[:1] != (self.n,):
            raise InputError(name, f"must have {self.n} rows as weights has, got {len(columns)}")


@dataclass(frozen=True, eq=False)
class Domains:
    """Groups of rows.

    Attributes:
        codes: shape (n,), number of each row's group, 0 to g - 1; -1 for rows in none.
        count: g, the number of groups.
    """

    codes: Integers
    count: int

    @cached_property
    def rows(self) -> Integers | slice:
        """Index of the rows in a group."""
        is_grouped = self.codes >= 0
        return slice(None) if is_grouped.all() else np.flatnonzero(is_grouped)

    @cached_property
    def _targets(self) -> Integers:
        """Number of each row's group; ``count`` for rows in none."""
        return (
            self.codes if isinstance(self.rows, slice) else np.where(self.codes < 0, self.count, self.codes)
        )

    def sums(self, columns: Floats) -> Floats:
        """Sum columns over the rows of each group: shape (n, v) to (v, g)."""
        return add_rows(columns, self._targets, self.count + 1)[:-1].T

    def spread_out(self, figures: Floats) -> Floats:
        """Repeat the figures of each group in its rows, shape (v, g) to (n, v); 0 for rows in no group."""
        padded = np.concatenate([figures, np.zeros((len(figures), 1))], axis=1)
        return padded[:, self.codes].T


def add_rows(columns: Floats, targets: Integers, n_targets: int) -> Floats:
    """Add each row to its target: shape (n, v) to (targets, v).

    Args:
        columns: shape (n, v); fastest if the values of a column lie next to each other in memory.
        targets: shape (n,), number of each row's target, from 0.
        n_targets: number of targets.
    """
    return np.stack([np.bincount(targets, column, n_targets) for column in columns.T], axis=1)


def validate_domains(groups: npt.ArrayLike | None, n_groups: int | None, n: int) -> Domains:
    """Check the groups of n rows; one group of all rows by default.

    Args:
        groups: shape (n,), whole numbers from 0; -1 for rows in no group.
        n_groups: number of groups; the highest number + 1 by default.
        n: number of rows of the design.

    Raises:
        InputError: another length, other numbers, or a number beyond ``n_groups``.

    Examples:
        >>> validate_domains([0, 2, -1], None, 3).count
        3
    """
    if groups is None:
        return Domains(np.zeros(n, dtype=np.int64), 1)
    codes = np.asarray(groups)
    if codes.shape != (n,) or codes.dtype.kind not in "iu":
        raise InputError(
            "groups", f"must be {n} whole numbers, one for each row, got {codes.dtype} {codes.shape}"
        )
    codes = codes.astype(np.int64, copy=False)
    count = max(int(codes.max()) + 1, 1) if n_groups is None else n_groups
    wrong = np.flatnonzero((codes < -1) | (codes >= count))
    if len(wrong):
        raise InputError(
            "groups",
            f"must be numbers from 0 to {count - 1}, or -1 for none, got {codes[wrong[0]]} in row "
            f"{wrong[0] + 1:,}",
        )
    return Domains(codes, count)


MOST_RANKS = 1000
"""Ranks are exact up to this number; above it, t quantiles hardly depend on them."""


class ReplicateDegrees:
    """Ranks of the replicate weights of groups of rows.

    Rows that are multiples of each other, such as most rows of a cluster, are stored once. Ranks are exact up
    to ``MOST_RANKS``.

    Args:
        replicates: shape (n, r).
    """

    def __init__(self, replicates: Floats) -> None:
        norms = np.linalg.norm(replicates, axis=1)
        self._weighted = np.flatnonzero(norms > 0)
        # Two random mixtures of the columns tell rows apart without a sort of whole rows.
        mixing = np.random.default_rng(0).normal(size=(replicates.shape[1], 2))
        mixed = (replicates @ mixing)[self._weighted] / norms[self._weighted, None]
        _, first, codes = np.unique(mixed.round(_DIGITS), axis=0, return_index=True, return_inverse=True)
        self._codes = np.full(len(replicates), -1)
        self._codes[self._weighted] = codes.ravel()
        distinct = replicates[self._weighted[first]] / norms[self._weighted[first], None]
        self._distinct = _in_fewest_columns(_narrow(distinct))
        self._known: dict[bytes, int] = {}

    @property
    def rank(self) -> int:
        """Rank of all rows."""
        return int(self._distinct.shape[1])

    def ranks(self, domains: Domains, valid: Mask) -> Integers:
        """Return ranks of two groups' rows together, shape (v, g, g), of one group's rows on the diagonal.

        Args:
            domains: g groups.
            valid: shape (n, v), whether a row is used.
        """
        keys = [np.packbits(column).tobytes() for column in valid.T]
        patterns = dict(zip(keys, valid.T, strict=True))
        ranks = {key: self._pair_ranks(domains, pattern) for key, pattern in patterns.items()}
        return np.stack([ranks[key] for key in keys])

    def _pair_ranks(self, domains: Domains, valid: Mask) -> Integers:
        present = np.zeros((domains.count, len(self._distinct)), dtype=bool)
        rows = np.flatnonzero(valid & (domains.codes >= 0) & (self._codes >= 0))
        present[domains.codes[rows], self._codes[rows]] = True
        alone = np.array([self._rank_of(rows) for rows in present])
        ranks = np.empty((domains.count, domains.count), dtype=np.int64)
        for first, second in zip(*np.triu_indices(domains.count), strict=True):
            full = max(alone[first], alone[second]) == self.rank
            together = self.rank if full else self._rank_of(present[first] | present[second])
            ranks[first, second] = ranks[second, first] = together
        return ranks

    def _rank_of(self, present: Mask) -> int:
        """Rank of some of the distinct rows."""
        count = int(present.sum())
        if self.rank == len(present):  # all are independent
            return count
        key = np.packbits(present).tobytes()
        if key not in self._known:
            self._known[key] = self._rank_of_rows(np.flatnonzero(present))
        return self._known[key]

    def _rank_of_rows(self, rows: Integers) -> int:
        # Of many rows, a few usually have the rank of all.
        few = rows[:: max(1, len(rows) // (2 * self.rank))]
        if _has_full_rank(self._distinct[few]):
            return self.rank
        some = self._distinct[rows]
        return _rank(some @ some.T if len(some) < self.rank else some.T @ some)


ReplicateKind = Literal["bootstrap", "jk1", "jkn", "brr", "fay"]
"""Method of replicate weights, which defines the variance formula."""


@dataclass(frozen=True, eq=False)
class ReplicateDesign:
    """Weights and replicate weights; ``var = scale * sum of rscales_r (theta_r - centre) ** 2``.

    Attributes:
        weights: shape (n,), finite and not negative.
        replicates: shape (n, r), weights of each replicate from the survey's provider, finite.
        scale: one factor for all replicates.
        rscales: shape (r,), a factor for each; ones by default.
        mse: whether the centre is the estimate from ``weights`` instead of the mean of the replicates'
            estimates.
        degrees: degrees of freedom of all rows; the rank of the replicates - 1 by default.

    Raises:
        InputError: a length or a value that does not fit.

    References:
        Wolter (2007), Introduction to Variance Estimation, doi 10.1007/978-0-387-35099-8.
    """

    weights: Floats
    replicates: Floats
    scale: float
    rscales: Floats | None = None
    mse: bool = False
    degrees: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", validate_weights(self.weights))
        replicates = np.asarray(self.replicates, dtype=np.float64)
        fewest = 2
        if replicates.ndim != 2 or len(replicates) != self.n or replicates.shape[1] < fewest:
            raise InputError(
                "replicates",
                f"must have {self.n} rows as weights has and at least {fewest} columns, got shape "
                f"{replicates.shape}",
            )
        if not np.isfinite(replicates).all():
            raise InputError("replicates", "must be finite numbers, but some are missing")
        object.__setattr__(self, "replicates", replicates)
        rscales = np.ones(replicates.shape[1]) if self.rscales is None else np.asarray(self.rscales, float)
        if rscales.shape != (replicates.shape[1],) or not np.all(rscales >= 0):
            raise InputError("rscales", f"must be {replicates.shape[1]} numbers >= 0, one for each replicate")
        object.__setattr__(self, "rscales", rscales)
        if not self.scale > 0:
            raise InputError("scale", f"must be > 0, got {self.scale}")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weights)

    @cached_property
    def df(self) -> int:
        """Degrees of freedom of all rows."""
        return self._degrees.rank - 1 if self.degrees is None else self.degrees

    def pair_degrees(self, domains: Domains, valid: Mask) -> Floats:
        """Return degrees of freedom of two groups together, shape (v, g, g), of one group on the diagonal.

        They are the rank of the replicates of these rows - 1, at most those of all rows, which are used from
        a rank of 1,000 on.

        Args:
            domains: g groups.
            valid: shape (n, v), whether a row is used.
        """
        ranks = self._degrees.ranks(domains, valid)
        lower = np.minimum(ranks - 1, self.df)
        return np.where(ranks >= MOST_RANKS, self.df, lower).astype(np.float64)

    @cached_property
    def _degrees(self) -> ReplicateDegrees:
        return ReplicateDegrees(self.replicates)


def replicate_design(
    weights: Floats,
    replicates: Floats,
    kind: ReplicateKind,
    *,
    rho: float = 0.0,
    rscales: Floats | None = None,
    mse: bool = False,
) -> ReplicateDesign:
    """Create a design from a provider's replicate weights.

    The scale is ``1 / r`` for BRR, ``1 / (r (1 - rho) ** 2)`` for Fay's method, ``1 / (r - 1)`` for the
    bootstrap, ``(r - 1) / r`` for JK1, and 1 for JKn, whose rscales are ``(m_h - 1) / m_h``.

    Args:
        weights: shape (n,).
        replicates: shape (n, r), complete weights, not factors of ``weights``.
        kind: method of the replicates.
        rho: factor of Fay's method, 0 to below 1.
        rscales: shape (r,), factors of JKn.
        mse: as in ``ReplicateDesign``.

    Raises:
        InputError: an unknown kind, ``rho`` out of range or without ``fay``, or JKn without rscales.

    References:
        Judkins (1990), Journal of Official Statistics 6(3), 223-239 (Fay's method).

    Examples:
        >>> replicate_design(np.ones(2), np.array([[2.0, 0.0], [0.0, 2.0]]), "brr").scale
        0.5
    """
    r = np.shape(replicates)[-1]
    if kind == "jkn" and rscales is None:
        raise InputError("jkn needs rscales, (m - 1) / m with m the clusters of a replicate's stratum")
    if (kind == "fay") != (rho != 0) or not 0 <= rho < 1:
        raise InputError(
            "rho", f"must be above 0 and below 1 with 'fay', and 0 otherwise, got {rho} with {kind!r}"
        )
    scales = {
        "bootstrap": 1 / max(r - 1, 1),
        "jk1": (r - 1) / r,
        "jkn": 1.0,
        "brr": 1 / r,
        "fay": 1 / (r * (1 - rho) ** 2),
    }
    if kind not in scales:
        raise InputError("kind", f"must be {', '.join(scales)}, got {kind!r}")
    return ReplicateDesign(weights, replicates, scales[kind], rscales, mse)


AnyDesign = SurveyDesign | ReplicateDesign
"""A design with strata and clusters, or with replicate weights."""


def validate_weights(weights: npt.ArrayLike) -> Floats:
    """Check weights, shape (n,): finite numbers that are not negative, and not all 0.

    Raises:
        InputError: another shape, no rows, a value out of range (its row is named), or weights that sum to 0.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InputError(
            "weights", f"must be a list of numbers with one row or more, got shape {values.shape}"
        )
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if len(wrong):
        raise InputError(
            "weights", f"must be finite and >= 0, got {values[wrong[0]]:g} in row {wrong[0] + 1:,}"
        )
    if not values.sum() > 0:
        raise InputError("weights sum to 0: at least one must be above 0")
    return values


def _codes(column: npt.NDArray[np.generic], name: str = "clusters") -> Integers:
    missing = np.flatnonzero(column != column)  # noqa: PLR0124 - NaN alone differs from itself
    if len(missing) or (column.dtype == object and any(value is None for value in column)):
        raise InputError(name, "must have a value in every row, but some are missing")
    _, codes = np.unique(column, return_inverse=True)
    return np.asarray(codes, dtype=np.int64)


_ALL_DRAWN = 1e-7
"""Share of a stratum outside the sample below which the stratum adds nothing to the variance."""


def stages_of_draw(
    clusters: list[Integers], strata: list[Integers], fpc: list[Floats] | None, lonely: Lonely
) -> tuple[Stage, ...]:
    """Return the stages of a draw; without ``fpc``, only the first stage.

    Args:
        clusters: for each stage, shape (n,), cluster numbers from 0.
        strata: for each stage, shape (n,), stratum numbers from 0.
        fpc: for each stage, shape (n,): clusters in the population, or the sampling fraction if at most 1.
        lonely: treatment of a stratum with a single cluster.

    Raises:
        InputError: a cluster in several strata, more clusters than the population has, a population that
            differs within a stratum, or a single cluster in a stratum (with ``fail``).
    """
    n = len(clusters[0])
    parent, sampled = np.broadcast_to(np.int64(0), n), np.broadcast_to(1.0, n)
    stages = []
    for number in range(len(clusters)):
        # Later stages are numbered within the clusters of the stage before.
        cluster, stratum = (
            _combine_codes(parent, codes[number]) if number else codes[number] for codes in (clusters, strata)
        )
        stratum_of = _strata_of_clusters(cluster, stratum)
        sizes = np.bincount(stratum_of)
        fractions = np.zeros(len(sizes)) if fpc is None else _fractions(fpc[number], stratum, sizes)
        single = (sizes == 1) & (1 - fractions >= _ALL_DRAWN)
        if lonely == "fail" and single.any():
            row = int(np.flatnonzero(single[stratum])[0])
            raise RowError(
                f"the stratum of {{row}} has a single cluster at stage {number + 1}: join strata, or "
                "choose lonely='certainty', 'average' or 'adjust'",
                row,
            )
        sampled_before, parents = np.ones(len(sizes)), np.zeros(len(sizes), dtype=np.int64)
        sampled_before[stratum], parents[stratum] = sampled, parent
        scale = sampled_before * np.where(1 - fractions < _ALL_DRAWN, 0.0, 1 - fractions)
        scale = scale * np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 1.0)
        if lonely == "average":
            scale = scale * _lonely_factor(single, parents)
        centring = np.where(single & (lonely == "adjust"), 0.0, 1.0 / sizes)
        stages.append(Stage(cluster, stratum_of, scale, centring))
        if fpc is None:
            break
        parent, sampled = cluster, sampled * fractions[stratum]
    return tuple(stages)


def _combine_codes(outer: Integers, inner: Integers) -> Integers:
    _, codes = np.unique(outer * (int(inner.max()) + 1) + inner, return_inverse=True)
    return np.asarray(codes, dtype=np.int64)


def _strata_of_clusters(cluster: Integers, stratum: Integers) -> Integers:
    """Return the stratum number of each cluster, shape (m,); a cluster in several strata is an error."""
    stratum_of = np.zeros(int(cluster.max()) + 1, dtype=np.int64)
    stratum_of[cluster] = stratum
    split = np.flatnonzero(stratum_of[cluster] != stratum)
    if len(split):
        raise RowError(
            "the cluster of {row} lies in more than one stratum: "
            "give clusters numbers of their own, or nested=True if they are numbered within each stratum",
            int(split[0]),
        )
    return stratum_of


def _fractions(fpc: Floats, stratum: Integers, sizes: Integers) -> Floats:
    """Sampling fraction of each stratum's clusters, shape (h,)."""
    population = np.empty(len(sizes))
    population[stratum] = fpc
    differing = np.flatnonzero(population[stratum] != fpc)
    if len(differing):
        row = int(differing[0])
        raise RowError(
            f"`fpc` must be one number within a stratum, but {{row}} has {fpc[row]:g} and another row "
            f"of its stratum {population[stratum[row]]:g}; name the strata, or correct the number",
            row,
        )
    fractions = np.where(population <= 1, population, sizes / population)
    wrong = np.flatnonzero((fractions > 1) | ~(fractions > 0))
    if len(wrong):
        row = int(np.flatnonzero(stratum == wrong[0])[0])
        raise RowError(
            "`fpc` must be at least the number of clusters drawn, but the stratum of {row} has "
            f"{sizes[wrong[0]]} of {population[wrong[0]]:g}",
            row,
        )
    return fractions


def _lonely_factor(single: Mask, parent: Integers) -> Floats:
    """Factor that corrects for single clusters: strata / strata with several, within each earlier cluster."""
    number = np.bincount(parent).astype(np.float64)
    usable = np.bincount(parent, ~single, len(number))
    if np.any((usable == 0) & (number > 0)):
        raise InputError("lonely='average' needs a stratum with two clusters or more")
    factors = np.divide(number, usable, out=np.ones(len(number)), where=usable > 0)
    return np.asarray(factors[parent])


_RANK_TOLERANCE = 1e-5

_DIGITS = 9
"""Digits to which equal rows of replicates agree."""


def _narrow(weights: Floats) -> Floats:
    """Combine many columns into a few at random, which preserves all ranks below their number."""
    if weights.shape[1] <= MOST_RANKS:
        return weights
    return weights @ np.random.default_rng(0).normal(size=(weights.shape[1], MOST_RANKS))


def _in_fewest_columns(rows: Floats) -> Floats:
    """Express rows in as many columns as their rank, which preserves the ranks of all subsets."""
    values, vectors = np.linalg.eigh(rows.T @ rows)
    return np.asarray(rows @ vectors[:, _above_rounding(np.asarray(values))])


def _rank(products: Floats) -> int:
    """Rank of a table, from the products of its rows or of its columns."""
    return int(_above_rounding(np.asarray(np.linalg.eigvalsh(products))).sum()) if len(products) else 0


def _above_rounding(values: Floats) -> Mask:
    """Mark the eigenvalues of a table's products that are not 0."""
    roots = np.sqrt(np.maximum(values, 0))
    return np.asarray(roots > _RANK_TOLERANCE * roots.max(initial=0.0))


def _has_full_rank(rows: Floats) -> bool:
    """Check quickly for full column rank; ``False`` does not exclude it."""
    products = rows.T @ rows
    shift = _RANK_TOLERANCE**2 * np.trace(products)
    try:
        np.linalg.cholesky(products - shift * np.eye(len(products)))
    except np.linalg.LinAlgError:
        return False  # not positive definite: some direction may be missing
    return len(rows) > 0
