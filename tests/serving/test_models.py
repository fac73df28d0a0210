"""Embedders and states of tokens whose texts share batches."""

import threading
import time
from contextvars import copy_context

import numpy as np
import pytest

pytest.importorskip("starlette", reason='starlette is not installed: pip install "semscale[serve]"')

from semscale.embedding.embedder import Embeddings
from semscale.embedding.token_states import TokenEncoder
from semscale.serving.batching import CURRENT_TASK, AbandonedError, Batcher, Delivery, Task
from semscale.serving.models import (
    BatchedEmbedder,
    BatchedRows,
    BatchedStates,
    BatchedTexts,
    joined_embeddings,
)


def embeddings(*numbers, tokens=True):
    vectors = np.array([[number] for number in numbers], np.float32)
    ones = np.ones(len(numbers), np.int64)
    return Embeddings(vectors, ones, None, 2 * ones if tokens else None)


class Lengths:
    """Embeds a text as its length."""

    def embed(self, texts):
        return embeddings(*map(len, texts))


def test_each_request_gets_its_own_vectors_and_the_batch_is_counted():
    heard = []
    model = BatchedTexts(Lengths(), lambda *one: heard.append(one))
    first, second = model.run(["a", "bb", "ccc"], [1, 2])
    assert first.vectors[:, 0].tolist() == [1]
    assert second.vectors[:, 0].tolist() == [2, 3]
    assert heard == [(3, 6)]  # two tokens a text


def test_tokens_are_estimated_by_bytes():
    model = BatchedTexts(Lengths())
    assert model.size("good") == 2 + 4 // 4
    assert model.size("äöü!") == 2 + 7 // 4
    assert model.size("") == 2


def test_vectors_of_a_request_are_joined():
    result = joined_embeddings([embeddings(1, 2), embeddings(3)])
    assert result.vectors[:, 0].tolist() == [1, 2, 3]
    assert result.tokens.tolist() == [2, 2, 2]
    assert result.unknown is None


def test_tokens_that_a_part_does_not_state_are_missing():
    assert joined_embeddings([embeddings(1), embeddings(2, tokens=False)]).tokens is None


@pytest.fixture
def batched(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, waiting_tokens=1000, workers=1)
    yield BatchedEmbedder(gated, batcher)
    gated.let.set()
    batcher.close()


def test_vectors_are_those_of_the_embedder_and_equal_texts_are_sent_once(batched, gated, toy_embedder):
    gated.let.set()
    seen = []
    result = batched.embed(["a", "b", "a"], progress=lambda *one: seen.append(one))
    np.testing.assert_array_equal(result.vectors, toy_embedder.embed(["a", "b", "a"]).vectors)
    assert gated.batches == [["a", "b"]]
    assert seen == [("embedding", 2, 2)]
    assert (batched.dimensions, batched.signature) == (gated.dimensions, gated.signature)


def test_no_texts_have_no_vectors(batched):
    assert batched.embed([]).vectors.shape == (0, batched.dimensions)


def test_abandoned_work_ends_while_it_waits(batched, gated):
    task, ended = Task(), []

    def work():
        CURRENT_TASK.set(task)
        try:
            batched.embed(["waits"])
        except AbandonedError as error:
            ended.append(error)

    thread = threading.Thread(target=copy_context().run, args=(work,))
    thread.start()
    assert gated.begun.acquire(timeout=60)
    task.abandon()
    thread.join(60)
    assert len(ended) == 1
    with pytest.raises(AbandonedError):
        task.check()


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
    result = Batcher(BatchedRows(heeded), batch_tokens=10_000, waiting_tokens=10, workers=1)
    yield result
    heeded.let.set()
    result.close()


@pytest.mark.parametrize("together", [1, 40, 10_000])
def test_states_are_those_of_the_engine(heeded, batcher, engine, together):
    heeded.let.set()
    result = TokenEncoder(BatchedStates(heeded, batcher, together)).token_states(TEXTS, layer=engine.layers)
    expected = TokenEncoder(engine).token_states(TEXTS, layer=engine.layers)
    for item, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(item.states, other.states)
    # x is read in one window of the 512 tokens that the model takes, so each text is a row.
    assert sum(heeded.rows) == len(TEXTS)


def test_other_layers_come_from_the_engine(heeded, batcher, engine):
    heeded.let.set()
    encoder = TokenEncoder(BatchedStates(heeded, batcher, 100))
    result = encoder.token_states(["good"], layer=1)[0].states
    np.testing.assert_array_equal(result, TokenEncoder(engine).token_states(["good"], layer=1)[0].states)


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
    result = {}

    def ask(text):
        result[text] = TokenEncoder(states).token_states([text], layer=engine.layers)

    threads = [begin(ask, "first")]
    assert heeded.begun.acquire(timeout=60)
    threads += [begin(ask, text) for text in ("second one", "third one")]
    wait_until_waiting(batcher, 2)
    heeded.let.set()
    for thread in threads:
        thread.join(60)
    assert heeded.rows == [1, 2]
    expected = TokenEncoder(engine).token_states(["third one"], layer=engine.layers)
    np.testing.assert_array_equal(result["third one"][0].states, expected[0].states)


def test_rows_of_abandoned_work_leave_the_line(heeded, batcher, engine):
    states, task, ended = BatchedStates(heeded, batcher, 1), Task(), []
    rows = [np.array([101, 2204, 102], np.int32)] * 3

    def read():
        CURRENT_TASK.set(task)
        try:
            list(states.run_layer([(None, rows)], layer=engine.layers))
        except AbandonedError as error:
            ended.append(error)

    Delivery(batcher, [np.array([101, 102], np.int32)])
    assert heeded.begun.acquire(timeout=60)
    reading = begin(copy_context().run, read)
    wait_until_waiting(batcher, 2)  # two are sent ahead
    task.abandon()
    reading.join(60)
    assert len(ended) == 1
    assert batcher.waiting_items == 0
