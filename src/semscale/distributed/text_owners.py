"""Embedding of equal texts once a cluster: each text belongs to one actor, which its hash decides."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.node_checks import check_alike, work_in
from semscale.distributed.ray_results import result_of
from semscale.distributed.text_repeats import text_hashes
from semscale.distributed.vector_memory import VectorMemory
from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import checked_texts, distinct
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Integers, Progress

if TYPE_CHECKING:
    from semscale.distributed.recipes import ModelRecipe

AT_ONCE = 1024
"""Texts of a call: enough for batches of equal length, so few that all who ask are served in turn."""


class TextOwner:
    """Embeds the texts that belong to it, and keeps their vectors for those who ask later; an actor.

    Args:
        model: how the embedder is loaded.
        expected: the signature of the model where the run was started.
        folder: the folder in which it was started.
    """

    def __init__(self, model: "ModelRecipe", expected: Signature, folder: str) -> None:
        self._model, self._expected = model, expected
        work_in(folder)
        self._embedder: Embedder | None = None
        self._memory = VectorMemory(1)

    def embed(self, texts: list[str]) -> Embeddings:
        """Embed distinct texts.

        Raises:
            InputError: this node has other weights or another version.
            ModelError: the model cannot be had or run.
        """
        embedder = self._loaded()
        places = self._memory.places(texts)
        new = np.flatnonzero(places < 0)
        if not len(new):
            return self._memory.at(places)
        fresh = embedder.embed([texts[row] for row in new])
        unknown = np.full(len(new), np.nan, np.float32) if fresh.unknown is None else fresh.unknown
        found = _room_for(len(texts), embedder.dimensions)
        known = np.flatnonzero(places >= 0)
        _put(found, known, self._memory.at(places[known]))
        _put(found, new, Embeddings(fresh.vectors, fresh.windows, unknown))
        self._memory.add([texts[row] for row in new], fresh)
        return found

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            import ray

            embedder = self._model.load()
            check_alike(ray.util.get_node_ip_address(), embedder.signature, self._expected)
            self._memory = VectorMemory(embedder.dimensions)
            self._embedder = embedder
        return self._embedder


class SharedEmbedder:
    """Asks the owners of texts for their vectors; anchors in a form of their own are embedded here.

    Args:
        embedder: the same model, as this node loads it; it computes no text.
        owners: handles of ``TextOwner`` actors, in the same order everywhere.
    """

    def __init__(self, embedder: Embedder, owners: Sequence[Any]) -> None:
        self._embedder, self._owners = embedder, owners

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._embedder.dimensions

    @property
    def signature(self) -> Signature:
        """The signature of the model, as it does not matter who computes."""
        return self._embedder.signature

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors."""
        own = anchor_embedder(self._embedder)
        return self if own is self._embedder else own

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:  # noqa: ARG002
        """Embed texts in their order; equal texts are sent once.

        Raises:
            InputError: a text is not a string, or an owner's node has other weights.
            ModelError: the model cannot be had or run.
        """
        unique, where = distinct(checked_texts(texts))
        found = _room_for(len(unique), self.dimensions)
        asked = [
            (rows, self._owners[owner].embed.remote([unique[row] for row in rows]))
            for owner, rows in pieces(text_hashes(unique), len(self._owners))
        ]
        for rows, reference in asked:
            _put(found, rows, result_of(reference))
        return found.spread(where)


def pieces(hashes: Integers, n_owners: int, at_once: int = AT_ONCE) -> Iterator[tuple[int, Integers]]:
    """Cut texts into calls: a first one to every owner, then a second one to each that has more.

    Args:
        hashes: shape (n,), of the texts.
        n_owners: number of owners.
        at_once: texts of a call, at most.

    Yields:
        The owner's number, and the rows of its texts.

    Example:
        >>> hashes = np.array([4, 6, 8, 5])
        >>> [(owner, rows.tolist()) for owner, rows in pieces(hashes, 2, at_once=2)]
        [(0, [0, 1]), (1, [3]), (0, [2])]
    """
    owners = hashes % n_owners
    own = [np.flatnonzero(owners == owner) for owner in range(n_owners)]
    for start in range(0, max(map(len, own), default=0), at_once):
        for owner, rows in enumerate(own):
            if len(rows) > start:
                yield owner, rows[start : start + at_once]


class Owners(NamedTuple):
    """Owners of texts, while a run needs them.

    Attributes:
        handles: of the actors.
    """

    handles: tuple[Any, ...]

    @classmethod
    def start(cls, model: "ModelRecipe", expected: Signature, n: int, options: dict[str, Any]) -> "Owners":
        """Start n owners all over the cluster; one that is lost is started again elsewhere.

        Args:
            model: how the embedder is loaded.
            expected: its signature here.
            n: number of owners, at least 1.
            options: what each takes of its node, by Ray's names.
        """
        import ray

        owner = ray.remote(TextOwner).options(
            max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD", **options
        )
        return cls(tuple(owner.remote(model, expected, os.getcwd()) for _ in range(n)))

    def end(self) -> None:
        """End the actors."""
        import ray

        for handle in self.handles if ray.is_initialized() else ():
            ray.kill(handle)


def refuse_gpus(pool: ActorPool, parameter: str) -> None:
    """Refuse a pool of GPUs, which embed faster than texts and vectors travel.

    Raises:
        InputError: its actors use some.
    """
    if pool.gpus:
        raise InputError(f"{parameter} is not for GPUs: leave it out, or gpus={pool.gpus:g}")


def _room_for(n: int, dimensions: int) -> Embeddings:
    return Embeddings(
        np.empty((n, dimensions), np.float32), np.zeros(n, np.int64), np.full(n, np.nan, np.float32)
    )


def _put(found: Embeddings, rows: Integers, some: Embeddings) -> None:
    found.vectors[rows], found.windows[rows] = some.vectors, some.windows
    if found.unknown is not None and some.unknown is not None:
        found.unknown[rows] = some.unknown
