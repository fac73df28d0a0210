"""Files that appear whole or not at all, also when the machine stops in the middle."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from semscale.errors import InputError


@contextmanager
def replacing(path: Path, within: Path | None = None) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of ``path`` when the block ends without an error.

    Args:
        path: where the finished file is to stand.
        within: folder of the temporary file, on the same file system; the folder of ``path`` unless given.

    Example:
        >>> target = Path(tempfile.mkdtemp(), "answer.txt")
        >>> with replacing(target) as temporary:
        ...     _ = temporary.write_text("done")
        >>> target.read_text(), len(list(target.parent.iterdir()))
        ('done', 1)
    """
    temporary = (within or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows writes a folder's list by itself and cannot be asked to
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_writable(path: Path, parameter: str) -> None:
    """Check, before any work is done, that a file can be written.

    Args:
        path: the file that is to be written.
        parameter: what the caller called it, for the message.

    Raises:
        InputError: its folder does not exist or takes no files, or it is a folder itself or write-protected.
    """
    folder = path.parent
    if path.is_dir():
        raise InputError(f"{parameter} must be a file, but {path} is a folder; add a file name")
    if not folder.is_dir():
        raise InputError(f"{parameter}: the folder {folder} does not exist; make it, or choose another one")
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError(f"{parameter}: {path} is write-protected; choose another name")
    _try_folder(folder, path, parameter)


def check_folder(path: Path, parameter: str) -> None:
    """Check, before any work is done, that files can be written to a folder, which need not exist yet.

    Args:
        path: the folder.
        parameter: what the caller called it, for the message.

    Raises:
        InputError: it is a file, or neither it nor the folder around it takes files.
    """
    if path.exists() and not path.is_dir():
        raise InputError(f"{parameter} must be a folder, but {path} is a file; choose another name")
    if not path.exists() and not path.parent.is_dir():
        raise InputError(
            f"{parameter}: the folder {path.parent} does not exist; make it, or choose another one"
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
