"""Caches for embeddings and token states, on disk, and for embeddings in memory as well."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from semscale.embedding.cache_file import EntryStore
from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import distinct, shift_progress, validate_texts
from semscale.signature import Signature
from semscale.types import Integers, Mask, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder, TokenIds

KEPT_EMBEDDINGS = "finished embeddings stay in the cache"
"""Part of the message about a stopped run."""

FILE_NAME = "embeddings.sqlite"
STATES_FILE = "states.sqlite"
CHUNK = 2048  # texts that are computed and stored together; a stopped run loses at most this many

Rounded = npt.NDArray[np.int16]
"""States of one text's t tokens, shape (t, hidden), scaled by a factor that differs between texts."""

_TOGETHER = 128  # texts whose states are written together: 4 MB for 45 tokens of 384 numbers
_LARGEST = 32767


class CachedEmbedder:
    """Reads embeddings from a cache; computes missing ones and stores each finished chunk at once.

    Args:
        embedder: computes missing embeddings; its signature is part of every key.
        cache: stores the embeddings.
        chunk: number of texts that are computed between two writes.
    """

    def __init__(self, embedder: Embedder, cache: "EmbeddingCache", *, chunk: int = CHUNK) -> None:
        self.embedder = embedder
        self.cache = cache
        self._chunk = chunk

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def signature(self) -> Signature:
        """Signature of the embedder behind the cache; the cache changes no number."""
        return self.embedder.signature

    @property
    def for_anchors(self) -> Embedder:
        """Embedder for anchors, with the same cache."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else CachedEmbedder(behind, self.cache, chunk=self._chunk)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are looked up and computed once."""
        unique, where = distinct(validate_texts(texts))
        keys = cache_keys(str(self.signature), unique)
        is_cached, cached = self.cache.get_many(keys, self.dimensions)
        missing = np.flatnonzero(~is_cached)
        vectors, windows = cached.vectors, cached.windows
        unknown = np.full(len(unique), np.nan, np.float32) if cached.unknown is None else cached.unknown
        if progress:
            progress("embedding", len(unique) - len(missing), len(unique))
        for start in range(0, len(missing), self._chunk):
            rows = missing[start : start + self._chunk]
            done = len(unique) - len(missing) + start
            fresh = self.embedder.embed(
                [unique[row] for row in rows], progress=shift_progress(progress, done, len(unique))
            )
            self.cache.put_many([keys[row] for row in rows], fresh)
            vectors[rows], windows[rows] = fresh.vectors, fresh.windows
            unknown[rows] = np.nan if fresh.unknown is None else fresh.unknown
        return Embeddings(vectors, windows, unknown).spread(where)


