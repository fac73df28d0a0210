"""Long work in the background: threads, progress in numbers, cancellation, and results that wait to be read.

A request that waits for its work calls ``BackgroundWork.run``: the work ends if the client goes away. Work
that outlives its request is submitted; later requests read its progress and its result by its ID, or cancel
it.
"""

import asyncio
import secrets
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from semscale.progress import Pace, amount, time_left
from semscale.serving.refusals import RefusedRequestError

Outcome = TypeVar("Outcome")
"""What work returns."""

Part = TypeVar("Part")

_ID_BYTES = 16
_RETRY_AFTER = 1
_THREADS = 64  # most of them wait for the model, so that their texts share batches
_MOST_TASKS = 256  # that work or wait for a thread


@dataclass(frozen=True)
class Step:
    """Progress of a task: what is done, and how many of the units, such as rows, are finished."""

    stage: str
    done: int
    total: int | None


class Stage:
    """A stage of a task, with the time that it still takes.

    Args:
        step: its first step.

    Attributes:
        step: its latest step.
    """

    def __init__(self, step: Step) -> None:
        self.step, self._pace = step, Pace()

    def add(self, step: Step) -> None:
        """Note the latest step."""
        self.step = step
        self._pace.add(step.done, step.total)

    @property
    def is_unfinished(self) -> bool:
        """True if some of its units are known to be left."""
        return self.step.total is not None and self.step.done < self.step.total

    @property
    def amount(self) -> str:
        """How much is done, in words; empty before anything is."""
        step = self.step
        return amount(step.stage, step.done, step.total) if step.done or step.total else ""

    @property
    def time_left(self) -> str:
        """Time that the stage still takes, in words; empty if that is not known."""
        return time_left(self.step.stage, self._pace.seconds_left)


class Task(Generic[Outcome]):
    """Work in a thread, which another thread can watch and cancel.

    Attributes:
        id: random name, under which ``BackgroundWork.find`` returns the task.
        future: receives the result or the error.
        progress: the latest step; ``None`` before the first one.
        stages: all stages so far by name, in the order of their beginning.
    """

    def __init__(self) -> None:
        self.id = secrets.token_hex(_ID_BYTES)
        self.future: Future[Outcome] = Future()
        self.progress: Step | None = None
        self.stages: dict[str, Stage] = {}
        self._is_cancelled = False
        self._parts: set[Future[Any]] = set()

    @property
    def is_cancelled(self) -> bool:
        """True if the work was asked to end."""
        return self._is_cancelled

    @property
    def unfinished_stages(self) -> list[Stage]:
        """Stages with units to do, and the latest one; empty before the first."""
        latest, stages = self.progress, list(self.stages.values())
        return [stage for stage in stages if stage.is_unfinished or stage.step is latest]

    def cancel(self) -> None:
        """End the work before it starts, or at its next step; what it waits for is cancelled at once."""
        self._is_cancelled = True
        self.future.cancel()
        for future in list(self._parts):
            future.cancel()

    def check(self) -> None:
        """Raise if the work was cancelled.

        Raises:
            CancelledError: the work was cancelled.
        """
        if self._is_cancelled:
            raise CancelledError

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Store the progress of the work, as a ``Progress`` callback.

        Raises:
            CancelledError: the work was cancelled.
        """
        self.check()
        step = Step(stage, done, total)
        self.stages.setdefault(stage, Stage(step)).add(step)
        self.progress = step

    def submit(self, submit: Callable[..., Future[Part]], *arguments: Any) -> Future[Part]:
        """Submit a part of the work elsewhere, such as texts to a model; it is cancelled with the work.

        Args:
            submit: submits the part, and returns the future of its result.
            arguments: its arguments.

        Raises:
            CancelledError: the work was cancelled.
        """
        self.check()
        future = submit(*arguments)
        self._parts.add(future)
        future.add_done_callback(self._parts.discard)
        if self._is_cancelled:  # since the first check
            future.cancel()
        return future


_TASK: ContextVar[Task[Any] | None] = ContextVar("task", default=None)


def current_task() -> Task[Any]:
    """Return the task of the current thread."""
    return _TASK.get() or Task()


def in_task(task: Task[Any], work: Callable[..., Outcome], *arguments: Any) -> Outcome:
    """Run a function as a task in this thread."""

    def run() -> Outcome:
        _TASK.set(task)
        return work(*arguments)

    return copy_context().run(run)


def report_progress(stage: str, done: int, total: int | None) -> None:
    """Report the progress of the current thread's task, and end its work if it was cancelled."""
    current_task().report(stage, done, total)


