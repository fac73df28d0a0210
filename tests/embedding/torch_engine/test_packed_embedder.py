"""Packed batches beside the default engine: equal vectors and states, whatever lies in a batch."""

import numpy as np
import pytest

from semscale.embedding import load_embedder
from semscale.embedding.embedder import Embedder
from semscale.embedding.engines.openvino import OpenVinoEmbedder
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.embedding.torch_engine.packed_embedder import PackedTorchEmbedder
from semscale.embedding.torch_engine.packed_model import PackedModel
from semscale.errors import InputError, ModelError, UnsupportedModelError
from semscale.weights.resolving import resolve

torch = pytest.importorskip("torch", reason='PyTorch is not there: pip install "semscale[torch]"')
pytestmark = pytest.mark.needs("torch")

needs_gpu = pytest.mark.gpu
TEXTS = [
    "good",
    "",
    "It is quite nice, really.",
    "Ünïcödé 🙂",
    "A longer one. " * 20,
    "good",
    "word " * 700,  # read in windows
    "Das ist ganz gut, aber zu teuer.",
]
WORDS = ["w1 w2 w3", "w4", " ".join(f"w{n % 25}" for n in range(60)), "w25 unknown w0", "w7 w8 w9"]


def packed(folder, **settings) -> PackedTorchEmbedder:
    return PackedTorchEmbedder(folder, name="random", **{"device": "cpu", **settings})


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "e5-small"])
def test_vectors_are_those_of_the_default_engine(name):
    files = resolve(name)
    settings = {"name": files.name, "sha256": files.sha256, "profile": files.profile}
    ours = PackedTorchEmbedder(files.folder, device="cpu", **settings).embed(TEXTS)
    default = OpenVinoEmbedder(files.folder, **settings).embed(TEXTS)
    np.testing.assert_allclose(ours.vectors, default.vectors, atol=1e-6)
    np.testing.assert_array_equal(ours.windows, default.windows)
    np.testing.assert_array_equal(ours.unknown, default.unknown)


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "distilbert"])
def test_every_layer_of_every_family_has_the_states_of_the_default_engine(family, write_checkpoint):
    folder, _ = write_checkpoint(family)
    ours, default = TokenEncoder(packed(folder)), TokenEncoder(OpenVinoEmbedder(folder, name="random"))
    assert (ours.layers, ours.hidden, ours.pooling) == (default.layers, default.hidden, default.pooling)
    for layer in range(ours.layers + 1):
        # The third text is longer than the 24 positions, so that it is read in windows.
        found, expected = ours.token_states(WORDS, layer=layer), default.token_states(WORDS, layer=layer)
        for one, other in zip(found, expected, strict=True):
            assert one.windows == other.windows
            np.testing.assert_allclose(one.states, other.states, atol=1e-5)


@pytest.mark.parametrize("activation", ["gelu_new", "relu", "silu"])
def test_activations(activation, write_checkpoint):
    folder, _ = write_checkpoint("bert", hidden_act=activation)
    expected = OpenVinoEmbedder(folder, name="random").embed(WORDS).vectors
    np.testing.assert_allclose(packed(folder).embed(WORDS).vectors, expected, atol=1e-5)


def test_the_first_token_can_stand_for_a_text(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / "modules.json").write_text('[{"type": "x.Pooling", "path": "1_Pooling"}]')
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    expected = OpenVinoEmbedder(folder, name="random").embed(WORDS).vectors
    np.testing.assert_allclose(packed(folder).embed(WORDS).vectors, expected, atol=1e-5)


@pytest.mark.parametrize("budget", [1, 7, 30])
def test_the_size_of_batches_changes_nothing(budget, write_checkpoint):
    embedder = packed(write_checkpoint("bert")[0])
    rows = embedder._tokenizer.split(WORDS).ids
    model = embedder.model
    small = PackedModel(
        model._checkpoint, model._sha256, kind="float32", device=torch.device("cpu"), budget=budget
    )
    np.testing.assert_allclose(small.vectors(rows), model.vectors(rows), atol=1e-6)
    states, starts = small.states(rows, 2)
    for _, numbers, expected in model.run([("", rows)], 2):
        for row, each in zip(numbers.tolist(), expected, strict=True):
            own = states[starts[row] : starts[row] + len(each)].numpy()
            np.testing.assert_allclose(own, each, atol=1e-5)


def test_half_precision_keeps_short_rows_in_float32(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    exact = packed(folder)
    half = PackedModel(exact._checkpoint, exact._sha256, kind="bfloat16", device=torch.device("cpu"))
    rows = exact._tokenizer.split(["w1 w2", "w1 w2 w3 w4 w5 w6 w7 w8"]).ids
    found, expected = half.vectors(rows), exact.model.vectors(rows)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-6)
    assert np.abs(found[1] - expected[1]).max() > 1e-6
    assert (found * expected).sum(axis=1).min() > 0.999


