"""Questions that a user names: their columns, and their descriptions, stated or inferred."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key, missing_keys
from semscale.store.table import ColumnLabels, with_option
from semscale.store.writing import is_reserved
from semscale.survey.description import Option, Question, Survey, Value
from semscale.survey.inference import describe_columns
from semscale.tabulation.text_results import (
    CODED,
    code_columns,
    code_values,
    coded_text,
    codes_heading,
    columns_of_results,
    describe_codes,
    mass_columns,
    measured_text,
    text_heading,
)

_SEVERAL = 2

_WITH_VALUES = frozenset({"scale", "single", "grid", "wave"})
"""Kinds of questions whose answers are listed in their description."""


@dataclass(frozen=True)
class QuestionColumns:
    """A question and its columns.

    Attributes:
        name: the user's name, or its name in the description.
        columns: a single column, or the columns of a multiple choice or a grid.
        is_multiple: true if the columns belong together.
        are_mentions: true if all columns contain codes of one list, such as the first, second and third brand
            that came to mind.
        described: its description; ``None`` if it is inferred from its columns.
    """

    name: str
    columns: tuple[str, ...]
    is_multiple: bool = False
    are_mentions: bool = False
    described: Question | None = None

    @property
    def is_inferred(self) -> bool:
        """True if its answers are inferred: it is not described, or its description does not list them."""
        if self.described is None:
            return True
        return self.described.kind in _WITH_VALUES and not self.described.answers


def find_columns(
    name: str, columns: Sequence[str], labels: Mapping[str, ColumnLabels], survey: Survey | None = None
) -> QuestionColumns:
    """Return the columns of a question that a user names, with its description if there is one.

    Args:
        name: a question of the description; a column; the short name of a question with several columns; a
            pattern of columns that belong to one question, such as ``brand_*``; ``Brands=brand_a,brand_b``;
            ``Mentions=first+second`` for columns with codes of one list; or ``semscale_outcome`` for the
            codes of ``semscale code``.
        columns: columns of the table.
        labels: labels of the columns.
        survey: description of the table; ``None`` without one.

    Raises:
        UnknownNameError: no column or question has that name; the message suggests similar names.
        InputError: a list names a column twice, or the table lacks a column of a described question.

    Examples:
        >>> find_columns("brand_*", ["age", "brand_a", "brand_b"], {}).columns
        ('brand_a', 'brand_b')
    """
    text = coded_text(name)
    if text is not None and (codes := tuple(code_columns(columns, text))):
        of_codes = describe_codes(codes, text, codes_heading(text, survey))
        return QuestionColumns(name, codes, is_multiple=True, described=of_codes)
    text, measured = measured_text(name)
    if measured == "ratings" and mass_columns(columns, name) and (heading := text_heading(text, survey)):
        rated = Question(name=name, kind="open", columns=(name,), title=f"{heading} (ratings)")
        return QuestionColumns(name, (name,), described=rated)
    if text and name not in columns and not mass_columns(columns, name):
        verb = "rate" if measured == "ratings" else "code"
        raise InputError(
            "question",
            f": the table has no {measured} of {text!r}: {verb} its answers (semscale {verb}), and name that "
            "table by `results`",
        )
    if survey is not None and name in survey.by_name:
        return _described(survey.by_name[name], columns)
    named = _find_in_table(name, columns, labels, survey)
    question = None if survey is None else _question_of_columns(survey, named)
    if question is None:
        return named
    described = _described(question, columns)
    return replace(described, name=named.name) if named.is_multiple else described


def _find_in_table(
    name: str, columns: Sequence[str], labels: Mapping[str, ColumnLabels], survey: Survey | None
) -> QuestionColumns:
    """Return the columns of a question that has no entry of its own in the description."""
    together = _columns_of_questions(columns, labels).get(name, ())
    if name in columns and (name in together or len(together) < _SEVERAL):
        return QuestionColumns(name, (name,))
    if together:
        are_mentions = all(labels[column].are_mentions for column in together)
        return QuestionColumns(name, together, is_multiple=True, are_mentions=are_mentions)
    if mass_columns(columns, name):
        return QuestionColumns(name, (name,))
    if "=" in name:
        return _read_column_list(name, columns)
    if any(sign in name for sign in "*?[") and (matching := _match_pattern(name, columns, labels)):
        several = len(matching) > 1
        return QuestionColumns(name if several else matching[0], matching, is_multiple=several)
    questions = [column.question for column in labels.values() if column.question]
    described = () if survey is None else survey.by_name
    raise unknown_name("question", name, list(dict.fromkeys([*described, *columns, *questions])))


def _match_pattern(
    pattern: str, columns: Sequence[str], labels: Mapping[str, ColumnLabels]
) -> tuple[str, ...]:
    """Return the columns of one question that fit a pattern, without results of ``rate`` and ``code``.

    Raises:
        InputError: only results fit.
    """
    fitting = [column for column in columns if _fits(column, pattern)]
    matching = [column for column in fitting if not is_reserved(column)]
    if fitting and not matching:
        raise InputError(
            "question",
            f": '{pattern}' are results of semscale rate and semscale code, which are not the options of a "
            f"question: name the text, or {CODED} for the codes",
        )
    return _without_repeats(matching, labels) if matching else ()


def _columns_of_questions(
    columns: Sequence[str], labels: Mapping[str, ColumnLabels]
) -> dict[str, tuple[str, ...]]:
    """Return the columns of the questions that the file names, without those that a survey tool adds."""
    members: dict[str, tuple[str, ...]] = {}
    for column in columns:
        entry = labels.get(column, ColumnLabels())
        if entry.question and not entry.role:
            members[entry.question] = (*members.get(entry.question, ()), column)
    return members


def _without_repeats(columns: Sequence[str], labels: Mapping[str, ColumnLabels]) -> tuple[str, ...]:
    """Leave out what a survey tool adds to the options of a question, such as their list or their number."""
    members = _columns_of_questions(columns, labels)
    left = tuple(
        column
        for column in columns
        if not labels.get(column, ColumnLabels()).role
        and (len(members.get(column, ())) < _SEVERAL or column in members[column])
    )
    return left or tuple(columns)


def _fits(column: str, pattern: str) -> bool:
    """Return whether a column fits a pattern; brackets in it can be those of the column's name."""
    return fnmatchcase(column, pattern) or fnmatchcase(column, pattern.replace("[", "[[]"))