class BackgroundWork:
    """Threads that work on tasks, in order of their arrival.

    Args:
        threads: number of tasks that run at once.
        most: largest number of running and waiting tasks; ``None`` if the caller limits them.
        remembered: number of ended tasks that ``find`` returns; older ones are forgotten with their results.
    """

    def __init__(
        self, threads: int = _THREADS, *, most: int | None = _MOST_TASKS, remembered: int = 0
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="background")
        self._most, self._remembered = most, remembered
        self._unfinished: dict[str, Task[Any]] = {}
        self._ended: deque[Task[Any]] = deque(maxlen=remembered)
        self._lock = threading.Lock()
        self._is_stopped = False

    def submit(self, work: Callable[..., Outcome], *arguments: Any) -> Task[Outcome]:
        """Add a task; it goes on when the request that submitted it has ended, in a copy of its context.

        Args:
            work: function that does the work; it reports its progress by ``report_progress``.
            arguments: its arguments.

        Raises:
            RefusedRequestError: too many tasks wait, or the service stops.
        """
        task: Task[Outcome] = Task()
        with self._lock:
            if self._is_stopped:
                raise RefusedRequestError(500, "the service has stopped")
            if self._most is not None and len(self._unfinished) >= self._most:
                raise RefusedRequestError(
                    429, "too many requests are waiting: try again later", retry_after=_RETRY_AFTER
                )
            self._unfinished[task.id] = task
            task.future = self._pool.submit(copy_context().run, in_task, task, work, *arguments)
        task.future.add_done_callback(lambda _: self._end(task))
        return task

    def _end(self, task: Task[Any]) -> None:
        with self._lock:
            del self._unfinished[task.id]
            self._ended.append(task)

    async def run(self, work: Callable[..., Outcome], *arguments: Any) -> Outcome:
        """Do work and wait for its result; if the request is cancelled, the work is cancelled, too.

        Raises:
            RefusedRequestError: too many tasks wait, or the service stops.
            Exception: the work failed.
        """
        task = self.submit(work, *arguments)
        try:
            return await asyncio.wrap_future(task.future)
        except asyncio.CancelledError:
            task.cancel()
            raise

    def find(self, name: str) -> Task[Any]:
        """Return the task with this ID.

        Raises:
            RefusedRequestError: there is none, or it was forgotten.
        """
        with self._lock:
            tasks = [*self._unfinished.values(), *self._ended]
        task = next((task for task in tasks if task.id == name), None)
        if task is None:
            raise RefusedRequestError(404, f"there is no task {name[:40]!r}", field="id")
        return task

    def stop(self) -> None:
        """Cancel all tasks, and refuse further ones."""
        with self._lock:
            self._is_stopped = True
            tasks = list(self._unfinished.values())
        for task in tasks:
            task.cancel()

    def close(self, seconds: float = 30.0) -> bool:
        """Stop, wait for the running tasks, and return true if all have ended.

        Args:
            seconds: longest time to wait.
        """
        self.stop()
        with self._lock:
            futures = [task.future for task in self._unfinished.values()]
        _, unfinished = wait(futures, seconds)
        self._pool.shutdown(wait=not unfinished)
        return not unfinished
