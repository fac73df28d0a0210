"""Questions of a survey, read from columns, and their lines in a table."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.scales.library import scale_caution
from semscale.stats.intervals import MASS_PREFIX
from semscale.store.column_profile import ColumnProfile, options_in_values
from semscale.store.columns import groups_in, join_spellings, numbers_among, spelling_note
from semscale.store.table import ColumnLabels
from semscale.store.writing import PREFIX
from semscale.tabulation.answer_cells import (
    MAX_ANSWERS,
    as_number,
    is_grid,
    likely_codes,
    mark_codes,
    on_scale,
    point_name,
    points_in,
    points_in_data,
    read_choices,
    without_codes,
)
from semscale.tabulation.banners import sort_names
from semscale.tabulation.settings import EVERY_QUESTION
from semscale.types import Floats, Integers

QuestionKind = Literal[
    "scale", "number", "single choice", "multiple choice", "rated text", "paired difference"
]
"""Type of a question."""

LineKind = Literal["share", "mean"]
"""Statistic of a line."""

_FEWEST_FOR_BOXES = 4
_MEAN = "mean"
_CODED = f"{PREFIX}outcome"  # status of a coded text; its codes are a multiple choice
_SEVERAL = "several answers were possible, so shares can sum to more than 100 %"
_EXAMPLES = 3
_CELL = "cell"
_FEWEST_TEXTS = 3  # of which ratings can tell whether they are of these texts


@dataclass(frozen=True)
class Line:
    """A line of a question's table.

    Attributes:
        name: name for readers.
        kind: statistic of the line: a share of respondents, or a mean.
        is_net: true if it combines several answers, such as the two highest points.
    """

    name: str
    kind: LineKind
    is_net: bool = False


@dataclass(frozen=True, eq=False)
class Question:
    """A question with the answers of all respondents.

    Attributes:
        name: the user's short name.
        text: wording of the question; the name if it is unknown.
        kind: its type.
        lines: lines of its table.
        answers: shape (n, k), value of each of k answers for each respondent: 1 or 0, a probability, or a
            number; NaN without an answer. Shape (n,), index of the answer from 0, or -1 for none, if a
            respondent gives one answer of k.
        weights: shape (k, lines), the contribution of each answer to a line.
        notes: sentences on how answers were read.
        cautions: sentences on possible errors in reading the answers.
    """

    name: str
    text: str
    kind: QuestionKind
    lines: tuple[Line, ...]
    answers: Floats | Integers
    weights: Floats
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def choices(self) -> Integers | None:
        """Index of each respondent's answer, shape (n,), -1 for none; ``None`` if there can be several."""
        return self.answers.astype(np.int64) if self.answers.ndim == 1 else None

    @property
    def mean_line(self) -> int | None:
        """Index of the line with the mean; ``None`` without a mean."""
        return next((index for index, line in enumerate(self.lines) if line.kind == "mean"), None)

    def columns(self) -> Floats:
        """Return each respondent's contribution to each line, shape (n, lines); NaN without an answer."""
        if self.answers.ndim == 1:
            missing = np.full((1, len(self.lines)), np.nan)
            return np.concatenate([self.weights, missing])[self.answers.astype(np.int64)]
        answers = np.asarray(self.answers, dtype=np.float64)
        unknown = np.isnan(answers).astype(np.float64) @ (self.weights != 0) > 0
        return np.where(unknown, np.nan, np.nan_to_num(answers) @ self.weights)


def scale_lines(values: Sequence[float], names: Sequence[str]) -> tuple[tuple[Line, ...], Floats]:
    """Return the lines of a scale: its points, the two highest and two lowest points, and the mean.

    Scales with fewer than four points have no lines for two points.

    Args:
        values: values of the k points, ascending.
        names: names of the points.

    Returns:
        The lines, and the contribution of each point to each of them, shape (k, lines).

    Examples:
        >>> lines, weights = scale_lines([1, 2, 3], ["bad", "fair", "good"])
        >>> [line.name for line in lines], weights[:, -1].tolist()
        (['bad', 'fair', 'good', 'mean'], [1.0, 2.0, 3.0])
    """
    k = len(values)
    lines = [Line(name, "share") for name in names]
    weights = [np.eye(k)]
    if k >= _FEWEST_FOR_BOXES:
        top, bottom = np.zeros(k), np.zeros(k)
        top[-2:] = bottom[:2] = 1.0
        lines += [
            Line(f"top 2 ({values[-2]:g} and {values[-1]:g})", "share", is_net=True),
            Line(f"bottom 2 ({values[0]:g} and {values[1]:g})", "share", is_net=True),
        ]
        weights.append(np.column_stack([top, bottom]))
    lines.append(Line("mean", "mean"))
    weights.append(np.array(values, dtype=np.float64)[:, None])
    return tuple(lines), np.concatenate(weights, axis=1)


