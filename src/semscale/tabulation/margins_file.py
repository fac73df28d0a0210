"""Margins of a population, read from a YAML file."""

import math
from collections.abc import Callable
from pathlib import Path

from semscale.errors import InputError
from semscale.store.columns import as_names
from semscale.tabulation.matched_margins import Margins, check_sum
from semscale.yaml_reading import line_of, parse_yaml

_FORM = "write a column, and below it a number for each of its categories, such as 'sex: {f: 0.51, m: 0.49}'"


def read_margins(path: Path) -> Margins:
    """Read margins: columns, each with the share or number of people in its categories.

    Args:
        path: a YAML file, such as ``sex: {f: 0.51, m: 0.49}``. Categories are values as the
            table has them, or their labels.

    Raises:
        InputError: the file cannot be read, has another form, or has shares that sum to neither 1 nor 100;
            the line is named.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"raked_to: {path} cannot be read ({error.strerror}); check its name") from error
    found = parse_yaml(content, source=path.name)
    if not isinstance(found, dict) or not found:
        raise InputError(f"raked_to: {path.name} has no margins; {_FORM}")
    margins = {}
    for key, goals in found.items():
        column = str(key)
        margins[column] = _categories(
            column, goals, lambda *step: f"{path.name}, line {line_of(content, step)}"
        )
        check_sum(column, margins[column], f" in {path.name}, line {line_of(content, [column])},")
    return margins


def _categories(column: str, goals: object, place: Callable[..., str]) -> dict[str, float]:
    if not isinstance(goals, dict) or not goals:
        raise InputError(f"raked_to: '{column}' in {place(column)} has no categories; {_FORM}")
    if any(isinstance(goal, dict) for goal in goals.values()):
        raise InputError(
            f"raked_to: '{column}' in {place(column)} has no categories, but lists of its own: write columns "
            f"at the start of lines; {_FORM}"
        )
    names = as_names(list(goals), column)
    read = {}
    for key, name, goal in zip(goals, names, goals.values(), strict=True):
        is_number = isinstance(goal, int | float) and not isinstance(goal, bool)
        if name is None or not is_number or not (math.isfinite(goal) and goal >= 0):
            raise InputError(
                f"raked_to: '{column}', category '{name}' in {place(column, key)} must be a number >= 0, got "
                f"{goal!r}"
            )
        read[name] = float(goal)
    return read
