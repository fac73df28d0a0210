"""Reasons that differ in their numbers alone, counted as one."""

import re
from collections.abc import Mapping

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ANY = "…"


def alike_reasons(found: Mapping[str, int]) -> dict[str, int]:
    """Count reasons without regard to their numbers; where these differ, an ellipsis stands for them.

    Args:
        found: how many items have each reason.

    Returns:
        Likewise, the most frequent first.

    Example:
        >>> alike_reasons({"they sum to 0.8, at most 1.01": 2, "busy": 3, "they sum to 0.7, at most 1.01": 2})
        {'they sum to …, at most 1.01': 4, 'busy': 3}
    """
    groups: dict[str, dict[str, int]] = {}
    for reason, n in found.items():
        groups.setdefault(_NUMBER.sub(_ANY, reason), {})[reason] = n
    counted = {_common(list(own)): sum(own.values()) for own in groups.values()}
    return dict(sorted(counted.items(), key=lambda each: -each[1]))


def _common(reasons: list[str]) -> str:
    """Write reasons that differ in their numbers as one."""
    each = zip(*map(_NUMBER.findall, reasons), strict=True)
    numbers = (own[0] if len(set(own)) == 1 else _ANY for own in each)
    return _NUMBER.sub(lambda _: next(numbers), reasons[0])
