"""Atomic writing of files, and locks of folders for one process at a time."""

import errno
import hashlib
import os
import platform
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from semscale.errors import InputError
from semscale.messages import shorten
from semscale.spelling import marked

_CUT_SHORT = "thrift: transport error"
"""Error message of polars for a Parquet file whose end it could not write."""

_LONGEST_NAME = 255
"""Maximum length of a file's name in bytes, on Linux, macOS and Windows."""


@contextmanager
def replacing(
    path: Path, within: Path | None = None, *, private: bool = False, follow: bool = True
) -> Iterator[Path]:
    """Yield a temporary path to write to; the file replaces ``path`` if the block ends without an error.

    If ``path`` is a link to a file in the same folder, that file is replaced. A temporary file that a killed
    process of this machine left for the same path is removed.

    Args:
        path: path of the finished file.
        within: folder of the temporary file; by default, or if it is on another file system, the folder of
            the finished file.
        private: whether only the user may read the file, as for replies, jobs or vectors.
        follow: whether a link is followed. Otherwise ``path`` must be absolute, as links may have been
            followed when the run began: a link there is replaced itself, and folders must be no links.

    Raises:
        InputError: the link leads to another folder, or a folder of ``path`` became a link.
        OSError: a Parquet file was not written completely, which polars reports by another error.
        Exception: any other error of the block or of the disk, with ``path`` as its attribute ``written_to``.

    Examples:
        >>> target = Path(tempfile.mkdtemp(), "answer.txt")
        >>> with replacing(target) as temporary:
        ...     _ = temporary.write_text("done")
        >>> target.read_text(), len(list(target.parent.iterdir()))
        ('done', 1)
    """
    target = linked_file(path) if follow else path
    beside = within if within is not None and _same_disk(within, target.parent) else target.parent
    # A hashed name of fixed length, as the finished file's name may have the maximum length.
    start = f".{_hash(target.name, 8)}.{_hash(platform.node(), 4)}."
    _remove_abandoned(beside, start)
    # Nobody can guess the name and place a link there, through which another file would be written.
    temporary = beside / f"{start}{os.getpid()}-{secrets.token_hex(8)}.tmp"
    try:
        if private:
            create_private(temporary)
        yield temporary
        sync(temporary)
        if follow:
            temporary.replace(target)
        else:
            _replace_without_links(temporary, target)
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


def _replace_without_links(source: Path, target: Path) -> None:
    """Move a file to an absolute path, none of whose folders is a link at this moment."""
    if os.rename not in os.supports_dir_fd:  # Windows, where only administrators make links
        source.replace(target)
        return
    with folder_without_links(target.parent) as folder:
        os.replace(source, target.name, dst_dir_fd=folder)


