"""Keys and bytes of cached embeddings: every damage is noticed."""

import hashlib
import zlib
from dataclasses import replace

import numpy as np
import pytest
from cache_entries import embeddings, keys
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.cache import cache_keys, decode, encode


def test_embeddings_come_back_bit_for_bit():
    names, given_ = keys("a", "b"), embeddings(2)
    sound, found = decode(names, encode(names, given_), 4)
    assert sound.tolist() == [True, True]
    assert found.vectors.tobytes() == given_.vectors.tobytes()
    assert found.windows.tolist() == [1, 2]


def test_shares_of_unknown_tokens_come_back_and_stay_unknown_where_nobody_said():
    names, without = keys("a", "b"), embeddings(2)
    told = replace(without, unknown=np.array([0.25, 1.0], np.float32))
    assert decode(names, encode(names, told), 4)[1].unknown.tolist() == [0.25, 1.0]
    assert np.isnan(decode(names, encode(names, without), 4)[1].unknown).all()


def test_an_entry_from_before_shares_were_kept_counts_as_missing():
    # Until then: four bytes of windows, the vector, and the checksum of key and both.
    (name,) = keys("a")
    body = np.array([1], "<u4").tobytes() + np.ones(4, "<f4").tobytes()
    old = body + zlib.crc32(body, zlib.crc32(name)).to_bytes(4, "little")
    assert decode([name], [old], 4)[0].tolist() == [False]


@given(st.integers(0, 27), st.integers(1, 255))
def test_every_changed_byte_is_noticed(at, change):
    names = keys("a")
    (body,) = encode(names, embeddings(1))
    damaged = bytearray(body)
    damaged[at] ^= change
    assert len(body) == 28  # four bytes each: windows, share of unknown tokens, four numbers, checksum
    assert decode(names, [bytes(damaged)], 4)[0].tolist() == [False]


def test_an_entry_under_another_key_or_of_another_width_is_left_out():
    names = keys("a", "b")
    bodies = encode(names, embeddings(2))
    sound, found = decode(names, [bodies[1], bodies[1]], 4)
    assert sound.tolist() == [False, True]
    assert found.vectors.tolist() == [embeddings(2).vectors[1].tolist()]
    assert decode(names, bodies, 3)[0].tolist() == [False, False]
    assert decode(names, [b"", bodies[1][:-1]], 4)[0].tolist() == [False, False]


def test_no_entries():
    sound, found = decode([], [], 4)
    assert (sound.shape, found.vectors.shape, found.windows.shape) == ((0,), (0, 4), (0,))


@pytest.mark.parametrize(
    ("one", "other"), [(("s", "a"), ("s", "b")), (("s", "a"), ("t", "a")), (("s", "ta"), ("st", "a"))]
)
def test_keys_differ_by_signature_and_text(one, other):
    first, second = (cache_keys(signature, [text])[0] for signature, text in (one, other))
    assert first != second
    assert len(first) == hashlib.blake2b(digest_size=16).digest_size


def test_half_a_surrogate_pair_has_a_key():
    assert len(set(cache_keys("s", ["\ud83d", "\ufffd"]))) == 2


def test_vectors_are_little_endian():
    # 1.0 in single precision is 3f800000 in hexadecimal.
    (body,) = encode(keys("a"), embeddings(1, width=1, start=1))
    assert body[8:12] == bytes.fromhex("0000803f")
    assert body[:4] == np.array([1], "<u4").tobytes()
