"""Ratings and codes of a project's open questions, as questions of tables."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import urlencode

import polars as pl

from semscale.errors import InputError
from semscale.store.columnar import open_parquet
from semscale.store.table import Table
from semscale.store.table_in_memory import table_in_memory
from semscale.survey.description import Question, Survey
from semscale.survey.finding import codes_by_column, column_named
from semscale.survey.wave_files import WAVE, name_waves, stack_waves
from semscale.tabulation.basket import Basket
from semscale.tabulation.joined_results import (
    TextResults,
    check_waves,
    find_difference,
    open_texts,
    place_beside,
    read_results,
)
from semscale.tabulation.text_results import (
    LINKS,
    heading_and_title,
    measured_text,
    results_title,
    text_heading,
)
from semscale.workbench.pages import PAGES
from semscale.workbench.project import RESULTS, Project
from semscale.workbench.runs import stored_choices, table_path
from semscale.workbench.survey_view import SurveyReader, SurveyView

_REMEMBERED = 4
_SEVERAL = 2
_QUESTION = ("text", "question")  # fields of the forms that rate and code
_PAGES = {"ratings": "rate", "codes": "code"}  # that make results, and their verbs


@dataclass(frozen=True)
class OtherResults:
    """Results that the page does not offer.

    Attributes:
        state: ``Outdated``, or ``Not shown`` if later results of the same answers are.
        reason: sentence that says why.
        measured: ``ratings`` or ``codes``.
        table: name of their table, if the choices of the run are stored that made them; empty otherwise.
    """

    state: str
    reason: str
    measured: str
    table: str = ""

    @property
    def verb(self) -> str:
        """The verb that makes them, which is the address of its page."""
        return _PAGES[self.measured]


@dataclass(frozen=True)
class MissingResults:
    """Results that tables ask for and that a file does not have.

    Attributes:
        file: name of the file.
        heading: heading of the question.
        measured: ``ratings`` or ``codes``.
        title: title of the scale or the codebook; empty for any.
    """

    file: str
    heading: str
    measured: str
    title: str

    def __str__(self) -> str:
        return f"{self.fact}: {self.verb} its answers on the page {self.page} first, with that file open"

    @property
    def fact(self) -> str:
        """Clause that says what is missing."""
        titled = f" {LINKS[self.measured]} ‘{self.title}’" if self.title else ""
        return f"{self.file} has no current {self.measured} of ‘{self.heading}’{titled}"

    @property
    def verb(self) -> str:
        """The verb that makes them, which is the address of its page."""
        return _PAGES[self.measured]

    @property
    def page(self) -> str:
        """Title of the page that makes them."""
        return PAGES[self.verb]


@dataclass(frozen=True)
class FileResults:
    """A file with the results of its texts.

    Attributes:
        file: the file.
        table: its table, with derived columns and the rows that count.
        survey: its description, with inferred entries.
        results: the current results, by the name of their question.
        others: those of other rows or of another description, and those that later ones replace.
    """

    file: Path
    table: Table
    survey: Survey
    results: dict[str, TextResults]
    others: tuple[OtherResults, ...]

    def heading(self, name: str) -> str:
        """Return the heading of a question, or of the ratings or codes of one."""
        if results := self.results.get(name):
            heading = text_heading(results.text, self.survey) or results.text
            title = results.facts.title
            if title and results.measured == "ratings":
                return f"{heading}: rated on {title}"
            is_only = len(self._titled(results.text, results.measured)) < _SEVERAL
            return f"{heading}: {results.measured}" if is_only else f"{heading}: coded by {title}"
        text, measured = measured_text(name)
        if text:
            return f"{text_heading(text, self.survey) or text}: {measured}"
        question = self.survey.by_name.get(name)
        return name if question is None else question.heading

    def questions_of(self, question: Question) -> list[Question]:
        """Return the ratings and the codes of an open question as questions to choose.

        Ratings on several scales are named with them, and codes of several codebooks with these.
        """
        names = chain.from_iterable(
            self._names(text, measured) for text in question.all_columns for measured in _PAGES
        )
        return [
            Question(name=name, kind="open", title=self.heading(name), text=question.text) for name in names
        ]

    def _names(self, text: str, measured: str) -> list[str]:
        """Return the names of the ratings or the codes of a text, each once."""
        plain = results_title(text, measured)
        titled = self._titled(text, measured)
        if plain not in self.results:
            return []
        if not self.results[plain].facts.title:
            titled = [plain, *titled]
        return titled if len(titled) >= _SEVERAL else [plain]

    def _titled(self, text: str, measured: str) -> list[str]:
        """Return the names with titles of the ratings or the codes of a text."""
        return [
            name
            for name, entry in self.results.items()
            if entry.title and (entry.text, entry.measured) == (text, measured)
        ]

    def missing(self, questions: Iterable[str]) -> MissingResults | None:
        """Return the first results that tables ask for and that are missing; ``None`` if all are there."""
        for name in questions:
            text, measured = measured_text(name)
            if text and name not in self.table.columns and name not in self.results:
                heading, title = heading_and_title(text, self.survey)
                return MissingResults(self.file.name, heading or text, measured, title)
        return None

    def check(self, questions: Iterable[str]) -> None:
        """Check that all results are there that tables ask for.

        Raises:
            InputError: ratings or codes are missing; the message says of which question.
        """
        if missing := self.missing(questions):
            raise InputError(str(missing))

    def joined(self, questions: Collection[str]) -> Table:
        """Return the table with the results that some questions ask for."""
        return place_beside(self.table, self.asked(questions))

    def words(self, questions: Collection[str]) -> list[str]:
        """Return the command's options for the results that some questions ask for."""
        asked = dict.fromkeys(
            results.table.name if results.facts.text else f"{results.text}={results.table.name}"
            for results in self.asked(questions)
        )
        return [word for named in asked for word in ("--results", named)]

    def asked(self, questions: Collection[str]) -> list[TextResults]:
        """Return the results that some questions ask for."""
        opened = (self.survey.by_name[name] for name in questions if name in self.survey.by_name)
        texts = {column for question in opened if question.kind == "open" for column in question.all_columns}
        return [
            entry
            for name, entry in self.results.items()
            if name in questions or (entry.text in texts and not entry.title)
        ]


