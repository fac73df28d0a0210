"""Options of a multiple choice: which respondents chose which, and who was asked at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.tabulation.asked.likely_codes import likely_codes
from semscale.tabulation.asked.question_columns import as_number
from semscale.types import Floats

NOT_CHOSEN = frozenset({
    "0", "no", "n", "false", "not selected", "not chosen", "not mentioned", "unchecked", "unselected",
    "nein", "nicht genannt", "nicht gewählt", "non", "non coché",
})  # fmt: skip
"""What cells say where an option was not chosen, in lower case."""
_YES, _NO = "1", "2"
_FEWEST_RANKED = 3


@dataclass(frozen=True, eq=False)
class ChosenOptions:
    """What respondents chose.

    Attributes:
        marks: shape (n, k), 1 where an option was chosen, 0 where not, NaN where that is not known.
        said: how the cells were read.
    """

    marks: Floats
    said: str


def chosen_options(
    cells: Mapping[str, pl.Series], *, whole: Mapping[str, pl.Series] | None = None, question: str = ""
) -> ChosenOptions:
    """Read the options of a multiple choice.

    A cell such as ``0``, ``no`` or ``not selected`` says that an option was not chosen, any other value that
    it was. Where a column of the question has 1 and 2 alone, 2 says no in all its columns of 1 and 2. Where
    no column says no, an empty cell does so for respondents who chose another option, and a respondent
    without any is missing: whether the question was asked is not known. Where columns say no, an empty cell
    is missing.

    Args:
        cells: of each option, n names of values or nulls.
        whole: of each option, all values that its column has in the whole table, also in rows that are not
            among ``cells``; these say how the cells are to be read. The cells themselves unless given.
        question: its name in messages.

    Raises:
        InputError: all columns have only 1 or only 2, so that nothing tells whether 2 says no, or rows have
            them as ranks: at most one 1 and one 2 in three or more columns, and the rest is empty.

    Example:
        >>> found = chosen_options({"a": pl.Series(["x", None, None]), "b": pl.Series([None, "y", None])})
        >>> found.marks.tolist()
        [[1.0, 0.0], [0.0, 1.0], [nan, nan]]
    """
    values = {name: _values(one) for name, one in (cells if whole is None else whole).items()}
    two_says_no = _columns_of_one_and_two(values, question)
    if two_says_no:
        _refuse_ranks(cells, question)
    saying_no = {name: NOT_CHOSEN | ({_NO} if name in two_says_no else set()) for name in cells}
    marks: Floats = np.column_stack([_marks(one, saying_no[name]) for name, one in cells.items()])
    if any(values[name] & saying_no[name] for name in cells):
        said = "2 says that an option was not chosen; " if two_says_no else ""
        return ChosenOptions(marks, f"{said}an empty cell is missing")
    nobody = np.all(np.isnan(marks), axis=1)
    marks = np.where(np.isnan(marks) & ~nobody.reshape(-1, 1), 0.0, marks)
    return ChosenOptions(
        marks, "respondents without any answer are missing, as an empty cell says only that it was not chosen"
    )


def mentioned_codes(mentions: Sequence[pl.Series], codes: Sequence[str]) -> Floats:
    """Tell which codes each respondent named in any of several columns, such as first, second and third.

    Args:
        mentions: of each column, n codes or nulls.
        codes: the k codes, each once.

    Returns:
        Shape (n, k), 1 where a code was named, 0 where others were alone; NaN without any mention.

    Example:
        >>> first, second = pl.Series(["1", "3", None]), pl.Series(["2", None, None])
        >>> mentioned_codes([first, second], ["1", "2", "3"]).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [nan, nan, nan]]
    """
    places = {code: place for place, code in enumerate(codes)}
    n, k = len(mentions[0]), len(codes)
    marks = np.zeros((n, k + 1))
    for one in mentions:
        found = one.replace_strict(places, default=k, return_dtype=pl.Int64).fill_null(k).to_numpy()
        marks[np.arange(n), found] = 1.0
    named = marks[:, :k]
    named[~named.any(axis=1)] = np.nan
    return named


def _columns_of_one_and_two(values: Mapping[str, set[str]], question: str) -> set[str]:
    """Name the columns of a question in which 2 says no.

    Customary codes for no answer, such as 9, tell nothing.
    """
    codes = _codes(set().union(*values.values()))
    left = {name: found - codes for name, found in values.items()}
    plain = {name for name, found in left.items() if found and found <= {_YES, _NO}}
    if any(left[name] == {_YES, _NO} for name in plain):
        return plain
    alone = [name for name in left if left[name] == {_NO}]
    if alone and plain == {name for name, found in left.items() if found}:
        named = ", ".join(f"'{name}'" for name in alone)
        raise InputError(
            f"question: '{question}' has the value 2 alone in {named}, and no column with both 1 and 2, so "
            "that nothing tells whether 2 stands for chosen: name it in a column of its own "
            f'(--group "{alone[0]}=no:2", or yes:2), and list that one as an option'
        )
    return set()


def _refuse_ranks(cells: Mapping[str, pl.Series], question: str) -> None:
    """Refuse columns in which 1 and 2 look like a first and a second choice, for which 2 does not say no."""
    plain = np.array([_plain(one).fill_null("").to_list() for one in cells.values()])
    firsts, seconds = (plain == _YES).sum(axis=0), (plain == _NO).sum(axis=0)
    is_once = bool(np.all(firsts <= 1) and np.all(seconds <= 1) and np.any(firsts & seconds))
    if len(cells) < _FEWEST_RANKED or not is_once or not np.isin(plain, ["", _YES, _NO]).all():
        return
    first, *_ = cells
    raise InputError(
        f"question: '{question}' has at most one 1 and one 2 in each row of its {len(cells)} columns, as "
        "ranks have, so that nothing tells whether 2 stands for chosen: group each and list the groups as "
        f'options (--group "{first}=yes:1;no:2" if 2 says no, "{first}=yes:1,2" for ranks); if 1 and 2 are '
        f'codes of one list, put the columns together (--question "Name={"+".join(cells)}")'
    )


def _codes(values: set[str]) -> set[str]:
    """Find the values that look like codes for a missing answer."""
    numbers = {as_number(value): value for value in values}
    known = sorted(number for number in numbers if not np.isnan(number))
    return {numbers[code] for code in likely_codes(known)}


def _values(cells: pl.Series) -> set[str]:
    return set(_plain(cells).drop_nulls().unique().to_list())


def _plain(cells: pl.Series) -> pl.Series:
    return cells.str.strip_chars().str.to_lowercase().replace("", None)


def _marks(cells: pl.Series, saying_no: frozenset[str]) -> Floats:
    chosen = ~_plain(cells).is_in(list(saying_no))
    return chosen.cast(pl.Float64).to_numpy().astype(np.float64)
