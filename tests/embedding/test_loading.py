"""Embedding models by name: engines, refusals, and the cache around them."""

from importlib.metadata import EntryPoint

import pytest

from semscale.embedding import Embedder, load_embedder, loading
from semscale.embedding.cache.cached_embedder import CachedEmbedder
from semscale.embedding.engines.api import ApiEmbedder
from semscale.embedding.engines.arrays import ArrayEmbedder
from semscale.embedding.engines.openvino import OpenVinoEmbedder
from semscale.embedding.loading import load_token_encoder
from semscale.errors import InputError, ModelError, UnknownNameError

LOCAL = "http://localhost:9/v1"


def offered(name, precision, base_url, progress):
    return ArrayEmbedder(["a"], [[1.0, 0.0]], name=name)


def test_a_folder_is_read_by_openvino(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    found = load_embedder(folder, cache=False)
    assert isinstance(found, OpenVinoEmbedder)
    assert isinstance(found, Embedder)


def test_vectors_are_cached_in_the_folder_that_is_named(tmp_path):
    found = load_embedder("m", engine="api", base_url=LOCAL, cache=tmp_path)
    assert isinstance(found, CachedEmbedder)
    assert isinstance(load_embedder("m", engine="api", base_url=LOCAL, cache=False), ApiEmbedder)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": LOCAL}, "base_url belongs to engine='api', got .* with engine='openvino'"),
        ({"engine": "torch", "base_url": LOCAL}, "base_url belongs to engine='api'"),
        ({"engine": "torch", "precision": "fast"}, "precision='fast' belongs to engine='openvino'"),
        ({"engine": "api", "precision": "fast"}, "precision='fast' belongs to engine='openvino'"),
    ],
)
def test_settings_of_another_engine_are_refused(settings, words):
    with pytest.raises(InputError, match=words):
        load_embedder("m", **settings)


def test_an_unknown_engine_has_a_suggestion():
    with pytest.raises(
        UnknownNameError, match="must be one of openvino, torch, api, .*did you mean 'openvino'"
    ):
        load_embedder("m", engine="openvin")


def test_other_packages_offer_engines_and_chat_engines_are_none(monkeypatch):
    points = [
        EntryPoint("mine", f"{__name__}:offered", "semscale"),
        EntryPoint("chat.mine", f"{__name__}:offered", "semscale"),
    ]
    monkeypatch.setattr(EntryPoint, "load", lambda point: offered)
    monkeypatch.setattr(loading, "entry_points", lambda group: points)
    assert load_embedder("x", engine="mine", cache=False).embed(["a"]).vectors.tolist() == [[1.0, 0.0]]
    with pytest.raises(UnknownNameError, match="must be one of openvino, torch, api, mine, got 'chat.mine'"):
        load_embedder("x", engine="chat.mine")


def test_a_model_that_openvino_cannot_run_is_left_to_the_other_engine(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(ModelError) as caught:
        load_token_encoder(folder)
    # The other engine gives token states too, so it is the remedy.
    assert "'t5' is not one of" in str(caught.value)
    assert 'use engine="torch"' in str(caught.value)
