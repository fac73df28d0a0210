"""Coded answers of a question: the run, the command that does the same, and the answers with their codes."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import polars as pl

from semscale.coding.codebook import Codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import UNSURE, CodingOutcome
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.coding.summary import CodingSummary
from semscale.coding.table import CodingTable
from semscale.embedding.embedder import Embedder
from semscale.errors import InputError
from semscale.guards.findings import Span
from semscale.matching.pairs import are_in_other_languages, may_be_name
from semscale.report.coding import NO_ANSWER, UNREADABLE
from semscale.report.document import Marked, mark_findings
from semscale.results.table_columns import resolve_columns
from semscale.results.table_runs import PartSettings, measure_table
from semscale.serving.background import current_task
from semscale.signature import Signature
from semscale.spelling import option_name
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import PREFIX
from semscale.survey.description import Question, QuestionKind, Survey
from semscale.survey.survey_file import FILE_NAME
from semscale.tabulation.text_results import code_values
from semscale.types import Status
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL, KNOWN
from semscale.workbench.forms import option_words
from semscale.workbench.project import SharedSettings
from semscale.workbench.runs import SHOWN, Found, PageRun, file_stem, position_in, table_path
from semscale.workbench.survey_view import GROUPS, SurveyView

SETTINGS = ("given_from", "unsure_from", "sentiment", "min_base", "missing", "reasoning", "html")
"""Settings of coding that the form has."""

COLUMNS = ("labels", "inclusion", "by", "rating", "weight", "respondent")
"""Columns of coding that the form has, besides the answers."""

MODELS = (DEFAULT_MODEL, DEFAULT_RATING_MODEL)
"""Embedding models to choose from: for English, and for many languages."""

_LONGEST = 4000
_READ_FOR_MODEL = 1_000  # different answers
_MOST_UNREAD = 0.05  # share of the answers that are long enough to show their language
_OUTCOME_WORDS = {CodingOutcome.CANNOT_TELL: UNREADABLE, CodingOutcome.NO_ANSWER: NO_ANSWER}
_OUTCOME = "\0outcome"
_NUMBERS: tuple[QuestionKind, ...] = ("scale", "nps", "numeric")
_COMPARED, _BATCH = 100, 1000


@dataclass(frozen=True)
class CodingPlan:
    """What is coded, and how.

    Attributes:
        folder: the project's folder.
        source: the survey's file.
        file: that file, or a sheet with all of its answers and labels of people.
        survey: its description; ``None`` without one.
        book: name of the codebook's file in the project.
        codebook: the codes.
        columns: columns and questions, as the form names them.
        settings: settings of coding.
        model: name of the embedding model; empty if the project's file states it.
    """

    folder: Path
    source: Path
    file: Path
    survey: Survey | None
    book: str
    codebook: Codebook
    columns: CodingColumns
    settings: CodeSettings
    model: str

    @property
    def out(self) -> Path:
        """The coded table."""
        return self._table_of(is_corrected=bool(self.columns.labels))

    def _table_of(self, *, is_corrected: bool) -> Path:
        book = Path(self.book).stem
        return coded_table_of(self.folder, self.source, self.columns.text, book, is_corrected=is_corrected)

    @property
    def quotes(self) -> Path:
        """The table of answers that slides quote, which the stars of the page write."""
        return (self.folder / self.book).with_suffix(".quotes.csv")

    @property
    def text_column(self) -> str:
        """The column with the answers."""
        return self.columns.text if self._question is None else self._question.all_columns[0]

    @property
    def heading(self) -> str:
        """Short title or wording of the question; its name without one."""
        return self.columns.text if self._question is None else self._question.heading

    @property
    def _question(self) -> Question | None:
        return None if self.survey is None else self.survey.by_name.get(self.columns.text)

    @property
    def command(self) -> str:
        """The command that does the same in the project's folder."""
        file = self.file.relative_to(self.folder)
        words = ["semscale", "code", str(file), "--text", self.columns.text, "--codebook", self.book]
        if self.survey is not None and file.parent.name:
            words += ["--survey", FILE_NAME]
        if self.model not in ("", DEFAULT_MODEL):
            words += ["--embedder", self.model]
        for name in COLUMNS:
            value = getattr(self.columns, name)
            for entry in (value,) if isinstance(value, str) else value or ():
                words += ["--human" if name == "labels" else option_name(name), entry]
        words += option_words(self.settings, SETTINGS)
        if self.quotes.is_file():
            words += ["--quotes", str(self.quotes.relative_to(self.folder))]
        return shlex.join([*words, "--out", str(self.out.relative_to(self.folder))])

    @property
    def label_address(self) -> str:
        """Address of the page on which answers are coded by hand."""
        table = self._table_of(is_corrected=False)
        named = {"question": self.columns.text, "codes": Path(self.book).stem, "table": table.name}
        return f"/label?{urlencode(named)}"

    def run(self, table: Table, embedder: Embedder, shared: SharedSettings, *, restart: bool) -> "Coded":
        """Code the answers as the command does.

        Args:
            table: the described table.
            embedder: the model.
            shared: settings of the project's file.
            restart: whether finished parts of an earlier run are removed, as that had other settings.
        """
        task = current_task()
        table, columns = resolve_columns(self.columns, table, self.survey)
        columns.check(table)
        instrument = CodingTable(
            columns,
            self.codebook,
            lambda: Coder(self.codebook, embedder=embedder),
            settings=self.settings,
            plan=shared.plan,
            progress=task.report,
        )
        self.out.parent.mkdir(exist_ok=True)
        parts = replace(shared.parts or PartSettings(), restart=restart)
        summary = measure_table(table, instrument, out=self.out, settings=parts, progress=task.report)
        if self.file != self.source:  # a sheet has the answers of the survey's file
            sheet = self.file.relative_to(self.folder).as_posix()
            summary = replace(summary, source=f"{self.source.name}, with labels in {sheet}")
        return Coded(summary, {**table.labels, **instrument.labels()})


