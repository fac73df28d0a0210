"""Values of cells: numbers and words with their meaning; a renderer decides how they look."""

from dataclasses import dataclass
from typing import Literal, Protocol, Self

import numpy as np

Level = Literal["pass", "warn", "fail"]
"""How good something is."""

Detail = Literal["both", "full", "brief"]
"""Which renderings have a block: all, pages and other full ones, or the screen alone."""


class Interval(Protocol):
    """A figure with the two ends of its interval, such as ``semscale.stats.intervals.estimates.Estimate``."""

    @property
    def value(self) -> float:
        """The figure itself."""
        ...

    @property
    def low(self) -> float:
        """Lower end of the interval; NaN where there is none."""
        ...

    @property
    def high(self) -> float:
        """Upper end of the interval; NaN where there is none."""
        ...


@dataclass(frozen=True)
class Number:
    """A number; ``None`` or NaN where it does not exist.

    Attributes:
        value: the number.
        digits: decimals that are shown; ``None`` shows as many as its author wrote.
        signed: whether a plus sign is shown.
        least: below it only that is shown, as for p-values.
        most: beyond it likewise.
    """

    value: float | None
    digits: int | None = 2
    signed: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Change:
    """A number before and after; ``None`` or NaN where one does not exist.

    Attributes:
        before: the one.
        after: the other.
        digits: decimals that are shown; ``None`` shows as many as their author wrote, and the difference.
    """

    before: float | None
    after: float | None
    digits: int | None = None


@dataclass(frozen=True)
class Count:
    """A whole number of things.

    Attributes:
        value: the number; ``None`` where it is not known.
        is_small: whether too few things were counted to rely on; shown with an asterisk.
    """

    value: int | None
    is_small: bool = False


@dataclass(frozen=True)
class Share:
    """A share from -1 to 1, shown in percent; ``None`` or NaN where it does not exist.

    Attributes:
        value: the share.
        digits: decimals of the percentage.
    """

    value: float | None
    digits: int = 1


@dataclass(frozen=True)
class WithInterval:
    """A figure with its interval; an end that is NaN does not exist.

    Attributes:
        value: the figure.
        low: lower end.
        high: upper end.
        digits: decimals that are shown.
        is_share: whether it is a share, shown in percent.
        note: why there is no interval, where that is known.
        signed: whether a plus sign is shown.
    """

    value: float
    low: float
    high: float
    digits: int = 2
    is_share: bool = False
    note: str = ""
    signed: bool = False

    @classmethod
    def of(
        cls,
        estimate: Interval | None,
        digits: int = 2,
        *,
        is_share: bool = False,
        note: str = "",
        signed: bool = False,
    ) -> Self:
        """Take the figures of an estimate; all are missing where there is none."""
        if estimate is None:
            return cls(np.nan, np.nan, np.nan, digits, is_share, note)
        return cls(estimate.value, estimate.low, estimate.high, digits, is_share, note, signed)


@dataclass(frozen=True)
class Compared:
    """A figure of a crosstab, with what a test says of it; where there is little room without its interval.

    Attributes:
        figure: the figure with its interval.
        mark: the letters of columns that it lies above, or the p-value of a change; empty for neither.
        is_small: whether too few stand behind it to test it; shown with an asterisk.
    """

    figure: WithInterval
    mark: str = ""
    is_small: bool = False


@dataclass(frozen=True)
class Words:
    """Semscale's own words, lower case at the start unless a name stands there; a page may capitalise them.

    Attributes:
        text: the words.
        note: a shorter explanation under them, where there is room.
        brief: what a brief rendering shows instead, such as a name that options take.
    """

    text: str
    note: str = ""
    brief: str = ""


@dataclass(frozen=True)
class Quoted:
    """A user's words, shown as they are but for what would break the output.

    Attributes:
        text: the words; ``None`` where there are none.
        limit: characters that are shown at once.
        wraps: whether a table on the screen has all of them, on several lines; else their middle is left out.
    """

    text: object
    limit: int = 220
    wraps: bool = False


@dataclass(frozen=True)
class Flag:
    """An outcome in a word, good or bad."""

    text: str
    level: Level


@dataclass(frozen=True)
class Piece:
    """A part of a text, marked by what was found in it, or unmarked.

    Attributes:
        text: the part.
        guard: what marks it; ``None`` where nothing does.
    """

    text: str
    guard: str | None


@dataclass(frozen=True)
class Marked:
    """A user's text with marked parts, in order."""

    pieces: tuple[Piece, ...]


Cell = Number | Change | Count | Share | WithInterval | Compared | Words | Quoted | Flag | Marked
"""What a cell of a table, a fact or a setting holds."""

Line = str | Quoted | tuple[str | Quoted, ...]
"""One line of text: Semscale's words, a user's, or both in turn."""