def choice_lines(names: Sequence[str]) -> tuple[tuple[Line, ...], Floats]:
    """Return one line per answer of a question without an order, and the contribution of each answer."""
    return tuple(Line(name, "share") for name in names), np.eye(len(names))


def number_lines() -> tuple[tuple[Line, ...], Floats]:
    """Return the only line of a number, its mean, and the number's contribution to it."""
    return (Line("mean", "mean"),), np.ones((1, 1))


def difference_question(first: Question, second: Question) -> Question:
    """Subtract the second answer from the first for each respondent with both.

    The mean of these differences is the difference of the means of respondents with both answers; its
    interval is that of a paired comparison.

    Args:
        first: a question with a mean: a scale, a number or a rated text.
        second: another question with the same unit.

    Raises:
        InputError: a question has no mean.

    Examples:
        >>> lines, weights = number_lines()
        >>> a = Question("a", "a", "number", lines, np.array([[3.0], [2.0]]), weights)
        >>> b = Question("b", "b", "number", lines, np.array([[1.0], [np.nan]]), weights)
        >>> difference_question(a, b).columns().tolist()
        [[2.0], [nan]]
    """
    lines, weights = number_lines()
    return Question(
        f"{first.name} minus {second.name}",
        f"{first.text} minus {second.text}",
        "paired difference",
        lines,
        _mean_column(first) - _mean_column(second),
        weights,
        ("of people who answered both; an interval without 0 shows that the two differ",),
        (*first.cautions, *second.cautions),
    )


def _mean_column(question: Question) -> Floats:
    """Return each respondent's contribution to the mean, shape (n, 1); NaN without an answer."""
    if question.mean_line is None:
        raise InputError(
            "pair",
            f": '{question.name}' is a {question.kind}, which has no mean: name scales, numbers or "
            "rated texts",
        )
    return question.columns()[:, [question.mean_line]]


@dataclass(frozen=True)
class QuestionColumns:
    """A question and its columns.

    Attributes:
        name: the user's name.
        columns: a single column, or the columns of a multiple choice.
        is_multiple: true if the columns are options of a multiple choice.
        are_mentions: true if all columns contain codes of one list, such as the first, second and third brand
            that came to mind.
    """

    name: str
    columns: tuple[str, ...]
    is_multiple: bool = False
    are_mentions: bool = False


def find_columns(name: str, columns: Sequence[str], labels: Mapping[str, ColumnLabels]) -> QuestionColumns:
    """Return the columns of a question that a user names.

    Args:
        name: a column; the short name of a question with several columns; a pattern of columns that are
            options of one question, such as ``brand_*``; ``Brands=brand_a,brand_b``;
            ``Mentions=first+second`` for columns with codes of one list; or ``semscale_outcome`` for the
            codes of ``semscale code``.
        columns: columns of the table.
        labels: labels of the columns.

    Raises:
        UnknownNameError: no column or question has that name; the message suggests similar names.
        InputError: a list names a column twice.

    Examples:
        >>> find_columns("brand_*", ["age", "brand_a", "brand_b"], {}).columns
        ('brand_a', 'brand_b')
    """
    if name == _CODED and (codes := _code_columns(columns)):
        return QuestionColumns(name, codes, is_multiple=True)
    if name in columns:
        return QuestionColumns(name, (name,))
    together = tuple(
        column for column in columns if name and labels.get(column, ColumnLabels()).question == name
    )
    if together:
        are_mentions = all(labels[column].are_mentions for column in together)
        return QuestionColumns(name, together, is_multiple=True, are_mentions=are_mentions)
    if mass_columns(columns, name):
        return QuestionColumns(name, (name,))
    if "=" in name:
        return _read_column_list(name, columns)
    matching = tuple(column for column in columns if fnmatchcase(column, name))
    if any(sign in name for sign in "*?[") and matching:
        return QuestionColumns(name, matching, is_multiple=True)
    questions = [column.question for column in labels.values() if column.question]
    raise unknown_name("question", name, list(dict.fromkeys([*columns, *questions])))


