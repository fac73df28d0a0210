"""Groups of texts that a model reads together: long texts are cut into windows and their states joined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding.tokens.token_ids import owning_windows, window_starts
from semscale.types import Ids, Integers, Vectors

Number = TypeVar("Number", np.float32, np.int64)


@dataclass(frozen=True)
class WindowedText:
    """The w windows in which one text is read.

    Attributes:
        windows: token ids of each window, special tokens included.
        ends: number of special tokens before and after the text's own tokens.
        starts: shape (w,), where each window begins among the text's own tokens.
        owner: shape (t,), for each of the text's own tokens the window that gives its state.
    """

    windows: Sequence[Ids]
    ends: tuple[int, int]
    starts: Integers
    owner: Integers

    @classmethod
    def whole(cls, ids: Ids) -> "WindowedText":
        """Create the single window of a text that is read at once."""
        return cls([ids], (0, 0), _NOWHERE, _NOWHERE)

    @classmethod
    def cut(cls, ids: Ids, ends: tuple[int, int], *, room: int, overlap: int) -> "WindowedText":
        """Cut a text into windows that overlap.

        Args:
            ids: shape (t,), special tokens included.
            ends: number of special tokens before and after the text's own tokens.
            room: tokens in a window, without special ones.
            overlap: the fewest tokens that two neighbouring windows share.
        """
        before, after = ends
        content = ids[before : len(ids) - after]
        starts = window_starts(len(content), room, overlap)
        head, tail = ids[:before], ids[len(ids) - after :]
        windows = [np.concatenate([head, content[start : start + room], tail]) for start in starts]
        return cls(windows, ends, starts, owning_windows(len(content), starts, room))

    def joined(self, states: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
        """Join the windows' states, or their places; special tokens remain at the text's two ends only."""
        before, after = self.ends
        inner: list[npt.NDArray[Number]] = [
            states[window][before + np.flatnonzero(self.owner == window) - start]
            for window, start in enumerate(self.starts)
        ]
        return np.concatenate([states[0][:before], *inner, states[-1][len(states[-1]) - after :]])


_NOWHERE = np.empty(0, np.int64)


class ReadingGroup:
    """Texts that are read together, with one row of token ids for each window.

    Args:
        texts: shape (n,), numbers of the texts.
        windowed: the windows of each text.

    Attributes:
        rows: token ids of all windows.
    """

    def __init__(self, texts: Integers, windowed: Sequence[WindowedText]) -> None:
        self._texts = texts.tolist()
        self._windowed = windowed
        self._counts = [len(each.windows) for each in windowed]
        self._owner = np.repeat(np.arange(len(windowed)), self._counts).tolist()
        self._first = (np.cumsum(self._counts) - self._counts).tolist()
        self._waiting: dict[int, dict[int, Vectors]] = {}
        self.rows = [window for each in windowed for window in each.windows]

    def joined(self, rows: Integers, states: Vectors) -> Iterator[tuple[int, Vectors]]:
        """Take the states of some rows, and yield the texts that are now complete.

        Args:
            rows: shape (b,), numbers of the rows.
            states: shape (b, t, hidden); copied.

        Yields:
            A text's number with its states, (t, hidden).
        """
        for row, own in zip(rows.tolist(), states.copy(), strict=True):
            place = self._owner[row]
            if self._counts[place] == 1:
                yield self._texts[place], own
                continue
            parts = self._waiting.setdefault(place, {})
            parts[row - self._first[place]] = own
            if len(parts) == self._counts[place]:
                del self._waiting[place]
                ordered = [parts[window] for window in range(len(parts))]
                yield self._texts[place], self._windowed[place].joined(ordered)
