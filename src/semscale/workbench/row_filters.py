"""The form that filters rows by the answers to a question, without SQL."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from typing import Literal

import polars as pl
from polars.exceptions import PolarsError
from pydantic import BaseModel

from semscale.errors import InputError
from semscale.spelling import notes_from
from semscale.store.column_profile import ColumnProfile
from semscale.store.exports.unfinished import notes_on_used
from semscale.store.missing_codes import code_key
from semscale.survey.description import Question, Survey, cell_name
from semscale.survey.respondents import is_none_of, listed_texts, quoted_name
from semscale.workbench.survey_view import SurveyView

_MOST_ANSWERS, _MOST_QUESTIONS = 40, 1_000  # that the form offers
_WITHOUT_ANSWERS = frozenset({"date", "ignore"})


@dataclass(frozen=True)
class FilterAnswer:
    """An answer that a form offers.

    Attributes:
        key: the value of the cells, or the column of an option of a multiple choice.
        label: what it means.
        n: number of rows in use that have it.
        column: the column.
        texts: texts of its cells in these rows.
    """

    key: str
    label: str
    n: int
    column: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class FilterQuestion:
    """A question by whose answers rows can be filtered; answers are counted once they are asked for.

    Attributes:
        name: name of the question, or of the column of a grid's item.
        heading: its title.
        question: the question.
        profiles: counts of the columns of the rows in use, by name.
        is_aside: true for a column that is no question, such as one that an export adds.
    """

    name: str
    heading: str
    question: Question
    profiles: Mapping[str, ColumnProfile]
    is_aside: bool = False

    @cached_property
    def answers(self) -> tuple[FilterAnswer, ...]:
        """Its answers in order."""
        return tuple(self._options() if _has_options(self.question) else self._values())

    @property
    def codes(self) -> list[str]:
        """Texts of its cells that are codes for no answer; none if it has options."""
        if _has_options(self.question):
            return []
        codes = self.question.missing_reasons
        return [text for text in self.profiles[self.name].values if code_key(cell_name(text)) in codes]

    @property
    def n_without(self) -> int:
        """Number of rows in use without an answer: empty cells, and codes for no answer."""
        if _has_options(self.question):
            return 0
        return self.profiles[self.name].n - sum(answer.n for answer in self.answers)

    def _options(self) -> Iterator[FilterAnswer]:
        """Yield the options of a multiple choice whose marks are known."""
        for option in self.question.options:
            marks = tuple(dict.fromkeys([*self.question.chosen, *option.chosen]))
            profile = self.profiles.get(option.column or "")
            if profile is not None and marks and not option.is_text:
                texts = tuple(text for text in profile.values if cell_name(text) in marks)
                n = sum(profile.values[text] for text in texts)
                yield FilterAnswer(profile.name, option.label, n, profile.name, texts)

    def _values(self) -> Iterator[FilterAnswer]:
        """Yield values of cells that are answers: in the order of the description, then by frequency."""
        counts = self.profiles[self.name].values
        cells: dict[str, list[str]] = {}
        for text in counts:
            cells.setdefault(cell_name(text), []).append(text)
        n = {value: sum(counts[text] for text in texts) for value, texts in cells.items()}
        labels = {value.value: value.name for value in self.question.values}
        order = {value: position for position, value in enumerate(labels)}
        codes = self.question.missing_reasons
        for value in sorted(cells, key=lambda value: (order.get(value, len(order)), -n[value])):
            if code_key(value) not in codes:
                label = labels.get(value, value)
                yield FilterAnswer(value, label, n[value], self.name, tuple(cells[value]))


def _has_options(question: Question) -> bool:
    return question.kind == "multiple" and question.has_option_columns


class FilterForm(BaseModel):
    """Fields of the form.

    Attributes:
        question: name of the question; empty if none is chosen.
        mode: ``keep`` to use only rows with the answers, ``leave`` to leave them out.
        answer: keys of the answers.
        without: true for rows without an answer, too.
        version: version of the rows and columns that the page showed.
    """

    question: str = ""
    mode: Literal["keep", "leave"] = "keep"
    answer: list[str] = []
    without: bool = False
    version: str = ""

    def apply(self, survey: Survey, question: FilterQuestion) -> Survey:
        """Return a description that filters the rows so, after its other conditions.

        Rows that leave are values of ``leave_out``, so that an empty cell stays; rows that are kept meet
        ``where``, which an empty cell does not.

        Raises:
            InputError: no answer is chosen, or the question has none of them.
        """
        texts = self._texts(question)
        column = _name(question.name)
        if self.mode == "keep":
            return survey.with_fields(
                where=join_conditions(survey.where, _any_of(texts, column, self.without))
            )
        where, leave_out = survey.where, dict(survey.leave_out)
        for name, values in texts.items():
            if all(cell_name(value) == value for value in values):
                leave_out[name] = tuple(dict.fromkeys([*leave_out.get(name, ()), *values]))
            else:  # texts such as "1.0", which a description writes as 1
                where = join_conditions(where, is_none_of(_name(name), values))
        where = join_conditions(where, f"{column} IS NOT NULL") if self.without else where
        return survey.with_fields(leave_out=leave_out, where=where)

    def condition(self, question: FilterQuestion) -> str:
        """Return the SQL condition of the rows that stay, for a table whose codes for no answer are cells.

        Raises:
            InputError: as ``apply``.
        """
        texts, column = self._texts(question), _name(question.name)
        if self.without and question.codes:
            texts.setdefault(question.name, []).extend(question.codes)
        if self.mode == "keep":
            return _any_of(texts, column, self.without)
        conditions = [is_none_of(_name(name), values) for name, values in texts.items()]
        conditions += [f"{column} IS NOT NULL"] if self.without else []
        return reduce(join_conditions, conditions)

    def _texts(self, question: FilterQuestion) -> dict[str, list[str]]:
        """Return the texts of the chosen answers' cells, by column.

        Raises:
            InputError: no answer is chosen, or the question has none of them.
        """
        known = {answer.key: answer for answer in question.answers}
        if lost := [key for key in self.answer if key not in known]:
            raise InputError("answer", f"must be an answer to {question.heading!r:.60}, got {lost[0]!r:.60}")
        if not self.answer and not self.without:
            raise InputError("answer", ": choose at least one answer")
        texts: dict[str, list[str]] = {}
        for key in self.answer:
            texts.setdefault(known[key].column, []).extend(known[key].texts)
        return texts


@dataclass(frozen=True)
class RowFilters:
    """Filters of a survey as the page shows them.

    Attributes:
        view: the survey.
    """

    view: SurveyView

    @cached_property
    def questions(self) -> dict[str, FilterQuestion]:
        """The questions that the form offers, by name."""
        listed = (entry for question in self.view.survey.questions for entry in self._entries(question))
        return {entry.name: entry for entry in listed}

    @property
    def listed(self) -> list[FilterQuestion]:
        """The first of these questions, as thousands take a browser seconds."""
        return list(islice(self.questions.values(), _MOST_QUESTIONS))

    @property
    def limits(self) -> tuple[int, int]:
        """Greatest number of answers of a question that the form offers, and of questions."""
        return _MOST_ANSWERS, _MOST_QUESTIONS

    @cached_property
    def unfinished(self) -> dict[str, tuple[str, str]]:
        """Column and value that mark rows that are no finished interviews but used, by the note on them."""
        profiles = self.view.counts.profiles

        def count(column: str, value: str) -> int:
            profile = profiles[column]
            return profile.values.get(value, 0) if value else profile.n - profile.filled

        used = notes_on_used(list(profiles), count)
        return dict(zip(notes_from(used), used.values(), strict=True))

    def question(self, name: str) -> FilterQuestion:
        """Return a question, also one with more answers than the form shows.

        Raises:
            InputError: there is no such question, or rows cannot be filtered by it.
        """
        if name in self.questions:
            return self.questions[name]
        entry = next(self._entries(self.view.survey.question(name), most=None), None)
        if entry is None:
            raise InputError("question", f"must have answers to filter by, got {name!r:.60}")
        return entry

    def _entries(self, question: Question, most: int | None = _MOST_ANSWERS) -> Iterator[FilterQuestion]:
        """Yield the question, or the items of a grid, if rows can be filtered by the answers."""
        profiles = self.view.counts.profiles
        if question.separator or question.kind == "identifier":
            return
        if _has_options(question):
            if question.has_known_marks:
                yield FilterQuestion(question.name, question.heading, question, profiles)
            return
        labels = {option.column: f"{question.heading}: {option.label}" for option in question.options}
        for column in question.all_columns:
            n = len(profiles[column].values) if column in profiles else 0
            if n and (most is None or n <= most):
                is_aside = question.kind in _WITHOUT_ANSWERS
                yield FilterQuestion(
                    column, labels.get(column, question.heading), question, profiles, is_aside
                )


def join_conditions(first: str, second: str) -> str:
    """Return the SQL condition that both conditions are met, of which the first can be empty."""
    return f"({first}) AND ({second})" if first else second


def _any_of(texts: Mapping[str, Sequence[str]], column: str, without: bool) -> str:
    """Write the SQL condition that a cell has one of the texts of its column, or that a column is empty."""
    met = [f"{_name(name)} IN ({listed_texts(values)})" for name, values in texts.items()]
    return " OR ".join([*met, f"{column} IS NULL"] if without else met)


def _name(column: str) -> str:
    """Write the name of a column for SQL, in quotes only if it needs them."""
    with suppress(PolarsError):
        if column.isidentifier() and pl.sql_expr(column).meta.root_names() == [column]:
            return column
    return quoted_name(column)
