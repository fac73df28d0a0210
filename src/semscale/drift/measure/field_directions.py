"""Which numbers of a field are better: lower, higher, or neither."""

from collections.abc import Mapping
from typing import get_args

from semscale.drift.measure.losses import Direction
from semscale.errors import InputError


def read_directions(fields: Mapping[str, Direction]) -> dict[str, Direction]:
    """Check directions by field, and keep those of fields that have a better side.

    Raises:
        InputError: a direction does not exist.

    Example:
        >>> read_directions({"credits": "either", "cost": "lower"})
        {'cost': 'lower'}
    """
    ways = get_args(Direction)
    for name, way in fields.items():
        if way not in ways:
            raise InputError(f"fields, {name} must be one of {', '.join(ways)}, got {way!r:.60}")
    return {name: way for name, way in fields.items() if way != "either"}
