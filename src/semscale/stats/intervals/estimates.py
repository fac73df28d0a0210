"""What is estimated about many ratings: figures with intervals."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.pmf_figures import Figures
from semscale.stats.intervals.resampling import (
    FEWEST_CLUSTERS,
    check_interval,
    check_seed,
    drawn_counts,
    percentile_interval,
)
from semscale.stats.intervals.tally import Tally
from semscale.types import Floats

Method = Literal["bootstrap", "linearized"]
"""``bootstrap``: expanded percentiles of resampled clusters. ``linearized``: Taylor variance, t interval."""

_FEWEST_REPLICATES = 100
_FEWEST_FOR_AN_INTERVAL = 2


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
class GroupEstimate:
    """All figures about one group of ratings.

    Attributes:
        group: the group's name; ``None`` for everything, or for rows whose group is missing.
        n: rows that count: scored, and with a weight above 0.
        left_out: rows that do not count, by reason (a status, ``no-weight``, ``zero-weight``,
            ``no-respondent``).
        effective_n: Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; equals n without weights.
        mean: expected value on the scale; ``None`` as all other figures where no row counts.
        top_2_box: mass on the two highest points; ``None`` for scales with fewer than 4 points, where the
            boxes would overlap.
        bottom_2_box: mass on the two lowest points, likewise.
        net: top-2-box minus bottom-2-box, likewise.
        nps: mass on 9 and 10 minus mass on 0 to 6, -1 to 1; ``None`` unless the values are 0 to 10.
        pmf: mass of each point; empty where no row counts.
        n_clusters: rows, or respondents where they are named, that the intervals are made from.
        method: how this group's intervals were made: linearized with fewer than 10 clusters, where
            percentiles of a bootstrap would be too narrow; ``None`` with fewer than two, as there are none.
    """

    group: str | None
    n: int
    left_out: dict[str, int]
    effective_n: float
    mean: Estimate | None
    top_2_box: Estimate | None
    bottom_2_box: Estimate | None
    net: Estimate | None
    nps: Estimate | None
    pmf: tuple[Estimate, ...]
    n_clusters: int = 0
    method: Method | None = None


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
        InputError: a coverage, a seed or a number of replicates out of range.
    """

    interval: float = 0.95
    method: Method = "bootstrap"
    seed: int = 0
    replicates: int = 2000

    def __post_init__(self) -> None:
        check_interval(self.interval)
        check_seed(self.seed)
        if not isinstance(self.replicates, int | np.integer) or self.replicates < _FEWEST_REPLICATES:
            raise InputError(
                f"replicates must be a whole number of at least {_FEWEST_REPLICATES}, got {self.replicates!r}"
            )

    def method_for(self, m: int) -> Method | None:
        """Say how intervals of m clusters are made; ``None`` with fewer than two.

        Example:
            >>> [IntervalPlan().method_for(m) for m in (1, 9, 10)]
            [None, 'linearized', 'bootstrap']
        """
        if m < _FEWEST_FOR_AN_INTERVAL:
            return None
        return self.method if m >= FEWEST_CLUSTERS else "linearized"


def estimate_group(
    group: str | None, tally: Tally, left_out: dict[str, int], figures: Figures, plan: IntervalPlan
) -> GroupEstimate:
    """Estimate all figures about one group from its tally.

    A figure is ``matrix @ (sum w p / sum w)``. Its interval comes from resampled clusters, or from the
    linearized variance with t quantiles, cut off at the least and greatest value the figure can have; with
    fewer than 10 clusters always from the latter.

    Args:
        group: name of the group.
        tally: its rows; for the bootstrap the tally must be exact.
        left_out: rows that do not count, by reason.
        figures: which figures there are.
        plan: how intervals are made.
    """
    n_clusters = tally.moments.n
    method = plan.method_for(n_clusters)
    if tally.weight > 0:
        values = figures.matrix @ tally.moments.mean
        ends = _bootstrapped if method == "bootstrap" else _linearized
        low, high = ends(tally, figures, plan)
        estimates = [Estimate(*map(float, row)) for row in zip(values, low, high, strict=True)]
        named = dict(zip(figures.names, estimates, strict=True))
    else:
        named = {}
    return GroupEstimate(
        group=group,
        n=tally.n_rows,
        left_out=left_out,
        effective_n=tally.effective_n,
        mean=named.get("mean"),
        top_2_box=named.get("top_2_box"),
        bottom_2_box=named.get("bottom_2_box"),
        net=named.get("net"),
        nps=named.get("nps"),
        pmf=tuple(estimate for name, estimate in named.items() if name.startswith("p_")),
        n_clusters=n_clusters,
        method=method,
    )


def _bootstrapped(tally: Tally, figures: Figures, plan: IntervalPlan) -> tuple[Floats, Floats]:
    totals = tally.totals
    m = len(totals)
    rng = np.random.default_rng(plan.seed)
    drawn = np.concatenate([counts @ totals for counts in drawn_counts(m, plan.replicates, rng)])
    return percentile_interval(drawn[:, :-1] / drawn[:, -1:] @ figures.matrix.T, m, plan.interval)


def _linearized(tally: Tally, figures: Figures, plan: IntervalPlan) -> tuple[Floats, Floats]:
    moments = tally.moments
    variance = np.einsum("fk,kj,fj->f", figures.matrix, moments.covariance, figures.matrix)
    half = stdtrit(moments.n - 1, (1 + plan.interval) / 2) * np.sqrt(np.maximum(variance, 0))
    values = figures.matrix @ moments.mean
    least, greatest = figures.bounds
    return np.maximum(values - half, least), np.minimum(values + half, greatest)
