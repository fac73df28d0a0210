"""Letters of a crosstab: which columns a column lies significantly above."""

from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey.differences import GroupDifferences
from semscale.stats.testing.multiple_testing import CorrectionName
from semscale.types import Mask


def letter(place: int) -> str:
    """Name a column as spreadsheets do: A to Z, then AA, AB and so on.

    Example:
        >>> letter(0), letter(25), letter(26)
        ('A', 'Z', 'AA')
    """
    name = ""
    place += 1
    while place:
        place, last = divmod(place - 1, len(ascii_uppercase))
        name = ascii_uppercase[last] + name
    return name


def column_letters(
    differences: GroupDifferences,
    *,
    tested: Mask,
    alpha: float = 0.05,
    correction: CorrectionName | None = "holm",
) -> npt.NDArray[np.object_]:
    """Give each cell of a crosstab the letters of the columns that it lies significantly above.

    Args:
        differences: between the columns of the crosstab, what ``group_differences`` gives.
        tested: shape (v, g), whether a cell takes part; ``False`` for a base that is too small. Such a cell
            has no letters, its letter stands nowhere, and it does not count among the tests.
        alpha: the level of the tests, between 0 and 1.
        correction: for the number of tests in the table; ``None`` for none.

    Returns:
        Shape (v, g), the letters in order, separated by blanks; "" for none.

    Raises:
        InputError: ``alpha`` out of range, or ``tested`` of another shape.
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, got {alpha}")
    first, second = differences.first, differences.second
    groups = int(second.max()) + 1 if len(second) else np.shape(tested)[1]
    if np.shape(tested) != (len(differences.values), groups):
        raise InputError(
            f"tested must have shape {(len(differences.values), groups)}, got {np.shape(tested)}"
        )
    pairs = tested[:, first] & tested[:, second]
    significant = differences.adjusted_p_values(correction, pairs) <= alpha
    above = np.zeros((*np.shape(tested), groups), dtype=bool)
    above[:, first, second] = significant & (differences.values > 0)
    above[:, second, first] = significant & (differences.values < 0)
    names = [letter(place) for place in range(groups)]
    letters = np.empty(np.shape(tested), dtype=object)
    for row, column in np.ndindex(*np.shape(tested)):
        letters[row, column] = " ".join(names[other] for other in np.flatnonzero(above[row, column]))
    return letters
