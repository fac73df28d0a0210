"""Embedding models by name: engines, refusals, and the cache around them."""

from importlib.metadata import EntryPoint

import pytest

from semscale.embedding import Embedder, load_embedder, loading
from semscale.embedding.cache import CachedEmbedder
from semscale.embedding.embedder import ApiEmbedder, ArrayEmbedder
from semscale.embedding.loading import as_embedder, load_token_encoder
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.errors import InputError, ModelError, UnknownNameError
from semscale.spelling import as_option

LOCAL = "http://localhost:9/v1"


def offered(name, precision, base_url, progress):
    return ArrayEmbedder(["a"], [[1.0, 0.0]], name=name)


def test_a_folder_is_read_by_openvino(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    result = load_embedder(folder, cache=False)
    assert isinstance(result, OpenVinoEmbedder)
    assert isinstance(result, Embedder)


def test_vectors_are_cached_in_the_folder_that_is_named(tmp_path):
    result = load_embedder("m", engine="api", base_url=LOCAL, cache=tmp_path)
    assert isinstance(result, CachedEmbedder)
    assert isinstance(load_embedder("m", engine="api", base_url=LOCAL, cache=False), ApiEmbedder)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_url": LOCAL}, "base_url belongs to engine='api', got .* with engine='openvino'"),
        ({"engine": "torch", "base_url": LOCAL}, "base_url belongs to engine='api'"),
        ({"engine": "api", "precision": "fast"}, "precision='fast' belongs to engine='openvino' or 'torch'"),
        ({"device": "cuda"}, "device='cuda' belongs to engine='torch', got engine='openvino'"),
        ({"engine": "api", "device": "cpu"}, "device='cpu' belongs to engine='torch', got engine='api'"),
    ],
)
def test_settings_of_another_engine_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        load_embedder("m", **settings)


def test_the_error_about_a_device_has_the_options_of_a_command():
    with pytest.raises(InputError) as refused:
        load_embedder("m", device="cuda")
    assert (
        refused.value.spelled(as_option) == "--device cuda belongs to --engine torch, got --engine openvino"
    )


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


def test_a_model_that_openvino_cannot_run_is_refused_with_the_remedy(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(ModelError, match="'t5' is not one of .* use engine=.torch."):
        load_token_encoder(folder)


def test_as_embedder_returns_an_embedder_unchanged_and_loads_a_name(toy_embedder):
    assert as_embedder(toy_embedder) is toy_embedder
    loaded = as_embedder("all-MiniLM-L6-v2")
    assert dict(loaded.signature.fields)["model"] == "all-MiniLM-L6-v2#53aa51172d14"


@pytest.mark.parametrize("embedder", [None, 5, object(), ["all-MiniLM-L6-v2"]])
def test_something_that_embeds_nothing_is_refused(embedder):
    with pytest.raises(InputError, match="embedder must be a name, a folder or what load_embedder gives"):
        as_embedder(embedder)


def test_a_precision_belongs_to_a_named_model(toy_embedder):
    with pytest.raises(InputError, match="precision='fast' needs the name of a model"):
        as_embedder(toy_embedder, precision="fast")
