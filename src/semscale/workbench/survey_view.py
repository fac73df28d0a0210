"""A project's survey for pages: the table, read in a thread, its counts in memory, and the description."""

import threading
from collections.abc import Mapping
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from semscale.errors import InputError
from semscale.serving.background import BackgroundWork, Task, report_progress
from semscale.store.column_profile import ColumnProfile, profiles_of
from semscale.store.reading import open_table
from semscale.store.table import Table
from semscale.store.table_in_memory import table_in_memory
from semscale.store.table_settings import TableSettings
from semscale.survey.answer_counts import QuestionCounts, count_answers
from semscale.survey.description import Question, QuestionKind, Survey
from semscale.survey.finding import reading_for
from semscale.survey.respondents import leave_out_rows
from semscale.survey.survey_file import FILE_NAME
from semscale.survey.updating import update_survey
from semscale.survey.wave_files import open_wave
from semscale.tabulation.column_summaries import ColumnsSummary, ColumnSummary, summarize_columns
from semscale.tabulation.conditions import condition_in_words
from semscale.workbench.project import Project, StoredSurvey, version_of

GROUPS: tuple[QuestionKind, ...] = ("single", "scale", "nps", "wave")
"""Kinds of questions whose answers can be groups."""

_SECONDS = 0.3  # after which a page is shown without the answers
_READ, _IN_MEMORY = 4, 2  # numbers of last tables whose counts, and whose rows, stay
_FIRST_ROWS = 8

_ROWS = {"reading", "derive", "where", "leave_out"}  # what a description states of the rows
_UNDESCRIBED = Survey(questions=())

DETECTED = TableSettings()
"""Settings of a file about which nothing is stated."""

_FileState = tuple[str, int, int, int, int]
_FileKey = tuple[_FileState, str]
_Key = tuple[_FileState, str]


@dataclass(frozen=True)
class TableCounts:
    """A table that was read once.

    Attributes:
        table: the table with derived columns, and the rows that count.
        profiles: counts of its columns, by name.
        summary: its columns, and the description that Semscale infers.
    """

    table: Table
    profiles: Mapping[str, ColumnProfile]
    summary: ColumnsSummary
    _counted: dict[str, QuestionCounts] = field(default_factory=dict, repr=False)

    @cached_property
    def columns(self) -> dict[str, ColumnSummary]:
        """The columns by name."""
        return {column.name: column for column in self.summary.columns}

    def count(self, question: Question, version: str) -> QuestionCounts:
        """Return the counts of a question, which are computed once for each version of its entry."""
        if version not in self._counted:
            self._counted[version] = count_answers(question, self.profiles)
        return self._counted[version]


@dataclass(frozen=True)
class SurveyView:
    """A survey as pages show it.

    Attributes:
        file: the file with the answers.
        stored: the description as it is stored.
        survey: the description, with inferred entries for columns that it does not name.
        added: columns that the stored description does not name.
        gone: columns that the file lacks.
        counts: the table and its counts.
    """

    file: Path
    stored: StoredSurvey
    survey: Survey
    added: tuple[str, ...]
    gone: tuple[str, ...]
    counts: TableCounts

    @property
    def reading(self) -> TableSettings:
        """How the file is read."""
        return reading_for(self.stored.survey, self.file.name)

    @property
    def undecided(self) -> tuple[Question, ...]:
        """Questions that the user should look at first."""
        return tuple(question for question in self.survey.questions if question.needs_decision)

    def caution_on(self, results: str, file: Path, survey: Survey) -> str:
        """Return the sentence about results of another file or description; empty if they are current.

        Args:
            results: plural name of the results.
            file: the file of which they are.
            survey: its description when they were made.
        """
        if file != self.file:
            return f"These {results} are of {file.name}; the open file is {self.file.name}."
        if survey != self.survey:
            return f"The description of the data has changed since these {results} were made."
        return ""

    @property
    def usual_text(self) -> str:
        """Name of the open question with most answers; empty if there is none."""
        texts = self.survey.of_kind("open")
        return max(texts, key=lambda text: self.card(text).counts.answered).name if texts else ""

    def heading(self, name: str) -> str:
        """Return the heading of a question; the name itself if there is no such question."""
        question = self.survey.by_name.get(name)
        return name if question is None else question.heading

    def state_condition(self, where: str) -> str:
        """State the SQL condition of rows by headings of questions and labels of answers."""
        return condition_in_words(where, self.survey, self.counts.table.labels)

    def card(self, question: Question) -> "Card":
        """Return what the page shows of a question."""
        columns = [self.counts.columns[name] for name in question.all_columns if name in self.counts.columns]
        version = version_of(question)
        return Card(question, version, self.counts.count(question, version), columns)


