"""Persistent cache of a cross-encoder's logits, in a file beside the embedding cache."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semscale.embedding.cache.entries import cache_keys, checksum
from semscale.embedding.cache.entry_store import EntryStore
from semscale.embedding.cross_encoders.pair_logits import PairLogits

PAIRS_FILE = "pairs.sqlite"

_TRUNCATED, _UNREAD = 1, 2
_SUM = 4  # bytes of the checksum at the end


def pair_keys(signature: str, first: Sequence[str], second: Sequence[str]) -> list[bytes]:
    """Return the key of each pair of texts under one model's signature.

    Example:
        >>> keys = pair_keys("a model's signature", ["a", "ab", "a"], ["bc", "c", "bc"])
        >>> keys[0] == keys[2], keys[0] == keys[1]
        (True, False)
    """
    # The first text's length says where it ends, so no two pairs are written alike.
    return cache_keys(
        signature, [f"{len(one)}:{one}{other}" for one, other in zip(first, second, strict=True)]
    )


class PairCache:
    """Stores logits of pairs on disk by key; a damaged entry, or one of another width, counts as missing.

    Args:
        folder: the folder of the file ``pairs.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Example:
        >>> import tempfile
        >>> found = PairLogits(np.array([[1, 2]], np.float32), np.array([True]), np.array([False]))
        >>> good, bad = pair_keys("a model's signature", ["a", "b"], ["c", "d"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = PairCache(folder)
        ...     cache.put_many([good], found)
        ...     rows, cached = cache.get_many([bad, good], 2)
        ...     cache.close()
        >>> rows, cached.values.tolist(), cached.truncated.tolist()
        ([1], [[1.0, 2.0]], [True])
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        self._store = EntryStore(PAIRS_FILE, folder, max_bytes=max_bytes)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def get_many(self, keys: Sequence[bytes], classes: int) -> tuple[list[int], PairLogits]:
        """Look logits up.

        Args:
            keys: n distinct keys, from ``pair_keys``.
            classes: of the model.

        Returns:
            The rows of the m keys that were found, and their logits.
        """
        place = {key: row for row, key in enumerate(keys)}
        rows, bodies = [], []
        for entries in self._store.read(keys):
            for key, body in entries:
                if _is_sound(key, body, classes):
                    rows.append(place[key])
                    bodies.append(body)
        values = np.frombuffer(b"".join(body[: -_SUM - 1] for body in bodies), "<f4").reshape(-1, classes)
        flags = np.frombuffer(bytes(body[-_SUM - 1] for body in bodies), np.uint8)
        return rows, PairLogits(values, (flags & _TRUNCATED) > 0, (flags & _UNREAD) > 0)

    def put_many(self, keys: Sequence[bytes], logits: PairLogits) -> None:
        """Store logits: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys.
            logits: of n pairs.
        """
        flags = logits.truncated * _TRUNCATED + logits.unread * _UNREAD
        values = np.ascontiguousarray(logits.values, "<f4")
        bodies = []
        for key, row, flag in zip(keys, values, flags.tolist(), strict=True):
            body = row.tobytes() + bytes([flag])
            bodies.append(body + checksum(key, body))
        self._store.write(keys, bodies)


def _is_sound(key: bytes, body: bytes, classes: int) -> bool:
    return len(body) == 4 * classes + 1 + _SUM and checksum(key, body[:-_SUM]) == body[-_SUM:]
