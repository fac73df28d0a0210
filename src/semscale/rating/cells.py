"""Cells of tables: the status of a text, and parsing of human ratings."""

import json
import math
import re
from collections.abc import Sequence, Set
from html import unescape
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.json_reading import parse_json
from semscale.results.weights import COUNTING, decimal_remedy, numbers_in, shown_cell
from semscale.store.columns import floats_in, is_missing
from semscale.store.missing_codes import code_key
from semscale.types import Floats, Status

_BLANK_LETTERS = str.maketrans("", "", "\u115f\u1160\u3164\uffa0")  # Hangul fillers show nothing

# Classes of emoji whose ratings agree with people's (bench/emoji.py). Stars do not: one to five of them get
# 2.2 2.2 2.3 2.7 3.9 of 5 (black) or 3.0 to 3.4 (white). Nor do objects, animals, arrows and signs.
FACES = re.compile(
    "[\u2639-\u263b\U0001f600-\U0001f64f\U0001f910-\U0001f917\U0001f920-\U0001f92f\U0001f970-\U0001f97a]"
)

HANDS = re.compile(
    "[\u261d\u270a-\u270d\U0001f446-\U0001f450\U0001f4aa\U0001f590\U0001f595\U0001f596\U0001f918-\U0001f91f]"
)

HEARTS = re.compile("[\u2661\u2665\u2763\u2764\U0001f493-\U0001f49f\U0001f90d\U0001f90e\U0001f9e1]")

HumanRating = float | list[float]

_DRAW = "give the probability with which the text was drawn"

_DRAWN = f"{_DRAW}, or empty both this cell and the rating beside it {COUNTING}"


def text_status(cell: object, missing: Set[str] = frozenset(), *, reads_emoji: bool = False) -> Status:
    """Return the status of a cell of texts; ``SCORED`` means that it can be rated.

    Args:
        cell: anything.
        missing: codes for a missing answer, as ``missing_keys`` gives them.
        reads_emoji: whether the model reads emoji, so that a text of nothing else can be rated.

    Example:
        >>> [str(text_status(cell)) for cell in ("good", " ", "?!", None, 3)]
        ['scored', 'empty', 'uninformative', 'missing', 'not-text']
    """
    if not isinstance(cell, str):
        return Status.MISSING if is_missing(cell) else Status.NOT_TEXT
    if missing and code_key(cell) in missing:
        return Status.MISSING
    if not cell or cell.isspace():
        return Status.EMPTY
    if is_wordless(cell) and not (reads_emoji and has_emoji(cell)):
        return Status.UNINFORMATIVE
    return Status.SCORED


def has_emoji(text: str) -> bool:
    """Check whether a text has a face, a hand or a heart, which some models read as people do.

    Example:
        >>> [has_emoji(text) for text in ("👍", "😡!", "★★★★★", "???", ":)")]
        [True, True, False, False, False]
    """
    return any(kind.search(text) is not None for kind in (FACES, HANDS, HEARTS))


def is_wordless(text: str) -> bool:
    """Check whether a text has no letter and no digit of any script once HTML entities are resolved.

    Letters are the Unicode categories L*, digits N*. Punctuation, symbols, emoji, white space, zero-width and
    control characters are neither.

    Example:
        >>> [is_wordless(text) for text in ("???", "👍", "&nbsp;", "5", "好")]
        [True, True, True, False, False]
    """
    shown = unescape(unescape(text)) if "&" in text else text  # twice: "&amp;nbsp;" is what exports leave
    return not any(map(str.isalnum, shown.translate(_BLANK_LETTERS)))  # isalnum: the categories L* and N*


