"""Points of a question's scale: which there are, what they are called, and which one each answer is."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.columns import groups_in
from semscale.store.missing_codes import code_key
from semscale.store.numbers import numbers_among
from semscale.tabulation.asked.question_columns import as_number
from semscale.types import Floats

_MOST_SPAN = 11
_NAMED = 3


def points_among(numbers: Floats, words: Mapping[str, str]) -> list[float]:
    """List the points of a scale: labelled values and whole numbers between the least and the greatest.

    Args:
        numbers: shape (n,), answers; NaN for none.
        words: labels, by the value as a name.

    Returns:
        The points, ascending.

    Example:
        >>> points_among(np.array([1, 2, 4, np.nan]), {})
        [1.0, 2.0, 3.0, 4.0]
    """
    values, has_labels = given_points(numbers, words)
    low, high = values[0], values[-1]
    if not has_labels and all(value.is_integer() for value in values) and high - low < _MOST_SPAN:
        return [*map(float, np.arange(low, high + 1))]
    return values


def given_points(numbers: Floats, words: Mapping[str, str]) -> tuple[list[float], bool]:
    """List the values that occur or have a label, ascending, and tell whether any has a label."""
    labelled = [value for value in map(as_number, words) if not np.isnan(value)]
    return sorted({*np.unique(numbers[~np.isnan(numbers)]).tolist(), *labelled}), bool(labelled)


def point_name(value: float, words: Mapping[str, str]) -> str:
    """Name a point by its value and its label."""
    word = words.get(f"{value:g}", "")
    return f"{value:g} {word}".strip()


def on_scale(cells: pl.Series, points: Mapping[str, str], question: str) -> pl.Series:
    """Read answers as points of a named scale: by their values, or by the words of the points.

    Args:
        cells: n numbers or words; missing and blank ones are no answer.
        points: words for the points, by the value as a name.
        question: its name in messages.

    Returns:
        n values of points.

    Raises:
        InputError: an answer that is none of the points.

    Example:
        >>> on_scale(pl.Series(["Good", "bad ", None, "1"]), {"1": "bad", "2": "good"}, "q").to_list()
        [2.0, 1.0, None, 1.0]
    """
    by_words = _values_by_words(points)
    known = {*map(float, points)}
    names = groups_in(cells)
    numbers = dict(zip(names.to_list(), numbers_among(cells).to_list(), strict=True))
    found: dict[str, float] = {}
    others = []
    for name, number in numbers.items():
        if name is None or not name.strip():
            continue
        value = by_words.get(code_key(name), number)
        if value in known:
            found[name] = value
        else:
            others.append(name)
    if others:
        raise InputError(_off_scale(question, others, points))
    return names.replace_strict(found, default=None, return_dtype=pl.Float64)


def _values_by_words(points: Mapping[str, str]) -> dict[str, float]:
    """Give the value of each word; "neutral" is a point "neither agree nor disagree", as tools name both."""
    found = {code_key(word): float(value) for value, word in points.items()}
    neither = [value for word, value in found.items() if word.startswith("neither ")]
    return {"neutral": neither[0], **found} if len(neither) == 1 else found


def _off_scale(question: str, others: list[str], points: Mapping[str, str]) -> str:
    named = ", ".join(f"'{one:.40}'" for one in others[:_NAMED])
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    ends = [point_name(float(value), points) for value in points]
    return (
        f"scale: question '{question}' has answers that are none of the points of its scale ({ends[0]} to "
        f"{ends[-1]}): {named}{more}; name codes for no answer with --missing, name a scale with these "
        "words, or leave its --scale out"
    )
