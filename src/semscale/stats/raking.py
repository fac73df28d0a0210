"""Raking: weights within bounds whose sums equal the population's totals on several margins."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey_designs import (
    AnyDesign,
    Margin,
    MarginCalibration,
    Regression,
    ReplicateDesign,
    validate_weights,
)
from semscale.stats.survey_estimates import kish_design_effect
from semscale.types import Floats

_NO_BOUNDS = (0.0, np.inf)

_PATIENCE = 25
"""Passes without a gap that is a thousandth smaller, after which margins count as incompatible."""


@dataclass(frozen=True)
class UnmetTarget:
    """A category whose weights do not reach its target.

    Attributes:
        margin: name of the variable.
        category: the category.
        target: required sum of its weights.
        reached: sum of its weights.
    """

    margin: str
    category: Hashable
    target: float
    reached: float

    @property
    def gap(self) -> float:
        """Distance of the sum from the target."""
        return abs(self.target - self.reached)


@dataclass(frozen=True, eq=False)
class RakingTask:
    """A task of raking.

    Attributes:
        start: shape (n,), the weights to start from.
        margins: the variables and their targets.
        limits: least and greatest weight, one for all rows or of shape (n,).
        tolerance: largest distance of a category from its target, as a share of the total.
        most_rounds: number of passes over all margins.
    """

    start: Floats
    margins: tuple[Margin, ...]
    limits: tuple[Floats | float, Floats | float]
    tolerance: float
    most_rounds: int

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.margins[0].targets.sum())

    @property
    def bounded(self) -> bool:
        """True if a weight can reach a limit."""
        low, high = self.limits
        return bool(np.max(low) > 0 or np.isfinite(high).any())

    def clip(self, free: Floats) -> Floats:
        """Clip weights to the limits; 0 stays 0."""
        return np.where(free > 0, np.clip(free, *self.limits), 0.0)

    def for_replicate(self, weights: Floats) -> "RakingTask":
        """Return the task for replicate weights: a row that counts twice has twice the limits."""
        if not self.bounded:
            return replace(self, start=weights)
        counts = np.divide(weights, self.start, out=np.zeros_like(weights), where=self.start > 0)
        low, high = self.limits
        # Rows that a replicate leaves out keep 0, whatever their limits.
        limits = (low * counts, high * np.where(counts > 0, counts, 1.0))
        return replace(self, start=weights, limits=limits)


@dataclass(frozen=True, eq=False)
class Raking:
    """Raked weights, and their distance from the targets.

    Attributes:
        weights: shape (n,), raked weights within the bounds.
        converged: whether all margins are met.
        rounds: number of passes over all margins.
        largest_gap: largest distance of a category from its target, as a share of the total.
        unmet: categories beyond the tolerance, the farthest first; empty if converged.
        n_trimmed: number of rows with a weight at a bound.
        design_effect: Kish's design effect of the weights, at least 1.
        task: targets and settings, for ``raked_design``.
    """

    weights: Floats
    converged: bool
    rounds: int
    largest_gap: float
    unmet: tuple[UnmetTarget, ...]
    n_trimmed: int
    design_effect: float
    task: RakingTask


def rake(
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

    Each pass multiplies the weights of a margin's categories until they sum to their targets. With bounds the
    weights are ``clip(w_i * factors, low, high)``, and factors are chosen so that the clipped weights meet
    the targets: these are the closest weights, in raking's distance, that meet margins and bounds.

    Args:
        columns: variables of the sample by name, each of shape (n,).
        targets: total or share of each category in the population, by variable.
        weights: shape (n,), to start from; ones by default. 0 stays 0.
        bounds: least and greatest weight, as multiples of the mean weight.
        total: sum of the weights; by default the sum of the targets, or the number of rows if targets are
            shares that sum to 1 or 100.
        tolerance: largest distance of a category from its target, as a share of the total.
        most_rounds: greatest number of passes over all margins, at least 1.
        allow_unmet: whether to return weights that miss a margin, listed in ``unmet``; an error by default.

    Raises:
        InputError: a margin that cannot be met (it is named), an empty category, a category that the
            sample or the targets lack, margins whose totals disagree, or a setting out of range.

    References:
        Deming and Stephan (1940), Annals of Mathematical Statistics 11(4), 427-444,
        doi 10.1214/aoms/1177731829. Deville, Särndal and Sautory (1993), JASA 88(423), 1013-1020,
        doi 10.1080/01621459.1993.10476369 (bounds).

    Examples:
        >>> raked = rake({"sex": ["f", "f", "f", "m"]}, {"sex": {"f": 0.5, "m": 0.5}})
        >>> raked.weights.round(4).tolist(), raked.converged
        ([0.6667, 0.6667, 0.6667, 2.0], True)
    """
    if not columns:
        raise InputError("columns", "must name at least one variable")
    n = len(np.asarray(next(iter(columns.values()))))
    base = validate_weights(np.ones(n) if weights is None else weights)
    margins = _read_margins(columns, targets, base, total)
    limits = _limits(bounds, margins, base)
    if most_rounds < 1 or not tolerance > 0:
        raise InputError("most_rounds", f"must be >= 1 and tolerance > 0, got {most_rounds} and {tolerance}")
    task = RakingTask(base, tuple(margins), limits, tolerance, most_rounds)
    fitted, rounds = _fit_weights(task)
    reached = _compare_targets(fitted, task)
    unmet = tuple(goal for goal in reached if goal.gap > tolerance * task.total)
    if unmet and not allow_unmet:
        worst = unmet[0]
        raise InputError(
            f"margin {worst.margin!r} cannot be met together with the others after {rounds} rounds: "
            f"category {worst.category!r} reaches {worst.reached:.6g}, and its target is "
            f"{worst.target:.6g}; join categories, widen the bounds, or allow unmet margins"
        )
    low, high = limits
    return Raking(
        fitted,
        converged=not unmet,
        rounds=rounds,
        largest_gap=reached[0].gap / task.total,
        unmet=unmet,
        n_trimmed=int(((fitted > 0) & ((fitted <= low) | (fitted >= high))).sum()),
        design_effect=kish_design_effect(fitted),
        task=task,
    )


