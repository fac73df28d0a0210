"""Batches across requests: their order, their vectors, and what happens when the model fails."""

import queue

import numpy as np
import pytest

from semscale.errors import ModelError
from semscale.serving.batching import gathering
from semscale.serving.batching.batched_texts import BatchedTexts, joined_embeddings
from semscale.serving.batching.batcher import Batcher
from semscale.serving.refusals import RefusedRequestError


@pytest.fixture
def batcher(gated):
    found = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=100, workers=1)
    yield found
    gated.let.set()
    found.close()


def test_what_waits_is_embedded_together_and_each_gets_its_own(batcher, gated, toy_embedder):
    done = queue.Queue()
    batcher.submit(["first"], done.put)
    assert gated.begun.acquire(timeout=60)
    requests = [["red car", "blue"], ["a long sentence about cars"], ["blue"]]
    tickets = [batcher.submit(texts, done.put) for texts in requests]
    assert batcher.waiting_items == 4
    gated.let.set()
    assert {done.get(timeout=60) for _ in range(4)} >= set(tickets)
    assert gated.batches[1] == [text for texts in requests for text in texts]
    for ticket, texts in zip(tickets, requests, strict=True):
        np.testing.assert_array_equal(
            joined_embeddings(ticket.parts()).vectors, toy_embedder.embed(texts).vectors
        )


def test_what_comes_while_a_batch_is_under_way_is_gathered(gated):
    done = queue.Queue()
    batcher = Batcher(BatchedTexts(gated), batch_tokens=3, waiting_tokens=100, workers=2)
    batcher.submit(["first"], done.put)
    assert gated.begun.acquire(timeout=60)
    for text in ("good", "fine", "fair"):  # 3 tokens each; a batch of many requests has up to 4 x 3
        batcher.submit([text], done.put)
    assert not gated.begun.acquire(blocking=False)
    assert batcher.waiting_items == 3
    batcher.submit(["best"], done.put)  # a whole batch waits: the other thread takes it
    assert gated.begun.acquire(timeout=60)
    gated.let.set()
    assert all(done.get(timeout=60).error is None for _ in range(5))
    assert gated.batches == [["first"], ["good", "fine", "fair", "best"]]
    assert batcher.close()


@pytest.fixture
def patient(gated, monkeypatch):
    """A batcher that waits as long as it takes for those who were just answered."""
    monkeypatch.setattr(gathering, "LONGEST", 1e6)
    monkeypatch.setattr(gathering, "PAUSE", 1e6)
    found = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=100)
    yield found
    gated.let.set()
    found.close()


@pytest.fixture
def done(patient, gated):
    """What was answered after the first of two requests, the second of which came during its batch."""
    answered = queue.Queue()
    patient.submit(["first"], answered.put)
    assert gated.begun.acquire(timeout=60)
    patient.submit(["came meanwhile"], answered.put)
    gated.let.set()
    assert answered.get(timeout=60).items == ["first"]
    return answered


def test_the_next_batch_waits_for_those_who_were_just_answered(patient, gated, done):
    patient.submit(["first again"], done.put)
    assert [done.get(timeout=60).error for _ in range(2)] == [None, None]
    assert gated.batches == [["first"], ["came meanwhile", "first again"]]


def test_the_end_of_the_service_cuts_the_wait_short(patient, done):
    assert patient.close()
    assert done.get(timeout=60).items == ["came meanwhile"]


def test_the_rest_of_a_long_request_waits_for_nobody(patient, gated):
    gated.let.set()
    done = queue.Queue()
    patient.submit(["x" * 2000] * 3, done.put)  # 502 tokens each: two batches
    assert done.get(timeout=60).missing == 0
    assert [len(batch) for batch in gated.batches] == [2, 1]


def test_too_many_waiting_texts_are_refused_but_jobs_wait(batcher, gated):
    done = queue.Queue()
    batcher.submit(["first"], done.put)
    assert gated.begun.acquire(timeout=60)
    batcher.submit(["x" * 360], done.put)  # 2 + 360 // 4 = 92 of 100 tokens
    with pytest.raises(RefusedRequestError, match="too many texts wait") as refused:
        batcher.submit(["x" * 40], done.put)  # 12 tokens
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
    batcher.submit(["x" * 40], done.put, is_bounded=False)
    gated.let.set()
    assert all(done.get(timeout=60).error is None for _ in range(3))


def test_a_request_is_taken_by_an_empty_line_however_large_it_is(batcher, gated):
    gated.let.set()
    done = queue.Queue()
    batcher.submit(["x" * 4000], done.put)
    assert done.get(timeout=60).missing == 0


def test_dropped_texts_are_not_embedded(batcher, gated):
    done = queue.Queue()
    batcher.submit(["first"], done.put)
    assert gated.begun.acquire(timeout=60)
    gone = batcher.submit(["gone"], done.put)
    batcher.submit(["stays"], done.put)
    batcher.drop(gone)
    gated.let.set()
    assert [done.get(timeout=60).items for _ in range(2)] == [["first"], ["stays"]]
    assert gated.batches == [["first"], ["stays"]]


def test_a_failing_model_is_told_to_all_of_the_batch_and_the_next_batch_goes_on(toy_embedder):
    class Failing:
        dimensions, signature = toy_embedder.dimensions, toy_embedder.signature

        def embed(self, texts, *, progress=None):
            if "bad" in texts:
                raise ModelError("the weights are damaged")
            return toy_embedder.embed(texts)

    heard, done = [], queue.Queue()
    model = BatchedTexts(Failing(), lambda *one: heard.append(one))
    batcher = Batcher(model, batch_tokens=1, waiting_tokens=10**6, workers=1)
    failed = batcher.submit(["bad", "never taken"], done.put)
    assert done.get(timeout=60) is failed
    with pytest.raises(ModelError, match="damaged"):
        failed.parts()
    batcher.submit(["good"], done.put)
    assert done.get(timeout=60).error is None
    assert heard == [(1, None)]
    assert batcher.close()
    with pytest.raises(RefusedRequestError, match="stopped"):
        batcher.submit(["late"], done.put)


def test_vectors_of_the_real_model_do_not_depend_on_the_batch(engine):
    texts = ["short", "a text of some more words", "short too", "x " * 400, "one more of a few words"]
    alone = [engine.embed([text]) for text in texts]
    done = queue.Queue()
    batcher = Batcher(BatchedTexts(engine), batch_tokens=2000, waiting_tokens=10**6, workers=2)
    tickets = [batcher.submit([text, f"{text} and others"], done.put) for text in texts]
    for _ in texts:
        done.get(timeout=60)
    batcher.close()
    for ticket, one in zip(tickets, alone, strict=True):
        found = joined_embeddings(ticket.parts())
        np.testing.assert_array_equal(found.vectors[0], one.vectors[0])
        assert (found.windows[0], found.tokens[0]) == (one.windows[0], one.tokens[0])
