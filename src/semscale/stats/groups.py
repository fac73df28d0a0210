"""Estimates for groups of rows, from tallies that accept rows in parts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from semscale.stats.intervals import (
    FEWEST_CLUSTERS,
    MASS_PREFIX,
    MAX_CLUSTERS,
    ROUNDING,
    Estimate,
    Figures,
    IntervalPlan,
    MeanEstimate,
    Method,
    Moments,
    UsedMethod,
    clopper_pearson_ends,
    effective_size,
    estimate_figures,
    t_half_width,
)
from semscale.types import Floats, Integers, Mask, Refits


@dataclass(frozen=True)
class Basis:
    """Rows, clusters and method behind one figure.

    Attributes:
        n: rows that have a value.
        n_clusters: rows, or respondents if they are named, behind its interval.
        method: method of its interval; ``None`` without an interval.
    """

    n: int
    n_clusters: int
    method: UsedMethod | None


@dataclass(frozen=True)
class GroupEstimate:
    """All figures of one group of rows.

    Attributes:
        group: name of the group; ``None`` for all rows, or for rows without a group.
        n: rows used: scored, and with a weight above 0.
        left_out: rows left out, by reason (a status, ``no-weight``, ``zero-weight``, ``no-respondent``).
        effective_n: Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; equals n without weights.
        figures: the figures by name, in the instrument's order; empty if no row was used.
        main: name of the figure that ``mean`` returns.
        n_clusters: rows, or respondents if they are named, behind the intervals.
        method: method of this group's intervals: linearized with fewer than 10 clusters, where percentiles of
            a bootstrap would be too narrow; ``None`` with fewer than two, as there are no intervals.
        bases: rows, clusters and method of each figure whose rows differ from those of the main one, or whose
            interval is an exact bound.
        n_different: number of clusters whose main figure differs from the most frequent value, or from the
            median by more than a little, if they are fewer than 5 effective clusters, on which the interval
            then depends; ``None`` otherwise, with fewer than 10 clusters, and where single clusters are not
            stored: above 20,000 of them, or in the largest groups if all groups together have more than a
            million.
    """

    group: str | None
    n: int
    left_out: dict[str, int]
    effective_n: float
    figures: Mapping[str, Estimate]
    main: str = "mean"
    n_clusters: int = 0
    method: Method | None = None
    bases: Mapping[str, Basis] = field(default_factory=dict)
    n_different: int | None = None

    @property
    def n_left_out(self) -> int:
        """Number of rows left out."""
        return sum(self.left_out.values())

    @property
    def has_small_base(self) -> bool:
        """True if the figures come from fewer than 10 rows, or respondents if they are named."""
        return self.n > 0 and self.n_clusters < FEWEST_CLUSTERS

    @property
    def mean(self) -> Estimate | None:
        """The main figure; ``None`` if no row was used."""
        return self.figures.get(self.main)

    @property
    def top_2_box(self) -> Estimate | None:
        """Mass on the two highest points, 0 to 1; ``None`` with fewer than 4 points (boxes would overlap)."""
        return self.figures.get("top_2_box")

    @property
    def bottom_2_box(self) -> Estimate | None:
        """Mass on the two lowest points, 0 to 1; ``None`` with fewer than 4 points."""
        return self.figures.get("bottom_2_box")

    @property
    def net(self) -> Estimate | None:
        """Top-2-box minus bottom-2-box, -1 to 1; ``None`` with fewer than 4 points."""
        return self.figures.get("net")

    @property
    def nps(self) -> Estimate | None:
        """Mass on 9 and 10 minus mass on 0 to 6, -1 to 1; ``None`` unless the values are 0 to 10."""
        return self.figures.get("nps")

    @property
    def pmf(self) -> tuple[Estimate, ...]:
        """Mass of each point of a scale; empty if no row was used."""
        return tuple(figure for name, figure in self.figures.items() if name.startswith(MASS_PREFIX))

    def basis(self, figure: str) -> Basis:
        """Return the rows, clusters and method behind a figure."""
        return self.bases.get(figure) or Basis(self.n, self.n_clusters, self.method)


@dataclass(frozen=True)
class GroupTally:
    """The tally of one group, from which its figures are estimated.

    Attributes:
        n_rows: rows with weight.
        weight: sum of their weights.
        squared_weight: sum of the squared weights.
        moments: sums over clusters.
        totals: shape (m, k + 1), totals of every cluster; empty if they are not stored.
        exact: whether the totals of every cluster are stored.
        refit_means: mean of the rows under each refit, shape (b, k); ``None`` without refits or weight.
    """

    n_rows: int
    weight: float
    squared_weight: float
    moments: Moments
    totals: Floats
    exact: bool
    refit_means: Floats | None

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows; 0 without weight."""
        return effective_size(self.weight, self.squared_weight)


