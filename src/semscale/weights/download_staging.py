"""Staging of model files: a temporary folder in which downloads are hashed before they are published."""

import errno
import hashlib
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from zipfile import BadZipFile

from semscale.errors import ModelError
from semscale.types import Progress

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""System errors for a file that does not fit on the disk; another source would not help."""

_CHUNK = 1 << 20
_WORTH_A_BAR = 1 << 20  # bytes; smaller files show no progress


class SourceError(ModelError):
    """A source cannot provide a file; the next source is tried."""


class DownloadStaging:
    """A temporary folder that receives the files of one model, beside the model's own folder.

    Use it as a context manager; files that were not published are removed at its end.

    Args:
        home: the model's folder, on the same file system as the temporary one.
        sums: the SHA-256 that each file must have; ``None`` accepts any.
        progress: called while a large file is received.
    """

    def __init__(
        self, home: Path, sums: Mapping[str, str | None], *, progress: Progress | None = None
    ) -> None:
        self.home = home
        self.sums = dict(sums)
        self.progress = progress
        self.folder = home.with_name(f".{home.name}.part")
        self.received: dict[str, str] = {}

    def __enter__(self) -> Self:
        # The caller holds the model's lock, so an existing folder was left by a process that was killed.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Files that have not been received yet."""
        return tuple(name for name in self.sums if name not in self.received)

    def workspace(self, name: str) -> Path:
        """Create a folder for a source's own temporary files; it is removed with the staging folder."""
        folder = self.folder / f".{name}"
        folder.mkdir(exist_ok=True)
        return folder

    def report(self, done: int, total: int | None) -> None:
        """Report to the progress callback how many bytes were received."""
        if self.progress and (total is None or total >= _WORTH_A_BAR):
            self.progress(f"pulling {self.home.name}", done, total)

    def receive(self, name: str, stream: IO[bytes], *, size: int | None = None) -> None:
        """Copy one file into the staging folder and check its hash.

        Args:
            name: path inside the model's folder.
            stream: open for reading.
            size: bytes of the file, for progress reports; ``None`` reports nothing.

        Raises:
            SourceError: the stream cannot be read, or the file's hash is not the pinned one.
            OSError: the file cannot be written.
        """
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        digest, done = hashlib.sha256(), 0
        with target.open("wb") as file:
            for chunk in _chunks(stream, name):
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                if size is not None:
                    self.report(done, size)
            file.flush()
            os.fsync(file.fileno())
        pinned = self.sums.get(name) or digest.hexdigest()
        if digest.hexdigest() != pinned:
            target.unlink()
            raise SourceError(f"{name} has SHA-256 {digest.hexdigest()[:12]}..., pinned is {pinned[:12]}...")
        self.received[name] = digest.hexdigest()

    def publish(self) -> None:
        """Move all received files into the model's folder.

        Raises:
            OSError: a file cannot be moved.
        """
        for name in self.received:
            target = self.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).replace(target)


def _chunks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    try:
        while chunk := stream.read(_CHUNK):
            yield chunk
    except (OSError, EOFError, BadZipFile, zlib.error) as error:
        raise SourceError(f"{name} cannot be read: {error}") from error


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
