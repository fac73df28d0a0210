"""Persistent cache of token states as 16-bit integers, in a file beside the embedding cache."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from semscale.embedding.cache.entries import checksum
from semscale.embedding.cache.entry_store import EntryStore

Rounded = npt.NDArray[np.int16]
"""States of one text's t tokens, shape (t, hidden), multiplied by a factor that each text has of its own."""

STATES_FILE = "states.sqlite"

_LARGEST = 32767
_SUM = 4  # bytes of the checksum after the states


def rounded(states: npt.NDArray[np.float32]) -> Rounded:
    """Scale a text's states so that the largest absolute value is 32,767, and round them to 16-bit integers.

    The factor is dropped, as cosines do not depend on it.

    Args:
        states: shape (t, hidden).

    Example:
        >>> rounded(np.array([[1.0, -0.5], [0.25, 0.0]], np.float32)).tolist()
        [[32767, -16384], [8192, 0]]
    """
    largest = np.abs(states).max(initial=np.float32(0))
    whole: Rounded = np.rint(states / (largest or 1) * np.float32(_LARGEST)).astype(np.int16)
    return whole


class StateCache:
    """Stores rounded states on disk by key, with the same default limit on size as the embedding cache.

    A damaged entry or one of another width counts as missing.

    Args:
        folder: the folder of the file ``states.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Example:
        >>> import tempfile
        >>> from semscale.embedding.cache.entries import cache_keys
        >>> good, bad = cache_keys("an encoder's signature", ["good", "bad"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = StateCache(folder)
        ...     cache.put_many([good], [np.array([[1, 2]], np.int16)])
        ...     found = {row: states.tolist() for row, states in cache.get_many([bad, good], 2).items()}
        ...     cache.close()
        >>> found
        {1: [[1, 2]]}
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        self._store = EntryStore(STATES_FILE, folder, max_bytes=max_bytes)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return those of n distinct keys that have an entry; its bytes may be damaged."""
        return self._store.known(keys)

    def get_many(self, keys: Sequence[bytes], hidden: int) -> dict[int, Rounded]:
        """Look states up.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.entries.cache_keys`.
            hidden: width of a state.

        Returns:
            The states that were found, by their row in ``keys``.
        """
        row = {key: at for at, key in enumerate(keys)}
        found = {}
        for entries in self._store.read(keys):
            for key, body in entries:
                states = _decoded(key, body, hidden)
                if states is not None:
                    found[row[key]] = states
        return found

    def put_many(self, keys: Sequence[bytes], states: Sequence[Rounded]) -> None:
        """Store states: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys.
            states: states of n texts.
        """
        self._store.write(keys, [_encoded(*each) for each in zip(keys, states, strict=True)])


def _encoded(key: bytes, states: Rounded) -> bytes:
    body = np.ascontiguousarray(states, "<i2").tobytes()
    return body + checksum(key, body)


def _decoded(key: bytes, body: bytes, hidden: int) -> Rounded | None:
    content = memoryview(body)[:-_SUM]
    if checksum(key, content) != body[-_SUM:] or len(content) % (2 * hidden):
        return None
    return np.frombuffer(content, "<i2").reshape(-1, hidden)
