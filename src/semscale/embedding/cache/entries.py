"""Keys and binary encoding of cached embeddings."""

import hashlib
import itertools
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from semscale.embedding.embedder import Embeddings

_HEAD = np.dtype([("windows", "<u4"), ("unknown", "<f4")])
_RESIDUE = zlib.crc32(zlib.crc32(b"").to_bytes(4, "little"))


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
