"""sentence-transformers behind the protocol: the same numbers for short texts, windows for long ones."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from semscale.embedding.embedder import Embedder
from semscale.embedding.engines.openvino import OpenVinoEmbedder
from semscale.embedding.engines.torch import SentenceTransformerEmbedder
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.errors import InputError, MissingExtraError, ModelError
from semscale.weights.resolving import resolve

try:
    import sentence_transformers
except ImportError:
    sentence_transformers = None

needs_torch = pytest.mark.needs("torch")

SHORT = ["good", "", "It is quite nice, really.", "Ünïcödé 🙂", "A longer one. " * 20, "good"]


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
def test_texts_in_one_window_have_the_numbers_of_the_library(engine, reference):
    result = engine.embed(SHORT)
    unique = list(dict.fromkeys(SHORT))
    expected = reference.encode(unique, batch_size=4, normalize_embeddings=True)
    np.testing.assert_array_equal(result.vectors, expected[[unique.index(text) for text in SHORT]])
    assert result.windows.tolist() == [1] * len(SHORT)


@needs_torch
def test_long_text_is_read_in_windows(engine, reference):
    # One token a word: 254 beside [CLS] and [SEP] in a window, every next window 254 - 64 = 190 on:
    # words 0-253, 190-443, 380-599.
    words = [("good", "bad", "house", "tree", "seven")[number % 5] for number in range(600)]
    result = engine.embed(["short", " ".join(words), "short"])
    windows = [words[0:254], words[190:444], words[380:600]]
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
    found = engine.embed(["good", "👍", "great 👍", "word " * 400 + "👍"])
    # The last text has 400 words and one unknown token, in windows that overlap.
    assert found.unknown[:3].tolist() == [0.0, 1.0, 0.5]
    assert 0 < found.unknown[3] < 0.01
    assert found.unread.tolist() == [False, True, False, False]


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
    ours = OpenVinoEmbedder(prompted, name="prompted")
    np.testing.assert_allclose(ours.embed(SHORT).vectors, expected, atol=1e-5)
    assert dict(ours.signature.fields)["prefix"] == dict(torch_engine.signature.fields)["prefix"]


@needs_torch
def test_every_window_begins_with_the_prompt(prompted, reference):
    # 256 tokens at once, 4 of them around the text: [CLS] query : [SEP]; words 0-251, 188-439, 376-599.
    words = [("good", "bad", "house", "tree", "seven")[number % 5] for number in range(600)]
    windows = [words[0:252], words[188:440], words[376:600]]
    parts = reference.encode(["query: " + " ".join(window) for window in windows], normalize_embeddings=True)
    mean = np.array([256, 256, 228]) @ parts
    for engine in (SentenceTransformerEmbedder(prompted, device="cpu"), OpenVinoEmbedder(prompted, name="p")):
        result = engine.embed([" ".join(words)])
        np.testing.assert_allclose(result.vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
        assert result.windows.tolist() == [3]
        assert engine.embed(["good 🫩🫩"]).unknown.tolist() == pytest.approx([0.5])


@needs_torch
def test_states_with_a_prompt_are_alike_in_both_engines(prompted):
    ours, theirs = (
        TokenEncoder(engine).token_states(["It is good"], layer=6)[0]
        for engine in (
            OpenVinoEmbedder(prompted, name="p"),
            SentenceTransformerEmbedder(prompted, device="cpu"),
        )
    )
    assert ours.special.tolist() == theirs.special.tolist() == [True] * 3 + [False] * 3 + [True]
    np.testing.assert_allclose(ours.states, theirs.states, atol=1e-4)
