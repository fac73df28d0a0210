"""Files with measured answers: results of a judge, matching and consistency, and logs of evaluations."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from pydantic import BaseModel

from semscale.errors import InputError
from semscale.judging.stored_scores import is_judged
from semscale.messages import shorten
from semscale.store.answer_columns import likely_column
from semscale.store.columns import storable
from semscale.store.evaluation_logs import log_columns, looks_like_log
from semscale.store.format_names import LOG_FORMATS
from semscale.store.reading import open_table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Mask
from semscale.workbench.answer_scores import Kind, floats_of, score_columns, template_of, unit_scores
from semscale.workbench.label_journals import PICKED
from semscale.workbench.label_sources import TABLE
from semscale.workbench.project import RESULTS, Project

if TYPE_CHECKING:
    from semscale.judging.templates import Template

ROLES = ("question", "answer", "reference", "human", "id")
"""Uses of columns that a file does not name itself."""

_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".eval")
_NUMBERED = re.compile(r"(.*?)[ _.-]?\d{1,3}")
_FEWEST_SAMPLES = 2
_LISTS = ("samples", f"{PREFIX}samples_asked")
_COSTS = re.compile(r"(call_)?(cost|tokens|latency|price|duration)|.*_(cost|tokens|latency)", re.IGNORECASE)
_BATCH = 100_000
_LARGEST_READ = 50_000_000  # bytes of a file other than Parquet that is read to be listed


class ColumnChoice(BaseModel):
    """Columns that a reader chose where the file's names do not show their use; empty for the likely one.

    Attributes:
        question: the questions.
        answer: the answers.
        reference: correct answers; ``-`` for none.
        human: labels of people; ``-`` for none.
        score: the scores.
    """

    question: str = ""
    answer: str = ""
    reference: str = ""
    human: str = ""
    score: str = ""


@dataclass(frozen=True)
class AnswerFile:
    """A file with measured answers.

    Attributes:
        name: its path in the project's folder.
        kind: what measured the answers.
        changed: when it was written, by this machine's clock.
        run: its scores and labels without texts; ``None`` if these are not known before it is opened.
    """

    name: str
    kind: Kind
    changed: datetime
    run: "AnswerRun | None"


def answer_files(project: Project) -> list[AnswerFile]:
    """List the files of a project with measured answers, those in ``results`` first."""
    paths = ((name, project.folder / name) for name in answer_tables(project))
    kinds = ((name, path, _kind_of_file(path)) for name, path in paths)
    return [
        AnswerFile(name, kind, _changed(path), _scores(name, path, kind))
        for name, path, kind in kinds
        if kind is not None
    ]


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime).astimezone()


def answer_tables(project: Project) -> list[str]:
    """List the files of a project that may have answers, those in ``results`` first."""
    results = project.folder / RESULTS
    inner = sorted(path.name for path in results.iterdir()) if results.is_dir() else []
    names = [f"{RESULTS}/{name}" for name in inner if not name.startswith(".")] + project.files()
    return [name for name in names if name.endswith(_ENDINGS)]


def _kind_of_file(path: Path) -> Kind | None:
    columns, is_log = columns_of(path)
    return _kind_of(columns, is_log=is_log)


def columns_of(path: Path) -> tuple[tuple[str, ...], bool]:
    """Return the columns of a file, and whether it is a log; none if it cannot be read."""
    try:
        state = path.stat()
        return _read_columns(path, state.st_mtime_ns, state.st_size) if path.is_file() else ((), False)
    except (InputError, OSError, pl.exceptions.PolarsError):  # not a table, or one that is being written
        return (), False


@lru_cache(maxsize=256)
def _read_columns(path: Path, _changed: int, _size: int) -> tuple[tuple[str, ...], bool]:
    if path.suffix in (".parquet", ".pq"):
        return tuple(pl.read_parquet_schema(path)), False
    if path.suffix == ".json" and not looks_like_log(path):
        return (), False
    table = open_table(path)
    return table.columns, log_columns(table) is not None


def _scores(name: str, path: Path, kind: Kind) -> "AnswerRun | None":
    """Return the scores and labels of a file without its texts; ``None`` if it is large or cannot be read."""
    try:
        state = path.stat()
        return _read_scores(name, path, kind, state.st_mtime_ns, state.st_size)
    except (InputError, OSError, pl.exceptions.PolarsError):
        return None


@lru_cache(maxsize=256)
def _read_scores(name: str, path: Path, kind: Kind, changed: int, size: int) -> "AnswerRun | None":
    has_columns = path.suffix in (".parquet", ".pq")
    if not has_columns and size > _LARGEST_READ:
        return None
    head = pl.DataFrame(schema=pl.read_parquet_schema(path)) if has_columns else _read(path, changed, size)[0]
    columns = _columns_of(head, kind, ColumnChoice())
    human = {use: column for use, column in columns.items() if use == "human"}
    numbers = [title for title, of in head.schema.items() if title.startswith(PREFIX) and of.is_numeric()]
    needed = dict.fromkeys((*numbers, *score_columns(head, kind), *human.values()))
    names = list(needed) or head.columns[:1]
    frame = pl.read_parquet(path, columns=names) if has_columns else head.select(names)
    return AnswerRun(name, kind, "", frame, human, next(iter(score_columns(frame, kind)), ""))


def input_of(project: Project, run: "AnswerRun") -> str:
    """Return the file that was probably measured: one with the same columns; empty if there is none."""
    own = {name for name in run.frame.columns if not name.startswith(PREFIX)}
    names = (name for name in answer_tables(project) if {*columns_of(project.folder / name)[0]} == own)
    return next(names, "")


def _kind_of(columns: Sequence[str], *, is_log: bool = False) -> Kind | None:
    """Return what measured a table with these columns; ``None`` for another table.

    Examples:
        >>> _kind_of(["answer", "semscale_provenance"]), _kind_of(["answer"])
        ('judge', None)
    """
    names = {name.removeprefix(PREFIX) for name in columns if name.startswith(PREFIX)}
    if is_judged(columns):
        return "judge"
    if "contradicting_samples" in names:
        return "consistency"
    if {"score", "reference", "windows"} <= names:
        return "match"
    return "log" if is_log else None


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int, _size: int) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    """Read a file; return its rows, the format of a log, and what is to be known about it."""
    if path.suffix in (".parquet", ".pq"):
        return pl.read_parquet(path), "", ()
    table = open_table(path)
    frame = pl.concat(map(storable, table.batches(_BATCH)), how="diagonal_relaxed")
    form = table.settings[0] if table.settings and table.settings[0] in LOG_FORMATS else ""
    return frame, str(form), table.notes


def read_rows(project: Project, name: str) -> tuple[pl.DataFrame, str, tuple[str, ...]]:
    """Read a file of the project; the last four stay in memory.

    Args:
        project: the project that is open.
        name: path of the file in the project's folder.

    Returns:
        Its rows, the format of a log, and sentences on it.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    if name not in answer_tables(project):
        raise InputError("file", f"must be one of the list, got {shorten(name)}")
    path = project.folder / name
    state = path.stat()
    try:
        return _read(path, state.st_mtime_ns, state.st_size)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{name} cannot be read: {shorten(str(error))}") from None