def _limits(bounds: tuple[float, float], margins: list[Margin], base: Floats) -> tuple[float, float]:
    """Convert bounds to limits of weights, and reject bounds that no weights can meet."""
    low, high = bounds
    if not 0 <= low <= 1 <= high or low == high:
        raise InputError("bounds", f"must be a number from 0 to 1 and one of at least 1, got {bounds}")
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


def _fit_weights(task: RakingTask) -> tuple[Floats, int]:
    """Pass over the margins until all are met, or weights no longer change; return weights and passes."""
    free = task.start * (task.total / task.start.sum())
    least, since = np.inf, 0
    for rounds in range(1, task.most_rounds + 1):
        for margin in task.margins:
            free = free * _factors(free, margin, task)[margin.codes]
        clipped = task.clip(free)
        gap = max(float(np.abs(margin.sums(clipped) - margin.targets).max()) for margin in task.margins)
        if gap < 0.999 * least:
            least, since = gap, rounds
        if gap <= task.tolerance * task.total or rounds - since >= _PATIENCE:
            break
    return clipped, rounds


def _factors(free: Floats, margin: Margin, task: RakingTask) -> Floats:
    """Factor of each category that brings the sum of its clipped weights to the target, or close to it."""
    if not task.bounded:
        sums = margin.sums(free)
        return np.divide(margin.targets, sums, out=np.ones_like(sums), where=sums > 0)
    inside = (free > task.limits[0]) & (free < task.limits[1])
    movable = margin.sums(np.where(inside, free, 0.0))
    now = margin.sums(task.clip(free))
    wanted = margin.targets - (now - movable)
    plain = np.divide(margin.targets, now, out=np.ones_like(now), where=now > 0)
    usable = (movable > 0) & (wanted > 0)
    return np.divide(wanted, movable, out=plain, where=usable)


def _compare_targets(weights: Floats, task: RakingTask) -> list[UnmetTarget]:
    """Compare the sum of each category's weights with its target, the farthest first."""
    reached = [
        UnmetTarget(margin.name, category, float(target), float(total))
        for margin in task.margins
        for category, target, total in zip(
            margin.categories, margin.targets, margin.sums(weights), strict=True
        )
    ]
    return sorted(reached, key=lambda goal: -goal.gap)