@dataclass(frozen=True)
class Card:
    """A question with its counts.

    Attributes:
        question: the question.
        version: hash of its entry.
        counts: its answers.
        columns: its columns.
    """

    question: Question
    version: str
    counts: QuestionCounts
    columns: list[ColumnSummary]


@dataclass(frozen=True)
class OpenedTable:
    """A table of which little was read.

    Attributes:
        table: the table.
        first_rows: cells of its first rows.
    """

    table: Table
    first_rows: list[tuple[object, ...]]


class SurveyReader:
    """Reads tables in threads, and keeps the rows and the counts of the last ones in memory.

    Args:
        work: the threads.
        stated: how files are read, if the project's file states it.
    """

    def __init__(self, work: BackgroundWork, stated: TableSettings = DETECTED) -> None:
        self._work, self._stated = work, stated
        self._tasks: dict[_Key, Task[TableCounts]] = {}
        self._opened: dict[_FileKey, OpenedTable] = {}
        self._in_memory: dict[_FileKey, Table] = {}
        self._lock, self._reading = threading.Lock(), threading.Lock()

    def start(self, project: Project, seconds: float) -> None:
        """Begin to read a project's file before a page asks for it, which reports what cannot be read.

        Args:
            project: the project.
            seconds: longest time to wait for the answers.
        """
        with suppress(InputError, OSError):
            file, stored = project.described_file()
            wait([self._task(file, stored.survey).future], seconds)

    def view(self, file: Path, stored: StoredSurvey) -> SurveyView:
        """Return the survey, once its file was read.

        Args:
            file: the file with the answers.
            stored: the description.

        Raises:
            InputError: the file cannot be read, or the description is of another file.
        """
        return _view(file, stored, self._task(file, stored.survey).future.result())

    def view_if_read(self, file: Path, stored: StoredSurvey) -> SurveyView | None:
        """Return the survey; ``None`` if its file is still being read after a moment.

        Args:
            file: the file with the answers.
            stored: the description.

        Raises:
            InputError: the file cannot be read, or the description is of another file.
        """
        future = self._task(file, stored.survey).future
        wait([future], _SECONDS)
        return _view(file, stored, future.result()) if future.done() else None

    def unfinished(self, file: Path, stored: StoredSurvey) -> Task[TableCounts] | None:
        """Return the task that reads a file; ``None`` if it was read, or cannot be."""
        task = self._task(file, stored.survey)
        return None if task.future.done() else task

    def opened(self, file: Path, stored: StoredSurvey) -> OpenedTable | None:
        """Return a table that is being read, with its first rows; ``None`` before it is open."""
        return self._opened.get(_file_key(file, _reading(file, stored.survey, self._stated)))

    def open(self, file: Path, reading: TableSettings) -> OpenedTable:
        """Open a table, and read its first rows.

        Args:
            file: its file.
            reading: how it is read.

        Raises:
            InputError: the table cannot be read.
        """
        key = _file_key(file, reading)
        opened = self._opened.get(key)
        if opened is None:
            table = open_table(file, **dict(reading))
            opened = OpenedTable(table, next(table.batches(_FIRST_ROWS)).rows())
            self._opened = {key: opened}
        return opened

    def open_as_commands(self, file: Path, survey: Survey | None) -> Table:
        """Open a table as commands do: with derived columns and the rows that count, read from the file.

        Raises:
            InputError: the table cannot be read, or a derived column or the condition is invalid.
        """
        return leave_out_rows(open_table(file, **dict(_reading(file, survey, self._stated))), survey)

    def described_table(self, file: Path, survey: Survey | None) -> Table:
        """Return a table as its description states, with derived columns and the rows that count.

        Its rows are read from the file once, and then from memory.

        Raises:
            InputError: the table cannot be read, or a derived column or the condition is invalid.
        """
        return leave_out_rows(self._table_in_memory(file, survey), survey)

    def earlier_wave(self, file: Path, survey: Survey | None) -> Table:
        """Return the table of an earlier wave by the description of the last one, as ``described_table``.

        Raises:
            InputError: as ``open_wave``; or the table cannot be read.
        """
        return open_wave(self._table_in_memory(file, survey), survey)

    def _table_in_memory(self, file: Path, survey: Survey | None) -> Table:
        reading = _reading(file, survey, self._stated)
        key = _file_key(file, reading)
        with self._reading:
            table = self._in_memory.get(key)
            if table is None:
                table = table_in_memory(self.open(file, reading).table, report_progress)
                self._in_memory = dict([*self._in_memory.items()][1 - _IN_MEMORY :]) | {key: table}
                self._opened = {}
        return table

    def _task(self, file: Path, survey: Survey | None) -> Task[TableCounts]:
        key = (_file_state(file), (survey or _UNDESCRIBED).model_dump_json(include=_ROWS))
        with self._lock:
            task = self._tasks.pop(key, None)
            if task is None or _failed_by_chance(task):
                task = self._work.submit(self._read_counts, file, survey)
            self._tasks = dict(list(self._tasks.items())[1 - _READ :])
            self._tasks[key] = task
        return task

    def _read_counts(self, file: Path, survey: Survey | None) -> TableCounts:
        """Read a table by its description, and count its answers.

        Raises:
            InputError: the table cannot be read, or a derived column or the condition is invalid.
        """
        table = self.described_table(file, survey)
        report_progress("counting the answers", 0, None)
        profiles = profiles_of(table)
        report_progress("finding the questions", 0, None)
        summary = summarize_columns(table, profiles=profiles)
        counts = TableCounts(table, {profile.name: profile for profile in profiles}, summary)
        questions = summary.survey if survey is None else update_survey(survey, summary.survey).survey
        for question in questions.questions:
            counts.count(question, version_of(question))
        return counts


