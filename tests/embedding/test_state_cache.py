"""States of tokens on disk and from the model: equal, bounded, and damage counts as missing."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from semscale.embedding.cache import StateCache, StateReader, cache_keys, round_states
from semscale.embedding.loading import load_token_encoder

KEYS = cache_keys("signature", ["one", "two", "three"])


@pytest.fixture
def cache(tmp_path):
    cache = StateCache(tmp_path)
    yield cache
    cache.close()


def states(*shape):
    return np.random.default_rng(0).integers(-32767, 32768, shape).astype(np.int16)


def test_states_come_back_after_reopening(cache, tmp_path):
    first, two = states(3, 8), states(5, 8)
    cache.put_many(KEYS[:2], [first, two])
    cache.close()
    again = StateCache(tmp_path)
    result = again.get_many(KEYS, 8)
    again.close()
    assert sorted(result) == [0, 1]
    np.testing.assert_array_equal(result[0], first)
    np.testing.assert_array_equal(result[1], two)


def test_a_text_without_tokens(cache):
    cache.put_many(KEYS[:1], [states(0, 8)])
    assert cache.get_many(KEYS[:1], 8)[0].shape == (0, 8)


def test_another_width_is_a_miss(cache):
    cache.put_many(KEYS[:1], [states(3, 8)])
    assert cache.get_many(KEYS[:1], 7) == {}


@pytest.mark.parametrize("body", [b"", b"abc", bytes(3 * 8 * 2 + 4)])
def test_a_damaged_entry_is_a_miss(cache, tmp_path, body):
    cache.put_many(KEYS[:2], [states(3, 8), states(3, 8)])
    cache.close()
    connection = sqlite3.connect(tmp_path / "states.sqlite")
    connection.execute("UPDATE vectors SET body = ? WHERE slot = 1", (body,))
    connection.commit()
    connection.close()
    assert list(cache.get_many(KEYS[:2], 8)) == [1]


def test_an_entry_under_another_key_is_a_miss(cache, tmp_path):
    cache.put_many(KEYS[:2], [states(3, 8), states(4, 8)])
    cache.close()
    connection = sqlite3.connect(tmp_path / "states.sqlite")
    connection.execute("UPDATE keys SET slot = 3 - slot")
    connection.commit()
    connection.close()
    assert cache.get_many(KEYS[:2], 8) == {}


def test_size_stays_bounded(tmp_path):
    cache = StateCache(tmp_path, max_bytes=1_000_000)
    keys = cache_keys("signature", [str(number) for number in range(40)])
    for key in keys:
        cache.put_many([key], [states(100, 384)])  # 76,800 bytes each, three times as much in all
    result = cache.get_many(keys, 384)
    cache.close()
    assert 5 < len(result) < 13
    assert 39 in result
    assert 0 not in result


@given(arrays.arrays(np.float32, (2, 3), elements=st.floats(-100, 100, width=32)))
def test_rounding_errs_by_half_a_step_at_most(exact):
    largest = np.abs(exact).max()
    whole = round_states(exact)
    assert whole.dtype == np.int16
    if largest > 1e-30:
        step = np.float64(largest) / 32767
        # A division and a product in float32 err by 2**-24 each, of at most 32,767 steps: .0039 in all.
        assert np.abs(whole * step - exact).max() <= 0.504 * step


def test_no_states_and_states_of_zeros():
    assert round_states(np.empty((0, 4), np.float32)).shape == (0, 4)
    assert not round_states(np.zeros((2, 4), np.float32)).any()


TEXTS = ["It is safe.", "Not at all, and nobody knows why.", "", "word " * 700]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


def read(encoder, layer, cache, wanted, keep=None):
    reader = StateReader(encoder, layer, cache)
    return dict(reader.read(encoder.reader.read(TEXTS), TEXTS, np.array(wanted), keep=keep))


@pytest.mark.exhaustive
@pytest.mark.parametrize("layer", [3, 6])
def test_states_are_the_encoders_rounded(encoder, cache, layer):
    expected = [round_states(encoded.states) for encoded in encoder.token_states(TEXTS, layer=layer)]
    for store in (None, cache, cache):  # without, filling, reading
        result = read(encoder, layer, store, [3, 0, 2, 1])
        assert sorted(result) == [0, 1, 2, 3]
        for text, states in result.items():
            np.testing.assert_array_equal(states, expected[text])


def test_layers_are_cached_separately(encoder, cache):
    lower, upper = (read(encoder, layer, cache, [0])[0] for layer in (3, 6))
    assert (lower != upper).any()
    np.testing.assert_array_equal(read(encoder, 3, cache, [0])[0], lower)


def test_state_cache_stores_only_the_first_texts(encoder, cache, monkeypatch):
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


def test_groups_are_read_in_sequence(encoder, cache):
    tokens = encoder.reader.read(TEXTS)
    expected = [round_states(encoded.states) for encoded in encoder.token_states(TEXTS, layer=6)]
    read(encoder, 6, cache, [1, 3])
    groups = [np.array(group, np.int64) for group in ([3, 0], [], [1], [2, 0, 1])]
    result = list(StateReader(encoder, 6, cache).read_groups(tokens, TEXTS, groups))
    texts = [text for text, _ in result]
    assert [sorted(texts[:2]), texts[2:3], sorted(texts[3:])] == [[0, 3], [1], [0, 1, 2]]
    for text, states in result:
        np.testing.assert_array_equal(states, expected[text])


def test_damaged_states_are_recomputed_and_cached_again(encoder, cache, tmp_path):
    expected = read(encoder, 6, cache, [0, 1])
    cache.close()
    with closing(sqlite3.connect(tmp_path / "states.sqlite")) as file, file:
        file.execute("UPDATE vectors SET body = zeroblob(length(body)) WHERE slot = 1")
    for _ in range(2):  # the second time from the disk again
        result = read(encoder, 6, cache, [0, 1])
        assert sorted(result) == [0, 1]
        for text, states in result.items():
            np.testing.assert_array_equal(states, expected[text])
    cache.close()
    with closing(sqlite3.connect(tmp_path / "states.sqlite")) as file:
        assert not file.execute(
            "SELECT count(*) FROM vectors WHERE body = zeroblob(length(body))"
        ).fetchone()[0]
