"""Reading of cells as answers: points of a scale, codes for no answer, options, mentions and grid items.

Cells are read as names: 3 and 3.0 are both ``"3"``. Labels are looked up by these names.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.columns import groups_in, numbers_among
from semscale.store.missing_codes import code_key, looks_like_code, missing_keys
from semscale.store.table import ColumnLabels
from semscale.types import Floats

MAX_ANSWERS = 50
"""Greatest number of answers of a choice that get a line in a table."""

# Points of a scale.
_MOST_SPAN = 11
_NAMED = 3

# Codes for no answer, such as 9, 99 and -1.
_SIZES = (*range(7, 10), 77, 88, *range(96, 100), 777, 888, *range(996, 1000), *range(9996, 10000))
_CUSTOMARY = frozenset(map(float, (*_SIZES, *(-size for size in _SIZES), *range(-6, 0))))
_GAP = 2.0
_PARTS = re.compile(r"\s*(?:[/,()]|\bor\b)\s*")
_ANSWERS = frozenset({"none", "nil", "null"})  # points of a scale such as "none, some, all"

# Options of a multiple choice: lower-case cells that mean that an option was not chosen.
_NOT_CHOSEN = frozenset({
    "0", "no", "n", "false", "not selected", "not chosen", "not mentioned", "unchecked", "unselected",
    "nein", "nicht genannt", "nicht gewählt", "non", "non coché",
})  # fmt: skip
_YES, _NO = "1", "2"
_FEWEST_RANKED = 3

# Items of a grid.
_FEWEST_ANSWERS = 2
_FEWEST_POINTS = 3


def points_in(numbers: Floats, labels: Mapping[str, str]) -> list[float]:
    """Return the points of a scale: labelled values, and whole numbers from the least to the greatest.

    Args:
        numbers: shape (n,), answers; NaN for none.
        labels: of values.

    Returns:
        The points, ascending.

    Examples:
        >>> points_in(np.array([1, 2, 4, np.nan]), {})
        [1.0, 2.0, 3.0, 4.0]
    """
    values, has_labels = points_in_data(numbers, labels)
    low, high = values[0], values[-1]
    if not has_labels and all(value.is_integer() for value in values) and high - low < _MOST_SPAN:
        return [*map(float, np.arange(low, high + 1))]
    return values


def points_in_data(numbers: Floats, labels: Mapping[str, str]) -> tuple[list[float], bool]:
    """Return the values that occur or have a label, ascending, and whether any has a label."""
    labelled = [value for value in map(as_number, labels) if not np.isnan(value)]
    return sorted({*np.unique(numbers[~np.isnan(numbers)]).tolist(), *labelled}), bool(labelled)


def point_name(value: float, labels: Mapping[str, str]) -> str:
    """Name a point by its value and its label."""
    return f"{value:g} {labels.get(f'{value:g}', '')}".strip()


def on_scale(cells: pl.Series, points: Mapping[str, str], question: str) -> pl.Series:
    """Read answers as points of a named scale: by their values, or by the labels of the points.

    A point "neither agree nor disagree" may be called "neutral", as survey tools use both.

    Args:
        cells: n numbers or labels; missing and blank ones are no answer.
        points: labels of the points.
        question: its name in messages.

    Returns:
        n values of points.

    Raises:
        InputError: an answer that is none of the points.

    Examples:
        >>> on_scale(pl.Series(["Good", "bad ", None, "1"]), {"1": "bad", "2": "good"}, "q").to_list()
        [2.0, 1.0, None, 1.0]
    """
    by_label = {code_key(label): float(value) for value, label in points.items()}
    neither = [value for label, value in by_label.items() if label.startswith("neither ")]
    if len(neither) == 1:
        by_label.setdefault("neutral", neither[0])
    values = {*map(float, points)}
    names = groups_in(cells)
    numbers = dict(zip(names.to_list(), numbers_among(cells).to_list(), strict=True))
    points_of_names: dict[str, float] = {}
    unknown = []
    for name, number in numbers.items():
        if name is None or not name.strip():
            continue
        value = by_label.get(code_key(name), number)
        if value in values:
            points_of_names[name] = value
        else:
            unknown.append(name)
    if unknown:
        listed = ", ".join(f"'{name:.40}'" for name in unknown[:_NAMED])
        more = f" and {len(unknown) - _NAMED:,} more" if len(unknown) > _NAMED else ""
        first, *_, last = (point_name(float(value), points) for value in points)
        raise InputError(
            "scale",
            f": question '{question}' has answers outside its scale ({first} to "
            f"{last}): {listed}{more}; name codes for no answer with `missing`, name a scale with these "
            "labels, or leave its `scale` out",
        )
    return names.replace_strict(points_of_names, default=None, return_dtype=pl.Float64)


def likely_codes(
    values: Sequence[float], labels: Mapping[str, str] | None = None, *, gap: float = _GAP
) -> list[float]:
    """Find values that look like codes for a missing answer.

    Such a value has a matching label ("don't know", "refused"), or is a customary code (9, 99, -1) at a
    distance from most values.

    Args:
        values: values that occur or have labels, ascending.
        labels: of values.
        gap: least distance of such a code from the other values.

    Examples:
        >>> likely_codes([1, 2, 3, 4, 5, 9]), likely_codes([1, 2, 3], {"3": "Don't know"})
        ([9], [3])
    """
    labelled = [value for value in values if _is_no_answer((labels or {}).get(f"{value:g}", ""))]
    rest = [value for value in values if value not in labelled]
    apart = {*_values_apart(rest, gap), *_values_apart([-value for value in reversed(rest)], gap, sign=-1)}
    return [value for value in values if value in labelled or value in apart]


def _values_apart(values: Sequence[float], gap: float, *, sign: int = 1) -> list[float]:
    """Return customary codes above a gap; there must be fewer of them than values below the gap."""
    for start in range(1, len(values)):
        if values[start] - values[start - 1] < gap or len(values) - start >= start:
            continue
        above = [sign * value for value in values[start:]]
        if _CUSTOMARY.issuperset(above):
            return above
    return []


def _is_no_answer(label: str) -> bool:
    parts = {part.lstrip("0123456789 .:-") for part in (label, *_PARTS.split(label))} - {""}
    return any(looks_like_code(part) and code_key(part) not in _ANSWERS for part in parts)


def without_codes(
    cells: pl.Series, labels: ColumnLabels, codes: Sequence[str]
) -> tuple[pl.Series, ColumnLabels]:
    """Replace cells with a code by null, and declare the code missing in the labels.

    Args:
        cells: n values.
        labels: known about the column.
        codes: values or their labels, such as ``9`` or ``refused``, in upper or lower case.

    Returns:
        The cells, and the labels.

    Raises:
        InputError: a code is blank.

    Examples:
        >>> without_codes(pl.Series([1, 9, 2]), ColumnLabels(), ["9"])[0].to_list()
        [1, None, 2]
    """
    keys = missing_keys(codes)
    names = groups_in(cells)
    coded = [value for value, label in labels.values.items() if {code_key(value), code_key(label)} & keys]
    coded += [name for name in names.drop_nulls().unique().to_list() if code_key(name) in keys]
    is_coded = names.is_in(list(dict.fromkeys(coded))).fill_null(value=False)
    # A null of the column's type keeps the type of lists and dates.
    rest = pl.select(pl.when(~is_coded).then(cells)).to_series().rename(cells.name)
    return rest, replace(labels, missing_values=[*labels.missing_values, *coded])


def read_choices(
    cells: Mapping[str, pl.Series], *, whole: Mapping[str, pl.Series] | None = None, question: str = ""
) -> tuple[Floats, str]:
    """Read the options of a multiple choice.

    A cell such as ``0``, ``no`` or ``not selected`` means that an option was not chosen; any other value
    means that it was. If a column of the question has only 1 and 2, 2 means no in all its columns of 1 and 2.
    If a column has cells that mean no, empty cells are missing. Otherwise an empty cell means no for
    respondents who chose another option; a respondent without any choice is missing, as the question may not
    have been asked.

    Args:
        cells: for each option, n names of values or nulls.
        whole: for each option, all values of its column in the whole table, including rows that are not in
            ``cells``; they determine the meaning of the cells. By default the cells themselves.
        question: its name in messages.

    Returns:
        Shape (n, k), 1 for a chosen option, 0 for one not chosen, NaN if unknown; and a note on how the cells
        were read.

    Raises:
        InputError: all columns have only 1 or only 2, so that the meaning of 2 is unknown; or 1 and 2 look
            like ranks, with at most one 1 and one 2 per row in three or more columns, and empty cells
            otherwise.

    Examples:
        >>> marks, _ = read_choices({"a": pl.Series(["x", None, None]), "b": pl.Series([None, "y", None])})
        >>> marks.tolist()
        [[1.0, 0.0], [0.0, 1.0], [nan, nan]]
    """
    values = {name: set(_distinct(column)) for name, column in (cells if whole is None else whole).items()}
    two_says_no = _columns_of_one_and_two(values, question)
    if two_says_no:
        _refuse_ranks(cells, question)
    saying_no = {name: _NOT_CHOSEN | ({_NO} if name in two_says_no else set()) for name in cells}
    marks: Floats = np.column_stack([
        (~_plain(column).is_in(list(saying_no[name]))).cast(pl.Float64).to_numpy()
        for name, column in cells.items()
    ]).astype(np.float64)  # fmt: skip
    if any(values[name] & saying_no[name] for name in cells):
        note = "2 says that an option was not chosen; " if two_says_no else ""
        return marks, f"{note}an empty cell is missing"
    has_any = ~np.isnan(marks).all(axis=1, keepdims=True)
    return (
        np.where(np.isnan(marks) & has_any, 0.0, marks),
        "respondents without any answer are missing, as an empty cell says only that it was not chosen",
    )


def _columns_of_one_and_two(values: Mapping[str, set[str]], question: str) -> set[str]:
    """Return the columns of a question in which 2 means no.

    Customary codes for no answer, such as 9, are ignored.
    """
    numbers = {as_number(value): value for value in set().union(*values.values())}
    codes = {numbers[code] for code in likely_codes(sorted(n for n in numbers if not np.isnan(n)))}
    rest = {name: column - codes for name, column in values.items()}
    plain = {name for name, column in rest.items() if column and column <= {_YES, _NO}}
    if any(rest[name] == {_YES, _NO} for name in plain):
        return plain
    alone = [name for name in rest if rest[name] == {_NO}]
    if alone and plain == {name for name, column in rest.items() if column}:
        listed = ", ".join(f"'{name}'" for name in alone)
        raise InputError(
            "question",
            f": '{question}' has the value 2 alone in {listed}, and no column with both 1 and 2, so "
            "so it is not clear whether 2 means chosen: name it in a column of its own "
            f"(`derive` \"chosen=CASE {alone[0]} WHEN 2 THEN 'no' END\", or 'yes'), and list that "
            "one as an option",
        )
    return set()


def _refuse_ranks(cells: Mapping[str, pl.Series], question: str) -> None:
    """Refuse columns in which 1 and 2 look like first and second choices, so that 2 does not mean no."""
    plain = np.array([_plain(column).fill_null("").to_list() for column in cells.values()])
    firsts, seconds = (plain == _YES).sum(axis=0), (plain == _NO).sum(axis=0)
    is_once = bool(np.all(firsts <= 1) and np.all(seconds <= 1) and np.any(firsts & seconds))
    if len(cells) < _FEWEST_RANKED or not is_once or not np.isin(plain, ["", _YES, _NO]).all():
        return
    first, *_ = cells
    raise InputError(
        "question",
        f": '{question}' has at most one 1 and one 2 in each row of its {len(cells)} columns, as "
        "ranks have, so that it is not clear whether 2 means chosen: derive a column from each and list "
        f"these as options (`derive` \"{first}_chosen=CASE {first} WHEN 1 THEN 'yes' WHEN 2 THEN 'no' END\" "
        f"if 2 says no, \"{first}_chosen=CASE WHEN {first} IN (1, 2) THEN 'yes' END\" for ranks); if 1 and 2 "
        "are "
        f'codes of one list, put the columns together (`question` "Name={"+".join(cells)}")',
    )


def mark_codes(mentions: Sequence[pl.Series], codes: Sequence[str]) -> Floats:
    """Mark the codes that a respondent named in any of several columns, such as first, second and third.

    Args:
        mentions: for each column, n codes or nulls.
        codes: the k codes, without repeats.

    Returns:
        Shape (n, k), 1 for a code that was named, 0 for other codes, NaN for respondents without any mention.

    Examples:
        >>> first, second = pl.Series(["1", "3", None]), pl.Series(["2", None, None])
        >>> mark_codes([first, second], ["1", "2", "3"]).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [nan, nan, nan]]
    """
    numbers = {code: number for number, code in enumerate(codes)}
    n, k = len(mentions[0]), len(codes)
    marks = np.zeros((n, k + 1))  # the last column takes cells without a code
    for cells in mentions:
        named = cells.replace_strict(numbers, default=k, return_dtype=pl.Int64).fill_null(k).to_numpy()
        marks[np.arange(n), named] = 1.0
    marks = marks[:, :k]
    marks[~marks.any(axis=1)] = np.nan
    return marks


def is_grid(cells: Mapping[str, pl.Series]) -> bool:
    """Return true if columns are items of a grid, not options of a multiple choice.

    An option has one value that means chosen, and possibly values that mean no. An item has several answers,
    which it shares with other items. The majority of columns decides, as a multiple choice can have a column
    "other" with texts.

    Args:
        cells: for each column, n names of values or nulls.

    Examples:
        >>> is_grid({"price": pl.Series(["1", "5"]), "taste": pl.Series(["4", "5"])})
        True
        >>> is_grid({"price": pl.Series(["Price", None]), "taste": pl.Series(["no", "Taste"])})
        False
    """
    answers = [answers for column in cells.values() if (answers := _grid_answers(column))]
    items = [column for column in answers if len(column) >= _FEWEST_ANSWERS]
    shared: set[str] = set().union(*items)
    is_shared = len(items) == 1 or len(shared) < sum(map(len, items))
    return 2 * len(items) > len(answers) and is_shared and _are_points(shared)


def _grid_answers(cells: pl.Series) -> set[str]:
    """Return values that can be answers: numbers, and texts that mean neither "no" nor a missing answer."""
    return {
        name
        for name in _distinct(cells)
        if not np.isnan(as_number(name)) or not (name in _NOT_CHOSEN or looks_like_code(name))
    }


def _are_points(names: set[str]) -> bool:
    """Return true if the values can be points: more than two numbers, and not too many."""
    numbers = sorted(map(as_number, names))
    if np.isnan(numbers).any():
        return len(names) <= MAX_ANSWERS
    return _FEWEST_POINTS <= len(numbers) - len(likely_codes(numbers)) <= MAX_ANSWERS


def _plain(cells: pl.Series) -> pl.Series:
    return cells.str.strip_chars().str.to_lowercase().replace("", None)


def _distinct(cells: pl.Series) -> list[str]:
    return _plain(cells).drop_nulls().unique().to_list()


def as_number(text: str) -> float:
    """Parse a number; return NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