def test_the_kernel_for_packed_rows_gets_queries_keys_and_values_of_each_row(monkeypatch, write_checkpoint):
    """No processor has the kernel, so a slow form of it, row by row, stands in its place."""
    varlen = pytest.importorskip("torch.nn.attention.varlen", reason="PyTorch 2.10 and newer have it")

    def slow(query, key, value, *settings):
        starts, others, longest, other_longest = settings
        assert starts is others
        assert starts.dtype == torch.int32
        assert longest == other_longest == int(starts.diff().max())
        rows = []
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            q, k, v = (each[first:last].transpose(0, 1) for each in (query, key, value))
            weights = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1)
            rows.append((weights @ v).transpose(0, 1))
        return torch.cat(rows)

    folder, _ = write_checkpoint("bert")
    expected = packed(folder).embed(WORDS).vectors
    monkeypatch.setattr("semscale.embedding.torch_engine.encoder.reads_packed", lambda *_: True)
    monkeypatch.setattr(varlen, "varlen_attn", slow)
    np.testing.assert_allclose(packed(folder).embed(WORDS).vectors, expected, atol=1e-6)


def test_the_next_chunk_is_tokenized_ahead_with_the_same_result(monkeypatch, write_checkpoint):
    monkeypatch.setattr("semscale.embedding.engines.text_chunks.CHUNK", 2)
    embedder = packed(write_checkpoint("bert")[0])
    expected = embedder.embed(WORDS)
    monkeypatch.setattr(PackedTorchEmbedder, "is_on_gpu", True)
    seen = []
    found = embedder.embed(WORDS, progress=lambda *step: seen.append(step))
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    assert seen == [("embedding", 2, 5), ("embedding", 4, 5), ("embedding", 5, 5)]


def test_is_an_embedder_with_a_complete_signature():
    embedder: Embedder = load_embedder("e5-small", engine="torch", device="cpu", cache=False)
    assert isinstance(embedder, PackedTorchEmbedder)
    assert embedder.embed([]).vectors.shape == (0, 384)
    fields = dict(embedder.signature.fields)
    assert fields["model"] == "e5-small#1571fc982750"
    assert fields["engine"] == f"torch-{torch.__version__.split('+')[0]}"
    assert (fields["precision"], fields["device"], fields["window"]) == ("float32", "cpu", "512/128")
    assert (fields["pooling"], fields["prefix"]) == ("mean", "query%3A%20")


def test_a_family_with_relative_positions_is_left_to_others(write_checkpoint):
    with pytest.raises(UnsupportedModelError, match="relative positions"):
        packed(write_checkpoint("deberta-v2")[0])


def test_a_layer_that_is_not_there(write_checkpoint):
    with pytest.raises(InputError, match="layer must be between 0 and 3, got 4"):
        packed(write_checkpoint("bert")[0]).run_layer([], layer=4)


def test_weights_that_changed_since_are_refused(write_checkpoint):
    embedder = packed(write_checkpoint("bert")[0], sha256="0" * 64)
    with pytest.raises(ModelError, match="has SHA-256 .*, not 000000000000"):
        embedder.embed(["w1"])


def test_weights_with_nan_are_refused(write_checkpoint, monkeypatch):
    embedder = packed(write_checkpoint("bert")[0])
    monkeypatch.setattr(
        "semscale.embedding.torch_engine.encoder.position_table",
        lambda *_: np.full((24, 8), np.nan, np.float32),
    )
    with pytest.raises(ModelError, match="not finite"):
        embedder.embed(["w1"])


@needs_gpu
@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "e5-small"])
def test_on_a_gpu_exact_vectors_are_those_of_the_processor(name):
    ours = load_embedder(name, engine="torch", device="cuda", cache=False)
    expected = load_embedder(name, cache=False).embed(TEXTS)
    found = ours.embed(TEXTS)
    np.testing.assert_allclose(found.vectors, expected.vectors, atol=1e-5)
    np.testing.assert_array_equal(found.windows, expected.windows)
    assert dict(ours.signature.fields)["device"] == "cuda"


@needs_gpu
@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "e5-small"])
def test_on_a_gpu_half_precision_is_near_exact(name):
    ours = load_embedder(name, engine="torch", device="cuda", precision="fast", cache=False)
    expected = load_embedder(name, cache=False).embed(TEXTS).vectors
    assert (ours.embed(TEXTS).vectors * expected).sum(axis=1).min() > 0.999


@needs_gpu
def test_on_a_gpu_states_are_those_of_the_processor():
    ours, default = (
        TokenEncoder(load_embedder(engine=engine, device=device, cache=False))
        for engine, device in (("torch", "cuda"), ("openvino", "auto"))
    )
    for one, other in zip(
        ours.token_states(TEXTS, layer=6), default.token_states(TEXTS, layer=6), strict=True
    ):
        np.testing.assert_allclose(one.states, other.states, atol=1e-4)
