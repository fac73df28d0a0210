"""Logits on disk: what is stored is read again to the bit, and damage counts as missing."""

import sqlite3
from contextlib import closing

import numpy as np

from semscale.embedding.cross_encoder import PAIRS_FILE, PairCache, PairLogits, pair_keys

KEYS = pair_keys("a signature", ["a", "b", "c"], ["b", "c", "d"])
LOGITS = PairLogits(
    np.array([[0.1, -2, 3], [4, 5, 6], [7, 8, 9]], np.float32),
    np.array([False, True, False]),
    np.array([False, False, True]),
)


def test_what_is_stored_is_read_again(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
    with closing(PairCache(tmp_path)) as cache:
        rows, found = cache.get_many([KEYS[2], *pair_keys("s", ["x"], ["y"]), KEYS[1], KEYS[0]], 3)
    order = [{0: 2, 2: 1, 3: 0}[row] for row in rows]
    assert sorted(order) == [0, 1, 2]
    for name in ("values", "truncated", "unread"):
        np.testing.assert_array_equal(getattr(found, name), getattr(LOGITS, name)[order])


def test_logits_of_another_number_of_classes_are_missing(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
        assert cache.get_many(KEYS, 2)[0] == []


def test_a_damaged_entry_is_missing(tmp_path):
    with closing(PairCache(tmp_path)) as cache:
        cache.put_many(KEYS, LOGITS)
    with closing(sqlite3.connect(tmp_path / PAIRS_FILE)) as connection:
        slot, body = connection.execute(
            "SELECT v.slot, v.body FROM vectors v JOIN keys k ON k.slot = v.slot WHERE k.key = ?", (KEYS[1],)
        ).fetchone()
        damaged = bytes([body[0] ^ 1]) + body[1:]
        connection.execute("UPDATE vectors SET body = ? WHERE slot = ?", (damaged, slot))
        connection.commit()
    with closing(PairCache(tmp_path)) as cache:
        assert sorted(cache.get_many(KEYS, 3)[0]) == [0, 2]


def test_where_one_text_ends_and_the_other_begins_is_part_of_the_key():
    assert len(set(pair_keys("s", ["a", "ab", "1:a"], ["bc", "c", "bc"]))) == 3
