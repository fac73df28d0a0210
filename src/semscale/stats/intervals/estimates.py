"""Figures with intervals about a group of rows, and how the intervals are made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.exact_shares import clopper_pearson_upper
from semscale.stats.intervals.moments import Moments
from semscale.stats.intervals.pmf_figures import Figures
from semscale.stats.intervals.rare_values import NEAR, few_different
from semscale.stats.intervals.resampling import (
    FEWEST_CLUSTERS,
    check_interval,
    check_seed,
    drawn_counts,
    percentile_interval,
)
from semscale.stats.mass_names import MASS_PREFIX
from semscale.types import Floats

Method = Literal["bootstrap", "linearized"]
"""``bootstrap``: expanded percentiles of resampled clusters. ``linearized``: Taylor variance, t interval."""

UsedMethod = Literal["bootstrap", "linearized", "exact"]
"""A method, or ``exact``: bounds for a figure that is the same in every cluster, see ``estimate_figures``."""

DEFAULT_INTERVAL = 0.95
"""Coverage of intervals where nobody chooses another."""

_FEWEST_REPLICATES = 100
_FEWEST_FOR_AN_INTERVAL = 2
ROUNDING = 1e-6
"""Standard deviation, as a share of what a figure can span, below which values differ by rounding alone."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value: the figure itself.
        low: lower end of the interval, NaN where there is none (fewer than two clusters).
        high: upper end, NaN likewise.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Basis:
    """Everything that one figure is made from, where rows of the group lack it.

    Attributes:
        n: rows that have the figure.
        n_clusters: rows, or respondents where they are named, that its interval is made from.
        method: how its interval was made; ``None`` where there is none.
    """

    n: int
    n_clusters: int
    method: UsedMethod | None


@dataclass(frozen=True)
class GroupEstimate:
    """All figures about one group of rows.

    Attributes:
        group: the group's name; ``None`` for everything, or for rows whose group is missing.
        n: rows that count: scored, and with a weight above 0.
        left_out: rows that do not count, by reason (a status, ``no-weight``, ``zero-weight``,
            ``no-respondent``).
        effective_n: Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; equals n without weights.
        figures: the figures by name, in the instrument's order; empty where no row counts.
        main: name of the figure that ``mean`` gives.
        n_clusters: rows, or respondents where they are named, that the intervals are made from.
        method: how this group's intervals were made: linearized with fewer than 10 clusters, where
            percentiles of a bootstrap would be too narrow; ``None`` with fewer than two, as there are none.
        bases: for figures that other rows have than the main one, or whose intervals are exact bounds, what
            each is made from.
        n_different: clusters whose main figure is not the most frequent one, or not near the median, where
            fewer than 5 effective clusters are so and the interval rests on them; ``None`` otherwise, with
            fewer than 10 clusters, and where the values of clusters were given up: above 20,000 of them, or
            in the largest groups where all groups together have more than a million.
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
        """How many rows do not count."""
        return sum(self.left_out.values())

    @property
    def has_small_base(self) -> bool:
        """Whether fewer than 10 rows, or respondents where they are named, are behind the figures."""
        return self.n > 0 and self.n_clusters < FEWEST_CLUSTERS

    @property
    def mean(self) -> Estimate | None:
        """The main figure; ``None``, as all others, where no row counts."""
        return self.figures.get(self.main)

    @property
    def top_2_box(self) -> Estimate | None:
        """Mass on the two highest points; ``None`` with fewer than 4 points, where boxes would overlap."""
        return self.figures.get("top_2_box")

    @property
    def bottom_2_box(self) -> Estimate | None:
        """Mass on the two lowest points, likewise."""
        return self.figures.get("bottom_2_box")

    @property
    def net(self) -> Estimate | None:
        """Top-2-box minus bottom-2-box, likewise."""
        return self.figures.get("net")

    @property
    def nps(self) -> Estimate | None:
        """Mass on 9 and 10 minus mass on 0 to 6, -1 to 1; ``None`` unless the values are 0 to 10."""
        return self.figures.get("nps")

    @property
    def pmf(self) -> tuple[Estimate, ...]:
        """Mass of each point of a scale; empty where no row counts."""
        return tuple(one for name, one in self.figures.items() if name.startswith(MASS_PREFIX))

    def basis(self, figure: str) -> Basis:
        """Say what a figure is made from."""
        return self.bases.get(figure) or Basis(self.n, self.n_clusters, self.method)


@dataclass(frozen=True)
class IntervalPlan:
    """How intervals are to be made.

    Attributes:
        interval: coverage to aim at, between 0 and 1.
        method: bootstrap or linearized.
        seed: of the bootstrap; every group starts from it afresh, so that a group's interval does not depend
            on which other groups there are.
        replicates: of the bootstrap, at least 100.

    Raises:
        InputError: an unknown method, or a coverage, a seed or a number of replicates out of range.
    """

    interval: float = DEFAULT_INTERVAL
    method: Method = "bootstrap"
    seed: int = 0
    replicates: int = 2000

    def __post_init__(self) -> None:
        check_interval(self.interval)
        check_seed(self.seed)
        if self.method not in get_args(Method):
            raise InputError(f"method must be {' or '.join(get_args(Method))}, got {self.method!r}")
        if not isinstance(self.replicates, int | np.integer) or self.replicates < _FEWEST_REPLICATES:
            raise InputError(
                f"replicates must be a whole number of at least {_FEWEST_REPLICATES}, got {self.replicates!r}"
            )

    @property
    def settings(self) -> dict[str, object]:
        """What a signature says of it; seed and replicates are of the bootstrap alone.

        Example:
            >>> IntervalPlan(0.9, "linearized").settings
            {'interval': 0.9, 'method': 'linearized', 'replicates': None, 'seed': None}
        """
        drawn = self.method == "bootstrap"
        return {
            "interval": self.interval,
            "method": self.method,
            "replicates": self.replicates if drawn else None,
            "seed": self.seed if drawn else None,
        }

    def method_for(self, m: int) -> Method | None:
        """Say how intervals of m clusters are made; ``None`` with fewer than two.

        Example:
            >>> [IntervalPlan().method_for(m) for m in (1, 9, 10)]
            [None, 'linearized', 'bootstrap']
        """
        if m < _FEWEST_FOR_AN_INTERVAL:
            return None
        return self.method if m >= FEWEST_CLUSTERS else "linearized"


class TalliedRows(Protocol):
    """Sums of a group's rows, as ``Tally`` and ``GroupTally`` have them."""

    @property
    def n_rows(self) -> int:
        """Rows with weight."""

    @property
    def weight(self) -> float:
        """Sum of their weights."""

    @property
    def effective_n(self) -> float:
        """Kish's effective number of rows; 0 without weight."""

    @property
    def moments(self) -> Moments:
        """Sums over all clusters."""

    @property
    def exact(self) -> bool:
        """Whether the totals of every cluster are there."""

    @property
    def totals(self) -> Floats:
        """Totals of every cluster, shape (m, k + 1); only while ``exact``."""

    @property
    def refit_means(self) -> Floats | None:
        """Mean of the rows under each refit, shape (b, k)."""


