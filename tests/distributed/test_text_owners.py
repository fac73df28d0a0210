import numpy as np
import pytest

from semscale.distributed.actor_pool import ActorPool
from semscale.distributed.recipes import ModelRecipe
from semscale.distributed.shared_embedder import SharedEmbedder, pieces
from semscale.distributed.text_owners import Owners, TextOwner
from semscale.distributed.text_repeats import text_hashes
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError
from semscale.signature import Signature

SIGNATURE = Signature.of("embed", model="words#1f2e")
TEXTS = ["good", "bad", "it broke at once", "good", "fine"]


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
    owner = TextOwner(model, SIGNATURE, str(tmp_path))
    assert owner.embed(["a", "bb"]).vectors[:, 0].tolist() == [1, 2]
    assert owner.embed(["ccc", "bb", "dddd"]).vectors[:, 0].tolist() == [3, 2, 4]
    assert owner.embed(["a", "dddd"]).vectors[:, 0].tolist() == [1, 4]
    assert model.seen == [["a", "bb"], ["ccc", "dddd"]]


@pytest.mark.needs("ray")
def test_an_owner_with_other_weights_refuses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = Signature.of("embed", model="words#aaaa")
    with pytest.raises(InputError, match=r"has model words#1f2e, this machine words#aaaa"):
        TextOwner(Counting(), other, str(tmp_path)).embed(["a"])


def test_each_text_goes_to_its_owner_in_calls_of_limited_size():
    hashes = text_hashes([str(number) for number in range(100)])
    calls = list(pieces(hashes, 3, at_once=20))
    assert sorted(row for _, rows in calls for row in rows) == list(range(100))
    assert all((hashes[rows] % 3 == owner).all() and len(rows) <= 20 for owner, rows in calls)
    # The first calls go to different owners, so that none waits for the others to be served.
    assert [owner for owner, _ in calls[:3]] == [0, 1, 2]


@pytest.mark.needs("ray")
def test_vectors_are_those_of_one_process_also_after_an_owner_was_lost(connection, answers):
    import ray

    model = ModelRecipe(str(answers / "model"), cache=False)
    embedder = model.load()
    expected = embedder.embed(TEXTS)
    owners = Owners.start(model, embedder.signature, 2, ActorPool().resources(0.25))
    try:
        shared = SharedEmbedder(embedder, owners.handles)
        assert (shared.dimensions, shared.signature) == (embedder.dimensions, embedder.signature)
        assert shared.for_anchors is shared
        for _ in range(2):
            found = shared.embed(TEXTS)
            assert found.vectors.tobytes() == expected.vectors.tobytes()
            assert found.windows.tolist() == expected.windows.tolist()
            assert found.unknown.tolist() == expected.unknown.tolist()
            ray.kill(owners.handles[0], no_restart=False)
    finally:
        owners.end()


@pytest.mark.needs("ray")
def test_an_owner_s_error_arrives_as_it_is(connection, answers):
    model = ModelRecipe(str(answers / "model"), cache=False)
    owners = Owners.start(model, SIGNATURE, 1, ActorPool().resources(0.25))
    try:
        with pytest.raises(InputError, match=r"^cluster: node .* so their numbers would differ; give all"):
            SharedEmbedder(model.load(), owners.handles).embed(["a"])
    finally:
        owners.end()
