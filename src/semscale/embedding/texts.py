"""Checks of input texts, and removal of duplicates."""

from collections.abc import Sequence

import numpy as np

from semscale.errors import InputError
from semscale.types import Integers


def checked_texts(texts: Sequence[str]) -> Sequence[str]:
    """Refuse items that are not strings, and name their position.

    Raises:
        InputError: an item is not a string, or ``texts`` is itself a string.
    """
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of strings, got one string: [{texts[:40]!r}]")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"texts[{place}] must be a string, got {type(text).__name__}")
    return texts


def distinct(texts: Sequence[str]) -> tuple[list[str], Integers]:
    """List every text once, in order of first appearance, with the position of each input text in the list.

    Returns:
        The distinct texts, and an array of shape (n,) so that ``texts[i] == distinct[where[i]]``.

    Example:
        >>> distinct(["b", "a", "b"])
        (['b', 'a'], array([0, 1, 0]))
    """
    places: dict[str, int] = {}
    where = np.fromiter((places.setdefault(text, len(places)) for text in texts), np.int64, len(texts))
    return list(places), where
