"""Questions, read from the columns of a table by what these are taken for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.scales.library import scale_caution
from semscale.store.column_labels import ColumnLabels
from semscale.store.column_profile import ColumnProfile
from semscale.store.columns import groups_in
from semscale.store.listed_options import listed_options
from semscale.store.numbers import numbers_among
from semscale.tabulation.asked.banner import in_order
from semscale.tabulation.asked.grids import is_grid
from semscale.tabulation.asked.likely_codes import code_cautions, likely_codes
from semscale.tabulation.asked.missing_answers import codes_of, without_codes
from semscale.tabulation.asked.question import Question, choice_lines, number_lines, scale_lines
from semscale.tabulation.asked.question_columns import (
    CODED,
    OWN_MEAN,
    QuestionColumns,
    mass_columns,
)
from semscale.tabulation.asked.scale_points import given_points, on_scale, point_name, points_among
from semscale.tabulation.asked.several_columns import (
    SEVERAL,
    all_values,
    check_answers,
    mentions,
    multiple_choice,
)
from semscale.types import Floats

_FEW = 3


@dataclass(frozen=True)
class QuestionReader:
    """Reads questions from a table.

    Attributes:
        frame: n respondents.
        labels: what a survey tool or SPSS says about columns, by name.
        points: words for the points of a question's scale, by the value as a name, for each question.
        numeric: questions that are numbers, whatever they look like.
        missing: codes for no answer to a question; those of the name ``""`` are for every question.
        whole: of columns that are options, the names of all values in the whole table; those of the frame
            unless given. They say what cells mean, whichever rows are left out.
    """

    frame: pl.DataFrame
    labels: Mapping[str, ColumnLabels] = field(default_factory=dict)
    points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    numeric: Collection[str] = ()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: Mapping[str, pl.Series] = field(default_factory=dict)

    def read(self, asked: QuestionColumns) -> Question:
        """Read a question.

        Raises:
            InputError: a column that holds no answers, open texts without ratings, too many answers, or
                answers that are none of the points of a named scale.
        """
        if codes := codes_of(self.missing, asked.name):
            return self._without(codes, asked.columns).read(asked)
        if asked.are_mentions:
            return mentions(asked, self.frame, self.labels)
        if asked.is_multiple:
            return multiple_choice(asked, self.frame, self.labels, self.whole)
        (column,) = asked.columns
        if (masses := mass_columns(self.frame.columns, column)) and asked.name not in self.numeric:
            return self._rated(asked.name, column, masses)
        profile = ColumnProfile(column, self._labels(column))
        profile.add(self.frame[column])
        kind = "number" if asked.name in self.numeric else profile.kind
        if asked.name in self.points and kind in ("number", "single choice", "ordinal"):
            return self._on_scale(asked.name, profile)
        return self._of_kind(kind, asked.name, profile)

    def read_all(self, asked: QuestionColumns) -> list[Question]:
        """Read a question; the items of a grid are questions of their own.

        Raises:
            InputError: as ``read``.
        """
        if not asked.is_multiple or asked.are_mentions or asked.name == CODED:
            return [self.read(asked)]
        codes = codes_of(self.missing, asked.name)
        reader = self._without(codes, asked.columns) if codes else self
        if is_grid(all_values(asked.columns, reader.frame, reader.labels, reader.whole)):
            return reader._items(asked)  # noqa: SLF001 - a copy
        return [self.read(asked)]

    def _without(self, codes: Sequence[str], columns: Sequence[str]) -> "QuestionReader":
        """Give a reader for which the codes are no answers."""
        cleaned = {
            column: without_codes(self.frame[column], self._labels(column), codes)
            for column in columns
            if column in self.frame.columns
        }
        frame = self.frame.with_columns(cells.alias(column) for column, (cells, _) in cleaned.items())
        labels = {column: about for column, (_, about) in cleaned.items()}
        whole = {
            column: without_codes(self.whole[column], self._labels(column), codes)[0]
            for column in columns
            if column in self.whole
        }
        return replace(
            self, frame=frame, labels={**self.labels, **labels}, missing={}, whole={**self.whole, **whole}
        )

    def _on_scale(self, name: str, profile: ColumnProfile) -> Question:
        """Read answers in numbers or words as points of the scale that is named for them."""
        column = profile.name
        cells = on_scale(self.frame[column], self.points[name], name)
        answers = ColumnProfile(column, self._labels(column))
        answers.add(cells)
        reader = replace(self, frame=self.frame.with_columns(cells.alias(column)))
        return reader._scale(name, answers)  # noqa: SLF001 - a copy of this reader

    def _of_kind(self, kind: str, name: str, profile: ColumnProfile) -> Question:
        match kind:
            case "ordinal" if profile.numbers:
                return self._scale(name, profile)
            case "multiple choice" if options := listed_options(profile.values):
                return self._listed(name, profile.name, options)
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

    def _items(self, asked: QuestionColumns) -> list[Question]:
        """Read each item of a grid on the points that any of them has."""
        reader = self._with_shared_points(asked.columns)
        said = (
            f"one of the {len(asked.columns)} items of the grid '{asked.name}', each of which has a table; "
            f"mentions of one list are put together by 'Mentions={'+'.join(asked.columns[:_FEW])}'"
        )
        questions = []
        for column in asked.columns:
            one = reader.read(QuestionColumns(asked.name, (column,)))
            is_named = bool(self._labels(column).label) or "*" in asked.name or asked.name in column
            text = one.text if is_named else f"{asked.name}: {column}"
            questions.append(replace(one, name=column, text=text, notes=(said, *one.notes)))
        return questions

    def _with_shared_points(self, columns: Sequence[str]) -> "QuestionReader":
        """Give a reader for which whole numbers without labels have the same points in all columns."""
        cells = [numbers_among(self.frame[column]).to_numpy().astype(np.float64) for column in columns]
        numbers = np.concatenate(cells)
        observed, _ = given_points(numbers, {})
        if not observed or likely_codes(observed) or any(self._labels(one).values for one in columns):
            return self
        points = {f"{value:g}": "" for value in points_among(numbers, {})}
        shared = {column: replace(self._labels(column), values=points) for column in columns}
        return replace(self, labels={**self.labels, **shared})

    def _scale(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        named = self.points.get(name, {})
        words = dict(named) or self._labels(column).answers
        numbers = numbers_among(self.frame[column]).to_numpy().astype(np.float64)
        values = points_among(numbers, words)
        names = [point_name(value, words) for value in values]
        codes = np.searchsorted(values, np.nan_to_num(numbers)).clip(0, len(values) - 1)
        codes = np.where(np.isnan(numbers), -1, codes)
        lines, weights = scale_lines(values, names)
        notes = _no_numbers(column, profile)
        cautions = (
            () if named else code_cautions(name, likely_codes(given_points(numbers, words)[0], words), words)
        )
        return Question(name, self._text(column), "scale", lines, codes, weights, notes, cautions)

    def _choice(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        check_answers(name, len(profile.values))
        words = self._labels(column).answers
        names = [*words, *in_order((one for one in profile.values if one not in words), {})]
        cells = groups_in(self.frame[column])
        codes = cells.replace_strict(names, list(range(len(names))), default=-1, return_dtype=pl.Int64)
        lines, weights = choice_lines([words.get(one, one) for one in names])
        answers = codes.fill_null(-1).to_numpy()
        cautions = scale_caution(name, profile.values)
        return Question(name, self._text(column), "single choice", lines, answers, weights, cautions=cautions)

    def _listed(self, name: str, column: str, options: Mapping[str, Sequence[str]]) -> Question:
        """Read a multiple choice whose options stand together in one cell."""
        names = in_order({one for listed in options.values() for one in listed}, {})
        marks = np.array([[float(one in listed) for one in names] for listed in options.values()])
        missing = np.full((1, len(names)), np.nan)
        places = {value: place for place, value in enumerate(options)}
        cells = groups_in(self.frame[column]).replace_strict(places, default=-1, return_dtype=pl.Int64)
        answers = np.concatenate([marks, missing])[cells.fill_null(-1).to_numpy()]
        lines, weights = choice_lines(names)
        said = f"{SEVERAL}; a cell of '{column}' lists them, and an empty cell is missing"
        return Question(name, self._text(column), "multiple choice", lines, answers, weights, (said,))

    def _number(self, name: str, profile: ColumnProfile) -> Question:
        column = profile.name
        numbers = numbers_among(self.frame[column]).to_numpy().astype(np.float64)
        if not np.isfinite(numbers).any():
            raise InputError(f"question: column '{column}' has no number; it is not --numeric")
        lines, weights = number_lines()
        finite = np.where(np.isfinite(numbers), numbers, np.nan)
        notes = _no_numbers(column, profile)
        cautions = code_cautions(name, _far_codes(finite), {})
        return Question(name, self._text(column), "number", lines, finite[:, None], weights, notes, cautions)

    def _rated(self, name: str, column: str, masses: Mapping[float, str]) -> Question:
        """Take the probabilities of a rated text's points, which ``semscale rate`` wrote."""
        words = self.points.get(name, {})
        values = sorted(masses)
        answers = np.column_stack([
            self.frame[masses[value]].cast(pl.Float64, strict=False).to_numpy() for value in values
        ]).astype(np.float64)  # fmt: skip
        answers[np.isnan(answers).any(axis=1)] = np.nan
        lines, weights = scale_lines(values, [point_name(value, words) for value in values])
        said = (
            "shares of points are mean probabilities of the ratings, not counts of answers; intervals hold "
            "for other respondents, and do not have the error of the ratings"
        )
        text = self._text(column) if column in self.frame.columns else name
        return Question(name, text, "rated text", lines, answers, weights, (said,))

    def _text(self, column: str) -> str:
        return self._labels(column).title or column


def _no_numbers(column: str, profile: ColumnProfile) -> tuple[str, ...]:
    n = profile.filled - profile.numbers
    if not n:
        return ()
    return (f"{n:,} cells of '{column}' are no numbers and count as missing",)


def _far_codes(numbers: Floats) -> list[float]:
    """Find codes such as 999 that lie at least as far from the other numbers as these from each other."""
    values = np.unique(numbers[~np.isnan(numbers)])
    gap = float(np.diff(values).max(initial=0))
    return likely_codes(values.tolist(), gap=gap) if 0 < np.ptp(values) <= 2 * gap else []


def _of_texts(name: str, n: int) -> str:
    return (
        f"question: '{name}' is taken for open texts ({n:,} different ones): rate them first (semscale rate "
        f"--text {name} --out rated.parquet) and tabulate that file, or say --numeric {name} if they are "
        "numbers"
    )


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
