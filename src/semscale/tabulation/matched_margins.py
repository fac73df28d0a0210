"""A population's margins, matched with the values that a survey has, by value or by label."""

from collections.abc import Mapping

import polars as pl

from semscale.errors import InputError
from semscale.messages import nearest_name
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import groups_in

Margins = Mapping[str, Mapping[str, float]]
"""For each column, the share or number of people in each of its categories."""

_ROUNDING = 1e-6
_PERCENT = 100
_MOST, _LEAST = 110, 90  # sums of percentages that miss 100
_EXAMPLES = 5


def matched_margins(margins: Margins, frame: pl.DataFrame, labels: Mapping[str, ColumnLabels]) -> Margins:
    """Name the categories of margins by the values of a table, and check that nothing is lacking.

    Args:
        margins: categories are values, or labels of values.
        frame: n rows, each with a value in every column of the margins.
        labels: what a file says about columns.

    Returns:
        The margins, each category by its value.

    Raises:
        InputError: shares that sum to neither 1 nor 100, a category given twice, or a value in the table
            without a category.

    Example:
        >>> labels = {"sex": ColumnLabels(values={"1": "men", "2": "women"})}
        >>> matched_margins({"sex": {"men": 0.5, "women": 0.5}}, pl.DataFrame({"sex": [1.0, 2.0]}), labels)
        {'sex': {'1': 0.5, '2': 0.5}}
    """
    matched = {}
    for column, goals in margins.items():
        check_sum(column, goals)
        words = labels.get(column, ColumnLabels()).values
        there = groups_in(frame[column]).value_counts(sort=True).rows()
        matched[column] = _by_value(column, goals, words, [name for name, _ in there])
        _check_complete(column, matched[column], words, there)
    return matched


def check_sum(column: str, goals: Mapping[str, float], place: str = "") -> None:
    """Refuse shares that do not sum to a whole; numbers of people may sum to anything.

    Args:
        column: its name.
        goals: the share or number of people in each category.
        place: where they stand, such as " in m.yaml, line 3".

    Raises:
        InputError: shares that sum to neither 1 nor 100.
    """
    total = sum(goals.values())
    is_whole = any(abs(total - whole) <= _ROUNDING * whole for whole in (1, _PERCENT))
    are_shares = total < _MOST and any(not float(goal).is_integer() for goal in goals.values())
    if not is_whole and (are_shares or _LEAST < total < _MOST):
        raise InputError(
            f"raked_to: the shares of '{column}'{place} sum to {total:g}; they must sum to 1 or 100 "
            "(numbers of people are whole, and may have any sum)"
        )


def _by_value(
    column: str, goals: Mapping[str, float], words: Mapping[str, str], values: list[str]
) -> dict[str, float]:
    by_label = {word: value for value, word in words.items()}
    found: dict[str, float] = {}
    for category, goal in goals.items():
        is_value = category in values or category in words
        value = category if is_value else by_label.get(category, category)
        if value in found:
            raise InputError(
                f"raked_to: '{column}' has the category '{words[value]}' twice, by its value '{value}' and "
                "by its label; leave one out"
            )
        found[value] = goal
    return found


def _check_complete(
    column: str, goals: Mapping[str, float], words: Mapping[str, str], there: list[tuple[str, int]]
) -> None:
    """Refuse values that have no target, all in one message."""
    lacking = [(value, n) for value, n in there if value not in goals]
    if not lacking:
        return
    named = [f"{_named(value, words)} ({n:,} {'row' if n == 1 else 'rows'})" for value, n in lacking]
    shown = ", ".join(named[:_EXAMPLES]) + (", ..." if len(named) > _EXAMPLES else "")
    given = ", ".join(_named(value, words) for value in list(goals)[:_EXAMPLES])
    raise InputError(
        f"raked_to: '{column}' has no target for {shown}; it has targets for {given}: "
        f"add what is lacking, or leave its rows out (--where){_mistyped(goals, words, there, lacking)}"
    )


def _mistyped(
    goals: Mapping[str, float],
    words: Mapping[str, str],
    there: list[tuple[str, int]],
    lacking: list[tuple[str, int]],
) -> str:
    """Ask whether a category that is no value stands for one without a target."""
    values = {value for value, _ in there}
    names = [name for value, _ in lacking for name in (value, words.get(value, "")) if name]
    for category in goals:
        near = None if category in values or category in words else nearest_name(category, names, alike=0.5)
        if near is not None:
            return f"; '{category}' is no value: did you mean '{near}'?"
    return ""


def _named(value: str, words: Mapping[str, str]) -> str:
    """Name a value, with its label where it has one."""
    return f"'{value}' ({words[value]})" if value in words else f"'{value}'"
