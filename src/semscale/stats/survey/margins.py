"""What a population looks like on one variable: the total or share of each category."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.types import Floats, Integers

_AGREEMENT = 1e-6
"""Relative difference of two margins' totals that is rounding alone."""


@dataclass(frozen=True, eq=False)
class Margin:
    """The categories of one variable in a sample, and their targets in the population.

    Attributes:
        name: of the variable.
        categories: names of the categories.
        codes: shape (n,), number of each row's category.
        targets: shape (categories,), what the weights of each are to sum to.
    """

    name: str
    categories: tuple[Hashable, ...]
    codes: Integers
    targets: Floats

    def sums(self, weights: Floats) -> Floats:
        """Sum the weights of each category."""
        return np.bincount(self.codes, weights, minlength=len(self.categories)).astype(np.float64)


def read_margin(
    name: str, answers: npt.ArrayLike, targets: Mapping[Hashable, float], weights: Floats
) -> Margin:
    """Lay a variable of the sample beside its targets.

    Args:
        name: of the variable.
        answers: shape (n,), each row's category.
        targets: total or share of each category.
        weights: shape (n,), rows with 0 count as absent.

    Raises:
        InputError: another length, a missing answer, a category that the sample or the targets lack, or a
            target that is not a finite number of at least 0. The margin and the category are named.
    """
    given = np.asarray(answers, dtype=object)
    if given.shape != weights.shape:
        raise InputError(f"margin {name!r} must have {len(weights)} rows as weights has, got {len(given)}")
    places = {category: place for place, category in enumerate(targets)}
    codes = np.array([places.get(answer, -1) for answer in given.tolist()], dtype=np.int64)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        raise InputError(
            f"margin {name!r} has no target for category {given[row]!r} in row {row + 1:,}: "
            "add it, or leave its rows out"
        )
    goals = np.array([float(target) for target in targets.values()])
    margin = Margin(name, tuple(targets), codes, goals)
    for category, goal, there in zip(targets, goals, margin.sums(weights), strict=True):
        if not (np.isfinite(goal) and goal >= 0):
            raise InputError(f"margin {name!r}, category {category!r}: target must be >= 0, got {goal:g}")
        if goal > 0 and not there > 0:
            raise InputError(
                f"margin {name!r}, category {category!r} has no rows with weight in the sample, but "
                f"a target of {goal:g}: join it with another"
            )
    return margin


def read_margins(
    columns: Mapping[str, npt.ArrayLike],
    targets: Mapping[str, Mapping[Hashable, float]],
    weights: Floats,
    total: float | None,
) -> list[Margin]:
    """Read all margins, and give their targets one total.

    Args:
        columns: the sample's variables by name, each of shape (n,).
        targets: total or share of each category, by variable.
        weights: shape (n,).
        total: what the weights are to sum to; the targets' own sum unless given, or n where they are shares
            that sum to 1 or 100.

    Raises:
        InputError: no margins, a variable that one side lacks, margins whose totals disagree, or what
            ``read_margin`` refuses.
    """
    if not targets:
        raise InputError("targets must name at least one margin")
    for name in targets.keys() ^ columns.keys():
        side = "targets" if name in columns else "columns"
        raise InputError(f"margin {name!r} is missing in {side}: both must name the same variables")
    margins = [read_margin(name, columns[name], goals, weights) for name, goals in targets.items()]
    sums = [float(margin.targets.sum()) for margin in margins]
    for margin, own in zip(margins, sums, strict=True):
        if abs(own - sums[0]) > _AGREEMENT * max(own, sums[0]) or not own > 0:
            raise InputError(
                f"margins must have one total above 0, but {margins[0].name!r} sums to {sums[0]:g} and "
                f"{margin.name!r} to {own:g}"
            )
    are_shares = any(abs(sums[0] - whole) <= _AGREEMENT * whole for whole in (1, 100))
    wanted = total if total is not None else float((weights > 0).sum()) if are_shares else sums[0]
    if not (np.isfinite(wanted) and wanted > 0):
        raise InputError(f"total must be > 0, got {wanted:g}")
    return [
        Margin(one.name, one.categories, one.codes, one.targets * wanted / own)
        for one, own in zip(margins, sums, strict=True)
    ]
