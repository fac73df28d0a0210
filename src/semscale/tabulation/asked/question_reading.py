"""Questions, read from the columns of a table by what these are taken for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.store.column_profile import ColumnProfile
from semscale.store.columns import groups_in
from semscale.store.numbers import numbers_among
from semscale.store.writing import PREFIX
from semscale.tabulation.asked.banner import in_order
from semscale.tabulation.asked.chosen_options import chosen_options
from semscale.tabulation.asked.question import Question, choice_lines, number_lines, scale_lines
from semscale.tabulation.asked.question_columns import (
    CODED,
    OWN_MEAN,
    QuestionColumns,
    as_number,
    mass_columns,
)
from semscale.types import Floats

_MOST_ANSWERS = 50
_MOST_SPAN = 11


@dataclass(frozen=True)
class QuestionReader:
    """Reads questions from a table.

    Attributes:
        frame: n respondents.
        labels: what a survey tool or SPSS says about columns, by name.
        points: words for the points of a question's scale, by the value as a name, for each question.
        numeric: questions that are numbers, whatever they look like.
    """

    frame: pl.DataFrame
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict)
    points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    numeric: Collection[str] = ()

    def read(self, asked: QuestionColumns) -> Question:
        """Read a question.

        Raises:
            InputError: a column that holds no answers, open texts without ratings, or too many answers.
        """
        if asked.is_multiple:
            return self._multiple(asked)
        (column,) = asked.columns
        if (masses := mass_columns(self.frame.columns, column)) and asked.name not in self.numeric:
            return self._rated(asked.name, column, masses)
        profile = ColumnProfile(column, self._labels(column))
        profile.add(self.frame[column])
        kind = "number" if asked.name in self.numeric else profile.kind
        if asked.name in self.points and kind in ("number", "single choice"):
            kind = "ordinal"
        return self._of_kind(kind, asked.name, profile)

    def _of_kind(self, kind: str, name: str, profile: ColumnProfile) -> Question:
        match kind:
            case "ordinal" if profile.numbers:
                return self._scale(name, profile)
            case "ordinal" | "single choice" | "multiple choice":
                return self._choice(name, profile)
            case "number":
                return self._number(name, profile)
            case "open text" if masses := mass_columns(self.frame.columns, OWN_MEAN):
                return self._rated(name, profile.name, masses)
            case "open text":
                raise InputError(_of_texts(name, len(profile.values)))
            case "empty":
                raise InputError(f"question: column '{profile.name}' is empty for all respondents who count")
        raise InputError(
            f"question: column '{profile.name}' is taken for {_article(kind)} and has no answers to count; "
            f"if it holds numbers, say --numeric {profile.name}"
        )

    def _labels(self, column: str) -> ColumnLabels:
        return self.labels.get(column, ColumnLabels())

    def _scale(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        words = dict(self.points.get(name, {})) or dict(self._labels(column).values)
        numbers = numbers_among(self.frame[column]).to_numpy().astype(np.float64)
        values = _points(numbers, words)
        names = [_point_name(value, words) for value in values]
        codes = np.searchsorted(values, np.nan_to_num(numbers)).clip(0, len(values) - 1)
        codes = np.where(np.isnan(numbers), -1, codes)
        lines, weights = scale_lines(values, names)
        notes = _no_numbers(column, profile)
        return Question(name, self._text(column), "scale", lines, codes, weights, notes)

    def _choice(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        if len(profile.values) > _MOST_ANSWERS:
            raise InputError(_of_choices(name, len(profile.values)))
        words = self._labels(column).values
        names = [*words, *in_order((one for one in profile.values if one not in words), {})]
        cells = groups_in(self.frame[column])
        codes = cells.replace_strict(names, list(range(len(names))), default=-1, return_dtype=pl.Int64)
        lines, weights = choice_lines([words.get(one, one) for one in names])
        answers = codes.fill_null(-1).to_numpy()
        return Question(name, self._text(column), "single choice", lines, answers, weights)

    def _number(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        numbers = numbers_among(self.frame[column]).to_numpy().astype(np.float64)
        if not np.isfinite(numbers).any():
            raise InputError(f"question: column '{column}' has no number; it is not --numeric")
        lines, weights = number_lines()
        finite = np.where(np.isfinite(numbers), numbers, np.nan)
        notes = _no_numbers(column, profile)
        return Question(name, self._text(column), "number", lines, finite[:, None], weights, notes)

    def _rated(self, name: str, column: str, masses: Mapping[float, str]) -> Question:
        """Take the probabilities of a rated text's points, which ``semscale rate`` wrote."""
        words = self.points.get(name, {})
        values = sorted(masses)
        answers = np.column_stack([
            self.frame[masses[value]].cast(pl.Float64, strict=False).to_numpy() for value in values
        ]).astype(np.float64)  # fmt: skip
        answers[np.isnan(answers).any(axis=1)] = np.nan
        lines, weights = scale_lines(values, [_point_name(value, words) for value in values])
        said = (
            "shares of points are mean probabilities of the ratings, not counts of answers; intervals hold "
            "for other respondents, and do not have the error of the ratings"
        )
        text = self._text(column) if column in self.frame.columns else name
        return Question(name, text, "rated text", lines, answers, weights, (said,))

    def _multiple(self, asked: QuestionColumns) -> Question:
        named = {column: self._labels(column) for column in asked.columns}
        chosen = chosen_options({column: self._worded(column) for column in asked.columns})
        names = [one.option or one.label or column for column, one in named.items()]
        if len(names) > _MOST_ANSWERS:
            raise InputError(_of_choices(asked.name, len(names)))
        start = PREFIX if asked.name == CODED else asked.name
        lines, weights = choice_lines(_without_beginning(start, names))
        several = "several answers were possible, so that shares can sum to more than 100 %"
        notes: tuple[str, ...] = (f"{several}; {chosen.said}",)
        if asked.name == CODED:
            notes = (*notes, "shares are of decisions; semscale code corrects shares by hand-coded answers")
        text = next((one.label for one in named.values() if one.label and one.option), asked.name)
        return Question(asked.name, text, "multiple choice", lines, chosen.marks, weights, notes)

    def _worded(self, column: str) -> pl.Series:
        """Give the cells of an option, by their labels where they have any."""
        return groups_in(self.frame[column]).replace(dict(self._labels(column).values))

    def _text(self, column: str) -> str:
        return self._labels(column).title or column


