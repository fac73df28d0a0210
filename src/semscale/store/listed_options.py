"""Options of a multiple choice that stand together in one cell, such as ``Tea,Coffee``."""

import re
from collections.abc import Collection

_SEPARATORS = (re.compile(r",(?!\s)"), re.compile(r";\s?"))  # an option may hold a comma and a blank
_FEWEST_ALONE = 2
_MOST_OPTIONS = 50


def listed_options(values: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Find the options that each value lists.

    Options stand alone in some values and together in others; there are fewer options than values.

    Args:
        values: different ones of a column, by their names.

    Returns:
        The options of each value; empty where values list nothing.

    Example:
        >>> listed_options(["Tea", "Coffee", "Tea,Coffee"])["Tea,Coffee"]
        ('Tea', 'Coffee')
        >>> listed_options(["Paris,FR", "Rome,IT"])
        {}
    """
    for separator in _SEPARATORS:
        if not any(separator.search(value) for value in values):
            continue
        parts = {value: _parts(value, separator) for value in values}
        options = {option for listed in parts.values() for option in listed}
        alone = sum(len(listed) == 1 for listed in parts.values())
        if alone >= _FEWEST_ALONE and len(options) < len(parts) and len(options) <= _MOST_OPTIONS:
            return parts
    return {}


def _parts(value: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(part for whole in separator.split(value) if (part := whole.strip()))