class RememberingEmbedder:
    """Keeps all embeddings in memory, for some thousands of texts that are embedded again and again.

    A rater or a linter with this embedder computes only the sentences that changed since the last scale.
    Several threads may use it at once.

    Args:
        embedder: computes the embeddings of new texts.

    Examples:
        >>> from semscale.embedding.embedder import ArrayEmbedder
        >>> embedder = RememberingEmbedder(ArrayEmbedder(["good", "bad"], [[0.6, 0.8], [0.0, 1.0]]))
        >>> (embedder.embed(["bad", "good", "bad"]).vectors[:, 0] > 0).tolist()
        [False, True, False]
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._rows: dict[str, tuple[Vectors, int, float]] = {}

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def texts(self) -> list[str]:
        """Distinct texts that were embedded, in their order."""
        return list(self._rows)

    @cached_property
    def signature(self) -> Signature:
        """Signature of the embedder behind; remembering changes no number."""
        return self.embedder.signature

    @cached_property
    def for_anchors(self) -> Embedder:
        """Embedder for anchors, which remembers them as well."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else RememberingEmbedder(behind)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order, each text once."""
        known = validate_texts(texts)
        if new := [text for text in dict.fromkeys(known) if text not in self._rows]:
            fresh = self.embedder.embed(new, progress=progress)
            unknown = np.full(len(new), np.nan, np.float32) if fresh.unknown is None else fresh.unknown
            rows = zip(fresh.vectors, fresh.windows.tolist(), unknown.tolist(), strict=True)
            self._rows.update(zip(new, rows, strict=True))
        stored = [self._rows[text] for text in known]
        vectors = np.array([row[0] for row in stored], np.float32).reshape(len(stored), self.dimensions)
        windows = np.array([row[1] for row in stored], np.int64)
        return Embeddings(vectors, windows, np.array([row[2] for row in stored], np.float32))


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
        clock: returns the time in seconds.

    Attributes:
        store: the store with the entries as bytes.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` is not a size.

    Examples:
        >>> import tempfile
        >>> from semscale.embedding.cache import cache_keys
        >>> good, bad = cache_keys("an embedder's signature", ["good", "bad"])
        >>> one = Embeddings(np.array([[0.6, 0.8]], dtype=np.float32), np.array([1]))
        >>> with tempfile.TemporaryDirectory() as folder, EmbeddingCache(folder) as cache:
        ...     cache.put_many([good], one)
        ...     is_cached, _ = cache.get_many([good, bad], 2)
        >>> is_cached.tolist()
        [True, False]
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        max_bytes: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = EntryStore(FILE_NAME, folder, max_bytes=max_bytes, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def get_many(self, keys: Sequence[bytes], dimensions: int) -> tuple[Mask, Embeddings]:
        """Look up embeddings.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.cache_keys`.
            dimensions: the required width of a vector; an entry of another width counts as missing.

        Returns:
            The mask of keys with an undamaged entry, shape (n,), and embeddings in the order of the keys. A
            key without an entry has a vector of NaN and 0 windows. The share of unknown tokens is NaN without
            an entry, and if the engine does not report it.
        """
        layout = _entry(dimensions)
        vectors = np.full((len(keys), dimensions), np.nan, np.float32)
        windows, unknown = np.zeros(len(keys), np.int64), np.full(len(keys), np.nan, np.float32)
        is_cached = np.zeros(len(keys), np.bool_)
        row_of = {key: row for row, key in enumerate(keys)}
        for entries in self.store.read(keys):
            fitting = [(key, body) for key, body in entries if len(body) == layout.itemsize]
            rows = [row_of[key] for key, _ in fitting]
            table = np.frombuffer(b"".join(body for _, body in fitting), layout)
            vectors[rows], windows[rows], unknown[rows] = table["vector"], table["windows"], table["unknown"]
            is_cached[rows] = True
        return is_cached, Embeddings(vectors, windows, unknown)

    def put_many(self, keys: Sequence[bytes], embeddings: Embeddings) -> None:
        """Store embeddings: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys; their old entries are replaced.
            embeddings: n embeddings.
        """
        table = np.empty(len(keys), _entry(embeddings.vectors.shape[1]))
        table["windows"], table["vector"] = embeddings.windows, embeddings.vectors
        table["unknown"] = np.nan if embeddings.unknown is None else embeddings.unknown
        self.store.write(keys, [row.tobytes() for row in table])


def _entry(dimensions: int) -> np.dtype[np.void]:
    """Return the NumPy type of a text's entry."""
    return np.dtype([("windows", "<u4"), ("unknown", "<f4"), ("vector", "<f4", (dimensions,))])


