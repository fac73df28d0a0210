"""Batches across requests, their turns, and tasks that wait for them."""

import queue
import threading
from contextvars import copy_context

import numpy as np
import pytest

pytest.importorskip("starlette", reason='starlette is not installed: pip install "semscale[serve]"')

from semscale.errors import ModelError
from semscale.serving import batching
from semscale.serving.batching import (
    CURRENT_TASK,
    AbandonedError,
    Batcher,
    Delivery,
    Gathering,
    Task,
    Ticket,
    TicketQueue,
)
from semscale.serving.models import BatchedTexts, joined_embeddings
from semscale.serving.requests import RefusedRequestError


@pytest.fixture
def batcher(gated):
    result = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=100, workers=1)
    yield result
    gated.let.set()
    result.close()


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
    monkeypatch.setattr(batching, "LONGEST", 1e6)
    monkeypatch.setattr(batching, "PAUSE", 1e6)
    result = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=100)
    yield result
    gated.let.set()
    result.close()


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
    for ticket, item in zip(tickets, alone, strict=True):
        result = joined_embeddings(ticket.parts())
        np.testing.assert_array_equal(result.vectors[0], item.vectors[0])
        assert (result.windows[0], result.tokens[0]) == (item.windows[0], item.tokens[0])


def test_nobody_is_waited_for_before_the_first_answer():
    gathering = Gathering()
    gathering.asked(now=5.0)
    assert gathering.left(now=5.0) == 0.0


def test_the_wait_ends_at_a_share_of_the_last_batch_even_while_requests_come():
    gathering = Gathering()
    gathering.answered(100, seconds=100.0, now=0.0)  # at most 3 s in all, and 2 s without a request
    for now in (0.75, 1.5, 2.25):
        gathering.asked(now)
        assert gathering.left(now) > 0
    assert gathering.left(2.5) == 0.5
    assert gathering.left(3.0) == 0.0


def test_the_wait_ends_when_no_request_comes():
    gathering = Gathering()
    gathering.answered(100, seconds=100.0, now=0.0)
    assert gathering.left(0.5) == 1.5
    gathering.asked(0.5)
    assert gathering.left(2.0) == 0.5
    assert gathering.left(2.5) == 0.0


def test_the_wait_ends_once_as_many_have_asked_as_were_answered():
    gathering = Gathering()
    gathering.answered(2, seconds=100.0, now=0.0)
    gathering.asked(0.25)
    assert gathering.left(0.25) == 2.0
    gathering.asked(0.25)
    assert gathering.left(0.25) == 0.0


def ticket(*sizes):
    """A ticket whose items are their own sizes in tokens."""
    return Ticket(list(sizes), list(sizes), lambda _: None)


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(batching, "SLICE_TOKENS", 6)


# A slice of 6 tokens has two items of 3.
def test_a_large_ticket_does_not_hold_up_a_small_one(small_slices):
    waiting = TicketQueue()
    large, small = ticket(*[3] * 10), ticket(3)
    waiting.add(large)
    waiting.add(small)
    first = waiting.take(9)
    assert [(share.ticket, share.start, share.stop) for share in first] == [(large, 0, 2), (small, 0, 1)]
    assert [list(share.items) for share in first] == [[3, 3], [3]]
    assert len(waiting) == 1
    assert waiting.tokens == 8 * 3


def test_many_small_tickets_have_a_slice_each_where_a_large_one_keeps_to_the_budget(small_slices):
    waiting = TicketQueue()
    large, *small = every = [ticket(*[3] * 10), *(ticket(3, 3, 3) for _ in range(4))]
    for entry in every:
        waiting.add(entry)
    # Budget 9, at most 27: 6 tokens of each of the first four are 24, and 3 of the fifth; no second turns.
    first = waiting.take(9, 27)
    assert [(share.ticket, share.stop) for share in first] == [
        *((entry, 2) for entry in every[:4]),
        (small[3], 1),
    ]
    # The turns go on with the large one: 6 + 3 + 3 + 3 + 6 tokens, and no second turn above the budget.
    second = waiting.take(9, 27)
    assert [(share.ticket, share.start, share.stop) for share in second] == [
        (large, 2, 4),
        *((entry, 2, 3) for entry in small[:3]),
        (small[3], 1, 3),
    ]
    # Now the large one is alone: a slice of 6 tokens, and 3 of the next one, up to the budget.
    assert [(share.start, share.stop) for share in waiting.take(9, 27)] == [(4, 7)]


def test_slices_of_one_ticket_in_a_batch_are_one_share(small_slices):
    waiting = TicketQueue()
    waiting.add(ticket(*[3] * 5))
    assert [(share.start, share.stop) for share in waiting.take(1000)] == [(0, 5)]
    assert waiting.take(1000) == []


def test_an_item_above_the_budget_is_a_batch_of_its_own():
    waiting = TicketQueue()
    waiting.add(ticket(500, 3))
    assert [share.stop for share in waiting.take(10)] == [1]
    assert [(share.start, share.stop) for share in waiting.take(10)] == [(1, 2)]


def test_a_dropped_ticket_leaves_the_line():
    waiting = TicketQueue()
    gone, other = ticket(3, 3), ticket(3)
    waiting.add(gone)
    waiting.add(other)
    waiting.drop(gone)
    assert (waiting.tokens, waiting.n_items) == (3, 1)
    assert [share.ticket for share in waiting.take(100)] == [other]
    waiting.drop(other)  # it was taken: nothing of it waits
    assert waiting.tokens == 0


def test_results_are_in_the_order_of_the_items():
    all_three = ticket(1, 1, 1)
    all_three.put(2, 1, "third")
    assert all_three.missing == 2
    all_three.put(0, 2, "first and second")
    assert (all_three.missing, all_three.parts()) == (0, ["first and second", "third"])


def test_the_error_of_the_model_is_raised_where_results_are_asked_for():
    failed = ticket(1)
    failed.error = ModelError("the weights are damaged")
    with pytest.raises(ModelError, match="damaged"):
        failed.parts()


@pytest.fixture
def large_batcher(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=1000, workers=1)
    yield batcher
    gated.let.set()
    batcher.close()


def in_task(task, work):
    def working():
        CURRENT_TASK.set(task)
        return work()

    return copy_context().run(working)


def test_a_delivery_gives_what_the_model_gives(large_batcher, gated, toy_embedder):
    gated.let.set()
    embeddings = joined_embeddings(Delivery(large_batcher, ["a", "b"]).wait())
    assert embeddings.vectors.tolist() == toy_embedder.embed(["a", "b"]).vectors.tolist()


def test_nothing_is_sent_for_work_that_was_abandoned(large_batcher):
    task = Task()
    task.abandon()
    with pytest.raises(AbandonedError):
        in_task(task, lambda: Delivery(large_batcher, ["late"]))
    assert large_batcher.waiting_items == 0


def test_work_that_is_abandoned_after_it_was_sent_waits_no_more(large_batcher, gated):
    Delivery(large_batcher, ["holds the model up"])
    assert gated.begun.acquire(timeout=60)
    task = Task()
    sent = in_task(task, lambda: Delivery(large_batcher, ["waits"]))
    threading.Thread(target=task.abandon).start()
    with pytest.raises(AbandonedError):
        sent.wait()
    assert large_batcher.waiting_items == 0