@dataclass(frozen=True)
class Waves:
    """Files of the waves of a survey with their results.

    Attributes:
        files: the files, from the first wave to the last; a single one without earlier waves.
        names: names of waves by the names of their files; another wave is named by its file.
    """

    files: tuple[FileResults, ...]
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> object:
        """Key that changes if a file or its results change."""
        return tuple(map(id, self.files)), tuple(self.names.items())

    def words(self, questions: Collection[str]) -> list[str]:
        """Return the command's options for waves in files, and for results that some questions ask for."""
        *earlier, latest = (entry.file.name for entry in self.files)
        words = [word for name in earlier for word in ("--earlier", name)]
        named = [
            f"{file}={self.names[file]}" for file in (*earlier, latest) if earlier and file in self.names
        ]
        words += [word for name in named for word in ("--wave-name", name)]
        return words + self.result_words(questions)

    def result_words(self, questions: Collection[str]) -> list[str]:
        """Return the command's options for the results that some questions ask for."""
        return [word for entry in self.files for word in entry.words(questions)]

    def missing(self, questions: Collection[str]) -> list[MissingResults]:
        """Return the first results of each earlier wave that some questions ask for and that are missing."""
        return [missing for entry in self.files[:-1] if (missing := entry.missing(questions))]

    def prepare(self, basket: Basket) -> tuple[Table, Basket]:
        """Return the table of all waves with the results that a basket asks for, and the basket for it.

        Raises:
            InputError: the last wave lacks results, an earlier one lacks a column of the sample, or an entry
                has waves of its own.
        """
        questions = [name for entry in basket.entries for name in entry.all_questions]
        *earlier, latest = self.files
        latest.check(questions)
        if not earlier:
            return latest.joined(questions), basket
        names = name_waves(latest.file.name, [entry.file.name for entry in earlier], self.names)
        basket = basket.with_waves(WAVE, names)
        check_waves([entry.asked(questions) for entry in self.files])
        tables = [entry.joined(questions) for entry in self.files]
        required = [name for entry in basket.entries for name in entry.columns_by_role.values()]
        stacked = stack_waves(dict(zip(names, tables, strict=True)), latest.survey, required)
        return stacked, basket