class StateReader:
    """Returns the states of texts after one layer, from the cache or the model.

    Computed states are rounded like cached ones, so results do not depend on the cache.

    Args:
        encoder: the model.
        layer: the layer of the states.
        cache: the cache of states; ``None`` for no cache.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, cache: "StateCache | None") -> None:
        self._encoder = encoder
        self._layer = layer
        self._cache = cache
        self._signature = str(Signature.of("int16", layer=layer).plus(encoder.signature))

    def read(
        self, tokens: "TokenIds", texts: Sequence[str], wanted: Integers, *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of some texts as soon as they are ready.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            wanted: indices of the wanted texts, each once.
            keep: only the first ``keep`` of all texts are written to the cache; all by default.
        """
        return self.read_groups(tokens, texts, [wanted], keep=keep)

    def read_groups(
        self, tokens: "TokenIds", texts: Sequence[str], groups: Sequence[Integers], *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of groups of texts, one group after the other.

        The model starts on the next group while the caller still receives the last states of a group. Cached
        states are yielded between computed ones, so the model runs while the caller works on them.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            groups: indices of the wanted texts; a group has each text at most once.
            keep: see ``read``.
        """
        wanted = np.unique(np.concatenate([np.empty(0, np.int64), *groups])).tolist()
        keys = self._keys(texts, wanted)
        known = self._cache.existing_keys(list(keys.values())) if self._cache else set()
        there = np.zeros(len(texts), np.bool_)
        there[[text for text, key in keys.items() if key in known]] = True
        fresh = self._encoder.encode_groups(
            tokens, (group[~there[group]] for group in groups), layer=self._layer
        )
        writing = _Writing(
            self._cache, {text: key for text, key in keys.items() if keep is None or text < keep}
        )
        for group in groups:
            stored = self._read_cache(tokens, group[there[group]], keys, writing)
            for computed in writing.round_and_write(fresh, int((~there[group]).sum())):
                yield computed
                yield from islice(stored, 1)
            yield from stored

    def _keys(self, texts: Sequence[str], wanted: Sequence[int]) -> dict[int, bytes]:
        if not self._cache:
            return {}
        return dict(zip(wanted, cache_keys(self._signature, [texts[text] for text in wanted]), strict=True))

    def _read_cache(
        self, tokens: "TokenIds", wanted: Integers, keys: Mapping[int, bytes], writing: "_Writing"
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield cached states; the model computes damaged and removed ones."""
        if not self._cache or not len(wanted):
            return
        cached = self._cache.get_many([keys[text] for text in wanted.tolist()], self._encoder.hidden)
        lost = np.delete(wanted, list(cached))
        yield from writing.round_and_write(self._encoder.encode(tokens, lost, layer=self._layer), len(lost))
        for row, states in cached.items():
            yield int(wanted[row]), states


class _Writing:
    """Writes states to the cache in batches.

    Args:
        cache: the cache; ``None`` for no cache.
        keys: cache keys of the texts whose states are written.
    """

    def __init__(self, cache: "StateCache | None", keys: Mapping[int, bytes]) -> None:
        self._cache = cache
        self._keys = keys
        self._waiting: dict[bytes, Rounded] = {}

    def round_and_write(
        self, read: Iterator[tuple[int, Vectors]], count: int
    ) -> Iterator[tuple[int, Rounded]]:
        """Round computed states and write them to the cache; the last batch is written before it is yielded.

        Args:
            read: indices of texts with their computed states.
            count: number of texts to take from ``read``.
        """
        for left, (text, exact) in zip(reversed(range(count)), read, strict=False):
            states = round_states(exact)
            if text in self._keys:
                self._waiting[self._keys[text]] = states
            if not left or len(self._waiting) >= _TOGETHER:
                self._write()
            yield text, states

    def _write(self) -> None:
        if self._cache and self._waiting:
            self._cache.put_many(list(self._waiting), list(self._waiting.values()))
            self._waiting.clear()


class StateCache:
    """Stores rounded states on disk by key, with the default size limit of the embedding cache.

    A damaged entry or one of another width counts as missing.

    Args:
        folder: the folder of the file ``states.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Examples:
        >>> import tempfile
        >>> from semscale.embedding.cache import cache_keys
        >>> good, bad = cache_keys("an encoder's signature", ["good", "bad"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cache = StateCache(folder)
        ...     cache.put_many([good], [np.array([[1, 2]], np.int16)])
        ...     stored = {row: states.tolist() for row, states in cache.get_many([bad, good], 2).items()}
        ...     cache.close()
        >>> stored
        {1: [[1, 2]]}
    """

    def __init__(self, folder: str | Path | None = None, *, max_bytes: int | None = None) -> None:
        self.store = EntryStore(STATES_FILE, folder, max_bytes=max_bytes)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def existing_keys(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return which of n distinct keys have an entry; its bytes may be damaged."""
        return self.store.existing_keys(keys)

    def get_many(self, keys: Sequence[bytes], hidden: int) -> dict[int, Rounded]:
        """Look up states.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.cache_keys`.
            hidden: width of a state.

        Returns:
            The stored states by index of their key in ``keys``.
        """
        rows = {key: row for row, key in enumerate(keys)}
        return {
            rows[key]: np.frombuffer(body, "<i2").reshape(-1, hidden)
            for entries in self.store.read(keys)
            for key, body in entries
            if len(body) % (2 * hidden) == 0
        }

    def put_many(self, keys: Sequence[bytes], states: Sequence[Rounded]) -> None:
        """Store states: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys.
            states: states of n texts.
        """
        self.store.write(keys, [np.ascontiguousarray(each, "<i2").tobytes() for each in states])


def round_states(states: npt.NDArray[np.float32]) -> Rounded:
    """Scale a text's states so that the largest absolute value is 32,767, and round them to 16-bit integers.

    The factor is dropped, as cosines do not depend on it.

    Args:
        states: shape (t, hidden).

    Examples:
        >>> round_states(np.array([[1.0, -0.5], [0.25, 0.0]], np.float32)).tolist()
        [[32767, -16384], [8192, 0]]
    """
    largest = np.abs(states).max(initial=np.float32(0))
    whole: Rounded = np.rint(states / (largest or 1) * np.float32(_LARGEST)).astype(np.int16)
    return whole


def cache_keys(signature: str, texts: Sequence[str]) -> list[bytes]:
    """Return the key of each text under one embedder's signature: 16 bytes of BLAKE2b.

    Args:
        signature: hash of the weights, engine, precision and window settings: everything that affects the
            numbers.
        texts: n strings.

    Returns:
        n keys; two are equal if and only if their texts are.

    Examples:
        >>> a, b = cache_keys("exact", ["good", "good"])
        >>> a == b, a == cache_keys("fast", ["good"])[0], len(a)
        (True, False, 16)
    """
    blake2b, prefix = hashlib.blake2b, hashlib.blake2b(signature.encode(), digest_size=32).digest()
    return [
        blake2b(prefix + text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts
    ]
