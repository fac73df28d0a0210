"""Steps of a process on the disk: each file opened to write, moved or removed, and each SQL statement."""

import itertools
import os
import sqlite3
import sys
from collections.abc import Callable

_CHANGES = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
)
_connect = sqlite3.connect
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class DiskSteps:
    """Counts this process's steps from now on, and does something before one of them.

    Args:
        at: number of that step, from 1; ``None`` to count alone.
        do: what is done then, in the thread that takes the step.
    """

    def __init__(self, at: int | None = None, do: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._numbers = itertools.count(1)
        self._at, self._do = at, do
        sys.addaudithook(self._hear)
        sqlite3.connect = self._connected

    def _connected(self, *arguments: object, **settings: object) -> sqlite3.Connection:
        connection = _connect(*arguments, **settings)
        connection.set_trace_callback(self._step)
        return connection

    def _hear(self, event: str, arguments: tuple) -> None:
        if event in _CHANGES or (event == "open" and _is_written(arguments[2])):
            self._step()

    def _step(self, _: str = "") -> None:
        self.count = next(self._numbers)
        if self.count == self._at:
            self._do()


def _is_written(flags: object) -> bool:
    return isinstance(flags, int) and bool(flags & _WRITES)