def inclusion_in(cells: pl.Series, humans: Sequence[object], first_row: int = 0) -> Floats:
    """Read a column of probabilities with which texts were drawn for a human rating, shape (n,).

    Args:
        cells: a column of numbers or of strings.
        humans: the human ratings of the same rows, ``None`` where there is none.
        first_row: row of the file that the first cell stands in, from 0.

    Returns:
        The probabilities; NaN where a row has neither a probability nor a human rating.

    Raises:
        InputError: a cell that is no number above 0 to 1, or an empty one beside a human rating; the message
            has its row.

    Example:
        >>> inclusion_in(pl.Series(["0.5", ""]), [3.0, None]).tolist()
        [0.5, nan]
    """
    cells = numbers_in(cells, "inclusion", first_row, _DRAWN)
    if not (cells.dtype.is_numeric() or cells.dtype == pl.Null):
        raise InputError(
            f"inclusion: column '{cells.name}' must hold numbers, but its cells are {cells.dtype}"
        )
    numbers = floats_in(cells)
    wrong = np.flatnonzero((numbers <= 0) | (numbers > 1))
    if len(wrong):
        raise RowError(
            f"inclusion: column '{cells.name}' must hold probabilities above 0 to 1, but data "
            f"{{row}} has {shown_cell(cells[int(wrong[0])])}; {_DRAWN}",
            first_row + int(wrong[0]),
        )
    missing = np.flatnonzero(
        np.isnan(numbers) & np.array([human is not None for human in humans], dtype=bool)
    )
    if len(missing):
        raise RowError(
            f"inclusion: column '{cells.name}' must have a probability wherever there is a human rating, but "
            f"data {{row}} has none; {_DRAW}, or remove the rating {COUNTING}",
            first_row + int(missing[0]),
        )
    return numbers


def humans_in(
    cells: pl.Series, first_row: int = 0, bounds: tuple[float, float] | None = None
) -> list[HumanRating | None]:
    """Read a column of human ratings: a number, or several as a list or as JSON text such as ``"[3, 4]"``.

    Args:
        cells: the column.
        first_row: row of the file that the first cell stands in, from 0.
        bounds: lowest and highest value that humans could give, if known.

    Raises:
        InputError: a cell that is neither, or out of bounds; the message has its row and its text.

    Example:
        >>> humans_in(pl.Series(["3", "[3, 4]", None]))
        [3.0, [3.0, 4.0], None]
    """
    ratings = []
    for row, cell in enumerate(cells.to_list()):
        rating, is_valid = _human(cell)
        if not is_valid:
            raise RowError(
                f"human: column '{cells.name}' must hold numbers or lists of numbers such as [3, 4], "
                f"but data {{row}} has {shown_cell(cell)}; {decimal_remedy(cell)}",
                first_row + row,
            )
        if bounds is not None and not lies_within(bounds, rating):
            raise RowError(
                f"human_range is {bounds[0]:g} to {bounds[1]:g}, but data {{row}} of "
                f"column '{cells.name}' has {shown_cell(cell)}; widen the range, or correct the cell "
                f"{COUNTING}",
                first_row + row,
            )
        ratings.append(rating)
    return ratings


def _human(cell: Any) -> tuple[HumanRating | None, bool]:  # noqa: ANN401 - any cell
    """Parse a human rating, ``None`` where it is missing; ``False`` with a cell that is none."""
    if isinstance(cell, str):
        if not cell.strip():
            return None, True
        try:
            cell = parse_json(cell)
        except json.JSONDecodeError:
            return None, False
    if cell is None:
        return None, True
    several = cell if isinstance(cell, list) else [cell]
    present = [number for number in several if number is not None]
    numbers = [float(n) for n in present if isinstance(n, int | float) and not isinstance(n, bool)]
    if len(numbers) != len(present) or any(map(math.isinf, numbers)):
        return None, False
    numbers = [number for number in numbers if not math.isnan(number)]
    if not numbers:
        return None, True
    return (numbers if isinstance(cell, list) else numbers[0]), True


def lies_within(bounds: tuple[float, float], rating: HumanRating | None) -> bool:
    """Check whether all numbers of a human rating lie within bounds; one that is missing does.

    Example:
        >>> lies_within((1, 5), [3.0, 5.0]), lies_within((1, 5), 7.0)
        (True, False)
    """
    numbers = rating if isinstance(rating, list) else [] if rating is None else [rating]
    return all(bounds[0] <= number <= bounds[1] for number in numbers)


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
