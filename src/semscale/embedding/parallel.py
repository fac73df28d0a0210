"""How many processors there are, and copying rows on all of them."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from semscale.types import Integers

_WORTH_THREADS = 4_000_000  # numbers; below that starting threads costs more than it saves


def processors() -> int:
    """Count the processors this process may use, which a container may limit."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def take_rows(rows: npt.NDArray[np.float32], where: Integers) -> npt.NDArray[np.float32]:
    """Give ``rows[where]``; a large result is filled by all processors: touching new memory takes longest.

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
