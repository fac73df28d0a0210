"""Embedding of equal texts once a cluster: each text belongs to one actor, which its hash decides."""

import hashlib
import os
from typing import Any, NamedTuple

import numpy as np

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.attempts import Attempts
from semscale.distributed.cluster_watch import is_connected
from semscale.distributed.node_checks import check_alike, on_joined_node, work_in
from semscale.distributed.recipes import ModelRecipe
from semscale.distributed.shared_embedder import SharedEmbedder, empty_embeddings, put_rows
from semscale.distributed.text_repeats import text_hashes
from semscale.distributed.vector_memory import VectorMemory
from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.errors import InputError
from semscale.signature import Signature


class TextOwner:
    """Embeds the texts that belong to it, and keeps their vectors for those who ask later; an actor.

    Args:
        model: how the embedder is loaded.
        expected: the signature of the model where the run was started.
        folder: the folder in which it was started.
        attempts: bounds attempts at texts that end the process.
    """

    def __init__(self, model: ModelRecipe, expected: Signature, folder: str, attempts: Attempts) -> None:
        self._model, self._expected, self._attempts = model, expected, attempts
        work_in(folder)
        self._forms: tuple[_Remembered, _Remembered] | None = None

    def embed(self, texts: list[str], are_anchors: bool = False) -> Embeddings:
        """Embed distinct texts.

        Raises:
            ModelError: the model cannot be had or run.
            ClusterError: this node has other weights or another version, or these texts have ended this
                process again and again.
        """
        piece = hashlib.blake2b(text_hashes(texts).tobytes(), digest_size=16).hexdigest()
        said = f"embedded {len(texts):,} texts for all nodes"
        with self._attempts.at(f"{are_anchors} {piece}", lambda: said):
            if self._forms is None:
                self._forms = self._loaded()
            return self._forms[are_anchors].embed(texts)

    def _loaded(self) -> "tuple[_Remembered, _Remembered]":
        import ray

        embedder = self._model.load()
        with on_joined_node():
            check_alike(ray.util.get_node_ip_address(), embedder.signature, self._expected)
        texts, anchors = _Remembered(embedder), anchor_embedder(embedder)
        return texts, texts if anchors is embedder else _Remembered(anchors)


class _Remembered:
    """An embedder with a memory of the vectors that it has made.

    Args:
        embedder: makes them.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._memory = embedder, VectorMemory(embedder.dimensions)

    def embed(self, texts: list[str]) -> Embeddings:
        """Embed distinct texts, of which those that are new are computed."""
        places = self._memory.places(texts)
        new = np.flatnonzero(places < 0)
        if not len(new):
            return self._memory.at(places)
        fresh = self._embedder.embed([texts[row] for row in new])
        unknown = np.full(len(new), np.nan, np.float32) if fresh.unknown is None else fresh.unknown
        found = empty_embeddings(len(texts), self._embedder.dimensions)
        known = np.flatnonzero(places >= 0)
        put_rows(found, known, self._memory.at(places[known]))
        put_rows(found, new, Embeddings(fresh.vectors, fresh.windows, unknown))
        self._memory.add([texts[row] for row in new], fresh)
        return found


class Owners(NamedTuple):
    """Owners of texts, while a run needs them.

    Attributes:
        embedder: asks them.
    """

    embedder: SharedEmbedder

    @classmethod
    def start(cls, model: ModelRecipe, n: int, options: dict[str, Any], attempts: Attempts) -> "Owners":
        """Start n owners all over the cluster; one that is lost is started again elsewhere.

        Args:
            model: how the embedder is loaded.
            n: number of owners, at least 1.
            options: what each takes of its node, by Ray's names.
            attempts: bounds attempts at texts that end an owner.

        Raises:
            ModelError: the model cannot be had here.
        """
        import ray

        embedder = model.load()
        anchors = anchor_embedder(embedder)
        owner = ray.remote(TextOwner).options(
            max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD", **options
        )
        arguments = (model, embedder.signature, os.getcwd(), attempts)
        return cls(
            SharedEmbedder(
                tuple(owner.remote(*arguments) for _ in range(n)),
                embedder.dimensions,
                embedder.signature,
                None if anchors is embedder else anchors.signature,
                attempts=attempts,
            )
        )

    def end(self) -> None:
        """End the actors."""
        import ray

        for handle in self.embedder.owners if is_connected() else ():
            ray.kill(handle)


def refuse_gpus(pool: ActorPool, parameter: str) -> None:
    """Refuse a pool of GPUs, which embed faster than texts and vectors travel.

    Raises:
        InputError: its actors use some.
    """
    if pool.gpus:
        raise InputError(f"{parameter} is not for GPUs: leave it out, or gpus={pool.gpus:g}")
