"""Finding the description of a table: the file that the user names, the project's, or one beside the data."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store.missing_codes import code_key
from semscale.store.places import is_url
from semscale.store.table import ColumnLabels, Table
from semscale.store.table_settings import TableSettings
from semscale.survey.description import Question, QuestionKind, Survey
from semscale.survey.survey_file import FILE_NAME, error_in_entry, read_survey

_MARKED = re.compile(rb"^survey\s*:", re.MULTILINE)
_READING = re.compile(rb"^reading\s*:", re.MULTILINE)
_FIRST_BYTES = 20_000
_ONE_COLUMN: tuple[QuestionKind, ...] = ("single", "scale", "nps", "wave")


def find_survey(
    table: Table, file: str, *, stated: Path | None = None, configured: Path | None = None
) -> tuple[Survey | None, str]:
    """Find the description of a table's questions.

    It only says what columns mean: nothing that it names is opened, run or written.

    Args:
        table: the table.
        file: the table's path as the user wrote it.
        stated: the file that the user names; it must describe the table.
        configured: the project's file. Without one, ``survey.yaml`` beside the table is read if it has the
            key ``survey`` and is no link to another folder. Either may describe another file than this one.

    Returns:
        The description, or ``None``; and a note on the file that was read or left aside, empty if the user
        names the file, or there is none.

    Raises:
        InputError: the file cannot be read, is no description, or names columns that the table lacks although
            the user names it or it names the table.
    """
    if stated is not None:
        return _described(read_survey(stated), table, stated), ""
    path = configured or survey_beside(file)
    if path is None:
        return None, ""
    if configured is None and (problem := _problem(path)):
        return None, f"{path} was not read: {problem}"
    survey = read_survey(path)
    if survey.file != table.file_name and (lost := _lost_column(survey, table)) is not None:
        return None, f"{path} was not read: it describes another file, as {table.name} has no column {lost!r}"
    return _described(survey, table, path), hint(f"questions are described in {path}")


def survey_beside(file: str) -> Path | None:
    """Return the path ``survey.yaml`` in the folder of a table; ``None`` if nothing is there."""
    if not file or file == "-" or is_url(file) or not Path(file).exists():
        return None
    path = Path(file).parent / FILE_NAME
    return path if path.exists() or path.is_symlink() else None


def reading_beside(file: str) -> TableSettings:
    """Return how a file is read by the description beside it; the defaults if that states nothing of it.

    Raises:
        InputError: the description cannot be read.
    """
    path = survey_beside(file)
    if path is None or _problem(path) or not _READING.search(path.read_bytes()):
        return TableSettings()
    return reading_for(read_survey(path), Path(file).name)


def reading_for(survey: Survey | None, file_name: str) -> TableSettings:
    """Return how a file is read by a description; the defaults if that is of another file."""
    return TableSettings() if survey is None or survey.file != file_name else survey.reading


def _problem(path: Path) -> str:
    """Return why a file that nobody named is left aside; empty if it is read."""
    if not path.is_file():
        return "it is no file" if path.exists() else "it is a link to a file that does not exist"
    if path.resolve().parent != path.parent.resolve():
        return "it is a link to another folder"
    with path.open("rb") as content:
        is_marked = _MARKED.search(content.read(_FIRST_BYTES)) is not None
    return "" if is_marked else "it has no line 'survey: 1'" + hint("; add it, or name the file by `survey`")


def _described(survey: Survey, table: Table, path: Path) -> Survey:
    """Return the description if the table has all its columns.

    Raises:
        InputError: a column is missing; the message names its question and the line.
    """
    lost = _lost_column(survey, table)
    if lost is None:
        return survey
    position, name = next(
        (position, question.name)
        for position, question in enumerate(survey.questions)
        if lost in question.all_columns
    )
    raise error_in_entry(
        path,
        position,
        f"{table.name} has no column {lost!r}, which question {name!r} names; a renamed question "
        "needs its column, such as ‘columns: Q1’; or describe the file anew",
    )


def _lost_column(survey: Survey, table: Table) -> str | None:
    return next((column for column in survey.file_columns if not table.has(column)), None)


def with_survey_labels(table: Table, survey: Survey) -> Table:
    """Return a table whose columns of one question have its title, and the labels and order of its answers.

    Questions without labels keep those of the file.
    """
    labels = dict(table.labels)
    for question in survey.questions:
        if len(question.all_columns) > 1:
            continue
        (column,) = question.all_columns
        known = labels.get(column, ColumnLabels())
        known = replace(known, label=question.text or known.label, heading=question.heading)
        if question.kind in _ONE_COLUMN and question.values:
            named = {value.value: value.label for value in question.values if value.label}
            order = tuple(value.value for value in question.values)
            known = replace(known, values=named or known.values, order=order)
        labels[column] = known
    return replace(table, labels=labels)


def column_named(name: str, columns: Collection[str], survey: Survey | None, parameter: str) -> str:
    """Return the column that a name stands for: the column of that name, or the one of a question.

    Args:
        name: as the user wrote it.
        columns: columns of the table.
        survey: its description, if there is one.
        parameter: parameter for messages.

    Raises:
        InputError: the question has several columns.
    """
    question: Question | None = None if survey is None else survey.by_name.get(name)
    if question is None or name in columns:
        return name
    if len(question.all_columns) > 1:
        listed = ", ".join(question.all_columns)
        raise InputError(parameter, f": question {name!r} has several columns; name one of them: {listed}")
    return question.all_columns[0]


def columns_named(names: Iterable[str], columns: Collection[str], survey: Survey | None) -> tuple[str, ...]:
    """Return the columns that names stand for; the name of a question stands for all its columns."""
    by_name = {} if survey is None else survey.by_name
    named = (
        (name,) if name in columns or name not in by_name else by_name[name].all_columns for name in names
    )
    return tuple(chain.from_iterable(named))


def codes_by_column(table: Table, survey: Survey | None) -> dict[str, frozenset[str]]:
    """Return the codes for no answer of each described column: values and labels, by ``code_key``."""
    if survey is None:
        return {}
    codes = {}
    for question in survey.questions:
        reasons = question.missing_reasons
        for column in question.all_columns if reasons else ():
            labels = table.labels.get(column, ColumnLabels()).values.items()
            labelled = {code_key(value) for value, label in labels if code_key(label) in reasons}
            codes[column] = frozenset({*reasons, *labelled})
    return codes


def scores_by_column(survey: Survey) -> dict[str, dict[str, float]]:
    """Return the scores of the answers to each question with one column: for numbers."""
    scores = {}
    for question in survey.questions:
        known = {value.value: value.score for value in question.values if value.score is not None}
        if known and len(question.all_columns) == 1:
            scores[question.all_columns[0]] = known
    return scores


def unused_facts(
    survey: Survey, *, weight: str | None = "", wave: str | None = "", groups: Collection[str] = ()
) -> list[str]:
    """Describe weights and waves of the description that a command was not told to use.

    Args:
        survey: the description.
        weight: the column of weights; ``None`` if none is named, empty if the command uses none.
        wave: the column of waves, likewise.
        groups: questions and columns by which the command compares groups, waves among them.
    """
    notes = []
    if weight is None and (weights := survey.of_kind("weight")):
        notes.append(f"no weights were used; the description names '{weights[0].name}'" + hint(" (`weight`)"))
    waves = [
        question
        for question in survey.of_kind("wave")
        if not {question.name, *question.all_columns} & {*groups}
    ]
    if wave is None and waves:
        notes.append(f"waves were not compared; the description names '{waves[0].name}'" + hint(" (`wave`)"))
    return notes