@dataclass(frozen=True, eq=False)
class AnswerRun:
    """The measured answers of a file.

    Attributes:
        name: path of the file in the project's folder.
        kind: what measured the answers.
        form: format of a log; empty for a table.
        frame: the rows.
        columns: column of each use; uses without a column are absent.
        score: column of the scores; empty if the file has none from 0 to 1.
        notes: sentences on the file.
    """

    name: str
    kind: Kind
    form: str
    frame: pl.DataFrame
    columns: Mapping[str, str]
    score: str
    notes: tuple[str, ...] = ()
    _texts: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def open(cls, project: Project, name: str, choice: ColumnChoice) -> "AnswerRun":
        """Open a file of the project.

        Raises:
            InputError: there is no such file, it has no measured answers, or a column is missing.
        """
        frame, form, notes = read_rows(project, name)
        kind = _kind_of(frame.columns, is_log=bool(form))
        if kind is None:
            raise InputError(
                f"{name} has no scored answers: run semscale judge, match or consistency with --out, or "
                "open a log of promptfoo or inspect_ai"
            )
        scores = score_columns(frame, kind)
        if choice.score and choice.score not in scores:
            raise InputError("score", f"must be one of the list, got {shorten(choice.score)}")
        columns = _columns_of(frame, kind, choice)
        return cls(name, kind, form, frame, columns, choice.score or next(iter(scores), ""), notes)

    @property
    def n(self) -> int:
        """Number of answers."""
        return self.frame.height

    @property
    def task(self) -> str:
        """Name of the folder with labels of these answers, which of a result is that of its drawn texts."""
        path = PurePosixPath(self.name)
        is_result = path.parent.name == RESULTS and path.suffix == TABLE
        return path.stem if is_result else f"{self.name.replace('/', '-')}{PICKED}"

    @cached_property
    def score_names(self) -> dict[str, str]:
        """Columns of scores that may be chosen, with their names in words."""
        return score_columns(self.frame, self.kind)

    @cached_property
    def scores(self) -> Floats:
        """Shape (n,), scores from 0 to 1; NaN without one."""
        found = unit_scores(self.frame[self.score]) if self.score else None
        return np.full(self.n, np.nan) if found is None else found

    @property
    def n_scored(self) -> int:
        """Number of answers with a score."""
        return int((~np.isnan(self.scores)).sum())

    @property
    def mean(self) -> float:
        """Mean score of the answers that have one; NaN without any."""
        known = self.scores[~np.isnan(self.scores)]
        return float(known.mean()) if len(known) else np.nan

    @cached_property
    def template(self) -> "Template":
        """Levels in which people label these answers: those of the judge, or incorrect and correct."""
        from semscale.judging.templates import load_template

        return template_of(self.frame) if self.kind == "judge" else load_template("true_false")

    @cached_property
    def human(self) -> Floats:
        """Shape (n, raters), labels in the file from 0 to 1; NaN where there is none that can be read."""
        from semscale.judging.human_labels import label_table

        column = self.columns.get("human")
        if column is None:
            return np.full((self.n, 1), np.nan)
        try:
            return label_table(self.frame[column].to_list(), self.template)
        except InputError:
            return np.full((self.n, 1), np.nan)

    @cached_property
    def doubt(self) -> Floats:
        """Shape (n,), difference of a panel's judges, or how unsure one judge is; NaN if not known."""
        for name, of_certainty in (("spread", False), ("confidence", True)):
            if f"{PREFIX}{name}" in self.frame.columns:
                values = floats_of(self.frame[f"{PREFIX}{name}"])
                return 1 - values if of_certainty else values
        return np.full(self.n, np.nan)

    @cached_property
    def contradicted(self) -> Mask | None:
        """Shape (n,), whether the measure found a contradiction; ``None`` if it did not look for any."""
        names = self.frame.columns
        if f"{PREFIX}contradicting_samples" in names:
            return np.nan_to_num(floats_of(self.frame[f"{PREFIX}contradicting_samples"])) > 0
        if f"{PREFIX}findings" in names:
            cells = self.frame[f"{PREFIX}findings"]
            if isinstance(cells.dtype, pl.List):
                return np.asarray(cells.list.len().fill_null(0).to_numpy() > 0)
            return np.array([bool(cell) and str(cell) != "[]" for cell in cells.to_list()], dtype=bool)
        return None

    @cached_property
    def searched(self) -> pl.Series:
        """All texts of each row, in which words are found."""
        titles = [name for role, name in self.columns.items() if role != "human"]
        endings = ("explanation", "reason", "reasoning")
        titles += [name for name in self.frame.columns if name.endswith(endings)]
        plain = [title for title in dict.fromkeys(titles) if not self.frame[title].dtype.is_nested()]
        texts = [pl.col(title).cast(pl.String, strict=False) for title in plain]
        joined = pl.concat_str(texts, separator="\n", ignore_nulls=True) if texts else pl.lit("")
        return self.frame.select(joined.alias("texts"))["texts"]

    @cached_property
    def ids(self) -> list[str]:
        """A name for each row: its ID if these differ, and otherwise its number from 1."""
        found = self.texts("id")
        is_known = all(found) and len(set(found)) == self.n
        return found if is_known else [str(row) for row in range(1, self.n + 1)]

    @property
    def sample_columns(self) -> list[str]:
        """Columns with further samples of each answer."""
        if self.kind != "consistency":
            return []
        taken = {*self.columns.values()}
        free = [name for name in self.frame.columns if not name.startswith(PREFIX) and name not in taken]
        stems = {name: match[1] for name in free if (match := _NUMBERED.fullmatch(name))}
        sizes = Counter(stems.values())
        known = (*(name for name, stem in stems.items() if sizes[stem] >= _FEWEST_SAMPLES), *_LISTS)
        return [name for name in self.frame.columns if name in known]

    @property
    def cost_columns(self) -> list[str]:
        """Columns with what each answer cost."""
        return [name for name in self.frame.columns if _COSTS.fullmatch(name)]

    def text(self, row: int, role: str) -> str:
        """Return the text of a row for a use; empty without one.

        Args:
            row: the row, from 0.
            role: one of ``ROLES``.
        """
        return self.texts(role)[row]

    def texts(self, role: str) -> list[str]:
        """Return the texts of all rows for a use; empty ones without a column.

        Args:
            role: one of ``ROLES``.
        """
        if role not in self._texts:
            column = self.columns.get(role)
            cells = [None] * self.n if column is None else self.frame[column].to_list()
            self._texts[role] = list(map(one_text, cells))
        return self._texts[role]


