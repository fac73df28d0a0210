"""Bring a model's files from the first source that has them, one process at a time."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from filelock import FileLock

from semscale.errors import ModelError
from semscale.types import Progress
from semscale.weights.download_staging import NO_ROOM, Landing, SourceError
from semscale.weights.sources import Source
from semscale.weights.verified_files import write_stamps


@contextlib.contextmanager
def exclusive(home: Path) -> Iterator[None]:
    """Let one process at a time change a model's folder, and turn what the disk refuses into one clear line.

    Args:
        home: the model's folder, which need not exist.

    Raises:
        ModelError: the disk is full or the place cannot be written.
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
    """Ask one source after the other for files until all have arrived, then put them in place.

    Files that one source gave with the right hash are not asked of the next. The caller holds the lock.

    Args:
        home: the model's folder.
        sums: the hash each file must have, or ``None`` where any will do.
        sources: in the order in which they are tried.
        progress: called while files arrive.

    Returns:
        SHA-256 of every file that was asked for.

    Raises:
        ModelError: no source has them; the message gives each source's reason.
        OSError: the files cannot be written.
    """
    reasons = []
    with Landing(home, sums, progress=progress) as landing:
        for source in sources:
            try:
                source.fetch(landing)
            except SourceError as error:
                reasons.append(f"{source.title}: {error}")
                continue
            landing.publish()
            write_stamps(home, landing.arrived)
            return landing.arrived
    remedy = "put its files into a folder and give that folder as the model, or name it in SEMSCALE_MODELS"
    raise ModelError(f"{home.name} came from no source ({'; '.join(reasons)}); {remedy}")
