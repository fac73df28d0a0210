"""The summary of a matrix: every cell's score, record side by side, cost and latency, and the best one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from semscale.judging.comparing import SidesSummary, SystemRecord
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import FEWEST_CLUSTERS, Estimate, MeanEstimate

Basis = Literal["judge", "reference"]
"""What the best cell was chosen by."""


@dataclass(frozen=True)
class CellSummary:
    """One cell of the matrix.

    Attributes:
        name: in tables.
        model: the model's name.
        prompt: the template's name; ``None`` where inputs were sent.
        down: why it is down; ``None`` where it answered.
        n_answered: answers that say something.
        n_silent: refusals and empty answers, which score 0 and lose side by side.
        n_asked: answers that were asked for; the others failed, and are left out.
        n_cut: replies that were cut at the most tokens allowed.
        reasons: why calls failed, each reason with its number.
        score: mean match with the references; ``None`` without references.
        below_best: mean difference to the best cell's scores, over the items that both have; ``None`` for
            the best one and without references.
        side: its record side by side; ``None`` without a judge.
        over_best: chance to be preferred to the best cell; ``None`` for that one, and without a judge.
        tokens: mean of an answer; ``None`` where the model does not state them.
        cost: mean of an answer; ``None`` where the price is not known.
        latency: median seconds of a call; ``None`` where it is not known.
        currency: of the cost.
    """

    name: str
    model: str
    prompt: str | None
    down: str | None
    n_answered: int = 0
    n_silent: int = 0
    n_asked: int = 0
    n_cut: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    score: MeanEstimate | None = None
    below_best: MeanEstimate | None = None
    side: SystemRecord | None = None
    over_best: Estimate | None = None
    tokens: float | None = None
    cost: float | None = None
    latency: float | None = None
    currency: str | None = None

    @property
    def n_failed(self) -> int:
        """Answers that did not come."""
        return self.n_asked - self.n_answered - self.n_silent


@dataclass(frozen=True, repr=False)
class MatrixSummary(Presentable):
    """Models and prompts compared.

    Attributes:
        source: the table of items.
        cells: in the order in which they were asked.
        best: number of the best cell from 0; ``None`` where nothing says which it is.
        basis: what it was chosen by: the judge, or else the references; ``None`` likewise.
        n_items: items that were asked about.
        n_references: items with a reference.
        sides: the comparison side by side; ``None`` without a judge.
        interval: coverage of intervals.
        signature: of prompts, items, parameters, matching and judge.
        created: when it was made.
    """

    source: str
    cells: tuple[CellSummary, ...]
    best: int | None
    basis: Basis | None
    n_items: int
    n_references: int
    sides: SidesSummary | None
    interval: float
    signature: Signature
    created: datetime

    def __repr__(self) -> str:
        best = "" if self.best is None else f", best={self.cells[self.best].name!r}"
        return f"MatrixSummary(source={self.source!r}, cells={len(self.cells)}, items={self.n_items:,}{best})"

    @property
    def not_told_apart(self) -> tuple[CellSummary, ...]:
        """Cells that answered and whose difference to the best one may be chance."""
        if self.best is None:
            return ()
        others = [place for place, cell in enumerate(self.cells) if place != self.best and not cell.down]
        return tuple(self.cells[place] for place in others if not self._is_told_apart(place))

    def n_shared(self, place: int) -> int:
        """Count the items that a cell, by its number from 0, shares with the best one."""
        if self.basis == "judge":
            return 0 if self.sides is None else self.sides.n_with_best(place)
        below = self.cells[place].below_best
        return 0 if below is None else below.n

    def _is_told_apart(self, place: int) -> bool:
        if self.basis == "judge":
            return self.sides is not None and self.sides.is_told_apart(place)
        below = self.cells[place].below_best
        return below is not None and below.high < 0 and below.n >= FEWEST_CLUSTERS

    def record(self) -> dict[str, Any]:
        """Lay all figures out by name, for JSON."""
        return {
            "instrument": "drift matrix",
            "source": self.source,
            "created": self.created,
            "n_items": self.n_items,
            "n_references": self.n_references,
            "interval": self.interval,
            "best": None if self.best is None else self.cells[self.best].name,
            "basis": self.basis,
            "not_told_apart": [cell.name for cell in self.not_told_apart],
            "cells": self.cells,
            "side_by_side": None if self.sides is None else self.sides.record(),
            "signature": self.signature,
        }
