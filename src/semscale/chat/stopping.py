"""Ctrl-C while calls are under way: they finish first, so that replies that are paid for are kept."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LONGEST_WAIT = 10.0
"""Seconds for which calls under way may still bring their replies after Ctrl-C."""

_TICK = 0.05


class UserStoppedError(BaseException):
    """The user stopped the program, and the calls that were under way are done.

    Inside an event loop it takes the place of ``KeyboardInterrupt``, which would leave the loop at once,
    before other tasks have ended. No handler of ordinary errors takes it for one.
    """


class StoppableRuns:
    """The runs of a program that send calls, so that a signal can ask all of them to end."""

    def __init__(self) -> None:
        self._runs: dict[object, tuple[asyncio.AbstractEventLoop, Callable[[], None], Callable[[], int]]] = {}
        self._is_stopping = False

    @property
    def n_calls(self) -> int:
        """Calls under way."""
        return sum(n_calls() for _, _, n_calls in self._runs.values())

    def stop(self) -> bool:
        """Ask all runs to send nothing more, and to raise ``UserStoppedError`` once their calls are done.

        It may be called from a signal handler.

        Returns:
            Whether a call is under way; where none is, nothing changes.
        """
        if not self.n_calls:
            return False
        self._is_stopping = True
        for loop, end, _ in self._runs.values():
            loop.call_soon_threadsafe(end)
        return True

    @contextmanager
    def listed(self, run: object, end: Callable[[], None], n_calls: Callable[[], int]) -> Iterator[None]:
        """List a run of the running event loop while it is under way.

        Args:
            run: names it.
            end: lets it send nothing more, and end.
            n_calls: gives how many of its calls are under way.
        """
        self._runs[run] = (asyncio.get_running_loop(), end, n_calls)
        try:
            yield
        finally:
            del self._runs[run]

    async def raise_if_stopped(self) -> None:
        """Raise an error where the runs were asked to end, once the calls of all are done.

        Raises:
            UserStoppedError: they were.
        """
        if not self._is_stopping:
            return
        while self.n_calls:
            await asyncio.sleep(_TICK)
        raise UserStoppedError

    def begin_again(self) -> None:
        """Let runs begin again: whoever asked has heard that they ended."""
        self._is_stopping = False


RUNS = StoppableRuns()
"""Those of this program."""