def _described(question: Question, columns: Collection[str]) -> QuestionColumns:
    lost = next((column for column in question.all_columns if column not in columns), None)
    if lost is not None and not mass_columns(columns, lost):
        raise InputError(
            "survey",
            f": the table has no column {lost!r}, which question {question.name!r} names; correct the "
            "description, where a renamed question needs its columns, or describe the file anew",
        )
    several = len(question.all_columns) > 1 or bool(question.options and question.has_option_columns)
    return QuestionColumns(question.name, question.all_columns, is_multiple=several, described=question)


def _question_of_columns(survey: Survey, named: QuestionColumns) -> Question | None:
    """Return the described question of columns, without its other options; ``None`` if there is none."""
    question, *rest = (survey.of_column(column) for column in named.columns)
    if question is None or named.are_mentions or any(owner is not question for owner in rest):
        return None
    if named.columns == question.all_columns:
        return question.model_copy(update={"name": named.name}) if named.is_multiple else question
    options = tuple(option for option in question.options if option.column in named.columns)
    if question.kind in {"grid", "ranking"} and not named.is_multiple:
        (column,) = named.columns
        return grid_item(question, options[0] if options else Option(label=column, column=column))
    # Nets name options that may be left out.
    fields = {"name": named.name, "columns": named.columns, "options": options, "nets": {}}
    return question.model_copy(update=fields)


