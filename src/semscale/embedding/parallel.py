"""Number of available processors, and parallel copying of rows."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.types import Integers

THREADS_VARIABLE = "SEMSCALE_THREADS"
"""Variable of the environment: how many processors a process uses at most."""

_WORTH_THREADS = 4_000_000  # numbers to copy; below that, starting threads costs more than it saves


def processors() -> int:
    """Count the processors that this process may use; a container or ``SEMSCALE_THREADS`` may limit them.

    Raises:
        InputError: ``SEMSCALE_THREADS`` is no whole number from 1.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    there = len(affinity(0)) if affinity else os.cpu_count() or 1
    chosen = os.environ.get(THREADS_VARIABLE)
    if not chosen:
        return there
    if not chosen.isdecimal() or int(chosen) < 1:
        raise InputError(f"{THREADS_VARIABLE} must be a whole number from 1, got {chosen!r:.40}")
    return min(there, int(chosen))


def take_rows(rows: npt.NDArray[np.float32], where: Integers) -> npt.NDArray[np.float32]:
    """Return ``rows[where]``; all processors fill a large result, as first use of new memory is slow.

    Args:
        rows: shape (m, d).
        where: shape (n,), 0 to m - 1.

    Returns:
        Shape (n, d).

    Example:
        >>> take_rows(np.array([[1, 2], [3, 4]], np.float32), np.array([1, 1, 0]))[:, 0].tolist()
        [3.0, 3.0, 1.0]
    """
    taken = np.empty((len(where), rows.shape[1]), np.float32)
    if taken.size < _WORTH_THREADS:
        return np.take(rows, where, axis=0, out=taken, mode="clip")
    cuts = np.linspace(0, len(where), processors() + 1).astype(int)

    def fill(part: slice) -> None:
        np.take(rows, where[part], axis=0, out=taken[part], mode="clip")

    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(fill, map(slice, cuts[:-1], cuts[1:])))
    return taken
