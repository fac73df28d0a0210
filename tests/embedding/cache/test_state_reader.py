"""States from the disk and from the model are the same, and only what is to be kept is written."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from semscale.embedding.cache import StateCache, StateReader, rounded
from semscale.embedding.loading import load_token_encoder

TEXTS = ["It is safe.", "Not at all, and nobody knows why.", "", "word " * 700]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


@pytest.fixture
def cache(tmp_path):
    cache = StateCache(tmp_path)
    yield cache
    cache.close()


def read(encoder, layer, cache, wanted, keep=None):
    reader = StateReader(encoder, layer, cache)
    return dict(reader.read(encoder.reader.read(TEXTS), TEXTS, np.array(wanted), keep=keep))


@pytest.mark.exhaustive
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
    encode = encoder.encode_groups

    def noting(tokens, groups, *, layer):
        groups = list(groups)
        asked.extend(text for group in groups for text in group.tolist())
        return encode(tokens, groups, layer=layer)

    monkeypatch.setattr(encoder, "encode_groups", noting)
    read(encoder, 6, cache, [0, 1, 2], keep=2)
    assert asked == [2]


def test_groups_come_one_after_the_other(encoder, cache):
    tokens = encoder.reader.read(TEXTS)
    expected = [rounded(each.states) for each in encoder.token_states(TEXTS, layer=6)]
    read(encoder, 6, cache, [1, 3])
    groups = [np.array(group, np.int64) for group in ([3, 0], [], [1], [2, 0, 1])]
    found = list(StateReader(encoder, 6, cache).read_groups(tokens, TEXTS, groups))
    texts = [text for text, _ in found]
    assert [sorted(texts[:2]), texts[2:3], sorted(texts[3:])] == [[0, 3], [1], [0, 1, 2]]
    for text, states in found:
        np.testing.assert_array_equal(states, expected[text])


def test_damaged_states_are_read_again_and_kept(encoder, cache, tmp_path):
    expected = read(encoder, 6, cache, [0, 1])
    cache.close()
    with closing(sqlite3.connect(tmp_path / "states.sqlite")) as file, file:
        file.execute("UPDATE vectors SET body = zeroblob(length(body)) WHERE slot = 1")
    for _ in range(2):  # the second time from the disk again
        found = read(encoder, 6, cache, [0, 1])
        assert sorted(found) == [0, 1]
        for text, states in found.items():
            np.testing.assert_array_equal(states, expected[text])
    cache.close()
    with closing(sqlite3.connect(tmp_path / "states.sqlite")) as file:
        assert not file.execute(
            "SELECT count(*) FROM vectors WHERE body = zeroblob(length(body))"
        ).fetchone()[0]
