"""Differences of a table's columns in pairs, each with an interval and a test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.stats.survey.column_letters import column_letters
from semscale.stats.survey.differences import group_differences
from semscale.stats.survey.estimates import SurveyEstimates
from semscale.stats.testing.multiple_testing import CorrectionName
from semscale.tabulation.asked.question import Line
from semscale.tabulation.tables.figures import with_spread_at_the_ends
from semscale.types import Floats, Integers, Mask

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class ColumnDifferences:
    """Differences of v lines between pairs of columns, first minus second, of shape (v, pairs).

    Attributes:
        first: shape (pairs,), place of each pair's first column in the table; the total has place 0.
        second: shape (pairs,), place of its second column, to the right of the first.
        values: the differences; NaN where one side has nobody.
        low: lower ends of t intervals, which are not adjusted for the number of pairs.
        high: upper ends.
        p_values: of two-sided t tests; NaN where a base is too small to test.
        adjusted: p-values adjusted within the table; the letters of the table follow from them.
    """

    first: Integers
    second: Integers
    values: Floats
    low: Floats
    high: Floats
    p_values: Floats
    adjusted: Floats


def compared_columns(
    groups: SurveyEstimates,
    lines: tuple[Line, ...],
    small: Mask,
    *,
    level: float,
    correction: CorrectionName | None,
) -> tuple[ColumnDifferences, "npt.NDArray[np.object_]"]:
    """Compare each two groups of a banner.

    Args:
        groups: estimates of v lines in g groups.
        lines: what the v lines are.
        small: shape (v, g), whether too few respondents stand behind a cell to test it.
        level: coverage of intervals; letters are held at 1 minus it.
        correction: for the number of tests in the table; ``None`` for none.

    Returns:
        The differences, and the letters of shape (v, g) of the columns that a cell lies significantly above.
    """
    found = group_differences(with_spread_at_the_ends(groups, lines))
    tested = ~small[:, found.first] & ~small[:, found.second]
    low, high = found.interval(level)
    differences = ColumnDifferences(
        first=found.first + 1,  # the total stands before the groups
        second=found.second + 1,
        values=found.values,
        low=low,
        high=high,
        p_values=np.where(tested, found.p_values, np.nan),
        adjusted=found.adjusted_p_values(correction, tested),
    )
    letters = column_letters(found, tested=~small, alpha=1 - level, correction=correction)
    return differences, letters
