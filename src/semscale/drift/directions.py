"""Directions of numeric fields: whether lower numbers are better, higher ones, or neither."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from semscale.errors import InputError

Direction = Literal["lower", "higher", "either"]
"""Numbers of a field that are better; ``either``: any change counts."""

TOKENS, COST, LATENCY = "call_tokens", "call_cost", "call_latency"
ASKED_FIELDS = (TOKENS, COST, LATENCY)
"""Fields of an output that describe its call: tokens of prompt and reply, money, seconds."""

_MONEY = "usd|eur|gbp|chf|jpy|cny|inr|cad|aud|dollars?|euros?|cents?|ct"
_TIME = "ns|us|ms|s|secs?|seconds?|mins?|minutes?|h|hours?|msecs?|millis|milliseconds?"
_LOWER = tuple(
    re.compile(rf"(?:{names})(?:[ _.-]?(?:{units}))?", re.IGNORECASE)
    for names, units in (("costs?|prices?", _MONEY), ("latency|latencies|durations?", _TIME))
)


def is_lower_by_name(field: str) -> bool:
    """Tell whether a field's name says that lower is better: cost, price, latency or duration, with a unit.

    A longer name, such as ``product_price``, may mean anything, and says nothing.

    Example:
        >>> [is_lower_by_name(name) for name in ("cost", "cost_usd", "latency_ms", "product_price", "score")]
        [True, True, True, False, False]
    """
    return any(pattern.fullmatch(field) for pattern in _LOWER)


def usual_direction(field: str) -> Direction:
    """Give the direction of a field for which nobody gives one.

    Returns:
        ``lower`` for what a call took (``ASKED_FIELDS``), and where the name says so; else ``either``.

    Example:
        >>> usual_direction("call_tokens"), usual_direction("cost"), usual_direction("credits")
        ('lower', 'lower', 'either')
    """
    return "lower" if field in ASKED_FIELDS or is_lower_by_name(field) else "either"


def read_directions(fields: Mapping[str, Direction]) -> dict[str, Direction]:
    """Check directions by field.

    Raises:
        InputError: a direction does not exist.

    Example:
        >>> read_directions({"credits": "either", "cost": "lower"})
        {'credits': 'either', 'cost': 'lower'}
    """
    ways = get_args(Direction)
    for name, way in fields.items():
        if way not in ways:
            raise InputError(f"fields, {name} must be one of {', '.join(ways)}, got {way!r:.60}")
    return dict(fields)