def _points(numbers: Floats, words: Mapping[str, str]) -> list[float]:
    """List the points of a scale: labelled values and whole numbers between the least and the greatest."""
    observed = np.unique(numbers[~np.isnan(numbers)])
    labelled = [value for value in map(as_number, words) if not np.isnan(value)]
    values = {*observed.tolist(), *labelled}
    low, high = min(values), max(values)
    if not labelled and all(value.is_integer() for value in values) and high - low < _MOST_SPAN:
        values |= set(np.arange(low, high + 1).tolist())
    return sorted(values)


def _point_name(value: float, words: Mapping[str, str]) -> str:
    word = words.get(f"{value:g}", "")
    return f"{value:g} {word}".strip()


def _no_numbers(column: str, profile: ColumnProfile) -> tuple[str, ...]:
    n = profile.filled - profile.numbers
    if not n:
        return ()
    return (f"{n:,} cells of '{column}' are no numbers and count as missing",)


def _without_beginning(name: str, names: list[str]) -> list[str]:
    """Take a pattern's own beginning off the names of its options."""
    start = name.rstrip("*?")
    short = [one.removeprefix(start) for one in names]
    is_own = start != name or name == PREFIX
    return short if is_own and all(short) else names


def _of_texts(name: str, n: int) -> str:
    return (
        f"question: '{name}' is taken for open texts ({n:,} different ones): rate them first (semscale rate "
        f"--text {name} --out rated.parquet) and tabulate that file, or say --numeric {name} if they are "
        "numbers"
    )


def _of_choices(name: str, n: int) -> str:
    return (
        f"question: '{name}' is taken for a choice of {n:,} answers, and a table has at most "
        f"{_MOST_ANSWERS}: say --numeric {name} if they are numbers, rate them as texts first (semscale rate "
        f"--text {name}), or make groups of them (--group)"
    )


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
