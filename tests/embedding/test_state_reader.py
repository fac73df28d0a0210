"""States from the disk and from the model are the same, and only what is to be kept is written."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.embedding.state_cache import StateCache, rounded
from semscale.embedding.state_reader import StateReader

TEXTS = ["It is safe.", "Not at all, and nobody knows why.", "", "word " * 700]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder()


@pytest.fixture
def cache(tmp_path):
    cache = StateCache(tmp_path)
    yield cache
    cache.close()


def read(encoder, layer, cache, wanted, keep=None):
    reader = StateReader(encoder, layer, cache)
    return dict(reader.read(encoder.reader.read(TEXTS), TEXTS, np.array(wanted), keep=keep))


@pytest.mark.parametrize("layer", [3, 6])
def test_states_are_the_encoders_rounded(encoder, cache, layer):
    expected = [rounded(each.states) for each in encoder.token_states(TEXTS, layer=layer)]
    for kept in (None, cache, cache):  # without, filling, reading
        found = read(encoder, layer, kept, [3, 0, 2, 1])
        assert sorted(found) == [0, 1, 2, 3]
        for text, states in found.items():
            np.testing.assert_array_equal(states, expected[text])


def test_layers_are_kept_apart(encoder, cache):
    lower, upper = (read(encoder, layer, cache, [0])[0] for layer in (3, 6))
    assert (lower != upper).any()
    np.testing.assert_array_equal(read(encoder, 3, cache, [0])[0], lower)


def test_the_first_texts_alone_are_kept(encoder, cache, monkeypatch):
    read(encoder, 6, cache, [0, 1, 2], keep=2)
    asked = []
    encode = encoder.encode

    def noting(tokens, texts, *, layer):
        asked.extend(texts.tolist())
        return encode(tokens, texts, layer=layer)

    monkeypatch.setattr(encoder, "encode", noting)
    read(encoder, 6, cache, [0, 1, 2], keep=2)
    assert asked == [2]