def _code_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of decisions on codes that ``semscale code`` wrote."""
    names = set(columns)
    return tuple(
        column
        for column in columns
        if PREFIX in column and (f"{column}_p" in names or f"{column}_likeness" in names)
    )


def _read_column_list(text: str, columns: Sequence[str]) -> QuestionColumns:
    """Read ``Brands=brand_a,brand_b`` or ``Mentions=first+second``."""
    title, _, listed = text.partition("=")
    are_mentions = "+" in listed and "," not in listed and listed.strip() not in columns
    options = tuple(option.strip() for option in listed.split("+" if are_mentions else ","))
    for option in options:
        if option not in columns:
            raise unknown_name("column", option, columns)
        if options.count(option) > 1:
            raise InputError("question", f": '{text}' names column '{option}' twice; name each column once")
    return QuestionColumns(title.strip(), options, is_multiple=True, are_mentions=are_mentions)


def columns_of_question(question: QuestionColumns, columns: Sequence[str]) -> list[str]:
    """Return the columns from which a question is read."""
    present = [column for column in question.columns if column in columns]
    if question.is_multiple:
        return present
    masses = [
        *mass_columns(columns, question.columns[0]).values(),
        *mass_columns(columns, f"{PREFIX}{_MEAN}").values(),
    ]
    return list(dict.fromkeys([*present, *masses]))


def mass_columns(columns: Collection[str], name: str) -> dict[float, str]:
    """Return the columns of probabilities that ``semscale rate`` wrote for a text, by point.

    A text is named by its column, or by the column of its mean rating.
    """
    starts = [f"{PREFIX}{name}_{MASS_PREFIX}"]
    if name.startswith(PREFIX) and name.endswith(_MEAN):
        starts = [name.removesuffix(_MEAN) + MASS_PREFIX]
    for start in starts:
        masses = {as_number(c.removeprefix(start)): c for c in columns if c.startswith(start)}
        if len(masses) > 1 and not any(np.isnan(value) for value in masses):
            return masses
    return {}


class QuestionReader:
    """Reads questions from a table by the type of their columns.

    Args:
        frame: one row for each of n respondents.
        labels: labels of columns, from a survey tool or SPSS.
        points: labels of the points of a question's scale, for each question.
        numeric: questions that are numbers, regardless of their values.
        missing: codes for no answer, by question; those of ``EVERY_QUESTION`` apply to all.
        whole: for columns that are options, the names of all values in the whole table, by default those of
            the frame. They determine the meaning of cells, regardless of excluded rows.
        written: the frame before spellings were joined; by default the frame.
        spellings: a sentence for each column in which spellings were joined.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        labels: Mapping[str, ColumnLabels] | None = None,
        *,
        points: Mapping[str, Mapping[str, str]] | None = None,
        numeric: Collection[str] = (),
        missing: Mapping[str, Sequence[str]] | None = None,
        whole: Mapping[str, pl.Series] | None = None,
        written: pl.DataFrame | None = None,
        spellings: Mapping[str, str] | None = None,
    ) -> None:
        self._written, self._spellings = frame if written is None else written, spellings or {}
        self._frame, self._labels, self._points = frame, labels or {}, points or {}
        self._numeric, self._missing, self._whole = numeric, missing or {}, whole or {}

    def read(self, question: QuestionColumns) -> Question:
        """Read a question.

        Raises:
            InputError: a column has no answers, open texts without ratings, too many answers, or answers that
                are not points of a named scale.
        """
        return self._read(question, self._columns(question))

    def read_all(self, question: QuestionColumns) -> list[Question]:
        """Read a question; the items of a grid are separate questions.

        Raises:
            InputError: as for ``read``.
        """
        columns = self._columns(question)
        is_choice = question.is_multiple and not question.are_mentions and question.name != _CODED
        if is_choice and is_grid({column.name: column.label_cells(column.whole) for column in columns}):
            return self._items(question, columns)
        return [self._read(question, columns)]

    def _columns(self, question: QuestionColumns) -> list["_Column"]:
        """Return the columns of a question, with codes for no answer replaced by null."""
        codes = (*self._missing.get(EVERY_QUESTION, ()), *self._missing.get(question.name, ()))
        columns = []
        for name in question.columns:
            if name not in self._frame.columns:
                continue  # the table has only the ratings of this text
            labels, cells = self._labels.get(name, ColumnLabels()), self._frame[name]
            whole = self._whole.get(name, cells)
            if codes:
                whole, _ = without_codes(whole, labels, codes)
                cells, labels = without_codes(cells, labels, codes)
            columns.append(_Column(cells, labels, whole))
        return columns

    def _read(self, question: QuestionColumns, columns: Sequence["_Column"]) -> Question:
        name = question.name
        if question.are_mentions:
            return self._with_spellings(_mentions(name, columns), columns)
        if question.is_multiple:
            return _multiple_choice(name, columns)
        is_number = name in self._numeric
        if (masses := mass_columns(self._frame.columns, question.columns[0])) and not is_number:
            return self._read_ratings(name, masses, columns)
        (column,) = columns
        kind = "number" if is_number else column.profile.kind
        if kind in ("single choice", "multiple choice") and (masses := self._ratings_of(column)):
            return self._read_ratings(name, masses, columns)
        if name in self._points and kind in ("number", "single choice", "ordinal"):
            points = self._points[name]
            return _scale(name, replace(column, cells=on_scale(column.cells, points, name)), points)
        return self._with_spellings(self._of_kind(kind, name, column), columns)

    def _with_spellings(self, question: Question, columns: Sequence["_Column"]) -> Question:
        """Add the sentence on joined spellings to a question whose answers have lines."""
        notes = dict.fromkeys(self._spellings.get(column.name) for column in columns)
        is_choice = question.kind in ("single choice", "multiple choice")
        return replace(question, notes=(*question.notes, *filter(None, notes))) if is_choice else question

    def _of_kind(self, kind: str, name: str, column: "_Column") -> Question:
        match kind:
            case "ordinal" if column.profile.numbers:
                return _scale(name, column)
            case "multiple choice" if options := options_in_values(column.profile.values):
                return _read_list_choice(name, column, options)
            case "ordinal" | "single choice" | "multiple choice":
                return _single_choice(name, column)
            case "number":
                return _number(name, column)
            case "open text" if masses := mass_columns(self._frame.columns, f"{PREFIX}{_MEAN}"):
                return self._read_ratings(name, masses, [column])
            case "open text":
                raise InputError(
                    "question",
                    f": '{name}' was recognised as open texts ({len(column.profile.values):,} "
                    f"different): rate them first (semscale rate --text {name} --out rated.parquet) and "
                    f"tabulate that file, or add `numeric={name!r}` if they are numbers",
                )
            case "empty":
                raise InputError(
                    "question", f": column '{column.name}' is empty for all respondents who count"
                )
        raise InputError(
            "question",
            f": column '{column.name}' was recognised as {'an' if kind[0] in 'aeiou' else 'a'} "
            f"{kind} and has no answers to count; if it contains numbers, add `numeric={column.name!r}`",
        )

    def _ratings_of(self, column: "_Column") -> dict[float, str]:
        """Find the ratings of a text that was rated alone, and whose few different answers look like options.

        Ratings of a single text do not name its column. Equal texts have equal ratings, and different texts
        hardly ever do, which is true of no column of groups unless it repeats the text.
        """
        masses = mass_columns(self._frame.columns, f"{PREFIX}{_MEAN}")
        if not masses:
            return {}
        ratings = list(masses.values())
        cells = self._written[column.name] if column.name in self._spellings else column.cells
        rated = self._frame.select(cells.alias(_CELL), *ratings).drop_nulls()
        pairs = rated.unique()
        n_texts, n_ratings = pairs[_CELL].n_unique(), pairs.select(ratings).unique().height
        has_one_each = pairs.height == n_texts and n_ratings > n_texts / 2
        is_rated = rated.height > n_texts >= _FEWEST_TEXTS and has_one_each
        return masses if is_rated else {}

    def _read_ratings(self, name: str, masses: Mapping[float, str], columns: Sequence["_Column"]) -> Question:
        """Read the probabilities of a text's points that ``semscale rate`` wrote."""
        labels, values = self._points.get(name, {}), sorted(masses)
        answers = np.column_stack([
            self._frame[masses[value]].cast(pl.Float64, strict=False).to_numpy() for value in values
        ]).astype(np.float64)  # fmt: skip
        answers[np.isnan(answers).any(axis=1)] = np.nan
        lines, weights = scale_lines(values, [point_name(value, labels) for value in values])
        text = columns[0].text if columns else name
        note = (
            "shares of points are mean probabilities of the ratings, not counts of answers; intervals are "
            "about other respondents, and do not include the error of the ratings"
        )
        return Question(name, text, "rated text", lines, answers, weights, (note,))

    def _items(self, grid: QuestionColumns, columns: Sequence["_Column"]) -> list[Question]:
        """Read the items of a grid; items with unlabelled whole numbers share their points."""
        numbers = np.concatenate([column.numbers for column in columns])
        observed, _ = points_in_data(numbers, {})
        if observed and not likely_codes(observed) and not any(column.labels.values for column in columns):
            points = {f"{value:g}": "" for value in points_in(numbers, {})}
            columns = [replace(column, labels=replace(column.labels, values=points)) for column in columns]
        note = (
            f"one of the {len(grid.columns)} items of the grid '{grid.name}', each of which has a table; "
            f"mentions of one list are put together by 'Mentions={'+'.join(grid.columns[:_EXAMPLES])}'"
        )
        notes = (note,) if len(columns) > 1 else ()
        questions = []
        for column in columns:
            item = self._read(QuestionColumns(grid.name, (column.name,)), [column])
            is_named = bool(column.labels.label) or "*" in grid.name or grid.name in column.name
            text = item.text if is_named else f"{grid.name}: {column.name}"
            questions.append(replace(item, name=column.name, text=text, notes=(*notes, *item.notes)))
        return questions


