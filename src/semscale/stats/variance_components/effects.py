"""Effects of crossed and nested facets, and which ratings share a level of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class FacetTable:
    """Ratings and what they differ in.

    Attributes:
        values: shape (n,), finite.
        facets: for each facet the level of every rating, shape (n,), whole numbers.
        unit: the facet whose levels were drawn from a population, such as ``respondent``.
        nested: facets whose levels are others within every level of some facets, such as samples within
            respondents.
        strata: shape (n,), fixed groups with a mean of their own, such as concepts; one group unless given.

    Raises:
        InputError: lengths that differ, a value that is not finite, or a facet that nothing is known of.
    """

    values: Floats
    facets: Mapping[str, Integers]
    unit: str
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strata: Integers | None = None

    def __post_init__(self) -> None:
        n = len(self.values)
        if not n or not np.isfinite(self.values).all():
            raise InputError("values must be one finite number or more: leave out what is missing first")
        for name, levels in self.facets.items():
            if np.shape(levels) != (n,):
                raise InputError(f"facet {name} must have {n} levels as values has, got {np.shape(levels)}")
        known = set(self.facets)
        unknown = {self.unit, *self.nested, *(outer for many in self.nested.values() for outer in many)}
        if not unknown <= known:
            raise InputError(f"unit and nested must name facets ({', '.join(known)}), got {unknown - known}")

    @property
    def groups(self) -> Integers:
        """The stratum of every rating, shape (n,)."""
        return np.zeros(len(self.values), dtype=np.int64) if self.strata is None else self.strata


@dataclass(frozen=True, eq=False)
class Effect:
    """What ratings have in common that share a level of some facets within a stratum.

    Attributes:
        facets: whose levels are shared; all facets for the residual.
        cells: shape (n,), the number of the level that a rating has.
        is_residual: whether every rating has a level of its own.
    """

    facets: tuple[str, ...]
    cells: Integers
    is_residual: bool = False

    @property
    def name(self) -> str:
        """The facets' names, such as ``respondent x anchor set``."""
        return "residual" if self.is_residual else " x ".join(self.facets)

    @property
    def n_cells(self) -> int:
        """How many levels there are."""
        return int(self.cells.max()) + 1


def effects_of(table: FacetTable) -> list[Effect]:
    """List the effects that can be told apart, the residual last.

    An effect with one level a stratum, or with the levels of an effect of fewer facets, cannot be seen, and
    is left out; one with a rating in each level is the residual.

    Args:
        table: ratings and facets.
    """
    n = len(table.values)
    found: list[Effect] = []
    seen = {tuple(_numbered([table.groups]))}
    for size in range(1, len(table.facets) + 1):
        for names in combinations(table.facets, size):
            if any(outer not in names for name in names for outer in table.nested.get(name, ())):
                continue
            cells = _numbered([table.groups, *(table.facets[name] for name in names)])
            key = tuple(cells)
            if key in seen or int(cells.max()) + 1 == n:
                continue
            seen.add(key)
            found.append(Effect(names, cells))
    return [*found, Effect(tuple(table.facets), np.arange(n), is_residual=True)]


def _numbered(columns: list[Integers]) -> Integers:
    """Number combinations of levels in order of first appearance, so that equal partitions are equal."""
    _, first, place = np.unique(np.column_stack(columns), axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place.ravel()]
