"""BERTScore where the states are computed beside BERTScore in NumPy."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.embedding.torch_engine.packed_embedder import PackedTorchEmbedder
from semscale.errors import InputError, ModelError
from semscale.matching.bertscore import (
    BertScorer,
    DevicePairScorer,
    PairScorer,
    TextPairs,
    corpus_weights,
    equal_weights,
)

pytestmark = pytest.mark.needs("torch")

PREDICTIONS = ["The cat sat on the mat.", "Buy it today!", "no", "It is fine. " * 120, "It is fine."]
REFERENCES = [
    ["A cat was sitting there.", "On the mat sat a cat."],
    "I would never buy it.",
    "yes",
    "It is good. " * 110,
    ["It is fine.", "It is fine. " * 120],
]


@pytest.fixture(scope="module")
def encoder() -> TokenEncoder:
    return load_token_encoder(engine="torch", device="cpu")


def text_pairs(encoder) -> TextPairs:
    texts = [*PREDICTIONS, "A cat was sitting there.", "On the mat sat a cat.", "yes", REFERENCES[3]]
    # Pairs that share texts, some far apart: texts are kept from step to step, or encoded again.
    prediction = np.array([0, 0, 1, 2, 3, 4, 0, 4, 1, 2])
    reference = np.array([5, 6, 2, 7, 8, 4, 3, 3, 6, 0])
    return TextPairs(encoder.reader.read(texts), prediction, reference)


@pytest.mark.parametrize("state_bytes", [1, 200 * 4 * 384, 512 << 20])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_one_pair_at_a_time(encoder, state_bytes, weighted):
    pairs = text_pairs(encoder)
    weights = corpus_weights(encoder.reader, PREDICTIONS) if weighted else equal_weights(encoder.reader)
    seen = []
    found = DevicePairScorer(encoder, 6, weights, state_bytes=state_bytes).score(
        pairs, lambda *step: seen.append(step)
    )
    np.testing.assert_allclose(found, PairScorer(encoder, 6, weights).score(pairs), atol=1e-6)
    assert seen[-1] == ("scoring pairs", 10, 10)


def test_on_a_gpu_the_scorer_takes_it(monkeypatch):
    expected = BertScorer().score(PREDICTIONS, REFERENCES)
    monkeypatch.setattr(PackedTorchEmbedder, "is_on_gpu", True)
    scorer = BertScorer(load_token_encoder(engine="torch", device="cpu"))
    asked = []
    score = DevicePairScorer.score
    monkeypatch.setattr(
        DevicePairScorer, "score", lambda self, *settings: asked.append(1) or score(self, *settings)
    )
    found = scorer.score(PREDICTIONS, REFERENCES)
    assert asked == [1]
    np.testing.assert_allclose(found.f1, expected.f1, atol=1e-6)
    np.testing.assert_array_equal(found.reference, expected.reference)
    assert scorer.score([], []).f1.shape == (0,)


def test_states_that_are_not_finite_are_refused(encoder, monkeypatch):
    states = encoder.device_states

    def damaged(*given, layer):
        found, places = states(*given, layer=layer)
        found = found.clone()
        found[0] = float("inf")
        return found, places

    monkeypatch.setattr(encoder, "device_states", damaged)
    with pytest.raises(ModelError, match="not finite"):
        DevicePairScorer(encoder, 6, equal_weights(encoder.reader)).score(text_pairs(encoder))


def test_an_engine_whose_states_cannot_stay_is_refused():
    encoder = load_token_encoder()
    assert not encoder.is_on_gpu
    with pytest.raises(InputError, match="must be run by engine='torch'"):
        encoder.device_states(encoder.reader.read(["a"]), np.array([0]), layer=1)


@pytest.mark.gpu
def test_on_a_gpu_scores_are_those_of_the_processor():
    ours = BertScorer(load_token_encoder(engine="torch", device="cuda"))
    found, expected = ours.score(PREDICTIONS, REFERENCES), BertScorer().score(PREDICTIONS, REFERENCES)
    np.testing.assert_allclose(found.f1, expected.f1, atol=1e-5)
