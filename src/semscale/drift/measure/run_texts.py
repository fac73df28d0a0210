"""Texts of a run's items as numbers, so that equal texts are read and compared once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.history.items import Item, Output
from semscale.types import Floats


@dataclass(frozen=True)
class ItemTexts:
    """One item's k outputs that have a text, in one run.

    Attributes:
        texts: numbers of the k texts.
        places: position of each one among the item's outputs that have a text.
        numbers: shape (k, f), numbers of the f fields; NaN for a missing one.
        characters: total number of characters.
    """

    texts: tuple[int, ...]
    places: tuple[int, ...]
    numbers: Floats
    characters: int

    def __len__(self) -> int:
        return len(self.texts)


class TextNumbers:
    """Distinct texts, numbered in order of first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> list[str]:
        """All texts in the order of their numbers."""
        return list(self._numbers)

    def number(self, text: str) -> int:
        """Return a text's number; a new text gets the next one."""
        return self._numbers.setdefault(text, len(self._numbers))


def item_texts(
    items: Sequence[Item], fields: Sequence[str], numbers: TextNumbers, *, sort: bool
) -> list[ItemTexts]:
    """Number the texts of items.

    Args:
        items: n items.
        fields: names of the f requested fields.
        numbers: numbers of texts; new texts are added.
        sort: whether to sort each item's outputs by texts and numbers, so that the model's order of outputs
            does not matter.
    """
    return [_texts_of(item, fields, numbers, sort=sort) for item in items]


def _texts_of(item: Item, fields: Sequence[str], numbers: TextNumbers, *, sort: bool) -> ItemTexts:
    outputs = [(output.text or "", output, place) for place, output in enumerate(item.outputs_with_text)]
    if sort:
        outputs.sort(key=lambda each: (each[0], _order(each[1])))
    values = [[number_of(output, field) for field in fields] for _, output, _ in outputs]
    return ItemTexts(
        texts=tuple(numbers.number(text) for text, _, _ in outputs),
        places=tuple(place for _, _, place in outputs),
        numbers=np.array(values, np.float64).reshape(len(outputs), len(fields)),
        characters=sum(len(text.strip()) for text, _, _ in outputs),
    )


def number_of(output: Output, field: str) -> float:
    """Return an output's number; NaN if it has none."""
    return float(output.fields.get(field, math.nan))


def _order(output: Output) -> list[tuple[str, float]]:
    return sorted((name, value) for name, value in output.fields.items() if not math.isnan(value))
