"""Answers that show what a code holds: its most typical ones, and those nearest to the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.types import Floats

QUOTES = 3
"""Answers of each kind that are shown for a code."""


@dataclass(frozen=True)
class Quote:
    """An answer that is shown for a code.

    Attributes:
        row: its number, from 1.
        text: the answer.
        value: its probability, or its likeness where the code is not calibrated.
        given: whether the code was given; ``None`` where nobody can tell.
    """

    row: int
    text: str
    value: float
    given: bool | None


@dataclass(frozen=True)
class CodeQuotes:
    """Answers that show what one code holds.

    Attributes:
        code: its name.
        typical: with the code, the greatest values first.
        borderline: nearest to the threshold on either side, the nearest first.
    """

    code: str
    typical: tuple[Quote, ...]
    borderline: tuple[Quote, ...]


def code_quotes(
    texts: Sequence[str | None], values: Floats, given: Floats, codes: Sequence[str], thresholds: Floats
) -> tuple[CodeQuotes, ...]:
    """Choose answers for each code; equal texts count once.

    Args:
        texts: n answers, ``None`` where one cannot be read.
        values: shape (n, k), probabilities or likenesses; NaN where there is none.
        given: shape (n, k), 1, 0 or NaN.
        codes: k names.
        thresholds: shape (k,), values from which codes are given.
    """
    found = []
    for place, code in enumerate(codes):
        column = values[:, place]
        most = _first_distinct(np.argsort(-column, kind="stable"), texts, given[:, place] == 1)
        near = np.argsort(np.abs(column - thresholds[place]), kind="stable")
        least = _first_distinct(near, texts, ~np.isnan(column), {texts[row] for row in most})
        quotes = [
            tuple(_quote(row, texts, column, given[:, place]) for row in rows) for rows in (most, least)
        ]
        found.append(CodeQuotes(code, *quotes))
    return tuple(found)


def _first_distinct(
    order: np.ndarray, texts: Sequence[str | None], may: np.ndarray, taken: set[str | None] | None = None
) -> list[int]:
    """Take the first rows, in an order, that may be shown and whose texts differ."""
    seen, rows = {None, *(taken or ())}, []
    for row in order.tolist():
        if may[row] and texts[row] not in seen:
            seen.add(texts[row])
            rows.append(row)
            if len(rows) == QUOTES:
                break
    return rows


def _quote(row: int, texts: Sequence[str | None], values: Floats, given: Floats) -> Quote:
    decided = None if np.isnan(given[row]) else bool(given[row] == 1)
    return Quote(row + 1, str(texts[row]), float(values[row]), decided)
