"""Instruments in threads share batches, and stop waiting when their work is abandoned."""

import threading
from contextvars import copy_context

import numpy as np
import pytest

from semscale.serving.batching.batched_embedder import BatchedEmbedder
from semscale.serving.batching.batched_texts import BatchedTexts
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.errand import ERRAND, AbandonedError, Errand


@pytest.fixture
def batched(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=1000, workers=1)
    yield BatchedEmbedder(gated, batcher)
    gated.let.set()
    batcher.close()


def test_vectors_are_those_of_the_embedder_and_equal_texts_are_sent_once(batched, gated, toy_embedder):
    gated.let.set()
    seen = []
    found = batched.embed(["a", "b", "a"], progress=lambda *one: seen.append(one))
    np.testing.assert_array_equal(found.vectors, toy_embedder.embed(["a", "b", "a"]).vectors)
    assert gated.batches == [["a", "b"]]
    assert seen == [("embedding", 2, 2)]
    assert (batched.dimensions, batched.signature) == (gated.dimensions, gated.signature)


def test_no_texts_have_no_vectors(batched):
    assert batched.embed([]).vectors.shape == (0, batched.dimensions)


def test_abandoned_work_ends_while_it_waits(batched, gated):
    errand, ended = Errand(), []

    def work():
        ERRAND.set(errand)
        try:
            batched.embed(["waits"])
        except AbandonedError as error:
            ended.append(error)

    thread = threading.Thread(target=copy_context().run, args=(work,))
    thread.start()
    assert gated.begun.acquire(timeout=60)
    errand.abandon()
    thread.join(60)
    assert len(ended) == 1
    with pytest.raises(AbandonedError):
        errand.check()