@dataclass(frozen=True, eq=False)
class _Column:
    """Column of a question: n cells, their labels, and all values in the whole table."""

    cells: pl.Series
    labels: ColumnLabels
    whole: pl.Series

    @property
    def name(self) -> str:
        return self.cells.name

    @property
    def text(self) -> str:
        return self.labels.title or self.name

    @property
    def numbers(self) -> Floats:
        """Cells as numbers, shape (n,); NaN for cells that are not numbers."""
        return numbers_among(self.cells).to_numpy().astype(np.float64)

    @cached_property
    def profile(self) -> ColumnProfile:
        profile = ColumnProfile(self.name, self.labels)
        profile.add(self.cells)
        return profile

    @property
    def note_on_numbers(self) -> tuple[str, ...]:
        """Note with the number of cells that are not numbers; empty without such cells."""
        n = self.profile.filled - self.profile.numbers
        return (f"{n:,} cells of '{self.name}' are not numbers and count as missing",) if n else ()

    def label_cells(self, cells: pl.Series) -> pl.Series:
        """Name the cells of an option by labels, or yes and no if the file declares the counted value."""
        names, counted = groups_in(cells), self.labels.counted
        if not counted:
            return names.replace(dict(self.labels.values))
        is_chosen = pl.when(names == counted).then(pl.lit("yes")).when(names.is_not_null())
        return pl.select(is_chosen.then(pl.lit("no"))).to_series().rename(cells.name)


