"""States on disk: what comes back is what was put in, and what is damaged is not there."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from semscale.embedding.cache import StateCache, cache_keys, rounded

KEYS = cache_keys("signature", ["one", "two", "three"])


@pytest.fixture
def cache(tmp_path):
    cache = StateCache(tmp_path)
    yield cache
    cache.close()


def states(*shape):
    return np.random.default_rng(0).integers(-32767, 32768, shape).astype(np.int16)


def test_states_come_back_after_reopening(cache, tmp_path):
    one, two = states(3, 8), states(5, 8)
    cache.put_many(KEYS[:2], [one, two])
    cache.close()
    again = StateCache(tmp_path)
    found = again.get_many(KEYS, 8)
    again.close()
    assert sorted(found) == [0, 1]
    np.testing.assert_array_equal(found[0], one)
    np.testing.assert_array_equal(found[1], two)


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
    found = cache.get_many(keys, 384)
    cache.close()
    assert 5 < len(found) < 13
    assert 39 in found
    assert 0 not in found


@given(arrays.arrays(np.float32, (2, 3), elements=st.floats(-100, 100, width=32)))
def test_rounding_errs_by_half_a_step_at_most(exact):
    largest = np.abs(exact).max()
    whole = rounded(exact)
    assert whole.dtype == np.int16
    if largest > 1e-30:
        step = np.float64(largest) / 32767
        # A division and a product in float32 err by 2**-24 each, of at most 32,767 steps: .0039 in all.
        assert np.abs(whole * step - exact).max() <= 0.504 * step


def test_no_states_and_states_of_zeros():
    assert rounded(np.empty((0, 4), np.float32)).shape == (0, 4)
    assert not rounded(np.zeros((2, 4), np.float32)).any()
