"""Persistent cache of embeddings in one SQLite file, safe with crashes and several processes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from semscale.embedding.cache.entries import decode, encode
from semscale.embedding.cache.entry_store import CacheInfo, EntryStore
from semscale.embedding.cache.file import CacheWarning
from semscale.embedding.embedder import Embeddings
from semscale.types import Integers, Vectors

__all__ = ["CacheInfo", "CacheWarning", "Cached", "EmbeddingCache"]

FILE_NAME = "embeddings.sqlite"


@dataclass(frozen=True)
class Cached:
    """Cached embeddings of n texts.

    Attributes:
        found: shape (n,), whether the cache has a sound entry.
        vectors: shape (n, d), float32; a row of NaN without an entry.
        windows: shape (n,), windows that the text was read in; 0 without an entry.
        unknown: shape (n,), share of the text's tokens that the model does not know; NaN without an
            entry, and where the engine does not say.
    """

    found: npt.NDArray[np.bool_]
    vectors: Vectors
    windows: Integers
    unknown: Vectors


class EmbeddingCache:
    """Stores embeddings on disk by key; several threads and processes may use it at once.

    A damaged entry counts as missing. If SQLite reports the file as damaged, it is moved aside and a new one
    is started. If the folder cannot be written, nothing is cached. In both cases there is one
    :class:`CacheWarning`.

    Args:
        folder: the folder of the file ``embeddings.sqlite``, created at the first use. By default the one
            named by ``SEMSCALE_CACHE``, or else the system's cache folder.
        max_bytes: above this size the least recently used entries are removed; the hour of the last use is
            recorded. By default the value of ``SEMSCALE_CACHE_MAX``, such as ``500MB``, or else 2 GiB.
        clock: gives the time in seconds.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` is no size.

    Example:
        >>> import tempfile
        >>> from semscale.embedding.cache.entries import cache_keys
        >>> good, bad = cache_keys("an embedder's signature", ["good", "bad"])
        >>> one = Embeddings(np.array([[0.6, 0.8]], dtype=np.float32), np.array([1]))
        >>> with tempfile.TemporaryDirectory() as folder, EmbeddingCache(folder) as cache:
        ...     cache.put_many([good], one)
        ...     cache.get_many([good, bad], 2).found.tolist()
        [True, False]
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        max_bytes: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = EntryStore(FILE_NAME, folder, max_bytes=max_bytes, clock=clock)
        self.path = self._store.path
        self.max_bytes = self._store.max_bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    def get_many(self, keys: Sequence[bytes], dimensions: int) -> Cached:
        """Look embeddings up.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.entries.cache_keys`.
            dimensions: the required width of a vector; an entry of another width counts as missing.

        Returns:
            The cached embeddings, in the order of the keys.
        """
        cached = Cached(
            found=np.zeros(len(keys), dtype=np.bool_),
            vectors=np.empty((len(keys), dimensions), dtype=np.float32),
            windows=np.zeros(len(keys), dtype=np.int64),
            unknown=np.full(len(keys), np.nan, dtype=np.float32),
        )
        place = {key: row for row, key in enumerate(keys)}
        for entries in self._store.read(keys):
            known = [key for key, _ in entries]
            sound, found = decode(known, [body for _, body in entries], dimensions)
            rows = np.fromiter(map(place.__getitem__, known), np.int64, len(known))[sound]
            cached.found[rows], cached.vectors[rows] = True, found.vectors
            cached.windows[rows], cached.unknown[rows] = found.windows, found.unknown
        cached.vectors[~cached.found] = np.nan
        return cached

    def put_many(self, keys: Sequence[bytes], embeddings: Embeddings) -> None:
        """Store embeddings: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys; their old entries are replaced.
            embeddings: n embeddings.
        """
        self._store.write(keys, encode(keys, embeddings))

    def info(self) -> CacheInfo:
        """Return the number of entries and their size."""
        return self._store.info()

    def clear(self) -> int:
        """Remove all entries and free their space on disk.

        Returns:
            The number of removed entries.

        Raises:
            InputError: the file cannot be changed.
        """
        return self._store.clear()

    def remove_damaged(self) -> list[Path]:
        """Remove files that were damaged and therefore moved aside.

        Returns:
            The removed files.
        """
        return self._store.remove_damaged()
