"""Texts wait in the order of their turns, and each ticket gets a slice in its turn."""

import numpy as np
import pytest

from semscale.embedding.embedder import Embeddings
from semscale.serving.batching import waiting_texts
from semscale.serving.batching.waiting_texts import Ticket, WaitingTexts


def ticket(*texts):
    return Ticket(list(texts), lambda _: None)


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(waiting_texts, "SLICE_TOKENS", 6)


# "good" is 4 bytes: 2 + 4 // 4 = 3 tokens, so a slice of 6 tokens has two such texts.
def test_a_large_ticket_does_not_hold_up_a_small_one(small_slices):
    waiting = WaitingTexts()
    large, small = ticket(*["good"] * 10), ticket("fine")
    waiting.add(large)
    waiting.add(small)
    first = waiting.take(9)
    assert [(share.ticket, share.start, share.stop) for share in first] == [(large, 0, 2), (small, 0, 1)]
    assert len(waiting) == 1
    assert waiting.tokens == 8 * 3


def test_slices_of_one_ticket_in_a_batch_are_one_share(small_slices):
    waiting = WaitingTexts()
    waiting.add(ticket(*["good"] * 5))
    assert [(share.start, share.stop) for share in waiting.take(1000)] == [(0, 5)]
    assert waiting.take(1000) == []


def test_a_text_above_the_budget_is_a_batch_of_its_own():
    waiting = WaitingTexts()
    waiting.add(ticket("word " * 400, "good"))
    assert [share.stop for share in waiting.take(10)] == [1]
    assert [(share.start, share.stop) for share in waiting.take(10)] == [(1, 2)]


def test_a_dropped_ticket_leaves_the_line():
    waiting = WaitingTexts()
    gone, other = ticket("good", "good"), ticket("fine")
    waiting.add(gone)
    waiting.add(other)
    waiting.drop(gone)
    assert (waiting.tokens, waiting.n_texts) == (3, 1)
    assert [share.ticket for share in waiting.take(100)] == [other]
    waiting.drop(other)  # it was taken: nothing of it waits
    assert waiting.tokens == 0


def embeddings(*numbers, tokens=True):
    vectors = np.array([[number] for number in numbers], np.float32)
    ones = np.ones(len(numbers), np.int64)
    return Embeddings(vectors, ones, None, 2 * ones if tokens else None)


def test_vectors_are_in_the_order_of_the_texts():
    both = ticket("a", "b", "c")
    both.put(2, embeddings(3))
    both.put(0, embeddings(1, 2))
    assert both.missing == 0
    found = both.embeddings()
    assert found.vectors[:, 0].tolist() == [1, 2, 3]
    assert found.tokens.tolist() == [2, 2, 2]
    assert found.unknown is None


def test_tokens_that_a_part_does_not_state_are_missing():
    both = ticket("a", "b")
    both.put(0, embeddings(1))
    both.put(1, embeddings(2, tokens=False))
    assert both.embeddings().tokens is None
