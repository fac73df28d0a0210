"""Numbers that texts state, counted for the limits on numbers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from semscale.guards.reading import analyse
from semscale.history.items import Item
from semscale.types import Floats, Mask

_KEPT = 2**16  # texts; each limit asks for the baseline's and the reruns' once more


class _Stated(NamedTuple):
    """Numbers of a text: those that are numbers for sure, and all with vague ones."""

    certain: int
    all: int


def n_numbers(items: Sequence[Item]) -> Floats:
    """Count the numbers of each item's outputs, in digits or words, without vague ones, shape (n,).

    Example:
        >>> from semscale.history.items import Output
        >>> n_numbers([Item("1", (Output("Two plugs at 5 volts."), Output("Fine."))), Item("2", ())]).tolist()
        [2.0, 0.0]
    """
    return np.array([sum(one.certain for one in _of_outputs(item)) for item in items], dtype=np.float64)


def states_any_number(items: Sequence[Item]) -> Mask:
    """Tell for each item whether its outputs state a number, be it a vague one, shape (n,)."""
    return np.array([any(one.all for one in _of_outputs(item)) for item in items], dtype=bool)


def _of_outputs(item: Item) -> list[_Stated]:
    return [_stated(output.text or "") for output in item.outputs_with_text]


@lru_cache(maxsize=_KEPT)
def _stated(text: str) -> _Stated:
    quantities = analyse(text).quantities
    return _Stated(sum(not quantity.weak for quantity in quantities), len(quantities))
