"""What runs a model in PyTorch: our own batches, or sentence-transformers."""

import pytest

from semscale.embedding import load_embedder
from semscale.embedding.engines.torch import SentenceTransformerEmbedder
from semscale.embedding.torch_engine import loading
from semscale.embedding.torch_engine.packed_embedder import PackedTorchEmbedder
from semscale.errors import InputError, MissingExtraError, ModelError

pytestmark = pytest.mark.needs("torch")


def loaded(name, **settings):
    return load_embedder(name, engine="torch", cache=False, **{"device": "cpu", **settings})


@pytest.fixture
def by_library(monkeypatch):
    """Note the models that sentence-transformers would load."""
    asked = []

    def load(self, name, **settings):
        asked.append((str(name), settings["device"]))

    monkeypatch.setattr(SentenceTransformerEmbedder, "__init__", load)
    return asked


def test_known_models_and_checkpoints_run_in_packed_batches(write_checkpoint, by_library):
    folder, _ = write_checkpoint("roberta")
    for name in ("all-MiniLM-L6-v2", "e5-small", folder):
        assert isinstance(loaded(name), PackedTorchEmbedder)
    assert by_library == []


def test_other_architectures_and_steps_are_left_to_sentence_transformers(write_checkpoint, by_library):
    deberta, _ = write_checkpoint("deberta-v2")
    dense, _ = write_checkpoint("bert")
    (dense / "modules.json").write_text('[{"type": "x.Dense", "path": "2_Dense"}]')
    for folder in (deberta, dense):
        assert isinstance(loaded(folder), SentenceTransformerEmbedder)
    loaded(dense, device="auto")
    assert by_library == [(str(deberta), "cpu"), (str(dense), "cpu"), (str(dense), None)]


def test_settings_on_the_hub_decide_before_weights_are_fetched(monkeypatch, by_library):
    fetched = []
    monkeypatch.setattr(loading, "hub_settings", lambda name: {"model_type": name.partition("/")[2]})
    monkeypatch.setattr(loading, "resolve", lambda name, progress: fetched.append(name))
    loaded("somebody/t5")
    loaded("somebody/bert")
    assert fetched == ["somebody/bert"]


def test_half_precision_is_not_asked_of_sentence_transformers(write_checkpoint, by_library):
    with pytest.raises(InputError, match="sentence-transformers runs .*: use precision='exact'"):
        loaded(write_checkpoint("deberta-v2")[0], precision="fast")


def test_settings_are_refused_before_anything_is_fetched(monkeypatch):
    monkeypatch.setattr(loading, "resolve", None)
    with pytest.raises(InputError, match="precision must be exact or fast with the engine torch"):
        loaded("e5-small", precision="turbo")
    with pytest.raises(InputError, match="device must be auto, cpu, cuda"):
        loaded("e5-small", device="gpu")


@pytest.mark.parametrize(
    "refusal",
    [MissingExtraError("sentence-transformers", "torch"), ModelError("sentence-transformers cannot load it")],
)
def test_a_folder_that_nothing_reads_is_refused_with_both_reasons(write_checkpoint, monkeypatch, refusal):
    def refuse(self, name, **settings):
        raise refusal

    monkeypatch.setattr(SentenceTransformerEmbedder, "__init__", refuse)
    folder, _ = write_checkpoint("bert")
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError) as said:
        loaded(folder)
    reason, _, other = str(said.value).partition("; with sentence-transformers: ")
    assert "config.json" in reason
    assert other == str(refusal)
    with pytest.raises(InputError, match=r"use precision='exact' \(.*config\.json"):
        loaded(folder, precision="fast")