def estimate_group(
    group: str | None, tally: TalliedRows, left_out: dict[str, int], figures: Figures, plan: IntervalPlan
) -> GroupEstimate:
    """Estimate all figures about one group from its tally; the first of them is the main one.

    Args:
        group: name of the group.
        tally: its rows; for the bootstrap the tally must be exact.
        left_out: rows that do not count, by reason.
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


def _n_different(tally: TalliedRows, figures: Figures) -> int | None:
    """Count the clusters apart from the main figure's most frequent value, as ``GroupEstimate`` has it."""
    if not tally.exact or tally.moments.n < FEWEST_CLUSTERS:
        return None
    totals = tally.totals
    values = totals[:, :-1] @ figures.matrix[0] / totals[:, -1]
    width = float(figures.bounds[1][0] - figures.bounds[0][0])
    span = width if np.isfinite(width) else float(np.ptp(values))
    return few_different(values, totals[:, -1], ROUNDING * span, NEAR * span) if span > 0 else None


def estimate_figures(
    moments: Moments, totals: Floats | None, figures: Figures, plan: IntervalPlan
) -> tuple[dict[str, Estimate], frozenset[str]]:
    """Estimate figures from sums over clusters.

    A figure is ``matrix @ (sum w p / sum w)``. Its interval comes from resampled clusters, or from the
    linearized variance with t quantiles, and is cut off at the least and greatest value the figure can have.
    A figure that is the same in every cluster shows no spread to resample; its interval is a bound: with
    the share q of clusters that may differ unseen, from ``value - q (value - least)`` to
    ``value + q (greatest - value)``.

    Args:
        moments: of m clusters, whose weights sum to more than 0.
        totals: shape (m, k + 1), of the clusters, for the bootstrap; ``None`` for linearized intervals.
        figures: f of them.
        plan: coverage, seed and replicates.

    Returns:
        The estimates by name, whose ends are NaN with fewer than two clusters; and the names of those whose
        intervals are exact bounds.
    """
    values = figures.matrix @ moments.mean
    variance = np.einsum("fk,kj,fj->f", figures.matrix, moments.covariance, figures.matrix)
    if totals is None:
        low, high = _linearized(values, variance, moments.n, plan)
    else:
        low, high = _bootstrapped(totals, figures, plan)
    least, greatest = figures.bounds
    equal = _have_no_spread(variance, moments.n, figures)
    unseen = clopper_pearson_upper(0, moments.effective_n, plan.interval)
    low[equal] = (values - unseen * (values - least))[equal]
    high[equal] = (values + unseen * (greatest - values))[equal]
    rows = zip(values, np.maximum(low, least), np.minimum(high, greatest), strict=True)
    named = {name: Estimate(*map(float, row)) for name, row in zip(figures.names, rows, strict=True)}
    return named, frozenset(np.array(figures.names)[equal].tolist())


def _have_no_spread(variance: Floats, n: int, figures: Figures) -> npt.NDArray[np.bool_]:
    """Tell which bounded figures are the same in all n clusters, up to rounding; none of fewer than two."""
    width = figures.bounds[1] - figures.bounds[0]
    equal: npt.NDArray[np.bool_] = variance * n <= (ROUNDING * width) ** 2
    return equal & np.isfinite(width)


def _bootstrapped(totals: Floats, figures: Figures, plan: IntervalPlan) -> tuple[Floats, Floats]:
    m = len(totals)
    rng = np.random.default_rng(plan.seed)
    drawn = np.concatenate([counts @ totals for counts in drawn_counts(m, plan.replicates, rng)])
    return percentile_interval(drawn[:, :-1] / drawn[:, -1:] @ figures.matrix.T, m, plan.interval)


def _linearized(values: Floats, variance: Floats, n: int, plan: IntervalPlan) -> tuple[Floats, Floats]:
    half = stdtrit(n - 1, (1 + plan.interval) / 2) * np.sqrt(np.maximum(variance, 0))
    return values - half, values + half