@dataclass(frozen=True)
class Coded:
    """Result of a run.

    Attributes:
        summary: the summary.
        labels: labels of the coded table's columns, for SPSS.
    """

    summary: CodingSummary
    labels: Mapping[str, ColumnLabels]


def coded_table_of(folder: Path, source: Path, question: str, book: str, *, is_corrected: bool) -> Path:
    """Return the path of the table with the codes of a question.

    Args:
        folder: the project's folder.
        source: the survey's file.
        question: name of the question.
        book: name of the codebook's file, without its ending; its table has what this name adds to the
            question's.
        is_corrected: whether codes have learned from hand codes. Such a table stands beside the other one,
            from which answers are drawn to be coded by hand.
    """
    further = book.removeprefix(file_stem(question)).strip("-")
    named = [question, further] if further else [question]
    return table_path(folder, source, *named, "codes-corrected" if is_corrected else "codes")


def usual_model(answers: pl.Series) -> str:
    """Return the model for many languages if the one for English cannot read some answers.

    Args:
        answers: the answers to a question.

    Examples:
        >>> usual_model(pl.Series(["das ist mir viel zu teuer", "it is too expensive for me"]))
        'e5-small'
    """
    texts = answers.unique(maintain_order=True)
    drawn = texts.sample(min(texts.len(), _READ_FOR_MODEL), seed=0).to_list()
    longer = [text for text in drawn if not may_be_name(text)]
    english = Signature.of("embed", model=KNOWN[DEFAULT_MODEL].hub_id)
    n_unread = int(are_in_other_languages(longer, english).sum())
    return DEFAULT_RATING_MODEL if n_unread > _MOST_UNREAD * len(longer) else DEFAULT_MODEL


def column_choices(view: SurveyView, question: str) -> dict[str, list[Question]]:
    """Return the questions that each field of a run offers."""
    single = [entry for entry in view.survey.questions if len(entry.all_columns) == 1]

    def of_kind(*kinds: QuestionKind) -> list[Question]:
        return [entry for entry in single if entry.kind in kinds]

    return {
        "labels": [entry for entry in of_kind("single", "multiple", "open") if entry.name != question],
        "inclusion": of_kind("numeric"),
        "by": of_kind(*GROUPS),
        "rating": of_kind(*_NUMBERS),
        "weight": of_kind("weight"),
        "respondent": of_kind("identifier"),
    }


def is_table_of(path: Path, text: str, answers: pl.Series) -> bool:
    """Return false if a table has the answers of another file, such as those of an earlier wave.

    Args:
        path: the table; a sheet may have changed some answers a little.
        text: its column with the answers.
        answers: the answers of the file, the first of which are looked for.
    """
    first = set(answers.head(_COMPARED))
    missing = set(first)
    for batch in open_table(path).batches_with([text], _BATCH):
        missing -= set(batch[text].cast(pl.String))
        if not missing:
            break
    return 2 * len(missing) <= len(first)


