"""Atomic writing of files, and locks of folders for one process at a time."""

import errno
import hashlib
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from semscale.errors import InputError
from semscale.messages import shortened

_CUT_SHORT = "thrift: transport error"
"""Error message of polars for a Parquet file whose end it could not write."""

_LONGEST_NAME = 255
"""Maximum length of a file's name in bytes, on Linux, macOS and Windows."""


@contextmanager
def replacing(path: Path, within: Path | None = None, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write to; the file replaces ``path`` if the block ends without an error.

    If ``path`` is a link, the file that it points to is replaced. A temporary file that a killed process of
    this machine left for the same path is removed.

    Args:
        path: path of the finished file.
        within: folder of the temporary file; by default, or if it is on another file system, the folder of
            the finished file.
        private: whether only the user may read the file, as for replies, jobs or vectors.

    Raises:
        OSError: a Parquet file was not written completely, which polars reports by another error.
        Exception: any other error of the block or of the disk, with ``path`` as its attribute ``written_to``.

    Examples:
        >>> target = Path(tempfile.mkdtemp(), "answer.txt")
        >>> with replacing(target) as temporary:
        ...     _ = temporary.write_text("done")
        >>> target.read_text(), len(list(target.parent.iterdir()))
        ('done', 1)
    """
    target = Path(os.path.realpath(path))
    beside = within if within is not None and _same_disk(within, target.parent) else target.parent
    # A hashed name of fixed length, as the finished file's name may have the maximum length.
    start = f".{_hashed(target.name, 8)}.{_hashed(platform.node(), 4)}."
    _remove_abandoned(beside, start)
    temporary = beside / f"{start}{os.getpid()}.tmp"
    temporary.unlink(missing_ok=True)  # it could be a link, through which another file would be written
    try:
        if private:
            create_private(temporary)
        yield temporary
        sync(temporary)
        temporary.replace(target)
        sync(target.parent)
    except Exception as error:
        # Errors of writing name no file, and polars wraps the system's error in its own.
        vars(error)["written_to"] = str(path)
        if _CUT_SHORT in str(error):
            raise OSError(errno.ENOSPC, "not written whole", str(path)) from error
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)
        raise
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _hashed(name: str, size: int) -> str:
    return hashlib.blake2b(os.fsencode(name), digest_size=size).hexdigest()


def _remove_abandoned(folder: Path, start: str) -> None:
    for path in folder.glob(f"{start}*.tmp"):
        process = path.name.removeprefix(start).removesuffix(".tmp")
        if process.isdecimal() and not _is_running(int(process)):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Return whether a process of this machine runs; always True on Windows, which has no such signal."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # another user's
        return True
    return True


def _same_disk(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


def create_private(path: Path) -> None:
    """Create an empty file that only its user may read and write; an existing file is not changed."""
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def create_private_folder(path: Path) -> None:
    """Create a folder and its parents that only their user may enter; existing ones are not changed."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def sync(path: Path) -> None:
    """Flush a file's content, or a folder's list of files, to the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows writes a folder's list of files by itself and offers no call for it
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def check_writable(path: Path, parameter: str) -> None:
    """Check before a run that a file can be written.

    Args:
        path: the file to be written.
        parameter: the parameter's name, for messages.

    Raises:
        InputError: its folder does not exist or cannot be written, or it is a folder or write-protected.
    """
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise InputError(f"{parameter}: the name {shortened(path.name)} is too long; choose a shorter one")
    if path.is_dir():
        raise InputError(f"{parameter} must be a file, but {path} is a folder; add a file name")
    folder = check_folder_of(path, parameter)
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{parameter}: {path} is write-protected; choose another name")
    _try_folder(folder, path, parameter)


def check_folder_of(path: Path, parameter: str) -> Path:
    """Return the folder of a file, which must exist, as a user's folder is never created.

    Args:
        path: the file.
        parameter: the parameter's name, for messages.

    Raises:
        InputError: the folder does not exist.
    """
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise InputError(f"{parameter}: the folder {folder} does not exist; create it, or choose another one")
    return folder


def check_folder(path: Path, parameter: str) -> None:
    """Check before a run that files can be written to a folder, which may not exist yet.

    Args:
        path: the folder.
        parameter: name of the parameter, for the message.

    Raises:
        InputError: it is a file, or files cannot be written to it or its parent.
    """
    if path.exists() and not path.is_dir():
        raise InputError(f"{parameter} must be a folder, but {path} is a file; choose another name")
    if not path.exists() and not path.parent.is_dir():
        raise InputError(
            f"{parameter}: the folder {path.parent} does not exist; create it, or choose another one"
        )
    _try_folder(path if path.exists() else path.parent, path, parameter)


def _try_folder(folder: Path, path: Path, parameter: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"{parameter}: {path} cannot be written ({error.strerror}); choose another folder"
        ) from error


LOCK_FILE = "lock"
"""Name of the lock file in the folder."""

_ATTEMPTS = 100


def lock_folder(folder: Path, check: Callable[[Path], None], name: str | None = None) -> FileLock:
    """Create a folder and lock it; retry if a run that ends at the same time removes the folder or its lock.

    Args:
        folder: created, for this user only, if it does not exist; its parent must exist.
        check: called before the folder is locked; raises an error if the folder must not be used.
        name: name of the output, for messages; by default from the folder's name.

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
    """Lock a file; return ``None`` if it was removed meanwhile, as the lock would then have no effect.

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
