"""Single items of a match with all that is known of them, as reports and JSON show them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from semscale.guards.findings import Finding
from semscale.types import Integers, Status

if TYPE_CHECKING:
    from semscale.matching.matches import Matches

_EXAMPLES = 3


@dataclass(frozen=True)
class MatchedItem:
    """One item that has a score.

    Attributes:
        row: its place among all items, counted from 0.
        score: its score.
        prediction: what was said; ``None`` where the texts are not known.
        reference: the reference that the score is from; ``None`` likewise.
        group: name of its group, if it has one.
        components: what the score is made of, by name.
        findings: what the guards found; ``None`` where no guard looked.
        tokens: its tokens as ``semscale.matching.methods.Explains`` lays them out, where they were asked for.
    """

    row: int
    score: float
    prediction: str | None
    reference: str | None
    group: str | None
    components: Mapping[str, float]
    findings: tuple[Finding, ...] | None
    tokens: pl.DataFrame | None = None

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON, where rows count from 1."""
        tokens = None if self.tokens is None else self.tokens.to_dicts()
        return {**vars(self), "row": self.row + 1, "tokens": tokens}


@dataclass(frozen=True)
class ItemTexts:
    """What is known of n items beside their scores; empty columns are not known.

    Attributes:
        predictions: n cells.
        references: n cells, each a text or a list of texts.
        groups: n names of groups, ``None`` where one is missing.
        tokens: tables of tokens, by row.
    """

    predictions: Sequence[object] = ()
    references: Sequence[object] = ()
    groups: Sequence[str | None] = ()
    tokens: Mapping[int, pl.DataFrame] = field(default_factory=dict)

    def items(self, matches: "Matches", rows: Iterable[int]) -> tuple[MatchedItem, ...]:
        """Bring together what is known of some rows, all of which have a score."""
        return tuple(self._item(matches, int(row)) for row in rows)

    def left_out(self, matches: "Matches") -> dict[str, tuple[tuple[int, str], ...]]:
        """Give up to three rows of each status without a score, with the prediction or else a reference."""
        without = {status for status in matches.counts if status != Status.SCORED}
        return {str(status): tuple(islice(self._examples(matches, status), _EXAMPLES)) for status in without}

    def _item(self, matches: "Matches", row: int) -> MatchedItem:
        references = _listed(self.references[row]) if self.references else []
        return MatchedItem(
            row=row,
            score=float(matches.score[row]),
            prediction=str(self.predictions[row]) if self.predictions else None,
            reference=str(references[matches.reference[row]]) if references else None,
            group=self.groups[row] if self.groups else None,
            components={name: float(values[row]) for name, values in matches.components.items()},
            findings=matches.findings[row] if matches.findings else None,
            tokens=self.tokens.get(row),
        )

    def _examples(self, matches: "Matches", status: Status) -> Iterator[tuple[int, str]]:
        for row in np.flatnonzero(matches.status == status).tolist():
            cells = [self.predictions[row]] if self.predictions else []
            cells += _listed(self.references[row]) if self.references else []
            shown = next((str(cell) for cell in cells if cell is not None and str(cell).strip()), None)
            if shown is not None:
                yield row, shown


def lowest_rows(matches: "Matches", n: int) -> Integers:
    """Give the rows with the lowest scores, the lowest first, n at most."""
    rows = np.flatnonzero(matches.scored)
    return rows[np.argsort(matches.score[rows], kind="stable")][:n]


def flagged_rows(matches: "Matches") -> Integers:
    """Give the rows with findings, the highest score first: they look alike although something differs."""
    rows = np.array([row for row, found in enumerate(matches.findings) if found], np.int64)
    return rows[np.argsort(-matches.score[rows], kind="stable")]


def _listed(cell: object) -> list[object]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return list(cell) if listed else [cell]  # type: ignore[call-overload]
