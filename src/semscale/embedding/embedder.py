"""Embedders: the protocol, the embeddings that they return, the user's own vectors, and endpoints."""

import hashlib
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from semscale.embedding.texts import distinct, validate_texts
from semscale.embedding.tokenizer import are_unread
from semscale.endpoints import KEY_VARIABLE, OPENAI, account_headers, validate_address
from semscale.errors import InputError, ReplyError
from semscale.extras import require
from semscale.signature import Signature
from semscale.types import Integers, Mask, Progress, Vectors

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Embedding


AUTO = "auto"
"""Device of the engine ``torch``: a GPU if there is one, else the processor."""
THREADS_VARIABLE = "SEMSCALE_THREADS"
"""Environment variable with the largest number of processors that a process uses."""

BATCH = 256
RETRIES = 6  # waits of half a second, doubled up to 8 seconds, or as long as the endpoint's Retry-After says
_NO_KEY = "none"  # local servers need no key, but the client requires one
_WORKERS = 4
_TOO_LARGE = frozenset({400, 413, 422})  # status of answers to a text or batch that is too long


@dataclass(frozen=True)
class Embeddings:
    """Vectors of texts, in the order of the texts.

    Attributes:
        vectors: shape (n, d), float32, every row of Euclidean length 1.
        windows: shape (n,), number of overlapping windows for a text; 1 if the model read it at once.
        unknown: shape (n,), share of a text's tokens that the model's tokenizer does not know, 0 to 1;
            NaN or ``None`` if the engine does not report it.
        tokens: shape (n,), number of tokens that the model read for a text, special ones included; a token in
            two windows counts twice. ``None`` if the engine does not report it.
    """

    vectors: Vectors
    windows: Integers
    unknown: Vectors | None = None
    tokens: Integers | None = None

    @property
    def n_windowed(self) -> int:
        """Number of texts that were too long for the model to read at once."""
        return int((self.windows > 1).sum())

    @property
    def unread(self) -> Mask:
        """Mask of texts that the model cannot read, as most of their tokens are unknown, shape (n,)."""
        return np.zeros(len(self.windows), np.bool_) if self.unknown is None else are_unread(self.unknown)

    def spread(self, where: Integers) -> "Embeddings":
        """Repeat the embeddings of m distinct texts for n texts.

        Args:
            where: shape (n,), index of each text among the distinct ones, which are in order of first
                appearance.
        """
        if len(where) == len(self.windows):  # all texts are distinct and in the same order
            return self
        unknown = None if self.unknown is None else self.unknown[where]
        tokens = None if self.tokens is None else self.tokens[where]
        return Embeddings(self.vectors[where], self.windows[where], unknown, tokens)


def anchor_embedder(embedder: "Embedder") -> "Embedder":
    """Return the embedder of a scale's anchors: a more exact form of the model, if the embedder names one.

    An anchor's error affects every rating. So an engine with strong rounding may have an embedder for anchors
    in the attribute ``for_anchors``.
    """
    exact: Embedder = getattr(embedder, "for_anchors", embedder)
    return exact


@runtime_checkable
class Embedder(Protocol):
    """Protocol of an embedder: texts to unit vectors; an extension point (entry-point group ``semscale``)."""

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, hash of the weights, engine, precision and window settings."""
        ...

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed non-empty texts, in their order; equal texts are computed once.

        Raises:
            InputError: a text is not a string.
            ModelError: the model cannot be run.
            ReplyError: a remote endpoint gave no usable reply.
        """
        ...