@dataclass(frozen=True)
class CodingRun(PageRun[Coded]):
    """A run that codes a question.

    Attributes:
        plan: what is coded.
        survey: the description of the file, with inferred entries.
    """

    plan: CodingPlan
    survey: Survey

    def caution(self, view: SurveyView) -> str:
        """Return the sentence about codes of another file or description; empty if they are current."""
        return view.caution_on("codes", self.plan.source, self.survey)

    @property
    def summary(self) -> CodingSummary | None:
        """The summary; ``None`` before the end, and after a failure."""
        return None if self.result is None else self.result.summary

    @property
    def n_unread(self) -> int:
        """Number of answers that the default model cannot read, as they are not in English."""
        if self.summary is None or self.plan.model != DEFAULT_MODEL:
            return 0
        return self.summary.reasons.get(Status.OTHER_LANGUAGE, 0)


@dataclass(frozen=True)
class CodedAnswer:
    """An answer with its codes.

    Attributes:
        row: its row, from 1.
        code: the code for which a star quotes it: the one that is looked for, or its most certain one.
        has_star: whether it is quoted for that code.
        text: the answer; the units that decided are marked with the numbers of the marks.
        outcome: its outcome, as reports name it.
        codes: for each assigned or unsure code its name, whether it is assigned, the value that decided, the
            kind of evidence, the sentiment, if any, and the number of its mark, if its unit is marked.
    """

    row: int
    code: str
    has_star: bool
    text: Marked
    outcome: str
    codes: list[dict[str, Any]]


@lru_cache(maxsize=1)  # of 100,000 rows, a search takes tens of milliseconds in memory, and 500 from the file
def _read(path: Path, _changed: int, _size: int) -> pl.DataFrame:
    return pl.read_parquet(path)


