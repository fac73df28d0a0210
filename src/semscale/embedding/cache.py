"""Embeddings and token states on disk: what was computed before is read from the cache."""

import hashlib
import itertools
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from semscale.embedding.cache_file import EntryStore
from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import checked_texts, distinct, shifted
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder, TokenIds

KEPT_EMBEDDINGS = "finished embeddings stay in the cache"
"""What a run that is stopped says of them."""

FILE_NAME = "embeddings.sqlite"
STATES_FILE = "states.sqlite"
CHUNK = 2048  # texts that are computed and stored together; a stopped run loses at most as many

Rounded = npt.NDArray[np.int16]
"""States of one text's t tokens, shape (t, hidden), multiplied by a factor that each text has of its own."""

_TOGETHER = 512  # texts in one batch of writes
_LARGEST = 32767
_SUM = 4  # bytes of the checksum after the states
_HEAD = np.dtype([("windows", "<u4"), ("unknown", "<f4")])
_RESIDUE = zlib.crc32(zlib.crc32(b"").to_bytes(4, "little"))


class CachedEmbedder:
    """Reads embeddings from a cache; computes missing ones and stores each finished chunk at once.

    Args:
        embedder: computes missing embeddings; its signature is part of every key.
        cache: stores the embeddings.
        chunk: how many texts are computed between two writes.
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
        """The signature of the embedder behind the cache, as a cache changes no number."""
        return self.embedder.signature

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors, with the same cache."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else CachedEmbedder(behind, self.cache, chunk=self._chunk)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are looked up and computed once."""
        unique, where = distinct(checked_texts(texts))
        keys = cache_keys(str(self.signature), unique)
        cached = self.cache.get_many(keys, self.dimensions)
        missing = np.flatnonzero(~cached.found)
        vectors, windows, unknown = cached.vectors, cached.windows, cached.unknown
        if progress:
            progress("embedding", len(unique) - len(missing), len(unique))
        for start in range(0, len(missing), self._chunk):
            rows = missing[start : start + self._chunk]
            done = len(unique) - len(missing) + start
            fresh = self.embedder.embed(
                [unique[row] for row in rows], progress=shifted(progress, done, len(unique))
            )
            self.cache.put_many([keys[row] for row in rows], fresh)
            vectors[rows], windows[rows] = fresh.vectors, fresh.windows
            unknown[rows] = np.nan if fresh.unknown is None else fresh.unknown
        return Embeddings(vectors, windows, unknown).spread(where)


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

    Attributes:
        store: the entries as bytes, with their number and size.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` is no size.

    Example:
        >>> import tempfile
        >>> from semscale.embedding.cache import cache_keys
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

    def get_many(self, keys: Sequence[bytes], dimensions: int) -> Cached:
        """Look embeddings up.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.cache_keys`.
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
        row_of = {key: row for row, key in enumerate(keys)}
        for entries in self.store.read(keys):
            known = [key for key, _ in entries]
            sound, found = decode(known, [body for _, body in entries], dimensions)
            rows = np.fromiter(map(row_of.__getitem__, known), np.int64, len(known))[sound]
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
        self.store.write(keys, encode(keys, embeddings))


