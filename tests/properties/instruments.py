"""How an instrument is driven through the laws, and the cells that all of them are given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.signature import Signature

CELLS = [
    "I would buy it today", None, "never, not at all", "", "it is fine I suppose", 12,
    "I would buy it today", "what a waste", float("nan"), "maybe later", "fine", "buy it",
]  # fmt: skip


@dataclass(frozen=True)
class Instrument:
    """How to drive one instrument."""

    kind: type
    score: Callable[[Sequence[object]], object]
    rows: Callable[[object], np.ndarray]
    """One row of numbers for each item, NaN where it has none."""
    signature: Callable[..., Signature]
    settings: dict[str, object]
    """For each setting of the constructor another value than the default, or a function that makes it."""
    figure: str = "mean"
    """A column of the table that has a number for each item."""
    unsigned: frozenset[str] = frozenset()
    """Settings that change no number, such as where something is kept."""
