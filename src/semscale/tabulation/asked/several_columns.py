"""Questions of several columns: options of a multiple choice, and mentions of codes of one list."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import groups_in
from semscale.store.writing import PREFIX
from semscale.tabulation.asked.banner import in_order
from semscale.tabulation.asked.chosen_options import chosen_options, mentioned_codes
from semscale.tabulation.asked.likely_codes import code_cautions, likely_codes
from semscale.tabulation.asked.question import Question, choice_lines
from semscale.tabulation.asked.question_columns import CODED, QuestionColumns, as_number

SEVERAL = "several answers were possible, so that shares can sum to more than 100 %"
"""What a reader must know of shares of a multiple choice."""

_MOST_ANSWERS = 50

Labels = Mapping[str, ColumnLabels]
"""What a file says about columns, by name."""


def multiple_choice(
    asked: QuestionColumns, frame: pl.DataFrame, labels: Labels, whole: Mapping[str, pl.Series]
) -> Question:
    """Read columns that are options of one question: shares of respondents who chose each.

    Args:
        asked: the question and its columns.
        frame: n respondents.
        labels: what a file says about columns.
        whole: of columns, the names of all values in the whole table; those of the frame unless given.

    Raises:
        InputError: too many options, or columns of which nothing tells what 2 says.
    """
    named = {column: labels.get(column, ColumnLabels()) for column in asked.columns}
    cells = {column: _in_words(frame[column], named[column]) for column in asked.columns}
    every = all_values(asked.columns, frame, labels, whole)
    chosen = chosen_options(cells, whole=every, question=asked.name)
    names = [one.option or one.label or column for column, one in named.items()]
    check_answers(asked.name, len(names))
    start = PREFIX if asked.name == CODED else asked.name
    lines, weights = choice_lines(_without_beginning(start, names))
    notes: tuple[str, ...] = (f"{SEVERAL}; {chosen.said}",)
    if asked.name == CODED:
        notes = (*notes, "shares are of decisions; semscale code corrects shares by hand-coded answers")
    text = next((one.label for one in named.values() if one.label and one.option), asked.name)
    return Question(asked.name, text, "multiple choice", lines, chosen.marks, weights, notes)


def mentions(asked: QuestionColumns, frame: pl.DataFrame, labels: Labels) -> Question:
    """Read columns with codes of one list: a respondent named what any of them has.

    Args:
        asked: the question and its columns.
        frame: n respondents.
        labels: what a file says about columns.

    Raises:
        InputError: columns without any code, or too many codes.
    """
    cells = [groups_in(frame[column]) for column in asked.columns]
    words: dict[str, str] = {}
    for column in asked.columns:
        words |= labels.get(column, ColumnLabels()).answers
    there = {name for one in cells for name in one.drop_nulls().to_list() if name.strip()}
    codes = [*words, *in_order((one for one in there if one not in words), {})]
    if not there:
        raise InputError(f"question: the columns of '{asked.name}' are empty for all who count")
    check_answers(asked.name, len(codes))
    lines, weights = choice_lines([words.get(one, one) for one in codes])
    numbers = sorted(number for one in codes if not np.isnan(number := as_number(one)))
    said = (
        f"{SEVERAL}; shares are of respondents who named an answer in any of {len(asked.columns)} columns; "
        "those without any are missing"
    )
    cautions = code_cautions(asked.name, likely_codes(numbers, words), words)
    marks = mentioned_codes(cells, codes)
    return Question(asked.name, asked.name, "multiple choice", lines, marks, weights, (said,), cautions)


def all_values(
    columns: Sequence[str], frame: pl.DataFrame, labels: Labels, whole: Mapping[str, pl.Series]
) -> dict[str, pl.Series]:
    """Give all values of options in the whole table, by their words.

    Args:
        columns: the options.
        frame: n respondents.
        labels: what a file says about columns.
        whole: names of all values of columns in the whole table; those of the frame unless given.
    """
    return {
        column: _in_words(whole.get(column, frame[column]), labels.get(column, ColumnLabels()))
        for column in columns
    }


def check_answers(name: str, n: int) -> None:
    """Refuse a choice of more answers than a table has lines for.

    Raises:
        InputError: more than 50.
    """
    if n > _MOST_ANSWERS:
        raise InputError(
            f"question: '{name}' is taken for a choice of {n:,} answers, and a table has at most "
            f"{_MOST_ANSWERS}: say --numeric {name} if they are numbers, rate them as texts first (semscale "
            f"rate --text {name}), or make groups of them (--group)"
        )


def _in_words(cells: pl.Series, labels: ColumnLabels) -> pl.Series:
    """Give the cells of an option by their labels, or yes and no where a file says which value counts."""
    names = groups_in(cells)
    if labels.counted:
        said = pl.when(names == labels.counted).then(pl.lit("yes")).when(names.is_not_null())
        return pl.select(said.then(pl.lit("no"))).to_series().rename(cells.name)
    return names.replace(dict(labels.values))


def _without_beginning(name: str, names: list[str]) -> list[str]:
    """Take a pattern's own beginning off the names of its options."""
    start = name.rstrip("*?")
    short = [one.removeprefix(start) for one in names]
    is_own = start != name or name == PREFIX
    return short if is_own and all(short) else names
