"""Embeddings from OpenAI-compatible endpoints."""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from semscale.embedding.embedder import Embeddings, unit_rows
from semscale.embedding.texts import checked_texts, distinct
from semscale.errors import InputError, ReplyError
from semscale.extras import require
from semscale.signature import Signature
from semscale.types import Integers, Progress, Vectors

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Embedding


BATCH = 256
RETRIES = 6  # waits of half a second, doubled up to 8 seconds, or as long as the endpoint's Retry-After says
KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"  # local servers need no key, but the client requires one
_WORKERS = 4
_TOO_LARGE = frozenset({400, 413, 422})  # status of answers to a text or batch that is too long


class ApiEmbedder:
    """Embeds texts through an OpenAI-compatible endpoint.

    The key comes from a variable of the environment; most local servers need none. The weights of an endpoint
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
                raise InputError(f"{name} must be >= {least}, got {value}")
        self.model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._key_variable = key_variable
        if self._base_url is None and not (key_variable and os.environ.get(key_variable)):
            problem = f"{key_variable or KEY_VARIABLE} is not set; set it, or name another endpoint with"
            raise InputError(f"{problem} base_url", in_shell=f"{problem} --embedder-url")
        require("api")
        self._asked = dimensions
        self._batch = batch
        self._retries = retries

    @cached_property
    def dimensions(self) -> int:
        """Width of a vector; if none was requested, the endpoint embeds one word to find it out."""
        return self._asked or self._ask(["width"], np.zeros(1, dtype=np.int64)).shape[1]

    @property
    def signature(self) -> Signature:
        """The model's name and the endpoint; endpoints do not state the hash of their weights."""
        address = urlsplit(self._base_url or "https://api.openai.com/v1")
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
        unique, where = distinct(checked_texts(texts))
        rows = np.unique(where, return_index=True)[1]  # where each distinct text stands first
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
        vectors = self._joined(parts)
        return Embeddings(vectors, np.ones(len(vectors), dtype=np.int64)).spread(where)

    def _joined(self, parts: Sequence[Vectors]) -> Vectors:
        if not parts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        widths = sorted({part.shape[1] for part in parts})
        if len(widths) > 1:
            raise ReplyError(f"{self.model} gave vectors of different widths: {', '.join(map(str, widths))}")
        return np.concatenate(parts)

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import OpenAI

        key = os.environ.get(self._key_variable) if self._key_variable else None
        return OpenAI(api_key=key or _NO_KEY, base_url=self._base_url, max_retries=self._retries)

    def _ask(self, texts: Sequence[str], rows: Integers) -> Vectors:
        """Embed one batch; if it is refused, embed its halves, to find the text that is refused.

        Args:
            texts: n texts, not empty.
            rows: shape (n,), the position of each one among all texts, for messages.
        """
        from openai import APIStatusError, OpenAIError

        try:
            settings: dict[str, Any] = {} if self._asked is None else {"dimensions": self._asked}
            reply = self._client.embeddings.create(
                model=self.model, input=list(texts), encoding_format="float", **settings
            )
            return self._checked(reply.data, rows)
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

    def _checked(self, items: "Sequence[Embedding]", rows: Integers) -> Vectors:
        """Put vectors into the order of the texts, and check that each text has a usable one."""
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


def _line(error: Exception) -> str:
    """Shorten an error to one line, with its cause if that says more."""
    cause = f" ({error.__cause__})" if error.__cause__ is not None else ""
    return " ".join(f"{error}{cause}".split())[:300]
