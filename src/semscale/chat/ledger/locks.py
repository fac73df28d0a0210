"""Which processes that use a ledger are alive: each holds a lock that the system drops when it ends."""

import contextlib
import uuid
from pathlib import Path

from filelock import FileLock, Timeout


class Owner:
    """One user of a ledger, alive as long as its lock is held; a killed process loses it.

    Args:
        folder: where the locks of all users of the ledger lie.

    Raises:
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = uuid.uuid4().hex
        folder.mkdir(parents=True, exist_ok=True)
        # Taken in one thread and given back in another.
        self._lock = FileLock(folder / self.name, thread_local=False)
        self._lock.acquire()

    def is_alive(self, other: str) -> bool:
        """Tell whether the user of that name still runs."""
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
        """Give the lock back."""
        self._lock.release()
        with contextlib.suppress(OSError):
            (self._folder / self.name).unlink()
