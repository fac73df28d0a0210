"""Regrouping of columns: several questions joined to one, and one split into a question for each column."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from os.path import commonprefix
from typing import Literal

from semscale.errors import InputError
from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.column_groups import NAME_SIGNS
from semscale.survey.description import MissingReason, Option, Question, Survey, Value
from semscale.survey.inference import describe_columns

JoinedKind = Literal["multiple", "grid"]
"""Kinds of questions that columns are joined to."""

_FEWEST = 2
_OPEN_BRACKET = re.compile(r"[\[({][^\])}]*$")


def join_questions(
    survey: Survey, names: Collection[str], kind: JoinedKind, profiles: Mapping[str, ColumnProfile]
) -> tuple[Survey, Question]:
    """Join questions to one, in the place of the first.

    Args:
        survey: the description.
        names: names of the questions, at least two.
        kind: ``multiple`` if their columns are options, ``grid`` if they are items with the same answers.
        profiles: counts of the columns of the file, by name.

    Returns:
        The new description, and the joined question. Its labels, values and marks are inferred from the
        columns; codes for no answer of all questions stay.

    Raises:
        InputError: fewer than two questions are named.
        UnknownNameError: there is no question of a name.
    """
    named = {survey.question(name).name for name in names}
    questions = [question for question in survey.questions if question.name in named]
    if len(questions) < _FEWEST:
        raise InputError("names", f"must be at least {_FEWEST} questions to join, got {len(questions)}")
    columns = [column for question in questions for column in question.all_columns]
    others = {question.name for question in survey.questions} - named
    name = _free_name(_common_name(columns) or questions[0].name, others)
    inferred = describe_columns([profiles[column] for column in columns], name, export=survey.export)
    joined = Question(
        name=name,
        kind=kind,
        title=next((question.title for question in questions if question.title), ""),
        text=inferred.text,
        values=_values(questions, inferred) if kind == "grid" else (),
        options=_options(questions, inferred, columns),
        chosen=inferred.chosen if kind == "multiple" else (),
        not_chosen=inferred.not_chosen if kind == "multiple" else (),
        missing=_missing(questions, inferred if kind == "multiple" else None),
        source="user",
    )
    return _replace(survey, questions, [joined]), joined


def split_question(survey: Survey, name: str, profiles: Mapping[str, ColumnProfile]) -> Survey:
    """Split a question into one for each of its columns, in its place.

    Args:
        survey: the description.
        name: the question's name.
        profiles: counts of the columns of the file, by name.

    Raises:
        InputError: it has only one column.
        UnknownNameError: there is no such question.
    """
    question = survey.question(name)
    if len(question.all_columns) < _FEWEST:
        raise InputError("name", f": {question.name!r} has one column, so it cannot be split")
    names = {other.name for other in survey.questions} - {question.name}
    labels = {option.column: option.label for option in question.options}
    parts = []
    for column in question.all_columns:
        inferred = describe_columns([profiles[column]], column, export=survey.export)
        label = labels.get(column, "")
        part = inferred.model_copy(
            update={
                "name": _free_name(column, names),
                "columns": (column,),
                "text": ": ".join(filter(None, (question.text, label))) or inferred.text,
                "values": question.values if question.kind == "grid" else inferred.values,
                "kind": "scale" if question.kind == "grid" and question.values else inferred.kind,
                "missing": {**inferred.missing, **question.missing},
                "source": "user",
                "reason": "",
                "confidence": "high",
            }
        )
        names.add(part.name)
        parts.append(Question(**part.model_dump()))
    return _replace(survey, [question], parts)


def _options(questions: Iterable[Question], inferred: Question, columns: Iterable[str]) -> tuple[Option, ...]:
    """Return an option for each column: with a label that the user wrote, or else with the inferred one."""
    known = {option.column: option for question in questions for option in question.options}
    titles = {q.all_columns[0]: q.title for q in questions if len(q.all_columns) == 1 and q.title}
    labels = {option.column: option for option in inferred.options}
    options = []
    for column in columns:
        option = known.get(column) or labels.get(column) or Option(label=column, column=column)
        options.append(option.model_copy(update={"label": titles.get(column, option.label)}))
    return tuple(options)


def _values(questions: Iterable[Question], inferred: Question) -> tuple[Value, ...]:
    """Return the answers of a grid: those that the first described question lists, or the inferred ones."""
    return next((question.values for question in questions if question.values), inferred.values)


def _missing(questions: Iterable[Question], marked: Question | None) -> dict[str, MissingReason]:
    """Return the codes for no answer of all questions, without those that are marks of the joined one."""
    marks = () if marked is None else (*marked.chosen, *marked.not_chosen)
    known = {} if marked is None else dict(marked.missing)
    known |= {code: reason for question in questions for code, reason in question.missing.items()}
    are_marks = set(map(code_key, marks))
    return {code: reason for code, reason in known.items() if code_key(code) not in are_marks}


def _replace(survey: Survey, old: list[Question], new: list[Question]) -> Survey:
    """Return a description with some questions in the place of others."""
    questions: list[Question] = []
    for question in survey.questions:
        if question is old[0]:
            questions += new
        elif question not in old:
            questions.append(question)
    return survey.with_fields(questions=tuple(questions))


def _common_name(columns: Sequence[str]) -> str:
    """Return what the names of columns begin with, without a part of a number or of a word in brackets.

    Examples:
        >>> _common_name(["Q1[SQ001]", "Q1[SQ002]"]), _common_name(["Q4_1", "Q4_10"])
        ('Q1', 'Q4')
    """
    start = commonprefix(columns)
    if any(column[len(start) :][:1].isdigit() for column in columns):
        start = start.rstrip("0123456789")
    return _OPEN_BRACKET.sub("", start).rstrip(NAME_SIGNS)


def _free_name(name: str, names: Collection[str]) -> str:
    number, free = 2, name
    while free in names:
        free, number = f"{name} ({number})", number + 1
    return free
