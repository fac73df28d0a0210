"""A lock on a folder: one process at a time works in it."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from semscale.errors import InputError

LOCK_FILE = "lock"
"""Name of the lock's file in the folder."""

_ATTEMPTS = 100


def lock_folder(folder: Path, check: Callable[[Path], None], name: str | None = None) -> FileLock:
    """Create a folder and lock it; retry, as a run that ends just then may remove the folder or its lock.

    Args:
        folder: created, for this user only, if it does not exist; its parent must exist.
        check: called before the folder is locked; raises an error if the folder must not be used.
        name: what is written, for messages; by default after the folder.

    Raises:
        InputError: another process holds the lock.
        FileNotFoundError: the parent does not exist.
    """
    for _ in range(_ATTEMPTS):
        try:
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            check(folder)
            lock = _lock_if_free(folder / LOCK_FILE)
        except FileNotFoundError:
            if not folder.parent.is_dir():
                raise
            continue
        except Timeout:
            break
        if lock is not None:
            return lock
    raise InputError(
        f"out: another process is writing {name or folder.stem}; wait for it, or choose another name"
    )


def _lock_if_free(path: Path) -> FileLock | None:
    """Lock a file; return ``None`` if it was removed meanwhile, as the lock would then exclude nobody.

    Raises:
        Timeout: it is locked.
        FileNotFoundError: its folder is gone.
    """
    lock = FileLock(path)
    # No other file can have an open file's inode, so an unchanged inode shows that the file was not replaced.
    with path.open("ab") as before:
        try:
            lock.acquire(blocking=False)
        except Timeout:
            if _names(path, before.fileno()):
                raise
            return None
        if _names(path, before.fileno()):
            return lock
    lock.release()
    return None


def _names(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