class ArrayEmbedder:
    """Returns vectors that were computed elsewhere, scaled to length 1.

    Args:
        texts: n texts; repeated texts must have equal vectors.
        vectors: shape (n, d), any finite numbers, no row of zeros.
        name: the vectors' name in signatures, which also contain a hash of texts and vectors.

    Raises:
        InputError: shapes differ, a row is NaN, infinite or zero, or equal texts have different vectors.

    Examples:
        >>> embedder = ArrayEmbedder(["good", "bad"], [[3.0, 4.0], [0.0, 2.0]], name="by-hand")
        >>> embedder.embed(["bad", "good"]).vectors.round(3).tolist()[0]
        [0.0, 1.0]
    """

    def __init__(self, texts: Sequence[str], vectors: npt.ArrayLike, *, name: str = "arrays") -> None:
        self._vectors = unit_rows(vectors)
        texts = validate_texts(texts)
        if len(self._vectors) != len(texts):
            raise InputError(
                "vectors", f"must have one row a text, got {len(self._vectors)} for {len(texts)} texts"
            )
        self._rows: dict[str, int] = {}
        for row, text in enumerate(texts):
            first = self._rows.setdefault(text, row)
            if first != row and not np.array_equal(self._vectors[first], self._vectors[row]):
                raise InputError(
                    f"texts[{row}] equals texts[{first}], but their vectors differ: {text[:40]!r}"
                )
        self._name = name
        self._hash = _hash(texts, self._vectors)

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return int(self._vectors.shape[1])

    @property
    def signature(self) -> Signature:
        """Name of the vectors, and a hash of texts and vectors."""
        return Signature.of("embed", model=f"{self._name}#{self._hash}", engine="arrays")

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Look up the vectors of texts, in their order.

        Raises:
            InputError: a text has no vector.
        """
        rows = np.fromiter(
            (self._rows.get(text, -1) for text in validate_texts(texts)), dtype=np.int64, count=len(texts)
        )
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            first = int(unknown[0])
            raise InputError(
                f"texts[{first}]",
                f"has no vector, nor have {len(unknown) - 1} more: {texts[first][:40]!r}; "
                f"give vectors for anchors and probes too, or another embedder",
            )
        if progress:
            progress("embedding", len(texts), len(texts))
        return Embeddings(self._vectors[rows], np.ones(len(texts), dtype=np.int64))


class ApiEmbedder:
    """Embeds texts through an OpenAI-compatible endpoint.

    The key comes from an environment variable; most local servers need none. The weights of an endpoint
    cannot be checked, so the signature has the model's name and the endpoint, but no hash.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint's address, such as ``http://localhost:8000/v1``; by default the one in
            ``OPENAI_BASE_URL``, or else OpenAI's.
        key_variable: the variable that holds the key; with ``None`` no key is sent.
        dimensions: the requested width, for models that offer several; by default the model's own.
        batch: number of texts in one request.
        retries: how often a request is repeated after 408, 409, 429, 5xx, or a broken connection.

    Raises:
        InputError: a setting is out of range, or OpenAI's own endpoint is used without a key.
        MissingExtraError: the extra ``api`` is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_variable: str | None = KEY_VARIABLE,
        dimensions: int | None = None,
        batch: int = BATCH,
        retries: int = RETRIES,
    ) -> None:
        for name, value, least in (
            ("dimensions", dimensions, 1),
            ("batch", batch, 1),
            ("retries", retries, 0),
        ):
            if value is not None and value < least:
                raise InputError(name, f"must be >= {least}, got {value}")
        self.model = model
        named = base_url or os.environ.get("OPENAI_BASE_URL")
        self._base_url = validate_address(named or OPENAI, "embedder:base_url")
        self._key_variable = key_variable
        if not named and not (key_variable and os.environ.get(key_variable)):
            variable = key_variable or KEY_VARIABLE
            raise InputError(
                f"{variable} is not set; set it, or name another endpoint with `embedder:base_url`"
            )
        require("api")
        self._asked = dimensions
        self._batch = batch
        self._retries = retries

    @cached_property
    def dimensions(self) -> int:
        """Width of a vector; if none was requested, one word is embedded to find it."""
        return self._asked or self._ask(["width"], np.zeros(1, dtype=np.int64)).shape[1]

    @property
    def signature(self) -> Signature:
        """Name of the model and the endpoint; endpoints do not state the hash of their weights."""
        address = urlsplit(self._base_url)
        port = f"/{address.port}" if address.port else ""
        return Signature.of(
            "embed",
            model=self.model.replace(":", "@").replace("|", "_"),
            engine="api",
            endpoint=f"{address.hostname}{port}{address.path.rstrip('/')}".replace(":", "_"),
            dimensions=self._asked or "own",
        )

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are sent once.

        Raises:
            InputError: a text is not a string.
            ReplyError: the endpoint cannot be reached, refuses a text, or returns no vector for it.
        """
        unique, where = distinct(validate_texts(texts))
        rows = np.unique(where, return_index=True)[1]  # index of each distinct text's first occurrence
        starts = range(0, len(unique), self._batch)
        parts: list[Vectors] = []
        pool = ThreadPoolExecutor(_WORKERS)
        try:
            batches = ((slice(start, start + self._batch)) for start in starts)
            for part in pool.map(lambda batch: self._ask(unique[batch], rows[batch]), batches):
                parts.append(part)
                if progress:
                    progress("embedding", sum(map(len, parts)), len(unique))
        finally:
            pool.shutdown(cancel_futures=True)
        vectors = self._concatenate(parts)
        return Embeddings(vectors, np.ones(len(vectors), dtype=np.int64)).spread(where)

    def _concatenate(self, parts: Sequence[Vectors]) -> Vectors:
        if not parts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        widths = sorted({part.shape[1] for part in parts})
        if len(widths) > 1:
            raise ReplyError(f"{self.model} gave vectors of different widths: {', '.join(map(str, widths))}")
        return np.concatenate(parts)

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import DefaultHttpxClient, OpenAI

        key = (os.environ.get(self._key_variable) if self._key_variable else None) or _NO_KEY
        return OpenAI(
            api_key=key,
            default_headers=account_headers(self._key_variable, key),
            base_url=self._base_url,
            max_retries=self._retries,
            http_client=DefaultHttpxClient(follow_redirects=False),
        )

    def _ask(self, texts: Sequence[str], rows: Integers) -> Vectors:
        """Embed one batch; if the endpoint rejects it, embed its halves, to find the rejected text.

        Args:
            texts: n texts, not empty.
            rows: shape (n,), position of each text among all texts, for messages.
        """
        from openai import APIStatusError, OpenAIError

        try:
            settings: dict[str, Any] = {} if self._asked is None else {"dimensions": self._asked}
            reply = self._client.embeddings.create(
                model=self.model, input=list(texts), encoding_format="float", **settings
            )
            return self._check_vectors(reply.data, rows)
        except APIStatusError as error:
            if error.status_code not in _TOO_LARGE:
                raise ReplyError(f"{self.model}: {_line(error)}") from error
            if len(texts) == 1:
                shown = f"{len(texts[0])} characters, {texts[0][:40]!r}"
                raise ReplyError(
                    f"{self.model} refuses texts[{rows[0]}] ({shown}): {_line(error)}"
                ) from error
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ReplyError(f"{self.model} gave no usable reply: {_line(error)}") from error
        half = len(texts) // 2
        return np.concatenate([self._ask(texts[:half], rows[:half]), self._ask(texts[half:], rows[half:])])

    def _check_vectors(self, items: "Sequence[Embedding]", rows: Integers) -> Vectors:
        """Put vectors into the order of the texts, and check that each text has a usable vector."""
        if sorted(item.index for item in items) != list(range(len(rows))):
            raise ReplyError(
                f"{self.model} gave {len(items)} vectors for {len(rows)} texts, or wrong indices"
            )
        vectors = [item.embedding for item in sorted(items, key=lambda item: item.index)]
        width = self._asked or len(vectors[0])
        for row, vector in zip(rows, vectors, strict=True):
            if len(vector) != width:
                raise ReplyError(
                    f"{self.model} gave {len(vector)} numbers for texts[{row}], expected {width}"
                )
            if not all(map(math.isfinite, vector)) or not any(vector):
                raise ReplyError(f"{self.model} gave NaN, infinity or only zeros for texts[{row}]")
        return unit_rows(vectors)


def unit_rows(vectors: npt.ArrayLike) -> Vectors:
    """Scale every row to Euclidean length 1, computed in float64.

    Args:
        vectors: shape (n, d) with d >= 1.

    Returns:
        Shape (n, d), float32.

    Raises:
        InputError: ``vectors`` is not a table of numbers, or a row is NaN, infinite or zero.

    Examples:
        >>> unit_rows([[0.0, 0.0]])
        Traceback (most recent call last):
        ...
        semscale.errors.InputError: vectors[0] is zero, so it has no direction
    """
    try:
        table = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("vectors", f"must be a table of numbers with rows of one width: {error}") from error
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError("vectors", f"must have the shape (texts, dimensions), got {table.shape}")
    largest = np.abs(table).max(axis=1, initial=0.0)
    for row in np.flatnonzero(~np.isfinite(largest) | (largest == 0))[:1]:
        what = (
            "is zero, so it has no direction" if largest[row] == 0 else "has a value that is NaN or infinite"
        )
        raise InputError(f"vectors[{row}] {what}")
    scaled = table / largest[:, None]  # so that squares neither overflow nor vanish
    unit: Vectors = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _hash(texts: Sequence[str], vectors: Vectors) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()[:8]


def processors() -> int:
    """Count the processors that this process may use; a container or ``SEMSCALE_THREADS`` may limit them.

    Raises:
        InputError: ``SEMSCALE_THREADS`` is not a whole number from 1.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    there = len(affinity(0)) if affinity else os.cpu_count() or 1
    chosen = os.environ.get(THREADS_VARIABLE)
    if not chosen:
        return there
    if not chosen.isdecimal() or int(chosen) < 1:
        raise InputError(f"{THREADS_VARIABLE} must be a whole number from 1, got {chosen!r:.40}")
    return min(there, int(chosen))


def _line(error: Exception) -> str:
    """Shorten an error to one line; add its cause if it has further information."""
    cause = f" ({error.__cause__})" if error.__cause__ is not None else ""
    return " ".join(f"{error}{cause}".split())[:300]
