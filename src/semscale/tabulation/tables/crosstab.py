"""A table: one question by one banner."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.stats.survey.association import Association
from semscale.stats.survey.column_letters import letter
from semscale.tabulation.asked.banner import Banner
from semscale.tabulation.asked.question import Question
from semscale.tabulation.tables.column_differences import ColumnDifferences
from semscale.tabulation.tables.figures import CellFigures
from semscale.types import Floats, Mask


@dataclass(frozen=True, eq=False)
class WaveChanges:
    """Differences to the wave before, of shape (v, c); NaN where there is no wave before.

    Attributes:
        values: this wave less the one before.
        low: lower ends of the intervals.
        high: upper ends.
        p_values: of two-sided t tests; NaN where a base is too small to test.
        adjusted: p-values adjusted within the table.
        small: whether a base, now or before, is too small to test.
    """

    values: Floats
    low: Floats
    high: Floats
    p_values: Floats
    adjusted: Floats
    small: Mask


@dataclass(frozen=True, eq=False)
class Crosstab:
    """A question by a banner; the first column is everybody, the others are the banner's groups.

    Attributes:
        question: its v lines are the rows.
        banner: its g groups are the columns after the first.
        cells: figures of shape (v, 1 + g).
        deviations: standard deviation of the line with the mean, shape (1 + g,); NaN for choices.
        letters: shape (v, 1 + g), letters of the columns that a cell lies significantly above.
        differences: between the columns after the first, each with each.
        small: shape (v, 1 + g), whether too few respondents stand behind a cell to test it.
        n_ungrouped: respondents of the total who are in no column.
        association: chi-square test of question and banner; ``None`` where there is none.
        changes: since the wave before; ``None`` without waves.
        wave: the wave that the figures are of; empty where all respondents count.
        before: the wave that it is compared with, likewise.
    """

    question: Question
    banner: Banner
    cells: CellFigures
    deviations: Floats
    letters: npt.NDArray[np.object_]
    differences: ColumnDifferences
    small: Mask
    n_ungrouped: int
    association: Association | None
    changes: WaveChanges | None = None
    wave: str = ""
    before: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("Total", *self.banner.groups)

    @property
    def column_letters(self) -> tuple[str, ...]:
        """Letter of each column, A for the first group; the total has none."""
        return ("", *(letter(place) for place in range(len(self.banner.groups))))

    @property
    def bases(self) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
        """Respondents with an answer in each column, their weights, and their effective number."""
        most = np.argmax(self.cells.n, axis=0), np.arange(self.cells.n.shape[1])
        return self.cells.n[most], self.cells.weight[most], self.cells.effective_n[most]

    @property
    def is_small(self) -> Mask:
        """Whether a column's base is too small, shape (1 + g,)."""
        return np.asarray(self.small.all(axis=0))