@contextmanager
def folder_without_links(path: Path) -> Iterator[int]:
    """Open a folder for operations that take a descriptor, without following a link on the way.

    Args:
        path: absolute path of the folder.

    Raises:
        InputError: a folder of the path is a link or no folder any more.
        FileNotFoundError: the folder is gone.
    """
    flags = os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_PATH", os.O_RDONLY)
    descriptor = os.open(path.anchor, flags)
    try:
        for name in path.parts[1:]:
            below = os.open(name, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        raise InputError(f"{path} was replaced by a link; remove it, and start again") from error
    finally:
        os.close(descriptor)


def open_without_links(path: Path) -> int:
    """Open a file for reading, without following a link on the way or waiting for a pipe.

    Args:
        path: absolute path of the file.

    Returns:
        Its descriptor.

    Raises:
        InputError: the path has a link, or is no file.
        FileNotFoundError: the file is gone.
    """
    error = InputError(f"{path} was replaced by something that is no file; start again")
    with folder_without_links(path.parent) as folder:
        try:
            descriptor = os.open(path.name, os.O_RDONLY | NO_LINK, dir_fd=folder)
        except OSError as failure:
            if failure.errno != errno.ELOOP:
                raise
            raise error from failure
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise error


def linked_file(path: Path, parameter: str | None = None) -> Path:
    """Return the path of the file that is written for a path, without links.

    A link in a folder that somebody else made could lead to any file of the user. So only a link to a file
    of the same folder is followed.

    Args:
        path: the file, or a link to it.
        parameter: name of the parameter, for the message.

    Raises:
        InputError: the link leads to another folder.
    """
    target, folder = Path(os.path.realpath(path)), Path(os.path.realpath(path.parent))
    if target.parent != folder:
        prefix = "" if parameter is None else f"{marked(parameter)}: "
        raise InputError(
            f"{prefix}{path} is a link to {target}, which is in another folder and would be replaced; name "
            "that file itself, or remove the link"
        )
    return target


def refuse_special(path: Path, parameter: str = "out") -> None:
    """Refuse a link, a pipe or a folder where Semscale makes a plain file; a missing file is accepted.

    Args:
        path: a file in a folder of Semscale.
        parameter: name of the parameter, for the message.

    Raises:
        InputError: it is not a plain file.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise special_error(path, mode, parameter)


def special_error(path: Path, mode: int, parameter: str = "out") -> InputError:
    """Return the error about something else than a file or folder of Semscale."""
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no plain file")
    return InputError(
        parameter, f": {path} is {kind}, which Semscale never makes there; remove it, or choose another name"
    )


_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISREG, "a file"),
)


def _hash(name: str, size: int) -> str:
    return hashlib.blake2b(os.fsencode(name), digest_size=size).hexdigest()


def _remove_abandoned(folder: Path, start: str) -> None:
    for path in folder.glob(f"{start}*.tmp"):
        process = path.name.removeprefix(start).removesuffix(".tmp").partition("-")[0]
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
        InputError: its folder does not exist or cannot be written, it is a folder or write-protected, or a
            link to another folder.
    """
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise InputError(parameter, f": the name {shorten(path.name)} is too long; choose a shorter one")
    if path.is_dir():
        raise InputError(parameter, f"must be a file, but {path} is a folder; add a file name")
    folder = check_folder_of(path, parameter)
    linked_file(path, parameter)
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(parameter, f": {path} is write-protected; choose another name")
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
        raise InputError(parameter, f": the folder {folder} does not exist; create it, or choose another one")
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
        raise InputError(parameter, f"must be a folder, but {path} is a file; choose another name")
    if not path.exists() and not path.parent.is_dir():
        raise InputError(
            parameter, f": the folder {path.parent} does not exist; create it, or choose another one"
        )
    _try_folder(path if path.exists() else path.parent, path, parameter)


def _try_folder(folder: Path, path: Path, parameter: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            parameter, f": {path} cannot be written ({error.strerror}); choose another folder"
        ) from error


LOCK_FILE = "lock"
"""Name of the lock file in the folder."""

_ATTEMPTS = 100

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags of ``os.open`` that refuse a link and never wait for a pipe; Windows has neither."""


def lock_folder(folder: Path, check: Callable[[Path], None], name: str | None = None) -> FileLock:
    """Create a folder and lock it; retry if a run that ends at the same time removes the folder or its lock.

    Args:
        folder: created, for this user only, if it does not exist; its parent must exist.
        check: called before the folder is locked; raises an error if the folder must not be used.
        name: name of the output, for messages; by default from the folder's name.

    Raises:
        InputError: another process holds the lock, or the lock is a link or a pipe.
        FileNotFoundError: the parent does not exist.
    """
    for _ in range(_ATTEMPTS):
        try:
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            check(folder)
            refuse_special(folder / LOCK_FILE)
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
        "out", f": another process is writing {name or folder.stem}; wait for it, or choose another name"
    )


def _lock_if_free(path: Path) -> FileLock | None:
    """Lock a file; return ``None`` if it was removed meanwhile, as the lock would then have no effect.

    Raises:
        Timeout: it is locked.
        FileNotFoundError: its folder is gone.
    """
    lock = FileLock(path)
    # No other file can have an open file's inode, so an unchanged inode shows that the file was not replaced.
    before = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)
    try:
        lock.acquire(blocking=False)
        if _names(path, before):
            return lock
    except Timeout:
        if _names(path, before):
            raise
        return None
    finally:
        os.close(before)
    lock.release()
    return None


def _names(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
