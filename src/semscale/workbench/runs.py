"""Runs of a page in the background: their end, their progress, and a new one that replaces the last."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, wait
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakKeyDictionary

from pydantic import TypeAdapter, ValidationError

from semscale.serving.background import BackgroundWork, Task
from semscale.store.atomic import replacing
from semscale.workbench.pages import reason_of
from semscale.workbench.project import RESULTS, ConflictError
from semscale.workbench.users import current_name

SHOWN = 20
"""Number of texts of a run that a page shows at once."""

_LONGEST_STEM = 60
"""Bytes of a part of a file's name: three of them and an ending fit into the 255 that systems allow."""

_CHOICES = ".choices.json"
_CHOICES_FORM = TypeAdapter(dict[str, list[str]])
_STOPPED = "stopped; finished parts are kept: start it again to go on"

_STARTED_BY: WeakKeyDictionary[Task[Any], str] = WeakKeyDictionary()

Outcome = TypeVar("Outcome")
Row = TypeVar("Row")
Run = TypeVar("Run", bound="PageRun[Any]")


@dataclass(frozen=True)
class Found(Generic[Row]):
    """Rows of a table that meet the filters of a page.

    Attributes:
        rows: those that are shown.
        n: number of rows that meet the filters.
        start: number of rows before the first that is shown.
        filters: the filters, by name.
    """

    rows: Sequence[Row]
    n: int
    start: int
    filters: Mapping[str, str]

    @property
    def previous_start(self) -> int | None:
        """Position of the previous rows; ``None`` at the beginning."""
        return max(self.start - SHOWN, 0) if self.start else None

    @property
    def next_start(self) -> int | None:
        """Position of the next rows; ``None`` at the end."""
        after = self.start + SHOWN
        return after if after < self.n else None


def result_of(task: Task[Outcome]) -> Outcome | None:
    """Return the result of a task; ``None`` before the end, and after a failure."""
    future = task.future
    is_there = future.done() and not future.cancelled() and future.exception() is None
    return future.result() if is_there else None


def problem_of(task: Task[Any], stopped: str = _STOPPED) -> str:
    """Return the reason why a task has no result; empty if it has one, or while the work goes on.

    Args:
        task: the task.
        stopped: the reason if it was stopped.
    """
    future = task.future
    if not future.done() or result_of(task) is not None:
        return ""
    error = None if future.cancelled() else future.exception()
    return stopped if error is None or isinstance(error, CancelledError) else reason_of(error)


@dataclass(frozen=True, kw_only=True)
class PageRun(Generic[Outcome]):
    """A run that a page started.

    Attributes:
        task: the work.
        stopped: the reason why a stopped run has no result.
    """

    stopped: ClassVar[str] = _STOPPED
    task: Task[Outcome] = field(compare=False)

    @property
    def is_running(self) -> bool:
        """True until the work ends."""
        return not self.task.future.done()

    @property
    def result(self) -> Outcome | None:
        """The result; ``None`` before the end, and after a failure."""
        return result_of(self.task)

    @property
    def problem(self) -> str:
        """The reason why there is no result; empty if there is one, or while the work goes on."""
        return problem_of(self.task, self.stopped)


def replace_run(
    work: BackgroundWork, before: Task[Any] | None, run: Callable[..., Outcome], *arguments: Any
) -> Task[Outcome]:
    """Start a run, which stops the one before and begins when that has ended.

    Args:
        work: threads for runs.
        before: the run before; ``None`` for the first.
        run: function that does the work.
        arguments: its arguments.

    Raises:
        ConflictError: the run before is another person's, and goes on.
    """
    starter = current_name()
    other = _STARTED_BY.get(before, starter) if before is not None and not before.future.done() else starter
    if other != starter:
        raise ConflictError(f"{other} has started a run that goes on: wait for its end, or stop it first")

    def run_after() -> Outcome:
        if before is not None:
            before.cancel()
            wait([before.future])
        return run(*arguments)

    task = work.submit(run_after)
    _STARTED_BY[task] = starter
    return task


def file_stem(text: str) -> str:
    """Return a name for files: letters, digits and hyphens, at most 60 bytes in UTF-8.

    A longer text is cut, and ends in a part of its hash: questions often differ only in their last words.

    Examples:
        >>> file_stem("../What's new?")
        'What-s-new'
    """
    plain = "".join(sign if sign.isalnum() else "-" for sign in text).strip("-")
    if len(plain.encode()) <= _LONGEST_STEM:
        return plain or "texts"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    start = plain.encode()[: _LONGEST_STEM - len(digest) - 1].decode(errors="ignore")
    return f"{start.rstrip('-')}-{digest}"