def one_text(cell: Any) -> str:
    """Return a cell as a text: of a list, its entries on lines of their own; empty without one."""
    if isinstance(cell, list):
        return "\n".join(map(one_text, cell))
    return "" if cell is None else str(cell)


def _columns_of(frame: pl.DataFrame, kind: Kind, choice: ColumnChoice) -> dict[str, str]:
    """Return the column of each use, as chosen or as its name shows."""
    columns: dict[str, str] = {}
    own = [name for name in frame.columns if not name.startswith(PREFIX)]
    of_replies = f"{PREFIX}answer"  # of a model that was asked
    asked = {"answer": of_replies} if kind == "consistency" and of_replies in frame.columns else {}
    for role in ROLES:
        stated = getattr(choice, role, "")
        if stated == "-":
            continue
        if stated and stated not in frame.columns:
            raise InputError(role, f"must be one of the file's columns, got {shorten(stated)}")
        found = stated or asked.get(role) or likely_column(role, own, columns.values())
        if found:
            columns[role] = found
    if "answer" not in columns:
        columns["answer"] = _longest_texts(frame, columns.values())
    return columns


def _longest_texts(frame: pl.DataFrame, taken: Any) -> str:
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    names = [name for name in texts if name not in taken and not name.startswith(PREFIX)]
    if not names:
        raise InputError("answer", "must be a column with texts, and the file has none")
    lengths = frame.select(pl.col(names).str.len_chars().mean()).row(0)
    return max(zip(names, lengths, strict=True), key=lambda pair: pair[1] or 0.0)[0]
