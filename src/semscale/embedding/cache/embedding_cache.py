"""A persistent cache of embeddings in one SQLite file, safe under crashes and several processes."""

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
    """What the cache knew of n texts.

    Attributes:
        found: shape (n,), whether a sound entry was there.
        vectors: shape (n, d), float32; a row of NaN where nothing was found.
        windows: shape (n,); 0 where nothing was found.
    """

    found: npt.NDArray[np.bool_]
    vectors: Vectors
    windows: Integers


class EmbeddingCache:
    """Embeddings on disk, by key; several threads and processes may use them at once.

    An entry that cannot be read is a miss. A file that SQLite finds damaged is moved aside and a new one is
    started; a folder that cannot be written means no cache. Both give one :class:`CacheWarning`.

    Args:
        folder: where the file ``embeddings.sqlite`` lies; made when it is first needed. By default the one
            that ``SEMSCALE_CACHE`` names, or the system's folder for caches.
        max_bytes: above this size the least recently used entries go; use is noted by the hour. By default
            what ``SEMSCALE_CACHE_MAX`` says, such as ``500MB``, or 2 GiB.
        clock: gives the time in seconds.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` holds no size.

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
        """Let go of the file; the next use opens it again."""
        self._store.close()

    def get_many(self, keys: Sequence[bytes], dimensions: int) -> Cached:
        """Look embeddings up.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.entries.cache_keys`.
            dimensions: the width a vector must have; an entry of another width is a miss.

        Returns:
            What was found, in the order of the keys.
        """
        cached = Cached(
            found=np.zeros(len(keys), dtype=np.bool_),
            vectors=np.empty((len(keys), dimensions), dtype=np.float32),
            windows=np.zeros(len(keys), dtype=np.int64),
        )
        place = {key: row for row, key in enumerate(keys)}
        for entries in self._store.read(keys):
            known = [key for key, _ in entries]
            sound, vectors, windows = decode(known, [body for _, body in entries], dimensions)
            rows = np.fromiter(map(place.__getitem__, known), np.int64, len(known))[sound]
            cached.found[rows], cached.vectors[rows], cached.windows[rows] = True, vectors, windows
        cached.vectors[~cached.found] = np.nan
        return cached

    def put_many(self, keys: Sequence[bytes], embeddings: Embeddings) -> None:
        """Keep embeddings, all of them or, if the process dies meanwhile, none.

        Args:
            keys: n distinct keys; entries they already have are replaced.
            embeddings: n of them.
        """
        self._store.write(keys, encode(keys, embeddings))

    def info(self) -> CacheInfo:
        """Say how full the cache is."""
        return self._store.info()

    def clear(self) -> int:
        """Remove every entry and give the space back.

        Returns:
            How many entries there were.
        """
        return self._store.clear()

    def remove_damaged(self) -> list[Path]:
        """Remove the files that were found damaged and moved aside.

        Returns:
            Which files there were.
        """
        return self._store.remove_damaged()
