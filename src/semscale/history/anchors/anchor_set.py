"""Anchor sets, which are frozen pairs of texts, and readings of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from semscale.errors import InputError
from semscale.history.runs import hashed, named, new_id, now
from semscale.types import Floats

FEWEST_PAIRS, MOST_PAIRS = 10, 500
"""Least and greatest number of pairs: fewer show too little, and more cost too much in every run."""


@dataclass(frozen=True)
class AnchorPair:
    """A pair of texts that is measured again and again.

    Attributes:
        id: its name within the set.
        reference: what the output should say.
        output: the text that is measured against it.
        label: a person's score of the output, 0 to 1; ``None`` without one.
    """

    id: str
    reference: str
    output: str
    label: float | None = None


@dataclass(frozen=True)
class AnchorSet:
    """Pairs of texts that never change, so that other readings of them show another ruler.

    Attributes:
        dataset: the dataset whose comparisons measure them again.
        name: its name within the dataset.
        pairs: 10 to 500 pairs.
        frozen: when they were frozen, in UTC.
        id: the set's id, the same in every history.

    Raises:
        InputError: a wrong number of pairs, an id twice, a text without a word, or a label outside 0 to 1.
    """

    dataset: str
    name: str
    pairs: tuple[AnchorPair, ...]
    frozen: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        n = len(self.pairs)
        if not FEWEST_PAIRS <= n <= MOST_PAIRS:
            raise InputError(f"an anchor set needs {FEWEST_PAIRS} to {MOST_PAIRS} pairs, got {n}")
        ids = [pair.id for pair in self.pairs]
        if twice := [name for name in dict.fromkeys(ids) if ids.count(name) > 1]:
            raise InputError(f"ids of anchors must occur once, got {named(twice)} more than once")
        for pair in self.pairs:
            _check(pair)

    @cached_property
    def digest(self) -> str:
        """Hash of the pairs with their labels, in their order: 12 hexadecimal digits."""
        return hashed([[pair.id, pair.reference, pair.output, pair.label] for pair in self.pairs])

    @property
    def labels(self) -> list[float | None]:
        """People's scores, pair by pair."""
        return [pair.label for pair in self.pairs]


@dataclass(frozen=True)
class AnchorReadings:
    """What a ruler read on an anchor set at one time.

    Attributes:
        set_id: id of the anchor set.
        dataset: its dataset.
        signature: the ruler's signature as text.
        readings: by name, shape (pairs,), 0 to 1; NaN for a pair without a reading.
        series: id that readings have in common which are held against one reference.
        is_reference: whether later readings of the series are held against this one.
        comparison_id: the comparison that was measured with it; ``None`` for a reference.
        has_moved: whether the ruler had moved then.
        measured: when it was read, in UTC.
        id: its id, the same in every history.
    """

    set_id: str
    dataset: str
    signature: str
    readings: Mapping[str, Floats]
    series: str
    is_reference: bool = False
    comparison_id: str | None = None
    has_moved: bool = False
    measured: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)


def _check(pair: AnchorPair) -> None:
    for name, text in (("reference", pair.reference), ("output", pair.output)):
        if not text.strip():
            raise InputError(f"anchor {pair.id!r:.60} has no {name}: give every anchor both texts")
    if pair.label is not None and not 0 <= pair.label <= 1:
        raise InputError(
            f"label of anchor {pair.id!r:.60} must lie in 0 to 1, got {pair.label:g}: say which scale the "
            "labels have, such as --human-range 1 5"
        )


def dump_pairs(pairs: tuple[AnchorPair, ...]) -> str:
    """Write pairs as JSON; every sign that a database could refuse is escaped."""
    return json.dumps([[pair.id, pair.reference, pair.output, pair.label] for pair in pairs])


def load_pairs(body: str) -> tuple[AnchorPair, ...]:
    """Read pairs from ``dump_pairs``.

    Example:
        >>> load_pairs(dump_pairs((AnchorPair("a", "Yes.", "No.", 0.5),)))
        (AnchorPair(id='a', reference='Yes.', output='No.', label=0.5),)
    """
    return tuple(AnchorPair(*pair) for pair in json.loads(body))
