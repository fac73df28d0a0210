"""Pulling of a model's files from the first source that has them, by one process at a time."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from filelock import FileLock

from semscale.errors import ModelError
from semscale.types import Progress
from semscale.weights.download_staging import NO_ROOM, DownloadStaging, SourceError
from semscale.weights.sources import Source
from semscale.weights.verified_files import write_stamps


@contextlib.contextmanager
def exclusive(home: Path) -> Iterator[None]:
    """Lock a model's folder against other processes, and turn errors of the disk into a ``ModelError``.

    Args:
        home: the model's folder, which need not exist.

    Raises:
        ModelError: the disk is full or the folder cannot be written.
    """
    try:
        locks = home.parent / ".locks"
        locks.mkdir(parents=True, exist_ok=True)
        with FileLock(locks / f"{home.name}.lock"):
            yield
    except OSError as error:
        full = error.errno in NO_ROOM
        reason = "the disk is full; make room, or" if full else f"{error.strerror or error};"
        raise ModelError(
            f"{home.name} cannot be kept in {home.parent}: {reason} set SEMSCALE_CACHE to another folder"
        ) from error


def pull(
    home: Path, sums: Mapping[str, str | None], sources: Sequence[Source], *, progress: Progress | None = None
) -> dict[str, str]:
    """Ask one source after the other until all files were received, then publish them.

    A source is asked only for files that no earlier one gave with the right hash. The caller holds
    the lock of the folder.

    Args:
        home: the model's folder.
        sums: the SHA-256 that each file must have; ``None`` accepts any.
        sources: sources in the order in which they are tried.
        progress: called while files are received.

    Returns:
        SHA-256 of every requested file.

    Raises:
        ModelError: no source has the files; the message gives each source's reason.
        OSError: the files cannot be written.
    """
    reasons = []
    with DownloadStaging(home, sums, progress=progress) as staging:
        for source in sources:
            try:
                source.fetch(staging)
            except SourceError as error:
                reasons.append(f"{source.title}: {error}")
            if not staging.wanted:
                staging.publish()
                write_stamps(home, staging.received)
                return staging.received
    remedy = "put its files into a folder and give that folder as the model, or name it in SEMSCALE_MODELS"
    raise ModelError(f"{home.name} came from no source ({'; '.join(reasons)}); {remedy}")
