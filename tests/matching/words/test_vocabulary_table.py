"""Words are read when they are first met, each once, however the vocabulary grows."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.matching import words as words_module
from semscale.matching.words import StaticVectors, Vocabulary, WordTable, WordWeights

SHOWN = ["Heart", ("unlike", "un", "like"), "the", "heart", *(f"word{at}" for at in range(20))]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


class CountingReader:
    """Gives the encoder's states, and remembers which pieces were asked for."""

    def __init__(self, encoder):
        self._encoder = encoder
        self.pieces = []

    def __call__(self, tokens, texts, wanted):
        self.pieces += [texts[at] for at in wanted]
        return self._encoder.encode(tokens, wanted, layer=self._encoder.layers)


def table(encoder, dtype, read=None):
    weights = WordWeights.over([["heart"], ["heart", "lung"]], stop=0.5)
    vocabulary = Vocabulary()
    return vocabulary, WordTable(vocabulary, StaticVectors(encoder, encoder.layers, read), weights, dtype)


def test_a_piece_is_read_once(encoder):
    reader = CountingReader(encoder)
    vocabulary, words = table(encoder, np.float64, reader)
    first = vocabulary.numbers(SHOWN[:2])
    words.learn(first)
    before = words.vectors[first]
    words.learn(vocabulary.numbers(SHOWN))
    assert sorted(reader.pieces) == sorted({"heart", "un", "like", "the", *SHOWN[4:]})
    assert (words.vectors[first] == before).all()


def test_vocabulary_has_unit_vectors_and_weights(encoder):
    vocabulary, words = table(encoder, np.float32)
    numbers = vocabulary.numbers(SHOWN)
    words.learn(numbers)
    vectors = words.vectors[numbers]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert (vectors[0] == vectors[3]).all()
    # df 2, 0 and 0 of N = 2: 2 - ln(df + 1) / ln 3; "the" is a stop word
    assert words.weights[numbers][:3].tolist() == pytest.approx([1.0, 2.0, 1.0])


def test_a_word_of_several_pieces_lies_between_them(encoder):
    vocabulary, words = table(encoder, np.float64)
    numbers = vocabulary.numbers([("unlike", "un", "like"), "un", "like"])
    words.learn(numbers)
    whole, un, like = words.vectors[numbers]
    np.testing.assert_allclose(whole, (un + like) / np.linalg.norm(un + like), atol=1e-12)


def test_of_too_many_pieces_all_are_forgotten_and_read_again_alike(encoder, monkeypatch):
    monkeypatch.setattr(words_module, "MOST_KEPT", 3)
    reader = CountingReader(encoder)
    static = StaticVectors(encoder, encoder.layers, reader)
    before = static.words([("heart",), ("un", "like")])
    static.words([("heart",)])
    assert reader.pieces == ["heart", "un", "like"]
    # A fourth piece is one too many, but those of this call are still there.
    static.words([("heart",), ("blarghx",)])
    assert reader.pieces == ["heart", "un", "like", "blarghx"]
    assert (static.words([("heart",), ("un", "like")]) == before).all()
    assert reader.pieces[4:] == ["heart", "un", "like"]
