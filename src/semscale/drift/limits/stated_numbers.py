"""Numbers that texts state, counted for the limits on numbers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from semscale.embedding.languages import ENGLISH, language_of
from semscale.guards.number_guard import read_numbers
from semscale.guards.quantities import read_quantities
from semscale.guards.text import is_english_script, read_text
from semscale.history.items import Item
from semscale.types import Floats, Mask

_KEPT = 2**16  # texts; each limit asks for the baseline's and the reruns' once more


class _Stated(NamedTuple):
    """Numbers of a text.

    Attributes:
        certain: how many there are, without vague ones.
        compared: how many of these are compared with another text's: number words of English alone are.
        maybe_any: whether it may state a number, be it a vague one.
    """

    certain: int
    compared: int
    maybe_any: bool


def n_numbers(items: Sequence[Item]) -> Floats:
    """Count the numbers of each item's outputs, without vague ones, shape (n,).

    They are in digits or words; of languages whose number words are not known, in digits alone.

    Example:
        >>> from semscale.history.items import Output
        >>> n_numbers([Item("1", (Output("Two plugs at 5 volts."), Output("Fine."))), Item("2", ())]).tolist()
        [2.0, 0.0]
    """
    return np.array([sum(one.certain for one in _of_outputs(item)) for item in items], dtype=np.float64)


def has_compared_numbers(items: Sequence[Item]) -> Mask:
    """Tell for each item whether its outputs state a number that is compared with another run's, shape (n,).

    Example:
        >>> from semscale.history.items import Output
        >>> texts = "Two plugs.", "Nimm drei Tabletten am Tag.", "Nimm 3 Tabletten am Tag."
        >>> has_compared_numbers([Item(text, (Output(text),)) for text in texts]).tolist()
        [True, False, True]
    """
    return np.array([any(one.compared for one in _of_outputs(item)) for item in items], dtype=bool)


def states_any_number(items: Sequence[Item]) -> Mask:
    """Tell for each item whether its outputs may state a number, be it a vague one, shape (n,).

    Text in a language whose number words are not known may always state one.
    """
    return np.array([any(one.maybe_any for one in _of_outputs(item)) for item in items], dtype=bool)


def _of_outputs(item: Item) -> list[_Stated]:
    return [_stated(output.text or "") for output in item.outputs_with_text]


@lru_cache(maxsize=_KEPT)
def _stated(text: str) -> _Stated:
    language = language_of(text)
    if language in {None, ENGLISH} and is_english_script(text):
        quantities = read_quantities(read_text(text))
        certain = sum(not quantity.weak for quantity in quantities)
        return _Stated(certain, certain, bool(quantities))
    found = read_numbers(text, language)
    maybe_any = bool(found.n or found.words) or not found.knows_words
    return _Stated(found.n, len(found.figures), maybe_any)
