import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pytest

from semscale.distributed import shared_embedder
from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.attempts import Attempts
from semscale.distributed.recipes import ModelRecipe
from semscale.distributed.shared_embedder import SharedEmbedder, pieces
from semscale.distributed.text_owners import Owners, TextOwner
from semscale.distributed.text_repeats import text_hashes
from semscale.embedding.embedder import Embeddings
from semscale.errors import ClusterError
from semscale.signature import Signature

SIGNATURE = Signature.of("embed", model="words#1f2e")
TEXTS = ["good", "bad", "it broke at once", "good", "fine"]


class Unbounded:
    """Bounds no attempt."""

    def at(self, piece, said):
        return nullcontext()


class Counting:
    """A model that notes what it embeds: the vector of a text is its length."""

    dimensions, signature = 1, SIGNATURE

    def __init__(self):
        self.seen = []

    def load(self):
        return self

    def embed(self, texts, *, progress=None):
        self.seen.append(list(texts))
        return Embeddings(np.array([[len(text)] for text in texts], np.float32), np.ones(len(texts), int))


@pytest.mark.needs("ray")
def test_an_owner_embeds_a_text_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = Counting()
    owner = TextOwner(model, SIGNATURE, str(tmp_path), Unbounded())
    assert owner.embed(["a", "bb"]).vectors[:, 0].tolist() == [1, 2]
    assert owner.embed(["ccc", "bb", "dddd"]).vectors[:, 0].tolist() == [3, 2, 4]
    assert owner.embed(["a", "dddd"]).vectors[:, 0].tolist() == [1, 4]
    assert model.seen == [["a", "bb"], ["ccc", "dddd"]]


@pytest.mark.needs("ray")
def test_an_owner_with_other_weights_refuses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = Signature.of("embed", model="words#aaaa")
    with pytest.raises(ClusterError, match=r"has model words#1f2e, this machine words#aaaa"):
        TextOwner(Counting(), other, str(tmp_path), Unbounded()).embed(["a"])


def test_each_text_goes_to_its_owner_in_calls_of_limited_size():
    hashes = text_hashes([str(number) for number in range(100)])
    calls = list(pieces(hashes, 3, at_once=20))
    assert sorted(row for _, rows in calls for row in rows) == list(range(100))
    assert all((hashes[rows] % 3 == owner).all() and len(rows) <= 20 for owner, rows in calls)
    # The first calls go to different owners, so that none waits for the others to be served.
    assert [owner for owner, _ in calls[:3]] == [0, 1, 2]


@pytest.mark.needs("ray")
def test_anchors_are_embedded_in_a_form_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = Counting()
    model.for_anchors = Counting()
    owner = TextOwner(model, SIGNATURE, str(tmp_path), Unbounded())
    owner.embed(["a", "bb"])
    assert owner.embed(["bb"], True).vectors[:, 0].tolist() == [2]
    assert (model.seen, model.for_anchors.seen) == ([["a", "bb"]], [["bb"]])


class Asked:
    """Stands for the handle of an owner: notes what it is asked, and for which form."""

    def __init__(self):
        self.embed = self
        self.seen = []

    def remote(self, texts, are_anchors):
        self.seen.append((texts, are_anchors))
        return Embeddings(np.ones((len(texts), 1), np.float32), np.ones(len(texts), int))


def test_who_asks_owners_loads_no_model(monkeypatch):
    monkeypatch.setattr(shared_embedder, "result_of", lambda found: found)
    asked, other = Asked(), Signature.of("embed", model="words#1f2e", precision="float32")
    recipe = ModelRecipe("no such model", shared=SharedEmbedder((asked,), 1, SIGNATURE, other))
    embedder = recipe.load()
    anchors = embedder.for_anchors
    assert (embedder.signature, anchors.signature) == (SIGNATURE, other)
    assert anchors.for_anchors is anchors
    embedder.embed(["good", "good"])
    anchors.embed(["fine"])
    assert asked.seen == [(["good"], False), (["fine"], True)]


@pytest.mark.needs("ray")
def test_vectors_are_those_of_one_process_also_after_an_owner_was_lost(connection, answers):
    import ray

    model = ModelRecipe(str(answers / "model"), cache=False)
    embedder = model.load()
    expected = embedder.embed(TEXTS)
    attempts = Attempts.start()
    owners = Owners.start(model, 2, ActorPool().resources(0.25), attempts)
    try:
        shared = owners.embedder
        assert (shared.dimensions, shared.signature) == (embedder.dimensions, embedder.signature)
        assert shared.for_anchors is shared
        for _ in range(2):
            found = shared.embed(TEXTS)
            assert found.vectors.tobytes() == expected.vectors.tobytes()
            assert found.windows.tolist() == expected.windows.tolist()
            assert found.unknown.tolist() == expected.unknown.tolist()
            ray.kill(shared.owners[0], no_restart=False)
    finally:
        owners.end()
        attempts.end()


@dataclass(frozen=True)
class Deadly:
    """A model whose process ends at one text."""

    name: str
    text: str
    cache = False

    def load(self):
        return DeadlyEmbedder(ModelRecipe(self.name, cache=False).load(), self.text)


@dataclass(frozen=True)
class DeadlyEmbedder:
    embedder: object
    text: str

    @property
    def dimensions(self):
        return self.embedder.dimensions

    @property
    def signature(self):
        return self.embedder.signature

    def embed(self, texts, *, progress=None):
        if self.text in texts:
            os._exit(1)
        return self.embedder.embed(texts)


@pytest.mark.needs("ray")
def test_a_text_that_ends_its_owner_again_and_again_ends_the_run(connection, answers):
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    attempts = Attempts.start()
    owners = Owners.start(Deadly(str(answers / "model"), "bad"), 1, ActorPool().resources(0.25), attempts)
    try:
        with pytest.raises(
            ClusterError, match=r"^cluster: the process that embedded 3 texts for all nodes en"
        ):
            owners.embedder.embed(["good", "bad", "fine"])
        # Other texts are embedded all the same.
        assert len(owners.embedder.embed(["good"]).vectors) == 1
    finally:
        owners.end()
        attempts.end()
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
