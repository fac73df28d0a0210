"""Number of available processors, and parallel copying of rows."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from semscale.types import Integers

_WORTH_THREADS = 4_000_000  # numbers to copy; below that, starting threads costs more than it saves


def processors() -> int:
    """Count the processors that this process may use; a container may limit them."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1


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
