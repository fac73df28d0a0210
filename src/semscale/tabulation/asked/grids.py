"""Grids: several items, each answered on one scale, in columns that look like those of a multiple choice."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from semscale.store.missing_codes import looks_like_code
from semscale.tabulation.asked.chosen_options import NOT_CHOSEN
from semscale.tabulation.asked.likely_codes import likely_codes
from semscale.tabulation.asked.question_columns import as_number

_FEWEST_ANSWERS = 2
_FEWEST_POINTS = 3
_MOST_ANSWERS = 50


def is_grid(cells: Mapping[str, pl.Series]) -> bool:
    """Tell whether columns are items of a grid, and no options of a multiple choice.

    An option has one value where it was chosen, and at most others that say no; an item has several answers,
    which it shares with other items. Most columns decide, as a multiple choice can have "other" with texts.

    Args:
        cells: of each column, n names of values or nulls.

    Example:
        >>> is_grid({"price": pl.Series(["1", "5"]), "taste": pl.Series(["4", "5"])})
        True
        >>> is_grid({"price": pl.Series(["Price", None]), "taste": pl.Series(["no", "Taste"])})
        False
    """
    found = [answers for one in cells.values() if (answers := _answers(one))]
    items = [answers for answers in found if len(answers) >= _FEWEST_ANSWERS]
    together: set[str] = set().union(*items)
    is_shared = len(items) == 1 or len(together) < sum(map(len, items))
    return 2 * len(items) > len(found) and is_shared and _are_points(together)


def _answers(cells: pl.Series) -> set[str]:
    """Name the values of a column that are numbers, or words that neither say no nor stand for no answer."""
    names = cells.str.strip_chars().str.to_lowercase().replace("", None).drop_nulls().unique().to_list()
    return {name for name in names if _is_number(name) or not (name in NOT_CHOSEN or looks_like_code(name))}


def _are_points(names: set[str]) -> bool:
    """Tell whether values are more than the two numbers of chosen and not chosen, and not too many."""
    if not all(map(_is_number, names)):
        return len(names) <= _MOST_ANSWERS
    numbers = sorted(map(as_number, names))
    return _FEWEST_POINTS <= len(numbers) - len(likely_codes(numbers)) <= _MOST_ANSWERS


def _is_number(name: str) -> bool:
    return not np.isnan(as_number(name))
