"""Rows of token ids share batches, and their states are those of the engine."""

import threading
import time
from contextvars import copy_context

import numpy as np
import pytest

from semscale.embedding.tokens.token_states import TokenEncoder
from semscale.serving.batching.batched_states import BatchedRows, BatchedStates
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.errand import ERRAND, AbandonedError, Delivery, Errand

TEXTS = ["short", "a text of some more words", "x " * 400, "one more of a few words"]


class Heeded:
    """An engine that waits until it is let, and notes how many rows each batch has."""

    def __init__(self, engine) -> None:
        self._engine = engine
        self.let, self.begun = threading.Event(), threading.Semaphore(0)
        self.rows: list[int] = []

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def run_layer(self, groups, *, layer):
        ((whose, rows),) = groups
        self.rows.append(len(rows))
        self.begun.release()
        assert self.let.wait(60)
        yield from self._engine.run_layer([(whose, rows)], layer=layer)


@pytest.fixture
def heeded(engine):
    return Heeded(engine)


@pytest.fixture
def batcher(heeded):
    found = Batcher(BatchedRows(heeded), batch_tokens=10_000, waiting_tokens=10, workers=1)
    yield found
    heeded.let.set()
    found.close()


@pytest.mark.parametrize("together", [1, 40, 10_000])
def test_states_are_those_of_the_engine(heeded, batcher, engine, together):
    heeded.let.set()
    found = TokenEncoder(BatchedStates(heeded, batcher, together)).token_states(TEXTS, layer=engine.layers)
    expected = TokenEncoder(engine).token_states(TEXTS, layer=engine.layers)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.states, other.states)
    # x is read in one window of the 512 tokens that the model takes, so each text is a row.
    assert sum(heeded.rows) == len(TEXTS)


def test_other_layers_come_from_the_engine(heeded, batcher, engine):
    heeded.let.set()
    encoder = TokenEncoder(BatchedStates(heeded, batcher, 100))
    found = encoder.token_states(["good"], layer=1)[0].states
    np.testing.assert_array_equal(found, TokenEncoder(engine).token_states(["good"], layer=1)[0].states)


def begin(work, *args):
    thread = threading.Thread(target=work, args=args)
    thread.start()
    return thread


def wait_until_waiting(batcher, n):
    until = time.monotonic() + 60
    while batcher.waiting_items != n:
        assert time.monotonic() < until
        threading.Event().wait(0.01)


def test_rows_of_several_requests_are_read_together(heeded, batcher, engine):
    states = BatchedStates(heeded, batcher, 100)
    found = {}

    def ask(text):
        found[text] = TokenEncoder(states).token_states([text], layer=engine.layers)

    threads = [begin(ask, "first")]
    assert heeded.begun.acquire(timeout=60)
    threads += [begin(ask, text) for text in ("second one", "third one")]
    wait_until_waiting(batcher, 2)
    heeded.let.set()
    for thread in threads:
        thread.join(60)
    assert heeded.rows == [1, 2]
    expected = TokenEncoder(engine).token_states(["third one"], layer=engine.layers)
    np.testing.assert_array_equal(found["third one"][0].states, expected[0].states)


def test_rows_of_abandoned_work_leave_the_line(heeded, batcher, engine):
    states, errand, ended = BatchedStates(heeded, batcher, 1), Errand(), []
    rows = [np.array([101, 2204, 102], np.int32)] * 3

    def read():
        ERRAND.set(errand)
        try:
            list(states.run_layer([(None, rows)], layer=engine.layers))
        except AbandonedError as error:
            ended.append(error)

    Delivery(batcher, [np.array([101, 102], np.int32)])
    assert heeded.begun.acquire(timeout=60)
    reading = begin(copy_context().run, read)
    wait_until_waiting(batcher, 2)  # two are sent ahead
    errand.abandon()
    reading.join(60)
    assert len(ended) == 1
    assert batcher.waiting_items == 0
