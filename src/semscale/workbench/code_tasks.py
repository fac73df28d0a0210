"""The tasks of the page of codes, one of which works at a time: codes are suggested, or answers coded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semscale.coding.suggesting import SuggestionSummary
from semscale.serving.background import Task
from semscale.workbench.code_results import CodingRun
from semscale.workbench.runs import PageRun


@dataclass(frozen=True)
class Suggestion(PageRun[SuggestionSummary]):
    """A codebook that is being suggested.

    Attributes:
        question: name of the question.
        path: the file to write.
        command: the command that does the same.
    """

    stopped = "stopped; nothing was written"
    question: str
    path: Path
    command: str


@dataclass
class CodeTasks:
    """The last tasks.

    Attributes:
        suggestion: the last codebook that was suggested; ``None`` without one.
        run: the last run that coded answers; ``None`` without one.
        task: the last task.
    """

    suggestion: Suggestion | None = None
    run: CodingRun | None = None
    task: Task[Any] | None = None

    @property
    def running(self) -> Task[Any] | None:
        """The task that works or waits; ``None`` if it has ended."""
        return None if self.task is None or self.task.future.done() else self.task
