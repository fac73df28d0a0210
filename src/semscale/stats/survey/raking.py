"""Raking: weights whose sums equal the population's on several margins, within bounds."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey.design import checked_weights
from semscale.stats.survey.margins import Margin, read_margins
from semscale.types import Floats

_NO_BOUNDS = (0.0, np.inf)
_PATIENCE = 25
"""Passes without a gap that is a thousandth smaller, after which margins count as not to be met together."""


@dataclass(frozen=True)
class UnmetTarget:
    """A category whose weights do not reach its target.

    Attributes:
        margin: name of the variable.
        category: the category.
        target: what its weights were to sum to.
        reached: what they sum to.
    """

    margin: str
    category: Hashable
    target: float
    reached: float


@dataclass(frozen=True, eq=False)
class RakingTask:
    """What raking is to do.

    Attributes:
        start: shape (n,), the weights to start from.
        margins: the variables and their targets.
        limits: least and greatest weight, one for all rows or of shape (n,).
        tolerance: largest distance of a category from its target, as a share of the total.
        most_rounds: passes over all margins.
    """

    start: Floats
    margins: tuple[Margin, ...]
    limits: tuple[Floats | float, Floats | float]
    tolerance: float
    most_rounds: int

    @property
    def total(self) -> float:
        """What the weights are to sum to."""
        return float(self.margins[0].targets.sum())

    @property
    def bounded(self) -> bool:
        """Whether a weight can meet a limit."""
        low, high = self.limits
        return bool(np.max(low) > 0 or np.isfinite(high).any())

    def clipped(self, free: Floats) -> Floats:
        """Bring weights within the limits; 0 stays 0."""
        return np.where(free > 0, np.clip(free, *self.limits), 0.0)

    def for_replicate(self, weights: Floats) -> "RakingTask":
        """The same task for replicate weights: a row that counts twice has twice the limits."""
        if not self.bounded:
            return replace(self, start=weights)
        counts = np.divide(weights, self.start, out=np.zeros_like(weights), where=self.start > 0)
        low, high = self.limits
        # Rows that a replicate leaves out keep 0, whatever their limits.
        limits = (low * counts, high * np.where(counts > 0, counts, 1.0))
        return replace(self, start=weights, limits=limits)


@dataclass(frozen=True, eq=False)
class Raking:
    """Raked weights, and how far they got.

    Attributes:
        weights: shape (n,), within the bounds.
        converged: whether all margins are met.
        rounds: passes over all margins.
        largest_gap: largest distance of a category from its target, as a share of the total.
        unmet: the categories beyond the tolerance, the farthest first; empty if converged.
        n_trimmed: rows whose weight is at a bound.
        design_effect: Kish's, of the weights.
        task: what was to be met, and how; ``raked_design`` reads it.
    """

    weights: Floats
    converged: bool
    rounds: int
    largest_gap: float
    unmet: tuple[UnmetTarget, ...]
    n_trimmed: int
    design_effect: float
    task: RakingTask


def rake(  # noqa: PLR0913 - each is a setting of its own
    columns: Mapping[str, npt.ArrayLike],
    targets: Mapping[str, Mapping[Hashable, float]],
    *,
    weights: npt.ArrayLike | None = None,
    bounds: tuple[float, float] = _NO_BOUNDS,
    total: float | None = None,
    tolerance: float = 1e-8,
    most_rounds: int = 500,
    allow_unmet: bool = False,
) -> Raking:
    """Fit weights to margins by iterative proportional fitting, within bounds.

    Each pass multiplies the weights of a margin's categories until they sum to their targets. With bounds
    the weights are ``clip(w_i * factors, low, high)``, and factors are chosen so that the clipped weights
    meet the targets: the closest weights in the sense of raking that hold margins and bounds alike.

    Args:
        columns: the sample's variables by name, each of shape (n,).
        targets: by variable, the total or share of each category in the population.
        weights: shape (n,), to start from; ones unless given. 0 stays 0.
        bounds: least and greatest weight, as multiples of the mean weight.
        total: what the weights sum to; the targets' own sum unless given, or the number of rows where they
            are shares that sum to 1 or 100.
        tolerance: largest distance of a category from its target, as a share of the total.
        most_rounds: passes over all margins, at least 1.
        allow_unmet: whether to return weights that miss a margin, and to say which; an error unless given.

    Raises:
        InputError: a margin that cannot be met (it is named), an empty category, a category that the
            sample or the targets lack, margins whose totals disagree, or a setting out of range.

    References:
        Deming and Stephan (1940), Annals of Mathematical Statistics 11(4), 427-444,
        doi 10.1214/aoms/1177731829. Deville, Särndal and Sautory (1993), JASA 88(423), 1013-1020,
        doi 10.1080/01621459.1993.10476369 (bounds).

    Example:
        >>> raked = rake({"sex": ["f", "f", "f", "m"]}, {"sex": {"f": 0.5, "m": 0.5}})
        >>> raked.weights.round(4).tolist(), raked.converged
        ([0.6667, 0.6667, 0.6667, 2.0], True)
    """
    if not columns:
        raise InputError("columns must name at least one variable")
    n = len(np.asarray(next(iter(columns.values()))))
    base = checked_weights(np.ones(n) if weights is None else weights)
    margins = read_margins(columns, targets, base, total)
    limits = _limits(bounds, margins, base)
    if most_rounds < 1 or not tolerance > 0:
        raise InputError(f"most_rounds must be >= 1 and tolerance > 0, got {most_rounds} and {tolerance}")
    task = RakingTask(base, tuple(margins), limits, tolerance, most_rounds)
    result = _result(*fitted_weights(task), task)
    if result.unmet and not allow_unmet:
        raise InputError(_said(result))
    return result


def _limits(bounds: tuple[float, float], margins: list[Margin], base: Floats) -> tuple[float, float]:
    """Turn bounds into weights, and refuse those that no weights can hold."""
    low, high = bounds
    if not 0 <= low <= 1 <= high or low == high:
        raise InputError(f"bounds must be a number from 0 to 1 and one of at least 1, got {bounds}")
    counts = [margin.sums((base > 0).astype(np.float64)) for margin in margins]
    mean = margins[0].targets.sum() / counts[0].sum()
    for margin, count in zip(margins, counts, strict=True):
        for category, target, rows in zip(margin.categories, margin.targets, count, strict=True):
            least, most = rows * low * mean, rows * high * mean if rows else 0.0
            if target < least * (1 - 1e-9) or target > most * (1 + 1e-9):
                raise InputError(
                    f"margin {margin.name!r} cannot be met within the bounds: {int(rows)} rows of category "
                    f"{category!r} reach {least:.6g} to {most:.6g}, and the target is {target:.6g}"
                )
    return low * mean, high * mean


def fitted_weights(task: RakingTask) -> tuple[Floats, int]:
    """Pass over the margins until all are met, or the weights move no more; weights and passes."""
    free = task.start * (task.total / task.start.sum())
    least, since = np.inf, 0
    for rounds in range(1, task.most_rounds + 1):
        for margin in task.margins:
            free = free * _factors(free, margin, task)[margin.codes]
        clipped = task.clipped(free)
        gap = max(float(np.abs(margin.sums(clipped) - margin.targets).max()) for margin in task.margins)
        if gap < 0.999 * least:
            least, since = gap, rounds
        if gap <= task.tolerance * task.total or rounds - since >= _PATIENCE:
            break
    return clipped, rounds


def _factors(free: Floats, margin: Margin, task: RakingTask) -> Floats:
    """Factor of each category that brings the sum of its clipped weights to the target, or towards it."""
    if not task.bounded:
        sums = margin.sums(free)
        return np.divide(margin.targets, sums, out=np.ones_like(sums), where=sums > 0)
    inside = (free > task.limits[0]) & (free < task.limits[1])
    movable = margin.sums(np.where(inside, free, 0.0))
    now = margin.sums(task.clipped(free))
    wanted = margin.targets - (now - movable)
    plain = np.divide(margin.targets, now, out=np.ones_like(now), where=now > 0)
    usable = (movable > 0) & (wanted > 0)
    return np.divide(wanted, movable, out=plain, where=usable)


def reached_targets(weights: Floats, task: RakingTask) -> list[UnmetTarget]:
    """Lay what each category's weights sum to beside its target, the farthest first."""
    found = [
        UnmetTarget(margin.name, category, float(target), float(reached))
        for margin in task.margins
        for category, target, reached in zip(
            margin.categories, margin.targets, margin.sums(weights), strict=True
        )
    ]
    return sorted(found, key=lambda one: -abs(one.target - one.reached))


def _result(weights: Floats, rounds: int, task: RakingTask) -> Raking:
    found = reached_targets(weights, task)
    gap = float(abs(found[0].target - found[0].reached) / task.total)
    unmet = tuple(one for one in found if abs(one.target - one.reached) > task.tolerance * task.total)
    low, high = task.limits
    trimmed = int(((weights > 0) & ((weights <= low) | (weights >= high))).sum())
    positive = weights[weights > 0]
    effect = float(len(positive) * (positive**2).sum() / positive.sum() ** 2)
    return Raking(weights, not unmet, rounds, gap, unmet, trimmed, effect, task)


def _said(result: Raking) -> str:
    worst = result.unmet[0]
    return (
        f"margin {worst.margin!r} cannot be met together with the others after {result.rounds} rounds: "
        f"category {worst.category!r} reaches {worst.reached:.6g}, and its target is "
        f"{worst.target:.6g}; join categories, widen the bounds, or allow unmet margins"
    )
