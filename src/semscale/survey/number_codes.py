"""Customary numbers for no answer, such as 9, 99 and -1, among the values of a question."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite

from semscale.store.missing_codes import code_key, looks_like_code

_SIZES = (*range(7, 10), 77, 88, *range(96, 100), 777, 888, *range(996, 1000), *range(9996, 10000))
CUSTOMARY_CODES = frozenset(map(str, (*_SIZES, *(-size for size in _SIZES), -66, -666, *range(-6, 0))))
"""Customary numbers for no answer, as texts."""

_CUSTOMARY = frozenset(map(float, CUSTOMARY_CODES))
_CODES_BELOW_ZERO = frozenset(-float(size) for size in (7, 8, 9, 66, 77, 88, 99, 666, 777, 888, 999, 9999))
_GAP = 2.0
_MOST_POINTS = 20
_TWO_DIGITS = 10
_PARTS = re.compile(r"\s*(?:[/,()]|\bor\b)\s*")
_ANSWERS = frozenset({"none", "nil", "null"})  # points of a scale such as "none, some, all"


def likely_codes(
    values: Sequence[float], labels: Mapping[str, str] | None = None, *, gap: float = _GAP
) -> list[float]:
    """Find values that look like codes for a missing answer.

    Such a value has a matching label ("don't know", "refused"), or is a customary code (9, 99, -1) at a
    distance from most values. A code of one digit must follow whole numbers without a gap among them.

    Args:
        values: values that occur or have labels, ascending.
        labels: of values.
        gap: least distance of such a code from the other values.

    Examples:
        >>> likely_codes([1, 2, 3, 4, 5, 9]), likely_codes([1, 2, 3], {"3": "Don't know"})
        ([9], [3])
        >>> likely_codes([-99, 1, 2, 9])
        [-99, 9]
    """
    labelled = [value for value in values if _is_no_answer((labels or {}).get(f"{value:g}", ""))]
    codes = set(labelled)
    while True:  # a code at one end can hide one at the other, as -99 does with 9 beside 1 and 2
        rest = [value for value in values if value not in codes]
        mirrored = [-value for value in reversed(rest)]
        apart = _values_apart(rest, gap) or _values_apart(mirrored, gap, sign=-1)
        if not apart:
            return [value for value in values if value in codes]
        codes.update(apart)


def codes_apart(numbers: Sequence[float]) -> list[float]:
    """Return the numbers that are customary codes, and apart from the others.

    Among few whole numbers, two between them are enough. Among many, as of ages, codes are at least as far
    from the others as these are from each other, or the only ones below zero.
    """
    gaps = [second - first for first, second in pairwise(numbers)]
    if not gaps or len(numbers) <= _MOST_POINTS:
        return likely_codes(numbers)
    below = [number for number in numbers if number < 0]
    if below and len(below) < len(numbers) / 2 and all(number in _CODES_BELOW_ZERO for number in below):
        return below
    return likely_codes(numbers, gap=max(gaps)) if numbers[-1] - numbers[0] <= 2 * max(gaps) else []


def parse_number(text: str) -> float | None:
    """Return the number that a text is; ``None`` for other texts, such as NaN.

    Examples:
        >>> parse_number("-3.5"), parse_number("NaN"), parse_number("tea")
        (-3.5, None, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def number_key(text: str) -> tuple[bool, float, str]:
    """Return a key that puts numbers in their order before texts."""
    number = parse_number(text)
    return number is None, number or 0.0, text


def _values_apart(values: Sequence[float], gap: float, *, sign: int = 1) -> list[float]:
    """Return customary codes above a gap; there must be fewer of them than values below the gap."""
    for start in range(1, len(values)):
        if values[start] - values[start - 1] < gap or len(values) - start >= start:
            continue
        above = [sign * value for value in values[start:]]
        is_run = values[start - 1] - values[0] == start - 1
        if not is_run and max(map(abs, above)) < _TWO_DIGITS:
            continue  # 7 among the numbers 1, 3, 5 and 7
        if _CUSTOMARY.issuperset(above):
            return above
    return []


def _is_no_answer(label: str) -> bool:
    parts = {part.lstrip("0123456789 .:-") for part in (label, *_PARTS.split(label))} - {""}
    return any(looks_like_code(part) and code_key(part) not in _ANSWERS for part in parts)