def _scale(name: str, column: _Column, points: Mapping[str, str] | None = None) -> Question:
    """Read the points of a scale, by their names if the user named a scale."""
    labels = points or column.labels.answers
    numbers = column.numbers
    values = points_in(numbers, labels)
    positions = np.searchsorted(values, np.nan_to_num(numbers)).clip(0, len(values) - 1)
    lines, weights = scale_lines(values, [point_name(value, labels) for value in values])
    answers = np.where(np.isnan(numbers), -1, positions)
    codes = [] if points else likely_codes(points_in_data(numbers, labels)[0], labels)
    notes, cautions = column.note_on_numbers, _code_cautions(name, codes, labels)
    return Question(name, column.text, "scale", lines, answers, weights, notes, cautions)


def _single_choice(name: str, column: _Column) -> Question:
    labels, present = column.labels.answers, column.profile.values
    _check_answers(name, len(present))
    values = [*labels, *sort_names(value for value in present if value not in labels)]
    lines, weights = choice_lines([labels.get(value, value) for value in values])
    answers = _positions_in(values, column.cells)
    cautions = scale_caution(name, present)
    return Question(name, column.text, "single choice", lines, answers, weights, cautions=cautions)


def _read_list_choice(name: str, column: _Column, options: Mapping[str, Sequence[str]]) -> Question:
    """Read a multiple choice from one column with several options per cell."""
    counts: Counter[str] = Counter()
    for cell, n in column.profile.values.items():
        counts.update(dict.fromkeys(options.get(cell, ()), n))
    joined = join_spellings(counts)
    options = {cell: [joined.get(option, option) for option in listed] for cell, listed in options.items()}
    names = sort_names({option for listed in options.values() for option in listed})
    marks = np.array([[float(option in listed) for option in names] for listed in options.values()])
    missing = np.full((1, len(names)), np.nan)
    answers = np.concatenate([marks, missing])[_positions_in(list(options), column.cells)]
    lines, weights = choice_lines(names)
    note = f"{_SEVERAL}; a cell of '{column.name}' lists them, and an empty cell is missing"
    notes = (note, *spelling_note([column.name], counts, joined))
    return Question(name, column.text, "multiple choice", lines, answers, weights, notes)