def estimate_group(
    group: str | None, tally: GroupTally, left_out: dict[str, int], figures: Figures, plan: IntervalPlan
) -> GroupEstimate:
    """Estimate all figures of one group from its tally; the first one is the main figure.

    Args:
        group: name of the group.
        tally: tally of its rows; it must be exact for the bootstrap.
        left_out: rows left out, by reason.
        figures: which figures there are.
        plan: how intervals are made.
    """
    moments = tally.moments
    n_clusters = moments.n
    method = plan.method_for(n_clusters)
    named: dict[str, Estimate] = {}
    exact: frozenset[str] = frozenset()
    if tally.weight > 0:
        totals = tally.totals if method == "bootstrap" else None
        named, exact = estimate_figures(moments, totals, figures, plan)
    return GroupEstimate(
        group=group,
        n=tally.n_rows,
        left_out=left_out,
        effective_n=tally.effective_n,
        figures=named,
        main=figures.names[0],
        n_clusters=n_clusters,
        method=method,
        bases=dict.fromkeys(exact, Basis(tally.n_rows, n_clusters, "exact")),
        n_different=None if figures.names[0] in exact else _n_different(tally, figures),
    )


def _n_different(tally: GroupTally, figures: Figures) -> int | None:
    """Count the clusters that differ from the main figure's most frequent value; see ``GroupEstimate``."""
    if not tally.exact or tally.moments.n < FEWEST_CLUSTERS:
        return None
    totals = tally.totals
    values = totals[:, :-1] @ figures.matrix[0] / totals[:, -1]
    width = float(figures.bounds[1][0] - figures.bounds[0][0])
    span = width if np.isfinite(width) else float(np.ptp(values))
    return few_different(values, totals[:, -1], ROUNDING * span, NEAR * span) if span > 0 else None


def mean_with_counts(group: GroupEstimate, figure: str | None = None) -> MeanEstimate:
    """Return a figure of a group with the counts behind it.

    Args:
        group: estimates of the group.
        figure: name of the figure; the main one by default.

    Returns:
        The figure; NaN if no row has it.
    """
    name = figure or group.main
    estimate = group.figures.get(name, Estimate())
    basis = group.basis(name)
    return MeanEstimate(
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        n=basis.n,
        n_left_out=group.n + group.n_left_out - basis.n,
        n_clusters=basis.n_clusters,
        method=basis.method,
    )


FEWEST_DIFFERENT = 5
"""Least effective number of clusters that differ from the most frequent value, for a reliable interval."""

NEAR = 0.02
"""Share of a figure's range by which nearly equal values may differ."""


def few_different(values: Floats, weights: Floats, unit: float, near: float = 0.0) -> int | None:
    """Count the clusters that differ from the most frequent value, if they are too few for an interval.

    If values are nearly equal, as for texts with nearly the same wording, clusters farther than ``near`` from
    the median are counted.

    If d clusters differ, a bootstrap draws none of them with a probability of about exp(-d). For d below 4,
    that is more than 2.5 %, so one end of a 95 % interval is the frequent value itself. The usual limit for
    normal intervals of shares is 5. With weights, d is effective: the differing share of the weight times
    Kish's effective number of clusters.

    Args:
        values: shape (m,), values of clusters.
        weights: shape (m,), above 0.
        unit: values that differ by less are equal.
        near: values that differ by no more are nearly equal; at least 0.

    Returns:
        Number of clusters that differ, 0 if all are nearly equal; ``None`` if all are equal, or d is at least
        5.

    References:
        Cochran (1954), Some methods for strengthening the common chi-squared tests, Biometrics 10(4),
        417-451, doi 10.2307/3001616.

    Examples:
        >>> few_different(np.array([3.7] * 19 + [3.9]), np.ones(20), 1e-6)
        1
        >>> few_different(np.array([3.7] * 10 + [3.9] * 10), np.ones(20), 1e-6) is None
        True
        >>> few_different(np.array([3.7] * 10 + [3.72] * 10), np.ones(20), 1e-6, near=0.08)
        0
    """
    kinds, codes = np.unique(np.round(values / unit), return_inverse=True)
    if len(kinds) == 1:
        return None
    size = effective_size(float(weights.sum()), float(weights @ weights))

    def are_few(differ: Mask) -> bool:
        return size * float(weights[differ].sum() / weights.sum()) < FEWEST_DIFFERENT

    differ = codes != int(np.bincount(codes, weights=weights).argmax())
    if not are_few(differ):
        order = np.argsort(values, kind="stable")
        weight_below = np.cumsum(weights[order])
        median = values[order[np.searchsorted(weight_below, weight_below[-1] / 2)]]
        differ = np.abs(values - median) > near
    return int(differ.sum()) if are_few(differ) else None


