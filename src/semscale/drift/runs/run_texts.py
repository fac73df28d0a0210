"""What a run says of each item: its spoken outputs as numbers of texts, in an order of their own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.history.items import Item, Output
from semscale.types import Floats


@dataclass(frozen=True)
class Spoken:
    """What one run says of one item.

    Attributes:
        texts: k numbers of texts.
        places: where each of them stands among the item's spoken outputs.
        numbers: shape (k, f), of the fields; NaN where an output has none.
        characters: of all of them together.
    """

    texts: tuple[int, ...]
    places: tuple[int, ...]
    numbers: Floats
    characters: int

    def __len__(self) -> int:
        return len(self.texts)


class TextNumbers:
    """Distinct texts, numbered by first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> list[str]:
        """All texts, by number."""
        return list(self._numbers)

    def number(self, text: str) -> int:
        """Give a text's number."""
        return self._numbers.setdefault(text, len(self._numbers))


def spoken_of(
    items: Sequence[Item], fields: Sequence[str], numbers: TextNumbers, *, sort: bool
) -> list[Spoken]:
    """Take what is spoken of n items.

    Args:
        items: n of them.
        fields: names of the f fields that are wanted.
        numbers: of texts; new ones are added.
        sort: put each item's outputs into the order of their texts and numbers, so that the order in which a
            model gave them decides nothing; their own order otherwise.
    """
    return [_spoken(item, fields, numbers, sort=sort) for item in items]


def _spoken(item: Item, fields: Sequence[str], numbers: TextNumbers, *, sort: bool) -> Spoken:
    outputs = [(output.text or "", output, place) for place, output in enumerate(item.spoken)]
    if sort:
        outputs.sort(key=lambda each: (each[0], _order(each[1])))
    values = [[number_of(output, field) for field in fields] for _, output, _ in outputs]
    return Spoken(
        texts=tuple(numbers.number(text) for text, _, _ in outputs),
        places=tuple(place for _, _, place in outputs),
        numbers=np.array(values, np.float64).reshape(len(outputs), len(fields)),
        characters=sum(len(text.strip()) for text, _, _ in outputs),
    )


def number_of(output: Output, field: str) -> float:
    """Give an output's number; NaN where it has none."""
    return float(output.fields.get(field, math.nan))


def _order(output: Output) -> list[tuple[str, float]]:
    return sorted((name, value) for name, value in output.fields.items() if not math.isnan(value))
