"""Points of a scale that look like codes for a missing answer, such as 9 or 99 beside 1 to 5."""

import re
from collections.abc import Mapping, Sequence

from semscale.store.missing_codes import code_key, looks_like_code
from semscale.tabulation.asked.scale_points import point_name

_SIZES = (*range(7, 10), 77, 88, *range(96, 100), 777, 888, *range(996, 1000), *range(9996, 10000))
_CUSTOMARY = frozenset(map(float, (*_SIZES, *(-size for size in _SIZES), *range(-6, 0))))
_GAP = 2.0
_PARTS = re.compile(r"\s*(?:[/,()]|\bor\b)\s*")
_ANSWERS = frozenset({"none", "nil", "null"})  # points of a scale such as "none, some, all"


def likely_codes(
    values: Sequence[float], words: Mapping[str, str] | None = None, *, gap: float = _GAP
) -> list[float]:
    """Find values that look like codes for a missing answer.

    Such a value has a label that says so ("don't know", "refused"), or is a customary code (9, 99, -1) that
    lies apart from most values.

    Args:
        values: that occur or have labels, ascending.
        words: labels, by the value as a name.
        gap: least distance of a value that lies apart.

    Example:
        >>> likely_codes([1, 2, 3, 4, 5, 9]), likely_codes([1, 2, 3], {"3": "Don't know"})
        ([9], [3])
    """
    named = words or {}
    said = [value for value in values if _says_missing(named.get(f"{value:g}", ""))]
    rest = [value for value in values if value not in said]
    apart = {*_apart(rest, gap), *_apart([-value for value in reversed(rest)], gap, sign=-1)}
    return [value for value in values if value in said or value in apart]


def code_cautions(name: str, codes: Sequence[float], words: Mapping[str, str]) -> tuple[str, ...]:
    """Say that codes of a question count as answers, and how to leave them out; nothing without codes.

    Args:
        name: of the question.
        codes: as ``likely_codes`` found them.
        words: labels, by the value as a name.
    """
    if not codes:
        return ()
    named = ", ".join(f"‘{point_name(value, words)}’" for value in codes)
    listed = ",".join(f"{value:g}" for value in codes)
    return (
        f"‘{name}’: {named} may stand for no answer, but counts as an answer; "
        f'--missing "{name}={listed}" leaves it out',
    )


def _apart(values: Sequence[float], gap: float, *, sign: int = 1) -> list[float]:
    """List the customary codes at the upper end of values that lie apart, fewer than the values below."""
    for place in range(1, len(values)):
        if values[place] - values[place - 1] < gap or len(values) - place >= place:
            continue
        above = [sign * value for value in values[place:]]
        if _CUSTOMARY.issuperset(above):
            return above
    return []


def _says_missing(label: str) -> bool:
    parts = {part.lstrip("0123456789 .:-") for part in (label, *_PARTS.split(label))} - {""}
    return any(looks_like_code(part) and code_key(part) not in _ANSWERS for part in parts)
