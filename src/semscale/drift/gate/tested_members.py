"""Which items each test is about: all, those of each group of some kinds, and slices with own margins."""

from collections.abc import Sequence

import numpy as np

from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.slices import Group, each_slice, slice_members
from semscale.drift.measure.comparison import Comparison
from semscale.errors import UnknownNameError
from semscale.messages import unknown_name


def group_members(
    comparison: Comparison, kinds: Sequence[str]
) -> dict[Group | None, np.typing.NDArray[np.bool_]]:
    """Return the members of each test: all items (``None``), and the items of each group of some kinds.

    Raises:
        UnknownNameError: no item belongs to a group of this kind.
    """
    n = len(comparison.baseline.items)
    members: dict[Group | None, np.typing.NDArray[np.bool_]] = {None: np.ones(n, dtype=bool)}
    for kind in kinds:
        groups = comparison.members(kind)
        if not groups:
            known = comparison.baseline.group_kinds
            if not known:
                raise UnknownNameError(
                    f"by asks for groups of {kind!r}, and no item belongs to any: leave it out"
                )
            raise unknown_name("kind of groups", kind, known)
        members |= {(kind, name): of_group for name, of_group in groups.items()}
    return members


def tested_members(
    comparison: Comparison, settings: GateSettings
) -> dict[Group | None, np.typing.NDArray[np.bool_]]:
    """Return the members of each test: ``group_members``, and slices with margins of their own.

    Raises:
        UnknownNameError: a kind of groups or a slice does not exist.
    """
    members = group_members(comparison, settings.by)
    slices = slice_members(comparison, settings.slices)
    return members | {group: slices[group] for group, own in each_slice(settings.slices) if own.material}
