"""Locks that show which users of a ledger still run: the system drops a process's lock when it ends."""

import contextlib
import uuid
from pathlib import Path

from filelock import FileLock, Timeout

_ENTRANCE = "entrance"


class LedgerUser:
    """One user of a ledger; it counts as running while it holds its lock, which a killed process loses.

    The files of users that were killed are removed when another one begins.

    Args:
        folder: contains the lock files of all users of the ledger.

    Raises:
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = uuid.uuid4().hex
        folder.mkdir(parents=True, exist_ok=True)
        # One thread takes the lock, another may release it.
        self._lock = FileLock(folder / self.name, thread_local=False)
        with FileLock(folder / _ENTRANCE):  # nobody is removed between making a file and locking it
            self._lock.acquire()
            self._remove_ended()

    def is_alive(self, other: str) -> bool:
        """Tell whether the user with this name still runs; the file of one that does not is removed."""
        path = self._folder / other
        if other == self.name:
            return True
        if not path.exists():
            return False
        try:
            with FileLock(path, timeout=0, thread_local=False):
                pass
        except Timeout:
            return True
        with contextlib.suppress(OSError):
            path.unlink()
        return False

    def _remove_ended(self) -> None:
        for path in self._folder.iterdir():
            if path.name != _ENTRANCE:
                self.is_alive(path.name)

    def leave(self) -> None:
        """Release the lock."""
        self._lock.release()
        with contextlib.suppress(OSError):
            (self._folder / self.name).unlink()
