"""Labels of answers, right or wrong: how they are read, counted, and how many P(correct) needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from semscale.errors import RowError
from semscale.messages import unknown_name
from semscale.stats.calibration.ensembles import FEWEST_OF_EACH, FEWEST_TUNING
from semscale.store.columns import as_list, is_missing
from semscale.types import Floats, Mask

EnsembleName = Literal["none", "mean", "tuned"]
"""What P(correct) is of: the first measure, the plain mean of all, or their mean with tuned weights."""
FEWEST_LABELS = 20
"""Labelled answers, right and wrong together, that a curve is fitted to."""

_RIGHT = frozenset({"1", "1.0", "true", "yes", "right", "correct"})
_WRONG = frozenset({"0", "0.0", "false", "no", "wrong", "incorrect"})


@dataclass(frozen=True)
class LabelCounts:
    """How many answers are labelled right, and how many wrong.

    Example:
        >>> str(LabelCounts.of(np.array([1.0, 0.0, np.nan, 1.0])))
        '2 right and 1 wrong'
    """

    right: int
    wrong: int

    @classmethod
    def of(cls, labels: Floats) -> Self:
        """Count labels as ``read_labels`` gives them, shape (n,)."""
        return cls(int((labels == 1).sum()), int((labels == 0).sum()))

    @property
    def total(self) -> int:
        """Both together."""
        return self.right + self.wrong

    @property
    def are_of_both_kinds(self) -> bool:
        """Tell whether some are right and some wrong, which a curve needs."""
        return self.right > 0 and self.wrong > 0

    def added(self, other: "LabelCounts") -> "LabelCounts":
        """Count both together."""
        return LabelCounts(self.right + other.right, self.wrong + other.wrong)

    def __str__(self) -> str:
        return f"{self.right:,} right and {self.wrong:,} wrong"


@dataclass(frozen=True)
class FewestLabels:
    """How many labels P(correct) needs.

    Tuned weights need 40 labels and 5 of each kind, one for each fold. One half of all labels tunes them, and
    the other half promises, so that all have to be twice as many.

    Attributes:
        total: right and wrong together.
        of_each: of each kind; 0 where thresholds need only one.

    Example:
        >>> FewestLabels.for_ensemble("tuned")
        FewestLabels(total=80, of_each=10)
    """

    total: int
    of_each: int

    @classmethod
    def for_ensemble(cls, ensemble: EnsembleName) -> Self:
        """Say how many labels an ensemble needs.

        Raises:
            InputError: there is no such ensemble.
        """
        if ensemble not in {"none", "mean", "tuned"}:
            raise unknown_name("ensemble", str(ensemble), ("none", "mean", "tuned"))
        return cls(2 * FEWEST_TUNING, 2 * FEWEST_OF_EACH) if ensemble == "tuned" else cls(FEWEST_LABELS, 0)

    def are_met(self, counts: LabelCounts) -> bool:
        """Tell whether there are as many."""
        return counts.total >= self.total and min(counts.right, counts.wrong) >= self.of_each

    @property
    def kinds(self) -> str:
        """How many of them must be right, and how many wrong, in words after a number; empty for any."""
        if not self.of_each:
            return ""
        return f", {self.of_each} or more of them right and {self.of_each} or more wrong"

    @property
    def remedy(self) -> str:
        """What may be done where there are fewer, for the end of a message; empty where only labels help."""
        return "" if not self.of_each else "; label more, or take the plain mean (ensemble mean)"


@dataclass(frozen=True)
class TooFewLabels:
    """Labels of answers with a value, where they are fewer than P(correct) needs."""

    found: LabelCounts
    needed: FewestLabels


def rows_with_value(measures: Mapping[str, Floats], ensemble: EnsembleName) -> Mask:
    """Tell which items have a value of the first measure, or of any measure where an ensemble is made.

    Args:
        measures: of n items, each of shape (n,), NaN where there is none.
        ensemble: which one.
    """
    columns = np.stack(list(measures.values())[: 1 if ensemble == "none" else None])
    has_value: Mask = np.any(~np.isnan(columns), axis=0)
    return has_value


def read_labels(cells: object, first: int = 0) -> Floats:
    """Read which answers are right: 1, 0, and NaN where that is not known.

    Args:
        cells: shape (n,).
        first: place of the first of them among all items, from 0.

    Raises:
        RowError: a cell that says neither; its place is named.

    Example:
        >>> read_labels([True, "wrong", None, 1.0]).tolist()
        [1.0, 0.0, nan, 1.0]
    """
    if isinstance(cells, np.ndarray) and cells.dtype == np.float64:
        numbers: Floats = cells
        if np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all():
            return numbers
    return np.array(
        [_label(cell, place) for place, cell in enumerate(as_list(cells, "correct"), first)], np.float64
    )


def _label(cell: Any, place: int) -> float:  # noqa: ANN401 - any cell
    word = "" if is_missing(cell) else str(cell).strip().casefold()
    if not word:
        return np.nan
    if word not in _RIGHT | _WRONG:
        raise RowError(
            f"correct must be 1, true, right or correct, or 0, false, wrong or incorrect, or empty, "
            f"got {str(cell)[:40]!r} in {{row}}",
            place,
        )
    return float(word in _RIGHT)
