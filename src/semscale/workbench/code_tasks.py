"""The tasks of the page of codes, one of which works at a time: codes are suggested, or answers coded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semscale.serving.background import Task
from semscale.workbench.code_results import CodingRun
from semscale.workbench.runs import problem_of

STOPPED = "stopped; nothing was written"
"""Reason why there are no suggested codes, if that task was stopped."""


@dataclass(frozen=True)
class Suggestion:
    """A codebook that is being suggested.

    Attributes:
        question: name of the question.
        path: the file to write.
        command: the command that does the same.
        task: the work.
    """

    question: str
    path: Path
    command: str
    task: Task[Path]

    @property
    def problem(self) -> str:
        """The reason why there is no codebook; empty if there is one, or while the work goes on."""
        return problem_of(self.task, STOPPED)


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
