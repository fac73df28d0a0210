"""How an instrument is driven through the laws, and the cells that all of them are given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.presentable import Presentable
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
    make: Callable[..., object]
    """The object with some of its settings; it has a signature."""
    settings: dict[str, object]
    """For each setting of the constructor another value than the default, or a function that makes it."""
    figure: str = "mean"
    """The column of the table whose mean is the main figure."""
    signature: Callable[..., Signature] | None = None
    """The signature of a result, where settings show in it alone; that of the object unless given."""
    summarize: Callable[[object], Presentable] | None = lambda result: result.summarize()
    """Sums a result up; ``None`` where more than one result is needed for it."""
    unsigned: frozenset[str] = frozenset()
    """Settings that change no number, such as where something is kept."""

    def signed(self, **settings: object) -> Signature:
        """The signature that some settings give."""
        return self.make(**settings).signature if self.signature is None else self.signature(**settings)
