"""Pairs that are computed once, and those that come from the cache."""

from contextlib import closing

import numpy as np
import pytest

from semscale.embedding.cross_encoder import CachedCrossEncoder, CrossEncoder, PairCache

FIRST = ["w1", "w2", "w1", "w3", "what"]
SECOND = ["w2", "w1", "w2", "w3", "w1"]


class Counting(CrossEncoder):
    """Keeps the pairs that it was asked for."""

    asked: tuple = ()

    def logits(self, first, second):
        self.asked = (*self.asked, *zip(first, second, strict=True))
        return super().logits(first, second)


@pytest.fixture
def encoder(write_classifier):
    return Counting(write_classifier("bert")[0], name="random")


@pytest.mark.parametrize("cached", [True, False])
def test_equal_pairs_are_computed_once_and_keep_their_places(cached, encoder, tmp_path):
    with closing(PairCache(tmp_path / "cache")) as cache:
        found = CachedCrossEncoder(encoder, cache if cached else None, chunk=2).logits(FIRST, SECOND)
    assert encoder.asked == (("w1", "w2"), ("w2", "w1"), ("w3", "w3"), ("what", "w1"))
    np.testing.assert_array_equal(found.values, CrossEncoder.logits(encoder, FIRST, SECOND).values)
    assert found.unread.tolist() == [False] * 4 + [True]


def test_what_was_computed_before_comes_from_the_cache_unchanged(encoder, tmp_path):
    with closing(PairCache(tmp_path / "cache")) as cache:
        before = CachedCrossEncoder(encoder, cache).logits(FIRST[:3], SECOND[:3])
        encoder.asked = ()
        again = CachedCrossEncoder(encoder, cache).logits(FIRST, SECOND)
    assert encoder.asked == (("w3", "w3"), ("what", "w1"))
    np.testing.assert_array_equal(again.values[:3], before.values)
    assert again.unread.tolist() == [False] * 4 + [True]


def test_another_model_has_entries_of_its_own(encoder, write_classifier, tmp_path):
    other = Counting(write_classifier("bert", seed=7)[0], name="random")
    with closing(PairCache(tmp_path / "cache")) as cache:
        for each in (encoder, other):
            CachedCrossEncoder(each, cache).logits(["w1"], ["w2"])
    assert encoder.asked == other.asked == (("w1", "w2"),)


def test_progress_counts_distinct_pairs(encoder):
    seen = []
    CachedCrossEncoder(encoder, None, chunk=3).logits(FIRST, SECOND, lambda *call: seen.append(call))
    assert seen == [("comparing", 0, 4), ("comparing", 3, 4), ("comparing", 4, 4)]
