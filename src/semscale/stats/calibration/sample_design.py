"""How much items count, which belong together, and how those with a label were drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class SampleDesign:
    """How much items count, which belong together, and how those with a label were drawn.

    Attributes:
        weights: shape (n,), finite and not negative; items with 0 or NaN are left out. All alike unless
            given.
        inclusion: shape (n,), probability with which each item was drawn for a label, above 0 to 1; NaN
            where there is no label, if it is not known there. All alike unless given.
        clusters: shape (n,), numbers of what belongs together, such as one respondent's texts. Each item by
            itself unless given.
        strata: shape (n,), numbers from 0 of parts that were sampled apart; a cluster lies in one of them.
            None unless given.
    """

    weights: Floats | None = None
    inclusion: Floats | None = None
    clusters: Integers | None = None
    strata: Integers | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all items count alike, each by itself, and were drawn with one probability."""
        parts = (self.weights, self.inclusion, self.clusters, self.strata)
        return all(part is None for part in parts)

    @property
    def expanded(self) -> Floats | None:
        """Weights / probabilities, shape (n,); ``None`` with neither.

        Example:
            >>> SampleDesign(inclusion=np.array([0.25, 1.0])).expanded.tolist()
            [4.0, 1.0]
        """
        if self.inclusion is None:
            return self.weights
        return (1.0 if self.weights is None else self.weights) / self.inclusion

    def some(self, kept: Mask | Integers) -> "SampleDesign":
        """Keep some of the items.

        Example:
            >>> SampleDesign(weights=np.array([1.0, 2.0])).some(np.array([False, True])).weights.tolist()
            [2.0]
        """
        return SampleDesign(
            None if self.weights is None else self.weights[kept],
            None if self.inclusion is None else self.inclusion[kept],
            None if self.clusters is None else self.clusters[kept],
            None if self.strata is None else self.strata[kept],
        )


def joined_designs(parts: Sequence[SampleDesign]) -> SampleDesign:
    """Join the designs of successive items; all parts have the same columns.

    Example:
        >>> joined_designs([SampleDesign(np.array([1.0])), SampleDesign(np.array([2.0]))]).weights.tolist()
        [1.0, 2.0]
    """
    columns = {name: [getattr(part, name) for part in parts] for name in SampleDesign.__dataclass_fields__}
    return SampleDesign(
        **{name: np.concatenate(column) for name, column in columns.items() if column[0] is not None}
    )


def checked_inclusion(inclusion: object, labelled: Mask, *, first_row: int = 0) -> Floats:
    """Take probabilities of being drawn for a label, shape (n,); NaN where there is none.

    Args:
        inclusion: shape (n,), numbers above 0 to 1; NaN or ``None`` where there is none.
        labelled: shape (n,), which items have a label, and need a probability.
        first_row: how many items come before the first one, for messages.

    Raises:
        InputError: another length, a probability out of range, or a label without one; the first row is
            named.

    Example:
        >>> checked_inclusion([0.5, None], np.array([True, False])).tolist()
        [0.5, nan]
    """
    try:
        known = np.asarray(inclusion, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"inclusion must be a list of numbers: {error}") from error
    if known.shape != labelled.shape:
        raise InputError(f"inclusion must have {len(labelled)} rows, one for each item, got {known.shape}")
    wrong = np.flatnonzero((known <= 0) | (known > 1))
    if len(wrong):
        row = wrong[0]
        raise InputError(
            f"inclusion must be probabilities above 0 to 1, got {known[row]:g} in row {first_row + row + 1}"
        )
    missing = np.flatnonzero(labelled & np.isnan(known))
    if len(missing):
        raise InputError(
            f"inclusion must be there wherever a label is, but row {first_row + missing[0] + 1} has a "
            "label alone"
        )
    return known