def _number(name: str, column: _Column) -> Question:
    numbers = np.where(np.isfinite(column.numbers), column.numbers, np.nan)
    values = np.unique(numbers[~np.isnan(numbers)])
    if not len(values):
        raise InputError("question", f": column '{column.name}' has no number; it is not `numeric`")
    # Codes such as 999 are at least as far from the other numbers as these are from each other.
    gap = float(np.diff(values).max(initial=0))
    codes = likely_codes(values.tolist(), gap=gap) if 0 < np.ptp(values) <= 2 * gap else []
    lines, weights = number_lines()
    notes, cautions = column.note_on_numbers, _code_cautions(name, codes, {})
    return Question(name, column.text, "number", lines, numbers[:, None], weights, notes, cautions)


def _multiple_choice(name: str, columns: Sequence[_Column]) -> Question:
    """Read a multiple choice from columns that are its options."""
    cells = {column.name: column.label_cells(column.cells) for column in columns}
    whole = {column.name: column.label_cells(column.whole) for column in columns}
    marks, reading = read_choices(cells, whole=whole, question=name)
    names = [column.labels.option or column.labels.label or column.name for column in columns]
    _check_answers(name, len(names))
    start = (PREFIX if name == _CODED else name).rstrip("*?")
    if start != name and all(short := [option.removeprefix(start) for option in names]):
        names = short
    lines, weights = choice_lines(names)
    notes = [f"{_SEVERAL}; {reading}"]
    if name == _CODED:
        notes.append("shares are of decisions; semscale code corrects shares by hand-coded answers")
    asked = (column.labels.label for column in columns if column.labels.label and column.labels.option)
    return Question(name, next(asked, name), "multiple choice", lines, marks, weights, tuple(notes))


def _mentions(name: str, columns: Sequence[_Column]) -> Question:
    """Read columns of mentions with codes of one list; a code counts if any column contains it."""
    cells = [groups_in(column.cells) for column in columns]
    labels = {value: label for column in columns for value, label in column.labels.answers.items()}
    present = {code for column in cells for code in column.drop_nulls().to_list() if code.strip()}
    if not present:
        raise InputError("question", f": the columns of '{name}' are empty for all who count")
    codes = [*labels, *sort_names(present - labels.keys())]
    _check_answers(name, len(codes))
    lines, weights = choice_lines([labels.get(code, code) for code in codes])
    note = (
        f"{_SEVERAL}; shares are of respondents who named an answer in any of {len(cells)} columns; "
        "those without any are missing"
    )
    numbers = sorted(number for code in codes if not np.isnan(number := as_number(code)))
    cautions = _code_cautions(name, likely_codes(numbers, labels), labels)
    marks = mark_codes(cells, codes)
    return Question(name, name, "multiple choice", lines, marks, weights, (note,), cautions)


def _positions_in(values: Sequence[str], cells: pl.Series) -> Integers:
    """Return the index of each cell in a list of values, -1 for missing or unlisted cells."""
    numbers = list(range(len(values)))
    positions = groups_in(cells).replace_strict(values, numbers, default=-1, return_dtype=pl.Int64)
    return positions.fill_null(-1).to_numpy()


def _check_answers(name: str, n: int) -> None:
    """Refuse a choice with more answers than a table can have lines."""
    if n > MAX_ANSWERS:
        raise InputError(
            "question",
            f": '{name}' was recognised as a choice of {n:,} answers, and a table has at most "
            f"{MAX_ANSWERS}: add `numeric={name!r}` if they are numbers, rate them as texts first (semscale "
            f"rate --text {name}), or derive groups of them (`derive`)",
        )


def _code_cautions(name: str, codes: Sequence[float], labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return a caution if likely codes for no answer count as answers; none without such codes."""
    if not codes:
        return ()
    named = ", ".join(f"‘{point_name(value, labels)}’" for value in codes)
    listed = ",".join(f"{value:g}" for value in codes)
    return (
        f"‘{name}’: {named} may mean no answer, but counts as an answer; "
        f'--missing "{name}={listed}" leaves it out',
    )