def grid_item(grid: Question, item: Option) -> Question:
    """Return the question of a grid's item; it is a scale if all its answers have numbers."""
    answers = grid.answers
    is_scale = bool(answers) and all(value.number is not None for value in answers)
    column = item.column or item.label
    start = grid.title or grid.text
    is_named = "*" in grid.name or grid.name in column
    # A label that is a part of the column's name says less than the name.
    label = column if item.label in column else item.label
    text = with_option(start, item.label) if start else label if is_named else f"{grid.name}: {label}"
    return grid.model_copy(
        update={
            "name": column,
            "kind": "scale" if is_scale else "single",
            "columns": (column,),
            "title": "",
            "text": text,
            "options": (),
        }
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
    if not question.is_multiple:
        return [*present, *columns_of_results(columns, question.columns[0])]
    are_codes = coded_text(question.name) is not None
    values = (code_values(column, columns) for column in present if are_codes)
    return [*present, *chain.from_iterable(values)]


def describe_question(
    named: QuestionColumns,
    profiles: Mapping[str, ColumnProfile],
    *,
    export: str = "",
    missing: Sequence[str] = (),
    points: Mapping[str, str] | None = None,
    is_number: bool = False,
) -> Question:
    """Return the description of a question; what the user states goes before what is described or inferred.

    Args:
        named: the question.
        profiles: its columns over the whole table, from which it is inferred without a description.
        export: the tool that wrote the file; empty if it is unknown.
        missing: codes for no answer that the user states: values or their labels.
        points: labels of the points of the scale that the user names.
        is_number: whether the user states that the answers are numbers.

    Raises:
        InputError: a code is blank.
    """
    keys = missing_keys(missing)
    question = named.described
    if question is None:
        left = [_without_codes(profiles[name], keys) for name in named.columns if name in profiles]
        if not left:  # the table has only the ratings of this text
            return Question(name=named.name, kind="open", columns=named.columns, source="inferred")
        question = describe_columns(left, named.name, export=export, are_mentions=named.are_mentions)
        columns = question.all_columns
        question = question.model_copy(update={"name": named.name, "columns": columns})
    elif named.is_inferred:
        question = _with_values(question, profiles, export)
    if keys:
        question = _with_missing(question, missing, keys)
    if is_number:
        answers = {"kind": "numeric", "values": tuple(v for v in question.values if v.missing is not None)}
        question = question.model_copy(update=answers | {"options": (), "nets": {}})
    if points and question.kind in {"single", "scale", "numeric", "nps", "wave", "open"}:
        question = _on_scale(question, points)
    return question


def _with_values(question: Question, profiles: Mapping[str, ColumnProfile], export: str) -> Question:
    """Add the values and codes for no answer that are inferred; stated codes go before them."""
    keys = missing_keys(question.missing_codes)
    left = [_without_codes(profiles[name], keys) for name in question.all_columns if name in profiles]
    if not left:
        return question
    name = left[0].name if len(left) == 1 else question.name
    inferred = describe_columns(left, name, export=export)
    if inferred.kind not in _WITH_VALUES:
        return question
    codes = question.missing or inferred.missing
    values = (*inferred.values, *(value for value in question.values if value not in inferred.values))
    stated = {"values": values, "missing": codes, "source": inferred.source, "reason": inferred.reason}
    return question.model_copy(update=stated)


def _without_codes(profile: ColumnProfile, keys: frozenset[str]) -> ColumnProfile:
    """Return a profile without the cells of codes, which its labels declare missing."""
    labels = profile.labels
    coded = {value for value, label in labels.values.items() if {code_key(value), code_key(label)} & keys}
    coded |= {value for value in profile.values if code_key(value) in keys}
    if not coded:
        return profile
    declared = replace(labels, missing_values=[*labels.missing_values, *coded])
    return replace(profile.without(coded), labels=declared)


def _with_missing(question: Question, codes: Sequence[str], keys: frozenset[str]) -> Question:
    """State codes for no answer, which are then neither answers nor marks."""
    values = tuple(
        value.model_copy(update={"missing": value.missing or "no answer"})
        if {code_key(value.value), code_key(value.label)} & keys
        else value
        for value in question.values
    )
    stated = {code: "no answer" for code in codes if code_key(code) not in question.missing_reasons}
    return question.model_copy(
        update={
            "values": values,
            "missing": {**question.missing, **stated},
            "chosen": tuple(mark for mark in question.chosen if code_key(mark) not in keys),
            "not_chosen": tuple(mark for mark in question.not_chosen if code_key(mark) not in keys),
        }
    )


def _on_scale(question: Question, points: Mapping[str, str]) -> Question:
    """Replace the answers of a question by the points of a scale."""
    values = tuple(Value(value=value, label=label) for value, label in points.items())
    labels = {code_key(text) for value in values for text in (value.value, value.label)}
    codes = {
        code: reason for code, reason in question.missing_reasons.items() if code_key(code) not in labels
    }
    return question.model_copy(
        update={"kind": "scale", "values": values, "missing": codes, "options": (), "nets": {}}
    )
