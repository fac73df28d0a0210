"""Sums of squares of effects, and their expectations, as functions of how often each unit is there."""

from collections.abc import Callable, Sequence

import numpy as np

from semscale.stats.variance_components.effects import Effect
from semscale.types import Floats, Integers

Counted = Callable[[Floats], Floats]
"""A figure (b,) of units that are there ``counts`` (b, m) times."""


class QuadraticForms:
    """Uncorrected sums of squares T_A = sum over levels of (sum of ratings)^2 / n, with their expectations.

    In expectation T_A is N mu^2 plus, for every effect B, its variance times k_AB = sum over the levels a of
    A and b of B of n_ab^2 / n_a. A unit that is there twice counts as two units that happen to be alike.

    Args:
        values: shape (n,), centred for precision.
        units: shape (n,), numbers of the units, from 0.
        unit: name of the facet that units are levels of.
    """

    def __init__(self, values: Floats, units: Integers, unit: str) -> None:
        self._values, self._units, self._unit = values, units, unit
        self._m = int(units.max()) + 1

    def total(self, effect: Effect) -> Counted:
        """T of an effect."""
        if self._is_within(effect):
            sums = np.bincount(effect.cells, self._values)
            sizes = np.bincount(effect.cells)
            by_unit = self._by_unit(effect.cells, sums**2 / sizes)
            return lambda counts: counts @ by_unit
        totals, ratings = self._table(effect.cells, self._values), self._sizes(effect)
        return lambda counts: _ratio((counts @ totals) ** 2, counts @ ratings)

    def coefficient(self, outer: Effect, inner: Effect) -> Counted:
        """Factor k of the variance of ``inner`` in the expectation of T of ``outer``."""
        joint, (a, _) = _joint(outer.cells, inner.cells)
        shared = np.bincount(joint).astype(np.float64)
        if self._is_within(outer):
            by_cell = shared**2 / np.bincount(outer.cells)[a]
            by_unit = self._by_unit(joint, by_cell)
            return lambda counts: counts @ by_unit
        sizes = self._sizes(outer)
        if self._is_within(inner):
            # Levels of inner belong to one unit each: their squares add up.
            owner = np.zeros(len(shared), dtype=np.int64)
            owner[joint] = self._units
            squares = np.zeros(sizes.shape)
            np.add.at(squares, (owner, a), shared**2)
            return lambda counts: _ratio(counts @ squares, counts @ sizes)
        together = self._table(joint, np.ones(len(joint)))

        def crossed(counts: Floats) -> Floats:
            totals = counts @ sizes
            return _ratio((counts @ together) ** 2, totals[:, a])

        return crossed

    def _is_within(self, effect: Effect) -> bool:
        return self._unit in effect.facets

    def _sizes(self, effect: Effect) -> Floats:
        return self._table(effect.cells, np.ones(len(effect.cells)))

    def _table(self, cells: Integers, amounts: Floats) -> Floats:
        """Sums (m, cells) by unit and level."""
        width = int(cells.max()) + 1
        flat = np.bincount(self._units * width + cells, amounts, minlength=self._m * width)
        return flat.astype(np.float64).reshape(self._m, width)

    def _by_unit(self, cells: Integers, amounts: Floats) -> Floats:
        """Sums (m,) of amounts of levels, each of which belongs to one unit."""
        owner = np.zeros(len(amounts), dtype=np.int64)
        owner[cells] = self._units
        return np.bincount(owner, amounts, minlength=self._m).astype(np.float64)


def solved_components(forms: QuadraticForms, effects: Sequence[Effect], base: Effect) -> Counted:
    """Make the variances of effects a function (b, effects) of how often each unit is there.

    T_A less T of the strata is set equal to its expectation for every effect A, and the equations are solved.
    NaN where they cannot be.

    Args:
        forms: of the ratings.
        effects: whose variances are wanted, the residual among them.
        base: whose levels are the strata.

    References:
        Henderson (1953), Biometrics 9(2), 226-252, doi 10.2307/3001853, Method 1.
    """
    totals = [forms.total(effect) for effect in effects]
    base_total = forms.total(base)
    parts = [[forms.coefficient(outer, inner) for inner in effects] for outer in effects]
    base_parts = [forms.coefficient(base, inner) for inner in effects]

    def components(counts: Floats) -> Floats:
        t0 = base_total(counts)
        k0 = np.stack([part(counts) for part in base_parts], axis=-1)
        sums = np.stack([total(counts) - t0 for total in totals], axis=-1)
        system = np.stack([np.stack([part(counts) for part in row], axis=-1) - k0 for row in parts], axis=-2)
        return _solved(system, sums)

    return components


def _solved(systems: Floats, sums: Floats) -> Floats:
    """Solve b systems; NaN where one has no single solution."""
    found = np.full(sums.shape, np.nan)
    regular = np.linalg.matrix_rank(systems) == systems.shape[-1]
    if regular.any():
        found[regular] = np.linalg.solve(systems[regular], sums[regular][..., None])[..., 0]
    return found


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Sum (b,) of fractions over levels, without those that are not there."""
    ratios: Floats = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 0.0).sum(axis=1)
    return ratios


def _joint(first: Integers, second: Integers) -> tuple[Integers, tuple[Integers, Integers]]:
    """Number the pairs of levels that occur, and give both levels of each."""
    width = int(second.max()) + 1
    pairs, place = np.unique(first * width + second, return_inverse=True)
    return place, (pairs // width, pairs % width)
