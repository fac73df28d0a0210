"""Answers that show what a code holds: its most typical ones, and those nearest to the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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


class QuoteChoice:
    """Chooses answers for each of k codes, part by part; equal texts count once.

    Args:
        codes: k names.
        thresholds: shape (k,), values from which codes are given.
    """

    def __init__(self, codes: Sequence[str], thresholds: Floats) -> None:
        self._codes, self._thresholds = codes, thresholds
        self._typical: list[list[_Ranked]] = [[] for _ in codes]
        self._near: list[list[_Ranked]] = [[] for _ in codes]

    def add(self, texts: Sequence[str | None], values: Floats, given: Floats, first_row: int) -> None:
        """Take the next answers.

        Args:
            texts: m answers, ``None`` where one cannot be read.
            values: shape (m, k), probabilities or likenesses; NaN where there is none.
            given: shape (m, k), 1, 0 or NaN.
            first_row: number of the first of them, from 0.
        """
        for place, threshold in enumerate(self._thresholds.tolist()):
            column, own = values[:, place], given[:, place]
            keys = np.where(own == 1, -column, np.nan)
            self._typical[place] = _first_distinct(
                [*self._typical[place], *_ranked(keys, texts, (column, own), first_row, QUOTES)], QUOTES
            )
            # Three of the nearest may be among the typical ones, which are not shown twice.
            keys = np.abs(column - threshold)
            self._near[place] = _first_distinct(
                [*self._near[place], *_ranked(keys, texts, (column, own), first_row, 2 * QUOTES)], 2 * QUOTES
            )

    def quotes(self) -> tuple[CodeQuotes, ...]:
        """Give the answers that were chosen, for each code."""
        found = []
        for code, most, near in zip(self._codes, self._typical, self._near, strict=True):
            shown = {one.quote.text for one in most}
            least = [one for one in near if one.quote.text not in shown][:QUOTES]
            quotes = (tuple(one.quote for one in some) for some in (most, least))
            found.append(CodeQuotes(code, *quotes))
        return tuple(found)


class _Ranked(NamedTuple):
    """An answer, and the number by which the least are shown."""

    key: float
    quote: Quote


def _ranked(
    keys: Floats, texts: Sequence[str | None], columns: tuple[Floats, Floats], first_row: int, most: int
) -> list[_Ranked]:
    """Give the answers with the least keys, whose texts differ; those with NaN, or without a text, never."""
    values, given = columns
    seen: set[str] = set()
    found: list[_Ranked] = []
    for row in np.argsort(keys, kind="stable").tolist():
        if len(found) == most or np.isnan(keys[row]):
            break
        text = texts[row]
        if text is not None and text not in seen:
            seen.add(text)
            decided = None if np.isnan(given[row]) else bool(given[row] == 1)
            quote = Quote(first_row + row + 1, text, float(values[row]), decided)
            found.append(_Ranked(float(keys[row]), quote))
    return found


def _first_distinct(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Keep the answers with the least keys, of equal ones the first rows, each text once."""
    kept: dict[str, _Ranked] = {}
    for one in sorted(ranked, key=lambda one: (one.key, one.quote.row)):
        kept.setdefault(one.quote.text, one)
    return list(kept.values())[:most]