class ProjectResults:
    """Results of a project's files, the last of which stay in memory.

    Args:
        project: the project.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[object, FileResults] = {}

    def of(self, view: SurveyView) -> FileResults:
        """Return the results of the open file, found once for each state of it and of the results."""
        return self._remember(
            (view.file, view.stored.content, id(view.counts)),
            lambda: self.find(view.file, view.counts.table, view.survey, view.stored.survey, in_memory=True),
        )

    def of_waves(
        self,
        view: SurveyView,
        latest: Path,
        earlier: Sequence[Path],
        reader: SurveyReader,
        names: Mapping[str, str],
    ) -> "Waves":
        """Return the files of several waves with their results.

        Args:
            view: the survey, whose description is that of all waves.
            latest: the file of the last wave.
            earlier: those before it, the oldest first.
            reader: reads them.
            names: names of waves by the names of their files.

        Raises:
            InputError: a file cannot be read.
        """
        stored = view.stored.survey

        def find(path: Path) -> FileResults:
            table = reader.earlier_wave(path, stored)
            return self.find(path, table, view.survey, stored, in_memory=True)

        files = [
            self._remember((path, _state(path), view.stored.content), partial(find, path)) for path in earlier
        ]
        if latest == view.file:
            last = self.of(view)
        else:
            last = self.find(latest, reader.open_as_commands(latest, stored), view.survey, stored)
        return Waves((*files, last), names)

    def _remember(self, key: object, find: Callable[[], FileResults]) -> FileResults:
        """Return results that were found in this state of the tables, or find them."""
        key = (key, *map(_state, _tables(self.project.folder)))
        if key not in self._known:
            self._known = dict([*self._known.items()][1 - _REMEMBERED :]) | {key: find()}
        return self._known[key]

    def find(
        self,
        file: Path,
        table: Table,
        survey: Survey,
        stored: Survey | None,
        *,
        in_memory: bool = False,
    ) -> FileResults:
        """Find the results of a file among the tables of the folder ``results``.

        Of two ratings on one scale, or two codings by one codebook, the later is taken. Results are known by
        their scale or codebook; the latest of a text also without it.

        Args:
            file: the file.
            table: its table, with derived columns and the rows that count.
            survey: its description, with inferred entries.
            stored: the description that commands read; ``None`` without one.
            in_memory: whether the results stay in memory, or are read from their files each time.
        """
        results: dict[str, TextResults] = {}
        others: list[tuple[str, OtherResults]] = []
        codes = codes_by_column(table, stored)
        for path in _tables(self.project.folder):
            for entry in _results_in(path, table, survey):
                reason = find_difference(table, entry, codes.get(entry.text, ()))
                titled = entry.with_title()
                if not reason and titled.question not in results:
                    known = _in_memory(entry) if in_memory else entry
                    results |= {name: known for name in [entry.question] if name not in results}
                    results[titled.question] = known.with_title()
                elif not reason:
                    later = results[titled.question].table.file_name
                    reason = f"{entry.table.name} has {entry.measured} of the same answers as {later}"
                    others.append(("", OtherResults("Not shown", reason, entry.measured)))
                elif _is_named_after(path, file, entry, survey):
                    repeatable = path.name if stored_choices(path) else ""
                    old = OtherResults("Outdated", reason, entry.measured, repeatable)
                    others.append((titled.question, old))
        shown = tuple(entry for name, entry in others if name not in results)
        return FileResults(file, table, survey, results, shown)


def tables_address(view: SurveyView, question: str, groups: Sequence[str]) -> str:
    """Return the address of the page of tables with a question and groups.

    Args:
        view: the survey.
        question: name of the question.
        groups: names of the questions whose answers are groups.
    """
    weights = view.survey.of_kind("weight")
    weight = {"weight": weights[0].name} if len(weights) == 1 else {}
    return f"/tables?{urlencode({'questions': question, 'banners': [*groups], **weight}, doseq=True)}"


def _state(path: Path) -> tuple[str, int, int]:
    state = path.stat()
    return path.name, state.st_mtime_ns, state.st_size


def _tables(folder: Path) -> list[Path]:
    """List the tables of results, the latest first."""
    paths = [path for path in (folder / RESULTS).glob("*.parquet") if path.is_file()]
    return sorted(paths, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _results_in(path: Path, table: Table, survey: Survey) -> list[TextResults]:
    """Return the ratings and codes of a survey's texts in a table; none of a table that has others."""
    question = next((value for name in _QUESTION for value in stored_choices(path).get(name, ())), "")
    try:
        results = open_parquet(path, f"{RESULTS}/{path.name}")
        if question in survey.by_name:
            text = column_named(question, table.columns, survey, "question")
            return read_results(results, [text], is_stated=True)
        return read_results(results, open_texts(table, survey))
    except (InputError, pl.exceptions.PolarsError):  # judged answers, or a table that is being written
        return []


def _is_named_after(path: Path, file: Path, results: TextResults, survey: Survey) -> bool:
    """Return whether a page wrote a table for a file, by its name."""
    question = survey.of_column(results.text)
    start = table_path(path.parent, file, results.text if question is None else question.name)
    return path.name.startswith(f"{start.stem}-")


def _in_memory(results: TextResults) -> TextResults:
    """Return results whose columns stay in memory."""
    whole, titles = results.table, (*results.columns,)
    table = replace(whole, columns=titles, read=lambda size, _: whole.batches_with(titles, size))
    return replace(results, table=table_in_memory(table, lambda *_: None))