def refit_errors(values: Floats) -> Floats:
    """Compute jackknife standard errors of f figures from b refits, each without one of b parts.

    The root of (b - 1) / b times the sum of squared deviations from the mean of the refits.

    Args:
        values: shape (b, f), at least two rows.

    Examples:
        >>> refit_errors(np.array([[1.0], [2.0], [3.0]])).round(4).tolist()
        [1.1547]
    """
    b = len(values)
    errors: Floats = np.sqrt((b - 1) / b * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return errors


def widen_for_refits(
    group: GroupEstimate,
    means: Floats | None,
    figures: Figures,
    interval: float,
    n_labels: int | None = None,
) -> GroupEstimate:
    """Widen a group's intervals by the error of the fitted function, assumed independent of its rows.

    If the rows include those that the function was fitted to, the intervals are a little too wide. The
    distance from the figure to an end becomes the root of its square plus the square of t times the error,
    with b - 1 degrees of freedom. Ends stay within the range of the figure; missing ends stay missing.

    Refits cannot show answers that are missing from the labels. So the intervals of all figures but the
    first, the mean, are at least as wide as the exact interval of a share of the labels: a mass or box of m
    counts as m of n labels. A difference of boxes is first mapped from its range to 0 to 1.

    Args:
        group: estimates of the group, with the figures of ``figures`` only.
        means: shape (b, k), mean masses of the group under each refit; ``None`` without refits.
        figures: which figures there are.
        interval: nominal coverage, between 0 and 1.
        n_labels: n, number of labelled items that the function was fitted to; ``None`` to use the refits
            only.

    References:
        Clopper and Pearson (1934), see ``clopper_pearson_ends``.
    """
    if means is None or not group.figures:
        return group
    errors = refit_errors(means @ figures.matrix.T)
    further = t_half_width(errors, len(means) - 1, interval)
    values = np.array([figure.value for figure in group.figures.values()])
    below, above = np.maximum(further, _from_labels(values, figures, n_labels, interval))
    ends = zip(group.figures.items(), below, above, *figures.bounds, strict=True)
    return replace(
        group,
        figures={
            name: Estimate(
                figure.value,
                max(figure.value - float(np.hypot(figure.value - figure.low, down)), float(lowest)),
                min(figure.value + float(np.hypot(figure.high - figure.value, up)), float(highest)),
            )
            for (name, figure), down, up, lowest, highest in ends
        },
    )


def _from_labels(values: Floats, figures: Figures, n_labels: int | None, interval: float) -> Floats:
    """Distances to the exact interval's lower and upper ends, shape (2, f); 0 for the mean."""
    distances = np.zeros((2, len(values)))
    if n_labels is None:
        return distances
    least, greatest = figures.bounds
    width = greatest - least
    shares = np.clip((values - least) / width, 0, 1)
    low, high = clopper_pearson_ends(shares, n_labels, interval)
    distances[:, 1:] = np.stack([shares - low, high - shares])[:, 1:] * width[1:]
    return distances


RANDOM_GROUPS = 2048
"""Number of random groups into which the clusters of a group of rows are merged if there are too many."""

ROOM = 1_000_000
"""Greatest number of clusters whose totals are stored, for all groups together."""

_FEWEST_RANDOM_GROUPS = 8
"""Number of random groups of clusters that every group can store."""

_SLACK = 4  # ROOM may be exceeded by this factor, so that rows are copied rarely

_PENDING = 50_000  # least number of rows that are collected before they are joined with the stored clusters


class Tally:
    """Totals of the rows of many groups by cluster, in a few arrays.

    Groups are numbered from 0. Rows of weight 0 are ignored, so that they count neither as rows nor as
    clusters. Each row without a cluster is its own cluster.

    Totals of single clusters are stored for up to 20,000 clusters per group and a million in all groups;
    beyond that, the largest groups drop them. Without a cluster column, their sums are enough. With one,
    further rows of a cluster may follow, so clusters are merged into random groups by their number. Random
    groups of whole clusters leave the variance estimate unbiased.

    Args:
        k: number of points.

    References:
        Random groups: Wolter (2007), Introduction to Variance Estimation, chapter 2,
        doi 10.1007/978-0-387-35099-8.
    """

    def __init__(self, k: int) -> None:
        self._k = k
        self._n_rows = np.zeros(0, np.int64)
        self._weight, self._squared = np.zeros(0), np.zeros(0)
        self._sums = np.zeros((k + 1, 0))
        self._pairs = np.triu_indices(k + 1)
        self._outer = np.zeros((len(self._pairs[0]), 0))
        self._refits: Floats | None = None
        self._rows = _RowTotals(k)
        self._clusters: _ClusterTotals | None = None

    def add(
        self,
        pmf: Floats,
        weights: Floats,
        clusters: Integers | None = None,
        refits: Refits | None = None,
        *,
        groups: Integers | None = None,
        n_groups: int = 1,
    ) -> None:
        """Add rows.

        Args:
            pmf: shape (m, k).
            weights: shape (m,), 0, or from 1e-100 to 1e100, so that no square over- or underflows.
            clusters: shape (m,), hash of each row's cluster, with well mixed lowest bits; in every call or in
                none.
            refits: shape (m, b, k), ``pmf`` under each refit of the fitted function; in every call or in
                none.
            groups: shape (m,), the group of each row, below ``n_groups``; the first one by default.
            n_groups: number of groups so far.
        """
        self._grow(n_groups)
        counting = weights > 0
        pmf, weights = pmf[counting], weights[counting]
        groups = np.zeros(len(weights), np.int64) if groups is None else groups[counting]
        rows = np.column_stack([pmf * weights[:, None], weights])
        self._n_rows += np.bincount(groups, minlength=n_groups)
        self._weight += np.bincount(groups, weights, n_groups)
        self._squared += np.bincount(groups, weights**2, n_groups)
        if refits is not None:
            self._add_refits(groups, weights, refits[counting])
        if clusters is not None:
            self._clusters = self._clusters or _ClusterTotals(self._k)
            self._clusters.add(groups, clusters[counting], rows)
            return
        for number, column in enumerate(rows.T):
            self._sums[number] += np.bincount(groups, column, n_groups)
        for number, (first, second) in enumerate(zip(*self._pairs, strict=True)):
            self._outer[number] += np.bincount(groups, rows[:, first] * rows[:, second], n_groups)
        self._rows.add(groups, rows, self._n_rows)

    def whole(self) -> GroupTally:
        """Return the tally of the first group, the only one if rows have no groups."""
        self._grow(1)
        return next(self.groups())

    def covariance(self, weights: Floats, groups: Sequence[int]) -> Floats:
        """Estimate the covariances between some groups of a figure that is linear in the mean PMF.

        Variances are linearized. Groups that share clusters, such as respondents, have covariances: sums over
        clusters of the products of a cluster's contributions to the two figures.

        Args:
            weights: shape (k,), weights of the points in the figure.
            groups: numbers of g groups, each with two clusters or more.

        Returns:
            Shape (g, g).

        Examples:
            >>> tally = Tally(1)
            >>> tally.add(np.array([[1.0], [3.0], [2.0], [6.0]]), np.ones(4), groups=np.array([0, 0, 1, 1]),
            ...           n_groups=2)
            >>> tally.covariance(np.ones(1), [0, 1]).tolist()  # squared deviations 2 and 8, over n (n - 1)
            [[1.0, 0.0], [0.0, 4.0]]
        """
        tallies = list(self.groups())
        moments = [tallies[group].moments for group in groups]
        covariances = np.diag([float(weights @ part.covariance @ weights) for part in moments])
        if self._clusters is None:
            return covariances
        from scipy.sparse import csr_array

        means = np.array([part.mean @ weights for part in moments])
        stretch = np.array([np.sqrt(part.n / (part.n - 1)) / part.total[-1] for part in moments])
        clusters, number, totals = self._clusters.number_clusters(groups)
        changes = (totals[:, :-1] @ weights - means[number] * totals[:, -1]) * stretch[number]
        table = csr_array((changes, (clusters, number)), shape=(clusters.max() + 1, len(groups)))
        shared: Floats = (table.T @ table).toarray()
        np.fill_diagonal(shared, covariances.diagonal())
        return shared

    def groups(self) -> Iterator[GroupTally]:
        """Yield the tallies of all groups, in their order."""
        if self._clusters is not None:
            stored = self._clusters.totals(len(self._n_rows))
        else:
            stored = self._rows.totals(self._n_rows)
        for group, (totals, exact) in enumerate(stored):
            by_row = self._clusters is None
            yield GroupTally(
                int(self._n_rows[group]),
                float(self._weight[group]),
                float(self._squared[group]),
                self._row_moments(group) if by_row else Moments.empty(self._k).with_clusters(totals),
                totals if exact else totals[:0],
                exact,
                self._refit_means(group),
            )

    def _row_moments(self, group: int) -> Moments:
        outer = np.zeros((self._k + 1, self._k + 1))
        outer[self._pairs] = self._outer[:, group]
        both = outer + outer.T
        np.fill_diagonal(both, outer.diagonal())
        return Moments(int(self._n_rows[group]), self._sums[:, group].copy(), both)

    def _refit_means(self, group: int) -> Floats | None:
        if self._refits is None or not self._weight[group] > 0:
            return None
        means: Floats = self._refits[group] / self._weight[group]
        return means

    def _grow(self, n_groups: int) -> None:
        more = n_groups - len(self._n_rows)
        if more <= 0:
            return
        self._n_rows = np.pad(self._n_rows, (0, more))
        self._weight, self._squared = np.pad(self._weight, (0, more)), np.pad(self._squared, (0, more))
        self._sums = np.pad(self._sums, ((0, 0), (0, more)))
        self._outer = np.pad(self._outer, ((0, 0), (0, more)))
        if self._refits is not None:
            self._refits = np.pad(self._refits, ((0, more), (0, 0), (0, 0)))

    def _add_refits(self, groups: Integers, weights: Floats, refits: Refits) -> None:
        if self._refits is None:
            self._refits = np.zeros((len(self._n_rows), *refits.shape[1:]))
        order = np.argsort(groups, kind="stable")
        present, first = np.unique(groups[order], return_index=True)
        if len(present):
            weighted = weights[order, None, None] * refits[order]
            self._refits[present] += np.add.reduceat(weighted, first, axis=0)


class _RowTotals:
    """Totals of rows of groups in which each row is its own cluster; large groups drop them."""

    def __init__(self, k: int) -> None:
        self._groups = [np.zeros(0, np.int64)]
        self._rows = [np.zeros((0, k + 1))]
        self._largest_group = MAX_CLUSTERS
        self._n = 0

    def add(self, groups: Integers, rows: Floats, n_rows: Integers) -> None:
        """Add rows.

        Args:
            groups: shape (m,), the group of each row.
            rows: shape (m, k + 1), their totals.
            n_rows: shape (groups,), number of rows of each group, including these.
        """
        fitting = n_rows[groups] <= self._largest_group
        self._groups.append(groups[fitting])
        self._rows.append(rows[fitting])
        self._n += int(fitting.sum())
        if self._n > ROOM + ROOM // _SLACK:
            self._make_room(n_rows)

    def totals(self, n_rows: Integers) -> Iterator[tuple[Floats, bool]]:
        """Yield the totals of each group's rows, and whether all of them are stored."""
        self._make_room(n_rows)
        return _by_group(self._groups[0], self._rows[0], n_rows <= self._largest_group)

    def _make_room(self, n_rows: Integers) -> None:
        while n_rows[n_rows <= self._largest_group].sum() > ROOM:
            self._largest_group //= 2
        groups = np.concatenate(self._groups)
        fitting = n_rows[groups] <= self._largest_group
        self._groups, self._rows = [groups[fitting]], [np.concatenate(self._rows)[fitting]]
        self._n = int(fitting.sum())


class _ClusterTotals:
    """Totals by group and cluster; the clusters of large groups are merged into random groups."""

    def __init__(self, k: int) -> None:
        self._groups, self._clusters = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._totals = np.zeros((0, k + 1))
        self._pending: list[tuple[Integers, Integers, Floats]] = []
        self._n_pending = 0
        self._largest_group = MAX_CLUSTERS
        self._is_reduced = np.zeros(0, np.bool_)

    def add(self, groups: Integers, clusters: Integers, rows: Floats) -> None:
        """Add rows.

        Args:
            groups: shape (m,), the group of each row.
            clusters: shape (m,), hash of each row's cluster.
            rows: shape (m, k + 1), their totals.
        """
        self._pending.append((groups, clusters, rows))
        self._n_pending += len(groups)
        if self._n_pending > max(_PENDING, len(self._groups) // 2):
            self._join()

    def totals(self, n_groups: int) -> Iterator[tuple[Floats, bool]]:
        """Yield the totals of each group's clusters, and whether they are clusters, not random groups."""
        self._join()
        return _by_group(self._groups, self._totals, ~self._mask_reduced(n_groups))

    def number_clusters(self, groups: Sequence[int]) -> tuple[Integers, Integers, Floats]:
        """Number the clusters of some groups, so that a cluster has the same number in all of them.

        Returns:
            For each cluster of each group, its number from 0, the position of its group among ``groups``, and
            its totals. If one group has random groups of clusters, the clusters of all groups are merged in
            this way.
        """
        self._join()
        positions = np.full(int(self._groups.max(initial=-1)) + 1, -1)
        positions[list(groups)] = np.arange(len(groups))
        chosen = positions[self._groups] >= 0
        clusters = self._clusters[chosen]
        if self._mask_reduced(len(positions))[list(groups)].any():
            clusters = clusters % self._modulus
        _, numbers = np.unique(clusters, return_inverse=True)
        return numbers, positions[self._groups[chosen]], self._totals[chosen]

    def _join(self) -> None:
        if self._pending:
            groups, clusters, rows = (list(column) for column in zip(*self._pending, strict=True))
            self._pending, self._n_pending = [], 0
            self._groups = np.concatenate([self._groups, *groups])
            self._clusters = np.concatenate([self._clusters, *clusters])
            self._totals = np.concatenate([self._totals, *rows])
            self._put_together()
        while len(self._groups) > ROOM and self._largest_group > _FEWEST_RANDOM_GROUPS:
            self._largest_group //= 2
            self._put_together()

    def _put_together(self) -> None:
        """Add up the rows of a cluster, and reduce groups with too many clusters."""
        reduced = self._mask_reduced(int(self._groups.max(initial=-1)) + 1)
        self._merge(reduced)
        outgrown = np.bincount(self._groups, minlength=len(reduced)) > self._largest_group
        if (outgrown & ~reduced).any():
            reduced |= outgrown
            self._merge(reduced)
        self._is_reduced = reduced

    @property
    def _modulus(self) -> int:
        """Number of random groups of clusters, a power of two."""
        return min(RANDOM_GROUPS, 1 << (self._largest_group.bit_length() - 1))

    def _merge(self, reduced: Mask) -> None:
        clusters = np.where(reduced[self._groups], self._clusters % self._modulus, self._clusters)
        order = np.lexsort((clusters, self._groups))
        groups, clusters, totals = self._groups[order], clusters[order], self._totals[order]
        starts = np.ones(len(groups), np.bool_)
        starts[1:] = (np.diff(groups) != 0) | (np.diff(clusters) != 0)
        number = np.cumsum(starts) - 1
        self._groups, self._clusters = groups[starts], clusters[starts]
        self._totals = np.column_stack([np.bincount(number, column) for column in totals.T])

    def _mask_reduced(self, n_groups: int) -> Mask:
        return np.pad(self._is_reduced, (0, max(0, n_groups - len(self._is_reduced))))


def _by_group(groups: Integers, totals: Floats, is_whole: Mask) -> Iterator[tuple[Floats, bool]]:
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(is_whole)))
    start = 0
    for end, whole in zip(ends.tolist(), is_whole.tolist(), strict=True):
        yield totals[order[start:end]], whole
        start = end