class CodedTable:
    """A coded table that a run or a command wrote.

    Args:
        path: the table.
        text: the column with the answers.

    Raises:
        InputError: the file does not exist or has no codes.
    """

    def __init__(self, path: Path, text: str) -> None:
        if not path.is_file():
            raise InputError("there are no coded answers yet: code the answers first")
        state = path.stat()
        table = _read(path, state.st_mtime_ns, state.st_size)
        self._table, self._text, self._columns = table.lazy(), text, table.columns
        beside = f"{PREFIX}{text}_"
        self._prefix = beside if f"{beside}outcome" in self._columns else PREFIX
        if f"{self._prefix}outcome" not in self._columns:
            raise InputError(f"{path.name} has no codes of ‘{text}’: code the answers again")

    @property
    def _outcome(self) -> pl.Expr:
        """Outcome of each row as reports name it."""
        outcome = pl.col(f"{self._prefix}outcome")
        return (
            pl.when(pl.col(f"{self._prefix}reason") == UNSURE)
            .then(pl.lit(UNSURE))
            .otherwise(outcome.replace(_OUTCOME_WORDS))
        )

    @property
    def _is_readable(self) -> pl.Expr:
        """True if an answer can be read."""
        reason = pl.col(f"{self._prefix}reason")
        return reason.is_null() | (reason == UNSURE)

    @cached_property
    def n_readable(self) -> int:
        """Number of answers that can be read, the base of shares."""
        return int(self._table.filter(self._is_readable).select(pl.len()).collect().item())

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._table.select(pl.len()).collect().item())

    @cached_property
    def n_no_answer(self) -> int:
        """Number of rows without an answer."""
        without = pl.col(f"{self._prefix}outcome") == CodingOutcome.NO_ANSWER
        return int(self._table.filter(without).select(pl.len()).collect().item())

    @cached_property
    def n_without(self) -> int:
        """Number of these answers to which no code applies, or none surely."""
        without = self._is_readable & (pl.col(f"{self._prefix}outcome") != CodingOutcome.CODED)
        return int(self._table.filter(without).select(pl.len()).collect().item())

    def counts(self, names: Collection[str]) -> dict[str, int]:
        """Return the number of answers with each code that the table has."""
        known = self._known(names)
        if not known:
            return {}
        sums = {name: (pl.col(self._prefix + name) == 1).sum() for name in known}
        return self._table.select(**sums).collect().row(0, named=True)

    def units(self, name: str, n: int) -> list[str]:
        """Return different units that gave an answer a code, those with the strongest evidence first.

        Args:
            name: name of the code.
            n: greatest number of units.
        """
        column = self._prefix + name
        if f"{column}_evidence" not in self._columns:
            return []
        value = pl.col(self._value_column(name))
        found = self._table.filter(pl.col(column) == 1).select(unit=f"{column}_evidence", value=value)
        best = found.drop_nulls().group_by("unit").agg(pl.col("value").max())
        return best.sort("value", "unit", descending=[True, False]).head(n).collect()["unit"].to_list()

    def answers(self) -> list[object]:
        """Return the answers."""
        return self._table.select(self._text).collect()[self._text].to_list()

    def units_of(self, quotes: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
        """Return the units that decided about codes of answers, as far as the table has them.

        Args:
            quotes: codes and answers.
        """
        units = {}
        for code, text in quotes:
            column = f"{self._prefix}{code}_evidence"
            if column in self._columns:
                found = self._table.filter(pl.col(self._text) == text).select(column).head(1).collect()
                units[code, text] = next(iter(found[column]), None)
        return units

    def find(
        self, query: Mapping[str, str], codebook: Codebook, stars: Collection[tuple[str, str]]
    ) -> Found[CodedAnswer]:
        """Return the answers that meet the filters of an address.

        Args:
            query: fields of the address: ``code``, ``outcome``, ``words`` and ``start``.
            codebook: the codes. Nets, which follow from them, are filters only.
            stars: codes and answers that slides quote.
        """
        names, nets = codebook.names, {code.name for code in codebook.codes if code.is_net}
        filters = {name: query.get(name, "") for name in ("code", "outcome", "words")}
        known = self._known(names)
        code, is_unsure = filters["code"].removeprefix("?"), filters["code"].startswith("?")
        table = self._table.with_row_index("row", 1)
        if filters["words"]:
            text = pl.col(self._text).cast(pl.String)
            table = table.filter(text.str.contains_any([filters["words"]], ascii_case_insensitive=True))
        if filters["outcome"]:
            table = table.filter(self._outcome == filters["outcome"])
        if code in known:
            assigned, value = pl.col(self._prefix + code), pl.col(self._value_column(code))
            table = table.filter(assigned.is_null() & value.is_not_null() if is_unsure else assigned == 1)
        n = int(table.select(pl.len()).collect().item())
        start = position_in(query, n)
        rows = table.slice(start, SHOWN).with_columns(self._outcome.alias(_OUTCOME)).collect().to_dicts()
        shown = [name for name in known if name not in nets]
        found = code if code in known else ""
        return Found([self._answer(row, shown, found, stars) for row in rows], n, start, filters)

    def text_of(self, row: int) -> str:
        """Return the answer of a row, from 1.

        Raises:
            InputError: there is no such row, or it has no answer.
        """
        cells = self._table.slice(max(row - 1, 0), 1).select(self._text).collect()[self._text].to_list()
        if row < 1 or not cells or cells[0] is None:
            raise InputError("row", f"has no answer, got {row}")
        return str(cells[0])

    def _answer(
        self, row: Mapping[str, Any], names: Sequence[str], code: str, stars: Collection[tuple[str, str]]
    ) -> CodedAnswer:
        text = "" if row[self._text] is None else str(row[self._text])
        codes = []
        spans: dict[str, Span] = {}
        for name in names:
            column, value = self._prefix + name, row[self._value_column(name)]
            if row[column] == 0 or value is None:
                continue
            unit = row.get(f"{column}_evidence") or ""
            start = text.find(unit) if unit else -1
            if start >= 0 and unit not in spans:
                spans[unit] = Span(start, start + len(unit), unit)
            codes.append({
                "name": name,
                "is_assigned": row[column] == 1,
                "value": value,
                "reason": row.get(f"{column}_reason") or "",
                "sentiment": row.get(f"{column}_sentiment"),
                "unit": unit,
            })  # fmt: skip
        units = sorted(spans, key=lambda unit: spans[unit].start)
        numbers = {unit: number for number, unit in enumerate(units, start=1)}
        codes = [{**entry, "mark": numbers.get(entry["unit"])} for entry in codes]
        marked = mark_findings(text, [(str(numbers[unit]), spans[unit]) for unit in units], limit=_LONGEST)
        assigned = [entry for entry in codes if entry["is_assigned"]]
        best = max(assigned, key=lambda entry: entry["value"], default={"name": ""})["name"]
        star = code or best
        return CodedAnswer(row["row"], star, (star, text) in stars, marked, row[_OUTCOME], codes)

    def _known(self, names: Collection[str]) -> list[str]:
        return [name for name in names if self._prefix + name in self._columns]

    def _value_column(self, name: str) -> str:
        return code_values(self._prefix + name, self._columns)[0]