def table_path(folder: Path, file: Path, *names: str) -> Path:
    """Return the path of the table that a run writes, which names the survey's file: waves have their own.

    Args:
        folder: the project's folder.
        file: the survey's file.
        names: what was measured, such as the question and the scale.

    Examples:
        >>> table_path(Path("project"), Path("wave 1.csv"), "why", "quality").as_posix()
        'project/results/wave-1-why-quality.parquet'
    """
    return folder / RESULTS / f"{'-'.join(map(file_stem, (file.stem, *names)))}.parquet"


def position_in(query: Mapping[str, str], n: int) -> int:
    """Return the position of the first text that an address asks for, 0 to n.

    Args:
        query: fields of the address.
        n: number of texts.
    """
    try:
        start = float(query.get("start", ""))
    except ValueError:
        return 0
    return 0 if math.isnan(start) else int(min(max(0.0, start), n))


@dataclass(frozen=True)
class EarlierRun:
    """A run of this or an earlier session, which can be repeated; a stopped one continues.

    Attributes:
        name: name of its table, without extension.
        choices: the fields of the form that started it.
        is_finished: whether its table was written.
        started: when it was started.
    """

    name: str
    choices: Mapping[str, Sequence[str]]
    is_finished: bool
    started: datetime


def store_choices(out: Path, choices: Mapping[str, Sequence[str]]) -> None:
    """Store the fields of the form that starts a run beside its table.

    Args:
        out: the table that the run writes.
        choices: values of the fields, by name.
    """
    out.parent.mkdir(exist_ok=True)
    with replacing(out.with_suffix(_CHOICES)) as temporary:
        temporary.write_text(json.dumps(choices, ensure_ascii=False, indent=1), encoding="utf-8")


def stored_choices(out: Path) -> dict[str, list[str]]:
    """Return the fields that were stored beside a table; none if there are none that can be read."""
    try:
        return _CHOICES_FORM.validate_json(out.with_suffix(_CHOICES).read_bytes())
    except (OSError, ValidationError):
        return {}


def choices_again(out: Path, *, is_of_open_file: bool) -> dict[str, list[str]]:
    """Return the stored choices of a run, to start it again.

    Args:
        out: its table.
        is_of_open_file: whether the run is of the open file. Labels are of texts of the run's file.
    """
    choices = stored_choices(out)
    return {name: values for name, values in choices.items() if name != "labels" or is_of_open_file}


def earlier_runs(
    folder: Path, field: str, table_of: Callable[[Mapping[str, Sequence[str]]], Path]
) -> list[EarlierRun]:
    """List the runs of the open file, the latest first; files that no page wrote are left out.

    Args:
        folder: the folder.
        field: a field that the form of these runs has, and that of other pages has not.
        table_of: returns the table that a run of the open file with some choices writes.
    """
    files = folder.glob(f"*{_CHOICES}") if folder.is_dir() else ()
    runs = (_earlier_run(path) for path in files)
    known = [run for run in runs if run.choices.get(field) and table_of(run.choices).stem == run.name]
    return sorted(known, key=lambda run: run.started, reverse=True)


class FileRuns(Generic[Run]):
    """The last run of each file, in the order of their starts; only the last of all can go on."""

    def __init__(self) -> None:
        self._runs: dict[Path, Run] = {}

    def add(self, file: Path, run: Run) -> None:
        """Store a run as the last one of a file, and as the last of all."""
        self._runs.pop(file, None)
        self._runs[file] = run

    def of(self, file: Path) -> Run | None:
        """Return the last run of a file; ``None`` without one."""
        return self._runs.get(file)

    @property
    def last(self) -> Run | None:
        """The run that was started last; ``None`` without one."""
        return next(reversed(self._runs.values()), None)

    def shown(self, file: Path, earlier: Sequence[EarlierRun]) -> Run | None:
        """Return the run that a page shows: one that goes on, or the last one of the open file.

        A file without any run has that of another file, to repeat it.

        Args:
            file: the open file.
            earlier: runs of the file in earlier sessions, which the page offers instead of another file's.
        """
        last = self.last
        if last is None or last.is_running:
            return last
        return self.of(file) or (None if earlier else last)


def _earlier_run(path: Path) -> EarlierRun:
    out = path.with_name(f"{path.name.removesuffix(_CHOICES)}.parquet")
    started = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    return EarlierRun(out.stem, stored_choices(out), out.is_file(), started)
