"""The cache of scores of pairs: what comes back, and what a damaged entry is worth."""

import sqlite3

import pytest

from semscale.drift.metrics import PairScores
from semscale.drift.scoring import SCORES_FILE, ScoreCache
from semscale.embedding.cross_encoder import pair_keys
from semscale.guards.findings import Finding, Span

FINDING = Finding("number", "other-value", "5 mg beside 50 mg", Span(3, 7, "5 mg"), None)
SCORES = PairScores({"match": 0.1 + 0.2, "cosine": float("nan")}, (FINDING,), unread=True, guarded=False)
KEYS = pair_keys("a meter", ["a", "b"], ["c", "d"])


@pytest.fixture
def cache(tmp_path):
    cache = ScoreCache(tmp_path)
    yield cache
    cache.close()


def test_what_was_stored_comes_back_to_the_last_bit(cache):
    cache.put_many(KEYS[:1], [SCORES])
    found = cache.get_many(KEYS)
    assert list(found) == [0]
    assert found[0].scores["match"] == 0.30000000000000004
    assert found[0].scores["cosine"] != found[0].scores["cosine"]
    assert (found[0].findings, found[0].unread, found[0].guarded) == ((FINDING,), True, False)


def test_a_damaged_entry_counts_as_missing(cache, tmp_path):
    cache.put_many(KEYS, [SCORES, SCORES])
    cache.close()
    with sqlite3.connect(tmp_path / SCORES_FILE) as file:
        file.execute("UPDATE vectors SET body = replace(body, '0.3', '0.4') WHERE slot = 1")
    file.close()
    assert list(cache.get_many(KEYS)) == [1]
