"""The tasks of the page of codes, one of which works at a time: codes are suggested, or answers coded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semscale.coding.suggesting import SuggestionSummary
from semscale.coding.topics import NoTopicsError
from semscale.serving.background import Task
from semscale.workbench.code_results import CodingRun, coded_table_of
from semscale.workbench.project import RESULTS
from semscale.workbench.runs import EarlierRun, FileRuns, PageRun, earlier_runs


@dataclass(frozen=True)
class Suggestion(PageRun[SuggestionSummary]):
    """A codebook that is being suggested.

    Attributes:
        question: name of the question.
        path: the file to write.
        command: the command that does the same.
        model: name of the embedding model; empty if the project's file states it.
    """

    stopped = "stopped; nothing was written"
    question: str
    path: Path
    command: str
    model: str

    @property
    def needs_number(self) -> bool:
        """True if the answers show no topics by themselves, but a stated number of codes can be suggested."""
        future = self.task.future
        is_over = future.done() and not future.cancelled()
        return is_over and isinstance(future.exception(), NoTopicsError)


@dataclass
class CodeTasks:
    """The last tasks.

    Attributes:
        suggestion: the last codebook that was suggested; ``None`` without one.
        runs: the last run that coded answers of each file.
        task: the last task.
    """

    suggestion: Suggestion | None = None
    runs: FileRuns[CodingRun] = field(default_factory=FileRuns)
    task: Task[Any] | None = None

    def shown_run(self, folder: Path, file: Path) -> CodingRun | None:
        """Return the run that pages show while a file is open; ``None`` without one.

        Args:
            folder: the project's folder.
            file: the open file.
        """
        return self.runs.shown(file, earlier_codings(folder, file))

    @property
    def running(self) -> Task[Any] | None:
        """The task that works or waits; ``None`` if it has ended."""
        return None if self.task is None or self.task.future.done() else self.task


def earlier_codings(folder: Path, file: Path) -> list[EarlierRun]:
    """List the stored codings of a file, the latest first.

    Args:
        folder: the project's folder.
        file: the open file.
    """

    def table_of(choices: Mapping[str, Sequence[str]]) -> Path:
        question, book = ("".join(choices.get(name, ())) for name in ("question", "codebook"))
        return coded_table_of(folder, file, question, book, is_corrected=bool(choices.get("labels")))

    return earlier_runs(folder / RESULTS, "codebook", table_of)
