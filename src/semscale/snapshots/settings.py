"""Settings of snapshots: limits that are merged from the ini file, markers and calls, and checked."""

import contextlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from semscale.drift.measure.direction import Direction
from semscale.errors import InputError
from semscale.messages import did_you_mean

DEFAULT_MIN_MATCH = 0.45
"""Lowest match at which a text counts as equal in meaning; ``docs/pytest.md`` shows the measurement."""

GUARD_MODES = ("weigh", "fail", "warn", "off")
"""Effects of guards' findings.

``weigh``: they lower the match, and a contradiction in nearly the same words fails by itself. ``fail``: each
finding fails. ``warn``: they are only shown if something else fails. ``off``: guards do not run.
"""

_RANGES = {"min_match": (0.0, 1.0), "min_bertscore_f1": (-1.0, 1.0), "min_cosine": (-1.0, 1.0)}
_DIFFERENCE = re.compile(r"max_(?P<field>.+)_difference")
_DIRECTION = re.compile(r"(?P<field>.+)_direction")
SETTINGS = (*_RANGES, "guards", "max_unpaired")
"""Names of all settings except ``max_<field>_difference`` and ``<field>_direction``."""


@dataclass(frozen=True)
class SnapshotSettings:
    """Limits that a snapshot's outputs must keep.

    Attributes:
        min_match: the lowest calibrated match of an output with its approved one, 0 to 1; 0 sets no limit.
        min_bertscore_f1: the lowest BERTScore F1, -1 to 1; ``None`` sets no limit.
        min_cosine: the lowest cosine, -1 to 1; ``None`` sets no limit.
        guards: one of ``GUARD_MODES``.
        max_unpaired: number of outputs that may lack a partner.
        max_differences: the greatest allowed difference of numbers, by name; others must be equal.
        directions: which numbers are better, ``lower`` or ``higher``, by name: a better one fails nothing.
    """

    min_match: float = DEFAULT_MIN_MATCH
    min_bertscore_f1: float | None = None
    min_cosine: float | None = None
    guards: str = "weigh"
    max_unpaired: int = 0
    max_differences: Mapping[str, float] = field(default_factory=dict)
    directions: Mapping[str, Direction] = field(default_factory=dict)


def is_about_a_field(name: str) -> bool:
    """Say whether a setting is about a number: ``max_<field>_difference`` or ``<field>_direction``."""
    return any(pattern.fullmatch(name) for pattern in (_DIFFERENCE, _DIRECTION))


def settle(*layers: Mapping[str, object]) -> SnapshotSettings:
    """Merge settings; the last value of each counts, and ``None`` counts as not given.

    Args:
        layers: settings by name, including ``max_<field>_difference`` and ``<field>_direction``.

    Raises:
        InputError: an unknown name, or a value out of range.

    Example:
        >>> settled = settle({"min_match": 0.8}, {"guards": "fail", "max_credits_difference": 0.5})
        >>> settled.min_match, settled.guards, settled.max_differences
        (0.8, 'fail', {'credits': 0.5})
    """
    given: dict[str, object] = {}
    for layer in layers:
        given.update({name: value for name, value in layer.items() if value is not None})
    differences: dict[str, float] = {}
    directions: dict[str, Direction] = {}
    chosen: dict[str, object] = {}
    for name, value in given.items():
        numbers = _DIFFERENCE.fullmatch(name)
        if numbers:
            differences[numbers["field"]] = _number(name, value, 0.0, math.inf)
        elif better := _DIRECTION.fullmatch(name):
            directions[better["field"]] = _direction(name, value)
        else:
            chosen[name] = _checked(name, value)
    return SnapshotSettings(
        **chosen,  # type: ignore[arg-type]  # checked above
        max_differences=differences,
        directions=directions,
    )


def _direction(name: str, value: object) -> Direction:
    if value not in get_args(Direction):
        raise InputError(f"{name} must be one of {', '.join(get_args(Direction))}, got {value!r:.60}")
    return cast("Direction", value)


def _checked(name: str, value: object) -> object:
    if name in _RANGES:
        return _number(name, value, *_RANGES[name])
    if name == "guards":
        if value not in GUARD_MODES:
            raise InputError(f"guards must be one of {', '.join(GUARD_MODES)}, got {value!r:.60}")
        return value
    if name == "max_unpaired":
        number = _number(name, value, 0.0, math.inf)
        if not number.is_integer():
            raise InputError(f"max_unpaired must be a whole number of outputs, got {value!r:.60}")
        return int(number)
    hint = did_you_mean(name, SETTINGS)
    known = ", ".join(SETTINGS)
    raise InputError(
        f"a snapshot's settings are {known}, max_<field>_difference and <field>_direction, got {name!r}{hint}"
    )


def _number(name: str, value: object, low: float, high: float) -> float:
    number = math.nan
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        with contextlib.suppress(ValueError):
            number = float(value)  # values of ini files are texts
    if not (low <= number <= high and math.isfinite(number)):
        between = f"between {low:g} and {high:g}" if math.isfinite(high) else f"a number of at least {low:g}"
        raise InputError(f"{name} must be {between}, got {value!r:.60}")
    return number
