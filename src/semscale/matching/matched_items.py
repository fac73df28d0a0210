"""Single items of a match with all that is known of them, as reports and JSON show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from semscale.guards.findings import Finding
from semscale.types import Floats, Integers, Status, Statuses

_EXAMPLES = 3  # rows of each status
_FEWEST = 6  # items that are cut into thirds


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
class ItemColumns:
    """Columns of n items, from which single items are taken; empty columns are not known.

    Attributes:
        score: shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``.
        reference: shape (n,), which of its references the score is from; -1 where none.
        components: what the score is made of, by name, each of shape (n,).
        findings: what the guards found in every item; empty where no guard looked.
        predictions: n cells.
        references: n cells, each a text or a list of texts.
        groups: n names of groups, ``None`` where one is missing.
        tokens: tables of tokens, by row.
    """

    score: Floats
    status: Statuses
    reference: Integers
    components: Mapping[str, Floats]
    findings: Sequence[tuple[Finding, ...]] = ()
    predictions: Sequence[object] = ()
    references: Sequence[object] = ()
    groups: Sequence[str | None] = ()
    tokens: Mapping[int, pl.DataFrame] = field(default_factory=dict)

    def lowest(self, n: int) -> tuple[MatchedItem, ...]:
        """Give the items with the lowest scores, the lowest first, n at most."""
        return tuple(map(self._item, lowest_rows(self.score, n).tolist()))

    def flagged(self, n: int) -> tuple[MatchedItem, ...]:
        """Give the items with findings, the highest score first: they look alike and yet differ."""
        rows = np.array([row for row, found in enumerate(self.findings) if found], np.int64)
        return tuple(map(self._item, rows[np.argsort(-self.score[rows], kind="stable")][:n].tolist()))

    def left_out(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """Give up to three rows of each status without a score, with the prediction or else a reference."""
        without = set(self.status.tolist()) - {Status.SCORED}
        return {str(status): tuple(islice(self._examples(status), _EXAMPLES)) for status in without}

    def _item(self, row: int) -> MatchedItem:
        references = _listed(self.references[row]) if self.references else []
        return MatchedItem(
            row=row,
            score=float(self.score[row]),
            prediction=str(self.predictions[row]) if self.predictions else None,
            reference=str(references[self.reference[row]]) if references else None,
            group=self.groups[row] if self.groups else None,
            components={name: float(values[row]) for name, values in self.components.items()},
            findings=self.findings[row] if self.findings else None,
            tokens=self.tokens.get(row),
        )

    def _examples(self, status: Status) -> Iterator[tuple[int, str]]:
        for row in np.flatnonzero(self.status == status).tolist():
            cells = [self.predictions[row]] if self.predictions else []
            cells += _listed(self.references[row]) if self.references else []
            shown = next((str(cell) for cell in cells if cell is not None and str(cell).strip()), None)
            if shown is not None:
                yield row, shown


def lowest_rows(score: Floats, n: int) -> Integers:
    """Give the rows with the lowest scores, the lowest first, n at most.

    Example:
        >>> lowest_rows(np.array([0.5, np.nan, 0.1]), 5).tolist()
        [2, 0]
    """
    rows = np.flatnonzero(~np.isnan(score))
    return rows[np.argsort(score[rows], kind="stable")][:n]


def thirds(score: Floats, components: Mapping[str, Floats]) -> dict[str, tuple[float, float, float]]:
    """Give the mean score, and the mean of each component, in the lowest, middle and highest third of items.

    Args:
        score: shape (n,); NaN where there is none.
        components: by name, each of shape (n,).

    Returns:
        Empty without components, and with fewer than 6 scores.

    Example:
        >>> scores = np.array([0.6, 0.1, 0.2, 0.3, 0.4, 0.5])
        >>> [tuple(np.round(means, 2).tolist()) for means in thirds(scores, {"word": 1 - scores}).values()]
        [(0.15, 0.35, 0.55), (0.85, 0.65, 0.45)]
    """
    rows = lowest_rows(score, len(score))
    if not components or len(rows) < _FEWEST:
        return {}
    low, middle, high = np.array_split(rows, 3)
    return {
        name: (float(values[low].mean()), float(values[middle].mean()), float(values[high].mean()))
        for name, values in {"score": score, **components}.items()
    }


def scores_by_group(score: Floats, groups: Sequence[str | None]) -> dict[str, Floats]:
    """Take the scores of each named group together, in order of first appearance.

    Args:
        score: shape (n,); NaN where there is none, and such items are left out.
        groups: n names; items without one are left out.

    Example:
        >>> found = scores_by_group(np.array([0.5, np.nan, 0.1, 0.2]), ["b", "b", "a", None])
        >>> {name: scores.tolist() for name, scores in found.items()}
        {'b': [0.5], 'a': [0.1]}
    """
    table = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String), "score": score})
    known = table.filter(pl.col("group").is_not_null() & pl.col("score").is_not_nan())
    parts = known.group_by("group", maintain_order=True)
    return {str(name): part["score"].to_numpy() for (name,), part in parts}


def _listed(cell: object) -> list[object]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return list(cell) if listed else [cell]  # type: ignore[call-overload]