class StateReader:
    """Gives the states of texts after one layer.

    Freshly computed states are rounded, too, so results do not depend on whether states were cached.

    Args:
        encoder: the model.
        layer: the layer whose states are given.
        cache: the cache of states; ``None`` for no cache.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, cache: "StateCache | None") -> None:
        self._encoder = encoder
        self._layer = layer
        self._cache = cache
        self._signature = str(Signature.of("int16", layer=layer).extended(encoder.signature))

    def read(
        self, tokens: "TokenIds", texts: Sequence[str], wanted: Integers, *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of some texts, in the order in which they are ready.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            wanted: numbers of the wanted texts, each once.
            keep: only the first ``keep`` of all texts are written to the cache; by default all are.
        """
        return self.read_groups(tokens, texts, [wanted], keep=keep)

    def read_groups(
        self, tokens: "TokenIds", texts: Sequence[str], groups: Sequence[Integers], *, keep: int | None = None
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield the states of groups of texts, one group after the other.

        The model starts on the next group while the caller still takes the last states of a group. Cached
        states are yielded between computed ones, so the model runs while the caller works on them.

        Args:
            tokens: token ids of all texts.
            texts: all texts.
            groups: numbers of the wanted texts, each once in a group.
            keep: see ``read``.
        """
        wanted = np.unique(np.concatenate([np.empty(0, np.int64), *groups])).tolist()
        keys = self._keys(texts, wanted)
        known = self._cache.known(list(keys.values())) if self._cache else set()
        there = np.zeros(len(texts), np.bool_)
        there[[text for text, key in keys.items() if key in known]] = True
        fresh = self._encoder.encode_groups(
            tokens, (group[~there[group]] for group in groups), layer=self._layer
        )
        writing = _Writing(
            self._cache, {text: key for text, key in keys.items() if keep is None or text < keep}
        )
        for group in groups:
            stored = self._stored(tokens, group[there[group]], keys, writing)
            for computed in writing.noted(fresh, int((~there[group]).sum())):
                yield computed
                yield from islice(stored, 1)
            yield from stored

    def _keys(self, texts: Sequence[str], wanted: Sequence[int]) -> dict[int, bytes]:
        if not self._cache:
            return {}
        return dict(zip(wanted, cache_keys(self._signature, [texts[text] for text in wanted]), strict=True))

    def _stored(
        self, tokens: "TokenIds", wanted: Integers, keys: Mapping[int, bytes], writing: "_Writing"
    ) -> Iterator[tuple[int, Rounded]]:
        """Yield cached states; the model computes those that are damaged or gone."""
        if not self._cache or not len(wanted):
            return
        cached = self._cache.get_many([keys[text] for text in wanted.tolist()], self._encoder.hidden)
        lost = np.delete(wanted, list(cached))
        yield from writing.noted(self._encoder.encode(tokens, lost, layer=self._layer), len(lost))
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

    def noted(self, read: Iterator[tuple[int, Vectors]], count: int) -> Iterator[tuple[int, Rounded]]:
        """Round computed states and write them to the cache; the last batch is written before it is yielded.

        Args:
            read: numbers of texts with their computed states.
            count: how many texts to take from ``read``.
        """
        for left, (text, exact) in zip(reversed(range(count)), read, strict=False):
            states = rounded(exact)
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
    """Stores rounded states on disk by key, with the same default limit on size as the embedding cache.

    A damaged entry or one of another width counts as missing.

    Args:
        folder: the folder of the file ``states.sqlite``; the default is that of ``EntryStore``.
        max_bytes: above this size the least recently used entries are removed; the default is that of
            ``EntryStore``.

    Example:
        >>> import tempfile
        >>> from semscale.embedding.cache import cache_keys
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
        self.store = EntryStore(STATES_FILE, folder, max_bytes=max_bytes)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return those of n distinct keys that have an entry; its bytes may be damaged."""
        return self.store.known(keys)

    def get_many(self, keys: Sequence[bytes], hidden: int) -> dict[int, Rounded]:
        """Look states up.

        Args:
            keys: n distinct keys, from :func:`~semscale.embedding.cache.cache_keys`.
            hidden: width of a state.

        Returns:
            The states that were found, by their row in ``keys``.
        """
        row = {key: at for at, key in enumerate(keys)}
        found = {}
        for entries in self.store.read(keys):
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
        self.store.write(keys, [_encoded(*entry) for entry in zip(keys, states, strict=True)])


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


def _encoded(key: bytes, states: Rounded) -> bytes:
    body = np.ascontiguousarray(states, "<i2").tobytes()
    return body + checksum(key, body)


def _decoded(key: bytes, body: bytes, hidden: int) -> Rounded | None:
    content = memoryview(body)[:-_SUM]
    if checksum(key, content) != body[-_SUM:] or len(content) % (2 * hidden):
        return None
    return np.frombuffer(content, "<i2").reshape(-1, hidden)


def cache_keys(signature: str, texts: Sequence[str]) -> list[bytes]:
    """Return the key of each text under one embedder's signature: 16 bytes of BLAKE2b.

    Args:
        signature: weights' hash, engine, precision and window settings: everything that decides the numbers.
        texts: n strings.

    Returns:
        n keys; two are equal if and only if their texts are.

    Example:
        >>> a, b = cache_keys("exact", ["good", "good"])
        >>> a == b, a == cache_keys("fast", ["good"])[0], len(a)
        (True, False, 16)
    """
    blake2b, prefix = hashlib.blake2b, hashlib.blake2b(signature.encode(), digest_size=32).digest()
    return [
        blake2b(prefix + text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts
    ]


def checksum(key: bytes, body: bytes | memoryview) -> bytes:
    """Return the CRC-32 of key and body, 4 bytes, the lowest first.

    Example:
        >>> checksum(b"1234", b"56789").hex()
        '2639f4cb'
    """
    return zlib.crc32(body, zlib.crc32(key)).to_bytes(4, "little")


def encode(keys: Sequence[bytes], embeddings: Embeddings) -> list[bytes]:
    """Encode embeddings as bytes: number of windows, share of unknown tokens, vector, CRC-32 of key and all.

    Args:
        keys: n keys.
        embeddings: n of them.

    Returns:
        n byte strings of length 4 d + 12.
    """
    vectors = np.ascontiguousarray(embeddings.vectors, dtype="<f4")
    heads = np.empty(len(vectors), _HEAD)
    heads["windows"] = embeddings.windows
    heads["unknown"] = np.nan if embeddings.unknown is None else embeddings.unknown
    bodies = []
    for key, head, vector in zip(keys, heads, vectors, strict=True):
        body = head.tobytes() + vector.tobytes()
        bodies.append(body + checksum(key, body))
    return bodies


def decode(
    keys: Sequence[bytes], bodies: Sequence[bytes], dimensions: int
) -> tuple[npt.NDArray[np.bool_], Embeddings]:
    """Decode embeddings, and leave out damaged ones and those of another width.

    Args:
        keys: n keys.
        bodies: the n byte strings stored under these keys.
        dimensions: the required width d of a vector.

    Returns:
        Which entries are sound, shape (n,), m of them; and their m embeddings, with NaN where the engine did
        not say which tokens are unknown.

    References:
        Ross N. Williams, A painless guide to CRC error detection algorithms, 1993, section 9: the checksum of
        a message followed by its own checksum is a constant.
    """
    entry = np.dtype([*_HEAD.descr, ("vector", "<f4", (dimensions,)), ("sum", "<u4")])
    sums = np.fromiter(map(zlib.crc32, bodies, map(zlib.crc32, keys)), np.uint32, len(bodies))
    lengths = np.fromiter(map(len, bodies), np.int64, len(bodies))
    sound = (sums == _RESIDUE) & (lengths == entry.itemsize)
    joined = b"".join(bodies if sound.all() else itertools.compress(bodies, sound))
    table = np.frombuffer(joined, entry)
    return sound, Embeddings(table["vector"], table["windows"].astype(np.int64), table["unknown"])
