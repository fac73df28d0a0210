"""The engine ``torch``: vectors of sentence-transformers, windows of long texts, and states of tokens."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from semscale.drift.comparison import DriftMeter
from semscale.embedding import load_embedder
from semscale.embedding.embedder import Embedder
from semscale.embedding.loading import load_token_encoder
from semscale.embedding.openvino import OpenVinoEmbedder, has_bfloat16
from semscale.embedding.sentence_transformers import SentenceTransformerEmbedder, number_type, torch_device
from semscale.embedding.token_states import TokenEncoder
from semscale.errors import InputError, MissingExtraError, ModelError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher
from semscale.weights.resolving import resolve

try:
    import sentence_transformers
    import torch
except ImportError:
    sentence_transformers = torch = None

needs_torch = pytest.mark.needs("torch")

SHORT = ["good", "", "It is quite nice, really.", "Ünïcödé 🙂", "A longer one. " * 20, "good"]

TEXTS = ["w1 w2 w3", "w4", " ".join(f"w{n % 25}" for n in range(60)), "w25 unknown w0"]
PAIR = ["The cat sat on the mat.", "Buy it today!"], ["A cat was sitting there.", "I would never buy it."]


@pytest.fixture(scope="module")
def engine() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder("all-MiniLM-L6-v2", device="cpu", batch=4)


@pytest.fixture(scope="module")
def reference():
    """The library by itself, on the same files."""
    return sentence_transformers.SentenceTransformer(str(resolve("all-MiniLM-L6-v2").folder), device="cpu")


def test_missing_package_gives_the_line_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "semscale\[torch\]"'):
        SentenceTransformerEmbedder("no/matter")


def test_batch_must_be_positive():
    with pytest.raises(InputError, match="batch must be >= 1, got 0"):
        SentenceTransformerEmbedder("no/matter", batch=0)


@needs_torch
def test_texts_in_a_single_window_match_sentence_transformers(engine, reference):
    result = engine.embed(SHORT)
    unique = list(dict.fromkeys(SHORT))
    expected = reference.encode(unique, batch_size=4, normalize_embeddings=True)
    np.testing.assert_array_equal(result.vectors, expected[[unique.index(text) for text in SHORT]])
    assert result.windows.tolist() == [1] * len(SHORT)


@needs_torch
def test_long_text_is_read_in_windows(engine, reference):
    # One token a word: 254 beside [CLS] and [SEP] in a window, every next window 254 - 64 = 190 on:
    # words 0-253, 190-443, 380-599.
    tokens = [("good", "bad", "house", "tree", "seven")[number % 5] for number in range(600)]
    result = engine.embed(["short", " ".join(tokens), "short"])
    windows = [tokens[0:254], tokens[190:444], tokens[380:600]]
    parts = reference.encode([" ".join(window) for window in windows], normalize_embeddings=True)
    mean = np.array([256, 256, 222]) @ parts
    np.testing.assert_allclose(result.vectors[1], mean / np.linalg.norm(mean), atol=1e-6)
    assert result.windows.tolist() == [1, 3, 1]
    assert result.n_windowed == 1


@needs_torch
def test_end_of_a_long_text_counts(engine):
    body = "word " * 400
    vectors = engine.embed([body + "happy", body + "sad"]).vectors
    assert not np.allclose(vectors[0], vectors[1], atol=1e-4)


@needs_torch
def test_is_an_embedder_with_a_complete_signature(engine):
    embedder: Embedder = engine
    assert embedder.dimensions == 384
    assert embedder.embed([]).vectors.shape == (0, 384)
    fields = dict(embedder.signature.fields)
    assert fields["model"] == "all-MiniLM-L6-v2#53aa51172d14"
    assert fields["engine"].startswith("sentence-transformers-")
    assert (fields["precision"], fields["device"], fields["window"]) == ("float32", "cpu", "256/64")


@needs_torch
def test_folder_is_signed_by_its_parameters(tmp_path, reference):
    folder = tmp_path / "my:copy"
    reference.save(str(folder))
    name, digest = dict(SentenceTransformerEmbedder(folder, device="cpu").signature.fields)["model"].split(
        "#"
    )
    assert name == "my_copy"
    again = dict(SentenceTransformerEmbedder(folder, device="cpu").signature.fields)["model"]
    assert again == f"my_copy#{digest}"


@needs_torch
def test_progress_counts_distinct_texts(engine):
    seen = []
    texts = [f"text {number}" for number in range(130)]
    engine.embed([*texts, *texts], progress=lambda *step: seen.append(step))
    assert seen == [("embedding", 128, 130), ("embedding", 130, 130)]  # 32 batches of 4 at once


@needs_torch
def test_folder_without_a_model(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="sentence-transformers cannot load"):
        SentenceTransformerEmbedder(tmp_path)


@needs_torch
def test_what_is_not_a_text(engine):
    with pytest.raises(InputError, match=r"texts\[0\] must be a string"):
        engine.embed([3])


@needs_torch
def test_it_says_how_much_of_a_text_is_unknown(engine):
    results = engine.embed(["good", "👍", "great 👍", "word " * 400 + "👍"])
    # The last text has 400 words and one unknown token, in windows that overlap.
    assert results.unknown[:3].tolist() == [0.0, 1.0, 0.5]
    assert 0 < results.unknown[3] < 0.01
    assert results.unread.tolist() == [False, True, False, False]


def test_4_bits_are_refused_before_anything_is_fetched():
    with pytest.raises(
        ModelError, match="e5-small has 4-bit weights, .* give the model intfloat/multilingual-e5"
    ):
        SentenceTransformerEmbedder("e5-small")


@pytest.fixture(scope="module")
def prompted(tmp_path_factory) -> Path:
    """MiniLM in a folder whose settings name a default prompt."""
    folder = tmp_path_factory.mktemp("prompted") / "minilm"
    shutil.copytree(resolve("all-MiniLM-L6-v2").folder, folder)
    settings = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    return folder


@needs_torch
def test_the_default_prompt_is_that_of_the_library_in_both_engines(prompted):
    library = sentence_transformers.SentenceTransformer(str(prompted), device="cpu")
    expected = library.encode(SHORT, normalize_embeddings=True)
    torch_engine = SentenceTransformerEmbedder(prompted, device="cpu")
    np.testing.assert_allclose(torch_engine.embed(SHORT).vectors, expected, atol=1e-6)
    left = OpenVinoEmbedder(prompted, name="prompted")
    np.testing.assert_allclose(left.embed(SHORT).vectors, expected, atol=1e-5)
    assert dict(left.signature.fields)["prefix"] == dict(torch_engine.signature.fields)["prefix"]


@needs_torch
def test_every_window_begins_with_the_prompt(prompted, reference):
    # 256 tokens at once, 4 of them around the text: [CLS] query : [SEP]; words 0-251, 188-439, 376-599.
    tokens = [("good", "bad", "house", "tree", "seven")[number % 5] for number in range(600)]
    windows = [tokens[0:252], tokens[188:440], tokens[376:600]]
    parts = reference.encode(["query: " + " ".join(window) for window in windows], normalize_embeddings=True)
    mean = np.array([256, 256, 228]) @ parts
    for engine in (SentenceTransformerEmbedder(prompted, device="cpu"), OpenVinoEmbedder(prompted, name="p")):
        result = engine.embed([" ".join(tokens)])
        np.testing.assert_allclose(result.vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
        assert result.windows.tolist() == [3]
        assert engine.embed(["good 🫩🫩"]).unknown.tolist() == pytest.approx([0.5])


@needs_torch
def test_states_with_a_prompt_are_alike_in_both_engines(prompted):
    left, right = (
        TokenEncoder(engine).token_states(["It is good"], layer=6)[0]
        for engine in (
            OpenVinoEmbedder(prompted, name="p"),
            SentenceTransformerEmbedder(prompted, device="cpu"),
        )
    )
    assert left.special.tolist() == right.special.tolist() == [True] * 3 + [False] * 3 + [True]
    np.testing.assert_allclose(left.states, right.states, atol=1e-4)


def both(folder):
    # transformers guesses the tokenizer of some families from files that a real checkpoint has.
    named = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    torch = SentenceTransformerEmbedder(folder, device="cpu")
    return TokenEncoder(torch), TokenEncoder(OpenVinoEmbedder(folder, name="random"))


@needs_torch
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "distilbert"])
def test_every_layer_of_every_family_has_the_states_of_the_default_engine(family, write_checkpoint):
    left, default = both(write_checkpoint(family)[0])
    assert (left.layers, left.hidden, left.pooling) == (default.layers, default.hidden, default.pooling)
    for layer in range(left.layers + 1):
        # The third text is longer than the 24 positions, so that it is read in windows.
        results, expected = left.token_states(TEXTS, layer=layer), default.token_states(TEXTS, layer=layer)
        for first, second in zip(results, expected, strict=True):
            assert first.pieces == second.pieces
            assert first.windows == second.windows
            np.testing.assert_array_equal(first.offsets, second.offsets)
            np.testing.assert_allclose(first.states, second.states, atol=2e-5)


@needs_torch
def test_bertscore_and_the_calibrated_match_take_it(engine):
    left, default = BertScorer(engine), BertScorer()
    assert left.layer == default.layer  # the calibrated layer belongs to the weights, whatever runs them
    np.testing.assert_allclose(left.score(*PAIR).f1, default.score(*PAIR).f1, atol=1e-5)
    assert dict(left.signature.fields)["engine"].startswith("sentence-transformers-")
    for method in ("calibrated", "cliniqlink-doc"):
        chosen = {"corpus": ["a cat", "never", "it is fine", "a waste", "buy it"]}
        results = Matcher(method, embedder=engine, **chosen).match(*PAIR)
        np.testing.assert_allclose(results.score, Matcher(method, **chosen).match(*PAIR).score, atol=1e-4)


@needs_torch
def test_drift_takes_it(engine):
    def run(texts, model):
        return Run("made", model, tuple(Item(str(n), (Output(text),)) for n, text in enumerate(texts)))

    baseline, candidate = run(PAIR[0], "old"), run(PAIR[1], "new")
    measured = DriftMeter(engine, cache=False).measure(baseline, candidate)
    default = DriftMeter(cache=False).measure(baseline, candidate)
    for name in measured.metrics:
        np.testing.assert_allclose(measured.losses(name), default.losses(name), atol=1e-3)


@needs_torch
def test_an_encoder_is_loaded_with_the_engine_by_name():
    encoder = load_token_encoder("all-MiniLM-L6-v2", engine="torch", device="cpu")
    assert dict(encoder.signature.fields)["device"] == "cpu"


@needs_torch
def test_other_pooling_is_refused_only_for_vectors_from_states(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            ]
        )
    )
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 8, "pooling_mode_max_tokens": True})
    )
    encoder = TokenEncoder(SentenceTransformerEmbedder(folder, device="cpu"))
    assert np.isfinite(BertScorer(encoder, layer=2).score(["w1"], ["w2"]).f1).all()
    with pytest.raises(InputError, match="pools token states by max"):
        encoder.pooling  # noqa: B018 - the property raises


@needs_torch
def test_a_model_without_a_transformer_is_refused(write_checkpoint, tmp_path):
    tokenizer = Tokenizer.from_file(str(write_checkpoint("bert")[0] / "tokenizer.json"))
    static = sentence_transformers.models.StaticEmbedding(tokenizer, embedding_dim=4)
    sentence_transformers.SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "static"))
    embedder = SentenceTransformerEmbedder(tmp_path / "static", device="cpu")
    with pytest.raises(InputError, match="reads texts without layers of token states"):
        BertScorer(embedder, layer=1)


@needs_torch
def test_half_precision_is_near_exact(engine):
    fast = SentenceTransformerEmbedder("all-MiniLM-L6-v2", device="cpu", precision="fast")
    expected = "bfloat16" if has_bfloat16() else "float32"
    assert dict(fast.signature.fields)["precision"] == expected
    rounded, exact = fast.embed(SHORT).vectors, engine.embed(SHORT).vectors
    # bfloat16 has 8 bits, so the length of a vector is off by up to 1 in 256: its direction counts.
    cosines = (rounded * exact).sum(axis=1) / np.linalg.norm(rounded, axis=1) / np.linalg.norm(exact, axis=1)
    assert cosines.min() > 0.999


@needs_torch
def test_half_precision_is_what_the_device_has(monkeypatch):
    gpu, cpu = torch.device("cuda"), torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    assert number_type("fast", gpu) == torch.float16
    monkeypatch.setattr("semscale.embedding.sentence_transformers.has_bfloat16", lambda: False)
    assert number_type("fast", cpu) == torch.float32
    assert number_type("exact", gpu) == number_type("exact", cpu) == torch.float32


@needs_torch
def test_settings_are_passed_on_by_name(engine):
    loaded = load_embedder("all-MiniLM-L6-v2", engine="torch", device="cpu", precision="fast", cache=False)
    fields = dict(loaded.signature.fields)
    assert fields["device"] == "cpu"
    assert fields["precision"] == ("bfloat16" if has_bfloat16() else "float32")


@needs_torch
@pytest.mark.parametrize("name", ["", "gpu", "cuda:", "cuda:-1", "cpu:0", "CUDA", "cuda:01", "cuda:256"])
def test_names_of_no_device_are_refused(name):
    with pytest.raises(InputError, match="device must be auto, cpu, cuda, cuda:N or mps, got"):
        torch_device(name)


@needs_torch
def test_a_gpu_that_is_not_there_is_refused_with_the_remedy(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match=r"device='cuda' is not available.*: use device='auto' or 'cpu'"):
        torch_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(InputError, match="device='cuda:2' is not available: the last one is cuda:1"):
        torch_device("cuda:2")
    assert torch_device("auto") == torch.device("cuda")


def test_turbo_is_for_another_engine():
    with pytest.raises(
        InputError, match="precision must be exact or fast with the engine torch, got 'turbo'"
    ):
        SentenceTransformerEmbedder("no/matter", precision="turbo")


@pytest.mark.gpu
@needs_torch
@pytest.mark.parametrize(("precision", "least"), [("exact", 0.99999), ("fast", 0.999)])
def test_vectors_on_a_gpu_are_near_those_of_the_processor(engine, precision, least):
    on_gpu = SentenceTransformerEmbedder("all-MiniLM-L6-v2", device="cuda", precision=precision)
    assert (on_gpu.embed(SHORT).vectors * engine.embed(SHORT).vectors).sum(axis=1).min() > least
    assert dict(on_gpu.signature.fields)["device"] == "cuda"
