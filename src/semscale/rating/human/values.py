"""Human ratings: one or several numbers for each text, and their mapping to a scale's points."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.rating.readouts.array_checks import reject
from semscale.store.columns import as_list, is_missing
from semscale.types import Floats


def human_table(human: object) -> Floats:
    """Lay human ratings out as a table, shape (n, raters), NaN where there is none.

    Args:
        human: for each text a number, a list of numbers, or missing.

    Raises:
        InputError: a value that is neither; the rows are named.

    Example:
        >>> human_table([1, [2, 3], None]).tolist()
        [[1.0, nan], [2.0, 3.0], [nan, nan]]
    """
    if isinstance(human, np.ndarray) and human.ndim == 2:  # noqa: PLR2004
        human = list(human)
    rows = [_numbers(cell) for cell in as_list(human, "human")]
    reject(
        np.array([row is None for row in rows], dtype=bool), "human ratings must be finite numbers: not so in"
    )
    filled = [row or [] for row in rows]
    table = np.full((len(filled), max(map(len, filled), default=0) or 1), np.nan)
    for place, row in enumerate(filled):
        table[place, : len(row)] = row
    return table


def check_human_range(human_range: object) -> None:
    """Refuse a range from which human values cannot be mapped; ``None`` stands for the scale's own range.

    Raises:
        InputError: not two finite numbers, the lower first.
    """
    if human_range is None:
        return
    ends = list(human_range) if isinstance(human_range, Sequence | np.ndarray) else []
    numbers = [float(end) for end in ends if isinstance(end, Real) and not isinstance(end, bool)]
    if len(ends) != 2 or len(numbers) != 2 or not -math.inf < numbers[0] < numbers[1] < math.inf:  # noqa: PLR2004
        shown = (
            " ".join(f"{end:g}" for end in numbers) if len(numbers) == len(ends) > 0 else repr(human_range)
        )
        raise InputError(
            "human_range must be the lowest value, then the highest, two finite numbers such as 1 7, "
            f"got {shown}"
        )


def laid_on(table: Floats, values: Floats, human_range: tuple[float, float] | None) -> Floats | None:
    """PMFs (n, k) of human ratings, averaged over the raters of each text; ``None`` where they do not fit.

    Args:
        table: shape (n, raters), NaN where there is no rating.
        values: shape (k,), values of the scale's points.
        human_range: lowest and highest value that humans could give; the scale's own unless given.

    Raises:
        InputError: a wrong range, or values outside the range that was given (rows named).
    """
    check_human_range(human_range)
    low, high = (values[0], values[-1]) if human_range is None else human_range
    outside = ((table < low) | (table > high)).any(axis=1)
    if human_range is None and outside.any():
        return None
    reject(outside, f"human ratings must lie in human_range {low:g} to {high:g}: not so in")
    mapped = values[0] + (np.nan_to_num(table, nan=low) - low) / (high - low) * (values[-1] - values[0])
    below = np.clip(np.searchsorted(values, mapped, side="right") - 1, 0, len(values) - 2)
    share = (mapped - values[below]) / (values[below + 1] - values[below])
    there = ~np.isnan(table)
    masses = np.zeros((len(table), len(values)))
    rows = np.broadcast_to(np.arange(len(table))[:, None], table.shape)
    np.add.at(masses, (rows[there], below[there]), 1 - share[there])
    np.add.at(masses, (rows[there], below[there] + 1), share[there])
    masses /= np.maximum(there.sum(axis=1, keepdims=True), 1)
    return masses


def off_the_scale(table: Floats, values: Floats) -> str:
    """Say that human values lie outside the scale's, and what to do about it; empty where none does."""
    given = table[~np.isnan(table)]
    outside = int(((given < values[0]) | (given > values[-1])).sum())
    if not outside:
        return ""
    return (
        f"{outside:,} of {given.size:,} human values lie outside the scale's {values[0]:g} to {values[-1]:g} "
        f"(they go from {given.min():g} to {given.max():g}), so distributions were not compared, and "
        "the mean of all texts was not corrected: give the lowest and the highest value that people could "
        "choose (--human-range LOW HIGH)"
    )


def _numbers(cell: object) -> list[float] | None:
    """Ratings of one text, without missing ones; ``None`` if some are no finite numbers."""
    several: list[Any] = (
        list(cell) if isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str) else [cell]
    )
    found = [one for one in several if not is_missing(one)]
    if not all(isinstance(one, int | float | np.number) and np.isfinite(one) for one in found):
        return None
    return [float(one) for one in found]