def raked_design(design: AnyDesign, raking: Raking, *, regression: Regression = "weighted") -> AnyDesign:
    """Return a design with raked weights, and with variances that account for the margins.

    Linearised variances come from the residuals of a regression on the margins' categories, so a margin
    itself has a standard error of 0. Replicate weights are raked one by one; with bounds, a row that counts c
    times in a replicate has c times the bounds there.

    Args:
        design: design with the weights before raking.
        raking: ``rake(columns, targets, weights=design.weights)``.
        regression: regression of linearised variances: ``weighted`` by the weights before raking, as R's
            ``calibrate``, or ``plain``, as R's ``rake``. Both are valid in large samples.

    Raises:
        InputError: a raking of other weights, a design that is raked already, an unknown regression, or a
            replicate that cannot meet a margin (all three are named).

    References:
        Deville and Särndal (1992), JASA 87(418), 376-382, doi 10.1080/01621459.1992.10475217. Deville,
        Särndal and Sautory (1993), JASA 88(423), 1013-1020, doi 10.1080/01621459.1993.10476369.

    Examples:
        >>> from semscale.stats.survey_designs import SurveyDesign
        >>> from semscale.stats.survey_estimates import survey_means
        >>> from semscale.stats.raking import rake
        >>> design = SurveyDesign(np.ones(4))
        >>> raking = rake({"sex": ["f", "f", "f", "m"]}, {"sex": {"f": 2, "m": 2}}, weights=design.weights)
        >>> means = survey_means([1.0, 1.0, 1.0, 0.0], raked_design(design, raking))
        >>> means.values.tolist(), means.standard_errors.round(6).tolist()  # the share of f is given
        ([[0.5]], [[0.0]])
    """
    if not np.array_equal(design.weights, raking.task.start):
        raise InputError("raking", "must start from the design's weights: rake(..., weights=design.weights)")
    if isinstance(design, ReplicateDesign):
        replicates = np.column_stack(
            [
                _rake_replicate(weights, number, raking)
                for number, weights in enumerate(np.asarray(design.replicates).T)
            ]
        )
        return replace(design, weights=raking.weights, replicates=replicates, degrees=design.df)
    if design.calibration is not None:
        raise InputError("the design is raked already: give all margins to one raking")
    if regression not in get_args(Regression):
        raise InputError("regression", f"must be {' or '.join(get_args(Regression))}, got {regression!r}")
    importance = raking.task.start if regression == "weighted" else np.ones(design.n)
    calibration = MarginCalibration(raking.task.margins, raking.weights, importance)
    return replace(design, weights=raking.weights, calibration=calibration)


def _rake_replicate(weights: Floats, number: int, raking: Raking) -> Floats:
    """Rake one replicate; it may miss a margin only if all rows together miss it."""
    task = raking.task.for_replicate(weights)
    fitted, _ = _fit_weights(task)
    worst = _compare_targets(fitted, task)[0]
    if raking.converged and worst.gap > task.tolerance * task.total:
        raise InputError(
            f"replicate {number + 1:,} cannot meet margin {worst.margin!r}: category {worst.category!r} "
            f"reaches {worst.reached:.6g}, and its target is {worst.target:.6g}; join categories or widen "
            "the bounds"
        )
    return fitted


_AGREEMENT = 1e-6
"""Relative difference of two margins' totals that is rounding error."""


def _read_margin(
    name: str, answers: npt.ArrayLike, targets: Mapping[Hashable, float], weights: Floats
) -> Margin:
    """Number the categories of a variable of the sample, and assign their targets."""
    labels = np.asarray(answers, dtype=object)
    if labels.shape != weights.shape:
        raise InputError(f"margin {name!r} must have {len(weights)} rows as weights has, got {len(labels)}")
    numbers = {category: number for number, category in enumerate(targets)}
    codes = np.array([numbers.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        raise InputError(
            f"margin {name!r} has no target for category {labels[row]!r} in row {row + 1:,}: "
            "add it, or leave its rows out"
        )
    goals = np.array([float(target) for target in targets.values()])
    margin = Margin(name, tuple(targets), codes, goals)
    for category, goal, total in zip(targets, goals, margin.sums(weights), strict=True):
        if not (np.isfinite(goal) and goal >= 0):
            raise InputError(f"margin {name!r}, category {category!r}: target must be >= 0, got {goal:g}")
        if goal > 0 and not total > 0:
            raise InputError(
                f"margin {name!r}, category {category!r} has no rows with weight in the sample, but "
                f"a target of {goal:g}: join it with another"
            )
    return margin


def _read_margins(
    columns: Mapping[str, npt.ArrayLike],
    targets: Mapping[str, Mapping[Hashable, float]],
    weights: Floats,
    total: float | None,
) -> list[Margin]:
    """Read all margins, and scale their targets to one total.

    By default, the total is the sum of the targets, or n if they are shares that sum to 1 or 100.
    """
    if not targets:
        raise InputError("targets", "must name at least one margin")
    for name in targets.keys() ^ columns.keys():
        side = "targets" if name in columns else "columns"
        raise InputError(f"margin {name!r} is missing in {side}: both must name the same variables")
    margins = [_read_margin(name, columns[name], goals, weights) for name, goals in targets.items()]
    sums = [float(margin.targets.sum()) for margin in margins]
    for margin, goal in zip(margins, sums, strict=True):
        if abs(goal - sums[0]) > _AGREEMENT * max(goal, sums[0]) or not goal > 0:
            raise InputError(
                "margins",
                f"must have one total above 0, but {margins[0].name!r} sums to {sums[0]:g} and "
                f"{margin.name!r} to {goal:g}",
            )
    are_shares = any(abs(sums[0] - whole) <= _AGREEMENT * whole for whole in (1, 100))
    wanted = total if total is not None else float((weights > 0).sum()) if are_shares else sums[0]
    if not (np.isfinite(wanted) and wanted > 0):
        raise InputError("total", f"must be > 0, got {wanted:g}")
    return [
        replace(margin, targets=margin.targets * wanted / goal)
        for margin, goal in zip(margins, sums, strict=True)
    ]
