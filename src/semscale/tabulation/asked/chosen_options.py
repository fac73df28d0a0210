"""Options of a multiple choice: which respondents chose which, and who was asked at all."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.types import Floats

NOT_CHOSEN = frozenset({
    "0", "no", "n", "false", "not selected", "not chosen", "not mentioned", "unchecked", "unselected",
    "nein", "nicht genannt", "nicht gewählt", "non", "non coché",
})  # fmt: skip
"""What cells say where an option was not chosen, in lower case."""
_YES, _NO = "1", "2"


@dataclass(frozen=True, eq=False)
class ChosenOptions:
    """What respondents chose.

    Attributes:
        marks: shape (n, k), 1 where an option was chosen, 0 where not, NaN where that is not known.
        said: how the cells were read.
    """

    marks: Floats
    said: str


def chosen_options(cells: Mapping[str, pl.Series]) -> ChosenOptions:
    """Read the options of a multiple choice.

    A cell such as ``0``, ``no`` or ``not selected`` says that an option was not chosen, any other value that
    it was; where a column has 1 and 2 alone, 2 says no. Where no column says no, an empty cell does so for
    respondents who chose another option, and a respondent without any is missing: whether the question was
    asked is not known. Where columns say no, an empty cell is missing.

    Args:
        cells: of each option, n names of values or nulls.

    Example:
        >>> found = chosen_options({"a": pl.Series(["x", None, None]), "b": pl.Series([None, "y", None])})
        >>> found.marks.tolist()
        [[1.0, 0.0], [0.0, 1.0], [nan, nan]]
    """
    columns = [_marks(one) for one in cells.values()]
    marks: Floats = np.column_stack(columns)
    if np.any(marks == 0):
        return ChosenOptions(marks, "an empty cell is missing")
    nobody = np.all(np.isnan(marks), axis=1)
    marks = np.where(np.isnan(marks) & ~nobody.reshape(-1, 1), 0.0, marks)
    return ChosenOptions(
        marks, "respondents without any answer are missing, as an empty cell says only that it was not chosen"
    )


def _marks(cells: pl.Series) -> Floats:
    names = cells.str.strip_chars().str.to_lowercase().replace("", None)
    no = NOT_CHOSEN | ({_NO} if set(names.drop_nulls().unique()) == {_YES, _NO} else set())
    chosen = ~names.is_in(list(no))
    return chosen.cast(pl.Float64).to_numpy().astype(np.float64)
