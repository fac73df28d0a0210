"""Files that a model's folder lacks, or that have changed, and how a message names them."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from semscale.errors import ModelError
from semscale.weights.known import WEIGHTS
from semscale.weights.places import model_name
from semscale.weights.sources import MODULES, lacking_pooling
from semscale.weights.verified_files import current_sum, read_stamps, write_stamps

WHOLE = ".semscale-whole"
"""An empty file in a model's folder; it records that the hub, too, lacks the modules or pooling settings that
the folder lacks, so the folder is complete."""


def lacking_or_damaged(home: Path, thorough: bool) -> list[str]:
    """List the files that a folder from the hub lacks, or that have changed.

    A model without ``modules.json`` is mean-pooled, which is wrong if the file is only missing here: the
    folder may come from a cache with part of the model. So a folder without modules counts as complete only
    if a note says that the hub has none, either.
    """
    sums = stored_sums(home)
    if WEIGHTS not in sums:
        return [WEIGHTS]
    steps = lacking_steps(home)
    if steps and not (home / WHOLE).is_file():
        return [steps]
    return damaged(home, sums, () if thorough else (WEIGHTS,))


def lacking_steps(home: Path) -> str | None:
    """Name a file that says how tokens are pooled, and that a model's folder lacks; ``None`` for none."""
    return lacking_pooling(home) if (home / MODULES).is_file() else MODULES


@contextlib.contextmanager
def explained(home: Path, sums: Mapping[str, str], lacking: list[str]) -> Iterator[None]:
    """Begin the message of a failed pull with what is wrong with the existing files."""
    try:
        yield
    except ModelError as error:
        if not any((home / name).is_file() for name in (*sums, WEIGHTS)):
            raise
        faults = "; ".join(fault_of(home, name, sums.get(name)) for name in lacking)
        remedy = f"semscale models pull {model_name(home)} brings it back where there is a connection"
        raise ModelError(f"{faults}; {remedy}; here {error}") from error


def fault_of(home: Path, file: str, expected: str | None) -> str:
    """Say what is wrong with a file of a model's folder; its hash may be unknown."""
    found = current_sum(home, file, {})
    if found is None:
        return f"{home / file} is missing"
    if expected is None:
        return f"{home / file} is there, but what its hash was is not"
    return f"{home / file} has SHA-256 {found[:12]}..., not {expected[:12]}..., so it is damaged"


def stored_sums(home: Path) -> dict[str, str]:
    """Hashes of a model's files that were stored beside them, by path."""
    return {file: stamp.sha256 for file, stamp in read_stamps(home).items()}


def damaged(home: Path, sums: Mapping[str, str], trusted: Collection[str]) -> list[str]:
    """List the files that are missing or have another hash; store the hashes that were computed for it.

    Args:
        home: the model's folder.
        sums: SHA-256 by path inside the folder.
        trusted: files whose stamps are taken for their hash: weights, which are hashed when they are loaded.
            All others are so small that they are hashed each time.
    """
    stored = read_stamps(home)
    stamps = {name: stamp for name, stamp in stored.items() if name in trusted}
    found = {name: current_sum(home, name, stamps) for name in sums}
    bad = [name for name, expected in sums.items() if found[name] != expected]
    if not bad and any(name not in stored or not stored[name].fits(home / name) for name in sums):
        # In a folder that cannot be written, files are hashed at every start.
        with contextlib.suppress(OSError):
            write_stamps(home, sums)
    return bad
