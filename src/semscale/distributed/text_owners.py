"""Embedding of equal texts once a cluster: each text belongs to one actor, which its hash decides."""

import os
from typing import Any, NamedTuple

import numpy as np

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.node_checks import check_alike, work_in
from semscale.distributed.recipes import ModelRecipe
from semscale.distributed.shared_embedder import empty_embeddings, put_rows
from semscale.distributed.vector_memory import VectorMemory
from semscale.embedding.embedder import Embedder, Embeddings
from semscale.errors import InputError
from semscale.signature import Signature


class TextOwner:
    """Embeds the texts that belong to it, and keeps their vectors for those who ask later; an actor.

    Args:
        model: how the embedder is loaded.
        expected: the signature of the model where the run was started.
        folder: the folder in which it was started.
    """

    def __init__(self, model: ModelRecipe, expected: Signature, folder: str) -> None:
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
        found = empty_embeddings(len(texts), embedder.dimensions)
        known = np.flatnonzero(places >= 0)
        put_rows(found, known, self._memory.at(places[known]))
        put_rows(found, new, Embeddings(fresh.vectors, fresh.windows, unknown))
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


class Owners(NamedTuple):
    """Owners of texts, while a run needs them.

    Attributes:
        handles: of the actors.
    """

    handles: tuple[Any, ...]

    @classmethod
    def start(cls, model: ModelRecipe, expected: Signature, n: int, options: dict[str, Any]) -> "Owners":
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
