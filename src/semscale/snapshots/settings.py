"""Settings of snapshots: limits for the outputs of a test, merged from the ini file, markers and calls.

The plugin loads this module in every run of pytest, so it imports heavy modules only where they are used.
"""

import contextlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast, get_args

from semscale.errors import InputError
from semscale.messages import did_you_mean

if TYPE_CHECKING:
    from semscale.drift.settings import Direction


DEFAULT_MAX_LOST_CONTENT = 0.2
"""Greatest share of content that may be lost without a replacement; ``docs/pytest.md`` shows its origin."""

DEFAULT_MIN_MATCH = 0.45
"""Lowest match of texts that count as equal in meaning; ``docs/pytest.md`` shows the measurement."""

GUARD_MODES = ("weigh", "fail", "warn", "off")
"""Effects of guards' findings.

``weigh``: they lower the match, and a contradiction in nearly the same wording fails. ``fail``: each finding
fails. ``warn``: they are only shown if something else fails. ``off``: guards do not run.
"""

_RANGES = {
    "min_match": (0.0, 1.0),
    "max_lost_content": (0.0, 1.0),
    "min_bertscore_f1": (-1.0, 1.0),
    "min_cosine": (-1.0, 1.0),
}
_DIFFERENCE = re.compile(r"max_(?P<field>.+)_difference")
_DIRECTION = re.compile(r"(?P<field>.+)_direction")
SETTINGS = (*_RANGES, "guards", "max_unpaired")
"""Names of all settings except ``max_<field>_difference`` and ``<field>_direction``."""


@dataclass(frozen=True)
class SnapshotSettings:
    """Limits for the outputs of a snapshot.

    Attributes:
        min_match: the lowest calibrated match of an output with its approved one, 0 to 1; 0 sets no limit.
        max_lost_content: the greatest share of an approved output's content that may be lost without a
            replacement, 0 to 1; 1 sets no limit.
        min_bertscore_f1: the lowest BERTScore F1, -1 to 1; ``None`` sets no limit.
        min_cosine: the lowest cosine, -1 to 1; ``None`` sets no limit.
        guards: one of ``GUARD_MODES``.
        max_unpaired: number of outputs that may lack a partner.
        max_differences: the greatest allowed difference of each number, by name; other numbers must be equal.
        directions: the better direction of a number, ``lower`` or ``higher``, by name; an improvement never
            fails.
    """

    min_match: float = DEFAULT_MIN_MATCH
    max_lost_content: float = DEFAULT_MAX_LOST_CONTENT
    min_bertscore_f1: float | None = None
    min_cosine: float | None = None
    guards: str = "weigh"
    max_unpaired: int = 0
    max_differences: Mapping[str, float] = field(default_factory=dict)
    directions: Mapping[str, "Direction"] = field(default_factory=dict)


def is_about_a_field(name: str) -> bool:
    """Return true for the name of a number's setting, ``max_<field>_difference`` or ``<field>_direction``."""
    return any(pattern.fullmatch(name) for pattern in (_DIFFERENCE, _DIRECTION))


def settle(*layers: Mapping[str, object]) -> SnapshotSettings:
    """Merge settings; later layers override earlier ones, and ``None`` overrides nothing.

    Args:
        layers: settings by name, including ``max_<field>_difference`` and ``<field>_direction``.

    Raises:
        InputError: an unknown name, or a value out of range.

    Examples:
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
            chosen[name] = _check_setting(name, value)
    return SnapshotSettings(
        **chosen,  # type: ignore[arg-type]  # checked above
        max_differences=differences,
        directions=directions,
    )


def _direction(name: str, value: object) -> "Direction":
    from semscale.drift.settings import Direction

    if value not in get_args(Direction):
        raise InputError(name, f"must be one of {', '.join(get_args(Direction))}, got {value!r:.60}")
    return cast("Direction", value)


def _check_setting(name: str, value: object) -> object:
    if name in _RANGES:
        return _number(name, value, *_RANGES[name])
    if name == "guards":
        if value not in GUARD_MODES:
            raise InputError("guards", f"must be one of {', '.join(GUARD_MODES)}, got {value!r:.60}")
        return value
    if name == "max_unpaired":
        number = _number(name, value, 0.0, math.inf)
        if not number.is_integer():
            raise InputError("max_unpaired", f"must be a whole number of outputs, got {value!r:.60}")
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
        raise InputError(name, f"must be {between}, got {value!r:.60}")
    return number