def _failed_by_chance(task: Task[TableCounts]) -> bool:
    """Return whether reading a file again can help; a file that cannot be read must change first."""
    future = task.future
    if not future.done():
        return False
    return future.cancelled() or not isinstance(future.exception(), InputError | None)


def _file_state(file: Path) -> _FileState:
    """Return what changes if a file is written or replaced."""
    state = file.stat()
    return str(file), state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _file_key(file: Path, reading: TableSettings) -> _FileKey:
    return _file_state(file), reading.model_dump_json()


def _view(file: Path, stored: StoredSurvey, counts: TableCounts) -> SurveyView:
    inferred = counts.summary.survey
    if stored.survey is None:
        return SurveyView(file, stored, inferred, inferred.columns, (), counts)
    check_same_file(stored.survey, counts.table)
    updated = update_survey(stored.survey, inferred)
    return SurveyView(file, stored, updated.survey, updated.added, updated.gone, counts)


def _reading(file: Path, survey: Survey | None, stated: TableSettings) -> TableSettings:
    return reading_for(survey, file.name) if stated == DETECTED else stated


def check_same_file(survey: Survey, table: Table) -> None:
    """Check that a description is of a table, at least in part; a change would otherwise empty it.

    Raises:
        InputError: it names columns, and the table has none of them.
    """
    if survey.file_columns and not any(map(table.has, survey.file_columns)):
        raise InputError(
            "file",
            f": {FILE_NAME} describes none of the columns of {table.file_name}: open that file from a folder "
            "of its own",
        )
