"""Work that is abandoned stops waiting for its batch."""

import threading
from contextvars import copy_context

import pytest

from semscale.serving.batching.batched_texts import BatchedTexts, joined_embeddings
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.errand import ERRAND, AbandonedError, Delivery, Errand


@pytest.fixture
def batcher(gated):
    found = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=1000, workers=1)
    yield found
    gated.let.set()
    found.close()


def in_errand(errand, work):
    def working():
        ERRAND.set(errand)
        return work()

    return copy_context().run(working)


def test_a_delivery_gives_what_the_model_gives(batcher, gated, toy_embedder):
    gated.let.set()
    found = joined_embeddings(Delivery(batcher, ["a", "b"]).wait())
    assert found.vectors.tolist() == toy_embedder.embed(["a", "b"]).vectors.tolist()


def test_nothing_is_sent_for_work_that_was_abandoned(batcher):
    errand = Errand()
    errand.abandon()
    with pytest.raises(AbandonedError):
        in_errand(errand, lambda: Delivery(batcher, ["late"]))
    assert batcher.waiting_items == 0


def test_work_that_is_abandoned_after_it_was_sent_waits_no_more(batcher, gated):
    Delivery(batcher, ["holds the model up"])
    assert gated.begun.acquire(timeout=60)
    errand = Errand()
    sent = in_errand(errand, lambda: Delivery(batcher, ["waits"]))
    threading.Thread(target=errand.abandon).start()
    with pytest.raises(AbandonedError):
        sent.wait()
    assert batcher.waiting_items == 0
