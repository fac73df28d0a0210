"""States of tokens from sentence-transformers beside those of the default engine, layer by layer."""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer

from semscale.drift.measure.meter import DriftMeter
from semscale.embedding.engines.openvino import OpenVinoEmbedder
from semscale.embedding.engines.torch import SentenceTransformerEmbedder
from semscale.embedding.loading import load_token_encoder
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.matching.bertscore import BertScorer
from semscale.matching.matcher import Matcher

try:
    import sentence_transformers
except ImportError:
    sentence_transformers = None

pytestmark = pytest.mark.needs("torch")

TEXTS = ["w1 w2 w3", "w4", " ".join(f"w{n % 25}" for n in range(60)), "w25 unknown w0"]
PAIR = ["The cat sat on the mat.", "Buy it today!"], ["A cat was sitting there.", "I would never buy it."]


def both(folder):
    # transformers guesses the tokenizer of some families from files that a real checkpoint has.
    named = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    torch = SentenceTransformerEmbedder(folder, device="cpu")
    return TokenEncoder(torch), TokenEncoder(OpenVinoEmbedder(folder, name="random"))


@pytest.fixture(scope="module")
def torch_embedder():
    return SentenceTransformerEmbedder("all-MiniLM-L6-v2", device="cpu")


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "distilbert"])
def test_every_layer_of_every_family_has_the_states_of_the_default_engine(family, write_checkpoint):
    ours, default = both(write_checkpoint(family)[0])
    assert (ours.layers, ours.hidden, ours.pooling) == (default.layers, default.hidden, default.pooling)
    for layer in range(ours.layers + 1):
        # The third text is longer than the 24 positions, so that it is read in windows.
        found, expected = ours.token_states(TEXTS, layer=layer), default.token_states(TEXTS, layer=layer)
        for one, other in zip(found, expected, strict=True):
            assert one.pieces == other.pieces
            assert one.windows == other.windows
            np.testing.assert_array_equal(one.offsets, other.offsets)
            np.testing.assert_allclose(one.states, other.states, atol=2e-5)


def test_bertscore_and_the_calibrated_match_take_it(torch_embedder):
    ours, default = BertScorer(torch_embedder), BertScorer()
    assert ours.layer == default.layer  # the calibrated layer belongs to the weights, whatever runs them
    np.testing.assert_allclose(ours.score(*PAIR).f1, default.score(*PAIR).f1, atol=1e-5)
    assert dict(ours.signature.fields)["engine"].startswith("sentence-transformers-")
    for method in ("calibrated", "cliniqlink-doc"):
        chosen = {"corpus": ["a cat", "never", "it is fine", "a waste", "buy it"]}
        found = Matcher(method, embedder=torch_embedder, **chosen).match(*PAIR)
        np.testing.assert_allclose(found.score, Matcher(method, **chosen).match(*PAIR).score, atol=1e-4)


def test_drift_takes_it(torch_embedder):
    def run(texts, model):
        return Run("made", model, tuple(Item(str(n), (Output(text),)) for n, text in enumerate(texts)))

    baseline, candidate = run(PAIR[0], "old"), run(PAIR[1], "new")
    ours = DriftMeter(torch_embedder, cache=False).measure(baseline, [candidate])[0]
    default = DriftMeter(cache=False).measure(baseline, [candidate])[0]
    for name, losses in ours.losses.items():
        np.testing.assert_allclose(losses, default.losses[name], atol=1e-3)


def test_an_encoder_is_loaded_with_the_engine_by_name():
    encoder = load_token_encoder(engine="torch", device="cpu")
    assert dict(encoder.signature.fields)["device"] == "cpu"


def test_another_pooling_is_refused_only_where_vectors_are_made_of_states(write_checkpoint):
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
    with pytest.raises(InputError, match="makes a text's vector by max"):
        encoder.pooling  # noqa: B018 - the property raises


def test_a_model_without_a_transformer_is_refused(write_checkpoint, tmp_path):
    tokenizer = Tokenizer.from_file(str(write_checkpoint("bert")[0] / "tokenizer.json"))
    static = sentence_transformers.models.StaticEmbedding(tokenizer, embedding_dim=4)
    sentence_transformers.SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "static"))
    embedder = SentenceTransformerEmbedder(tmp_path / "static", device="cpu")
    with pytest.raises(InputError, match="reads texts without layers of token states"):
        BertScorer(embedder, layer=1)
