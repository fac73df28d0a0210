"""How a model's files arrive: under a temporary name, hashed on the way, in place when all of them hold."""

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
"""What the system says when a file no longer fits; another source would not help."""

_CHUNK = 1 << 20
_WORTH_A_BAR = 1 << 20


class SourceError(ModelError):
    """One source cannot give a file; the next one is tried."""


class Landing:
    """The temporary folder into which files of one model arrive, beside the folder where they will stay.

    Used as a context manager; whatever was not published is removed at its end.

    Args:
        home: the folder where the files will stay; on the same file system as the temporary one.
        sums: the SHA-256 that each file must have, or ``None`` where any will do.
        progress: called while a large file arrives.
    """

    def __init__(
        self, home: Path, sums: Mapping[str, str | None], *, progress: Progress | None = None
    ) -> None:
        self.home = home
        self.sums = dict(sums)
        self.progress = progress
        self.staging = home.with_name(f".{home.name}.part")
        self.arrived: dict[str, str] = {}

    def __enter__(self) -> Self:
        # The caller holds the model's lock, so a folder that lies here was left by a process that was killed.
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.staging, ignore_errors=True)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Files that have not arrived yet."""
        return tuple(name for name in self.sums if name not in self.arrived)

    def workspace(self, name: str) -> Path:
        """Make a folder for a source's own temporary files; it goes away with the landing."""
        folder = self.staging / f".{name}"
        folder.mkdir(exist_ok=True)
        return folder

    def report(self, done: int, total: int | None) -> None:
        """Tell the caller how many bytes have arrived."""
        if self.progress and (total is None or total >= _WORTH_A_BAR):
            self.progress(f"pulling {self.home.name}", done, total)

    def receive(self, name: str, stream: IO[bytes], *, size: int | None = None) -> None:
        """Copy one file to its temporary place and check its hash.

        Args:
            name: path inside the model's folder.
            stream: open for reading.
            size: bytes that will come, where that is known and somebody should be told; ``None`` keeps quiet.

        Raises:
            SourceError: the stream cannot be read, or the hash is not the one that is pinned.
            OSError: the file cannot be written.
        """
        target = self.staging / name
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
        self.arrived[name] = digest.hexdigest()

    def publish(self) -> None:
        """Move every file that arrived to where it stays.

        Raises:
            OSError: a file cannot be moved.
        """
        for name in self.arrived:
            target = self.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.staging / name).replace(target)


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
