"""Margins of a population, read from a YAML file."""

import math
from pathlib import Path

from semscale.errors import InputError
from semscale.store.columns import as_names
from semscale.tabulation.matched_margins import Margins
from semscale.yaml_reading import parse_yaml

_FORM = "write a column, and below it a number for each of its categories, such as 'sex: {f: 0.51, m: 0.49}'"


def read_margins(path: Path) -> Margins:
    """Read margins: columns, each with the share or number of people in its categories.

    Args:
        path: a YAML file, such as ``sex: {f: 0.51, m: 0.49}``. Categories are values as the
            table has them, or their labels.

    Raises:
        InputError: the file cannot be read, or has another form.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"raked_to: {path} cannot be read ({error.strerror}); check its name") from error
    found = parse_yaml(content, source=path.name)
    if not isinstance(found, dict) or not found:
        raise InputError(f"raked_to: {path.name} has no margins; {_FORM}")
    return {str(column): _categories(path.name, str(column), goals) for column, goals in found.items()}


def _categories(source: str, column: str, goals: object) -> dict[str, float]:
    if not isinstance(goals, dict) or not goals:
        raise InputError(f"raked_to: '{column}' in {source} has no categories; {_FORM}")
    names = as_names(list(goals), column)
    read = {}
    for name, goal in zip(names, goals.values(), strict=True):
        is_number = isinstance(goal, int | float) and not isinstance(goal, bool)
        if name is None or not is_number or not (math.isfinite(goal) and goal >= 0):
            raise InputError(
                f"raked_to: '{column}', category '{name}' in {source} must be a number >= 0, got {goal!r}"
            )
        read[name] = float(goal)
    return read
