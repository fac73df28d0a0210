"""Matched items with their texts, scores and findings, as reports and JSON show them."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.store.columns import as_list, text_status
from semscale.types import Floats, Integers, Status, Statuses

_FEWEST = 6  # items that are cut into thirds


@dataclass(frozen=True)
class MatchedItem:
    """One item that has a score.

    Attributes:
        row: its place among all items, counted from 0.
        score: its score.
        prediction: the prediction; ``None`` where the texts are not known.
        reference: the reference that the score is from; ``None`` likewise.
        group: name of its group, if it has one.
        components: parts of the score, by name.
        findings: findings of the guards; ``None`` where none looked.
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
    """Columns of n matched items; a column is empty where it is not known.

    Attributes:
        score: shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``.
        reference: shape (n,), which of its references the score is from; -1 where none.
        windows: shape (n,), the most windows that one of the item's two texts was read in.
        components: parts of the score, by name, each of shape (n,).
        guards: names of the guards with findings in each item, n collections, ``None`` where guards did not
            look; empty without guards.
        findings: gives the findings in one item, by its place.
        predictions: n cells.
        references: n cells, each a text or a list of texts.
        groups: n names of groups, ``None`` where one is missing.
    """

    score: Floats
    status: Statuses
    reference: Integers
    windows: Integers
    components: Mapping[str, Floats]
    guards: Sequence[Collection[str] | None] = ()
    findings: Callable[[int], tuple[Finding, ...]] = lambda _: ()
    predictions: Sequence[object] = ()
    references: Sequence[object] = ()
    groups: Sequence[str | None] = ()

    def item(self, place: int, first_row: int = 0) -> MatchedItem:
        """Make one item; its row is ``first_row + place``."""
        return MatchedItem(
            row=first_row + place,
            score=float(self.score[place]),
            prediction=str(self.predictions[place]) if self.predictions else None,
            reference=self.best_reference(place),
            group=self.groups[place] if self.groups else None,
            components={name: float(values[place]) for name, values in self.components.items()},
            findings=self.findings(place) if self.guards and self.guards[place] is not None else None,
        )

    def best_reference(self, place: int) -> str | None:
        """Give the reference that an item's score is from; ``None`` where it is not known."""
        if not self.references or self.reference[place] < 0:
            return None
        return str(_listed(self.references[place])[self.reference[place]])

    def texts(self, place: int) -> tuple[str, str]:
        """Give an item's prediction, and the reference that its score is from or else its first one.

        Each is an empty text where there is none.
        """
        given = _listed(self.references[place])
        first = next((cell for cell in given if text_status(cell) is Status.SCORED), "")
        prediction = self.predictions[place]
        ours = prediction if text_status(prediction) is Status.SCORED else ""
        return str(ours), self.best_reference(place) or str(first)

    def text(self, place: int) -> object:
        """Give an item's prediction, or else a reference; ``None`` where neither holds anything."""
        cells = [self.predictions[place]] if self.predictions else []
        cells += _listed(self.references[place]) if self.references else []
        return next((cell for cell in cells if cell is not None and str(cell).strip()), None)


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
        Empty without components, and with fewer than 6 scores; without a component that a whole third lacks.

    Example:
        >>> scores = np.array([0.6, 0.1, 0.2, 0.3, 0.4, 0.5])
        >>> [tuple(np.round(means, 2).tolist()) for means in thirds(scores, {"word": 1 - scores}).values()]
        [(0.15, 0.35, 0.55), (0.85, 0.65, 0.45)]
    """
    rows = lowest_rows(score, len(score))
    if not components or len(rows) < _FEWEST:
        return {}
    low, middle, high = np.array_split(rows, 3)
    means = {
        name: (_mean_known(values[low]), _mean_known(values[middle]), _mean_known(values[high]))
        for name, values in {"score": score, **components}.items()
    }
    return {name: own for name, own in means.items() if not any(map(math.isnan, own))}


def _mean_known(values: Floats) -> float:
    """Average the values that are known; NaN where none is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def scores_by_group(score: Floats, groups: Sequence[str | None]) -> dict[str | None, Floats]:
    """Take the scores of each group together, in order of first appearance.

    Args:
        score: shape (n,); NaN where there is none, and such items are left out.
        groups: n names; items without one form the group ``None``.

    Example:
        >>> found = scores_by_group(np.array([0.5, np.nan, 0.1, 0.2]), ["b", "b", "a", None])
        >>> {name: scores.tolist() for name, scores in found.items()}
        {'b': [0.5], 'a': [0.1], None: [0.2]}
    """
    table = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String), "score": score})
    known = table.filter(pl.col("score").is_not_nan())
    parts = known.group_by("group", maintain_order=True)
    return {name: part["score"].to_numpy() for (name,), part in parts}


def shown_cells(column: object, name: str, n: int) -> list[Any]:
    """List the cells of a column whose texts are shown beside their scores.

    Args:
        column: shape (n,), or ``None`` where the texts are not known.
        name: the column's name, for messages.
        n: how many items there are.

    Returns:
        Shape (n,), or empty for ``None``.

    Raises:
        InputError: another length.
    """
    cells = [] if column is None else as_list(column, name)
    if column is not None and len(cells) != n:
        raise InputError(f"{name} must have {n} rows, as many as there are matches, got {len(cells)}")
    return cells


def _listed(cell: object) -> list[object]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return list(cell) if listed else [cell]  # type: ignore[call-overload]
