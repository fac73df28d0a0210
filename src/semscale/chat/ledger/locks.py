"""Locks that show which users of a ledger still run: the system drops a process's lock when it ends."""

import contextlib
import uuid
from pathlib import Path

from filelock import FileLock, Timeout


class LedgerUser:
    """One user of a ledger; it counts as running while it holds its lock, which a killed process loses.

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
        self._lock.acquire()

    def is_alive(self, other: str) -> bool:
        """Tell whether the user with this name still runs."""
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

    def leave(self) -> None:
        """Release the lock."""
        self._lock.release()
        with contextlib.suppress(OSError):
            (self._folder / self.name).unlink()
