"""The kinds of hard limits, how many items each allows by default, and how a limit is written."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from semscale.errors import InputError, UnknownNameError
from semscale.messages import shortened, unknown_name

_ROUNDING = 1e-9

OFF = "off"
"""In place of a number: the limit is not checked."""

MISSING = "missing"
"""The limit that counts items of the baseline that the candidate lacks."""


@dataclass(frozen=True)
class Limit:
    """One kind of hard limit.

    Attributes:
        name: in settings.
        allowed: items that may break it by default: a share below 1, or a number of items.
        about: the items that can break it, for sentences.
        broken: what became of the items that break it, for sentences; ``{share}`` is the setting
            ``lost_share``.

    Limits of a total count outputs or numbers of all items together, in the place of items.
    """

    name: str
    allowed: float
    about: str
    broken: str

    def said(self, lost_share: float) -> str:
        """Say what became of the items that break it."""
        return self.broken.format(share=f"{100 * lost_share:g} %")


LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        limit.name: limit
        for limit in (
            Limit(MISSING, 0, "items of the baseline", "not been recorded"),
            Limit("silenced", 0, "items with outputs", "lost all outputs"),
            Limit("refused", 0, "items with outputs", "been refused"),
            Limit("lost_outputs", 0, "items with outputs", "lost more than {share} of their outputs"),
            Limit("lost_fields", 0, "items with fields", "lost a field"),
            Limit("changed_numbers", 0.25, "items with numbers", "other numbers or none"),
            Limit("fewer_outputs", 0.05, "outputs", "been lost"),
            Limit("fewer_numbers", 0.33, "numbers", "been lost"),
        )
    }
)
"""All hard limits; each is checked unless it is ``off``."""


def limits_in_force(given: Mapping[str, float | str]) -> dict[str, float]:
    """Return the limits that are checked, with the items that each allows.

    Args:
        given: limits that replace the usual ones; ``off`` takes one out.

    Example:
        >>> off = dict.fromkeys(("refused", "lost_fields", "changed_numbers"), "off")
        >>> limits_in_force({**off, "silenced": 0.1})
        {'missing': 0, 'silenced': 0.1, 'lost_outputs': 0, 'fewer_outputs': 0.05, 'fewer_numbers': 0.33}
    """
    usual: dict[str, float | str] = {name: limit.allowed for name, limit in LIMITS.items()}
    return {name: allowed for name, allowed in (usual | dict(given)).items() if not isinstance(allowed, str)}


def most_allowed(allowed: float, n: float) -> float:
    """Return how many of n items may break a limit: a share of them below 1, else the number itself.

    A share has a billionth more, so that 29 of 100 items are no more than .29 of them.

    Example:
        >>> most_allowed(0, 24), round(most_allowed(0.25, 24), 6), most_allowed(2, 24)
        (0, 6.0, 2)
    """
    return allowed * n + _ROUNDING if 0 < allowed < 1 else allowed


def read_limits(given: object) -> dict[str, float | str]:
    """Check limits by name: each is a number of items, a share of them below 1, or ``off``.

    YAML reads a bare ``off`` as false, which is taken as ``off``.

    Raises:
        UnknownNameError: no limit has the name.
        InputError: a value that is neither.

    Example:
        >>> read_limits({"silenced": 2, "lost_fields": False})
        {'silenced': 2, 'lost_fields': 'off'}
    """
    if not isinstance(given, Mapping):
        raise InputError(
            f"limits must be names with numbers or off, such as silenced: 2, got {shortened(given)}"
        )
    for name in given:
        if name not in LIMITS:
            error = unknown_name("limit", str(name), list(LIMITS))
            raise UnknownNameError(str(error), in_shell=f"--limit: {error}")
    return {name: _read(name, value) for name, value in given.items()}


def _can_be_allowed(value: float) -> bool:
    return math.isfinite(value) and (0 <= value < 1 or (value >= 1 and value == int(value)))


def _read(name: str, value: object) -> float | str:
    if value is False or value == OFF:
        return OFF
    if isinstance(value, int | float) and not isinstance(value, bool) and _can_be_allowed(value):
        return value
    said = f"{name} must be a number of items, a share of them below 1, or off, got {shortened(value)}"
    raise InputError(f"limits, {said}", in_shell=f"--limit {said}")
