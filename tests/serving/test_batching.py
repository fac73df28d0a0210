"""Batches across requests, their turns, and the work that waits for them; vectors and states in batches."""

import threading
from concurrent.futures import CancelledError, wait

import numpy as np
import pytest
from tests.support.services import until

pytest.importorskip(
    "prometheus_client", reason='prometheus_client is not installed: pip install "semscale[serve]"'
)

from semscale.embedding.embedder import Embeddings
from semscale.embedding.token_states import TokenEncoder
from semscale.errors import ModelError
from semscale.serving import batching
from semscale.serving.background import Task, in_task
from semscale.serving.batching import (
    Batcher,
    Gathering,
    Ticket,
    TicketQueue,
    check_wanted,
)
from semscale.serving.models import (
    BatchedEmbedder,
    BatchedRows,
    BatchedStates,
    BatchedTexts,
    join_embeddings,
)
from semscale.serving.refusals import RefusedRequestError


def vectors_of(future):
    return join_embeddings(future.result(60)).vectors


@pytest.fixture
def batcher(gated):
    result = Batcher(BatchedTexts(gated), batch_tokens=1000, workers=1)
    yield result
    gated.let.set()
    result.close()


def test_waiting_texts_are_embedded_together_and_returned_per_request(batcher, gated, toy_embedder):
    first = batcher.submit(["first"])
    assert gated.begun.acquire(timeout=60)
    requests = [["red car", "blue"], ["a long sentence about cars"], ["blue"]]
    futures = [batcher.submit(texts) for texts in requests]
    assert batcher.waiting_items == 4
    gated.let.set()
    for future, texts in zip([first, *futures], [["first"], *requests], strict=True):
        np.testing.assert_array_equal(vectors_of(future), toy_embedder.embed(texts).vectors)
    assert gated.batches[1] == [text for texts in requests for text in texts]


def test_requests_that_come_during_a_batch_are_gathered(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=3, workers=2)
    futures = [batcher.submit(["first"])]
    assert gated.begun.acquire(timeout=60)
    # 3 tokens each; a batch of many requests has up to 4 x 3
    futures += [batcher.submit([text]) for text in ("good", "fine", "fair")]
    assert not gated.begun.acquire(blocking=False)
    assert batcher.waiting_items == 3
    futures.append(batcher.submit(["best"]))  # a whole batch waits: the other thread takes it
    assert gated.begun.acquire(timeout=60)
    gated.let.set()
    assert all(len(vectors_of(future)) == 1 for future in futures)
    assert gated.batches == [["first"], ["good", "fine", "fair", "best"]]
    assert batcher.close()


@pytest.fixture
def patient(gated, monkeypatch):
    """A batcher that waits as long as it takes for the clients that were just answered."""
    monkeypatch.setattr(batching, "LONGEST", 1e6)
    monkeypatch.setattr(batching, "PAUSE", 1e6)
    result = Batcher(BatchedTexts(gated), batch_tokens=1000)
    yield result
    gated.let.set()
    result.close()


@pytest.fixture
def meanwhile(patient, gated):
    """A request that came during the batch of another one, which was answered."""
    first = patient.submit(["first"])
    assert gated.begun.acquire(timeout=60)
    second = patient.submit(["came meanwhile"])
    gated.let.set()
    first.result(60)
    return second


def test_the_next_batch_waits_for_the_clients_that_were_just_answered(patient, gated, meanwhile):
    again = patient.submit(["first again"])
    assert not wait([meanwhile, again], timeout=60).not_done
    assert gated.batches == [["first"], ["came meanwhile", "first again"]]


def test_the_end_of_the_service_cuts_the_wait_short(patient, meanwhile):
    assert patient.close()
    assert len(vectors_of(meanwhile)) == 1


def test_the_rest_of_a_long_request_waits_for_no_client(patient, gated):
    gated.let.set()
    assert len(vectors_of(patient.submit(["x" * 2000] * 3))) == 3  # 502 tokens each: two batches
    assert [len(batch) for batch in gated.batches] == [2, 1]


def test_texts_of_a_cancelled_request_are_not_embedded(batcher, gated):
    batcher.submit(["first"])
    assert gated.begun.acquire(timeout=60)
    gone = batcher.submit(["gone"])
    last = batcher.submit(["stays"])
    assert gone.cancel()
    assert batcher.waiting_items == 1
    gated.let.set()
    last.result(60)
    assert gated.batches == [["first"], ["stays"]]


def test_a_request_that_is_cancelled_during_its_batch_disturbs_no_other(batcher, gated):
    gone = batcher.submit(["gone"])
    assert gated.begun.acquire(timeout=60)
    assert gone.cancel()
    gated.let.set()
    assert len(vectors_of(batcher.submit(["next"]))) == 1


def test_all_requests_of_a_batch_get_the_error_of_the_model_and_the_next_batch_goes_on(toy_embedder):
    class Failing:
        dimensions, signature = toy_embedder.dimensions, toy_embedder.signature

        def embed(self, texts, *, progress=None):
            if "bad" in texts:
                raise ModelError("the weights are damaged")
            return toy_embedder.embed(texts)

    counted = []
    model = BatchedTexts(Failing(), lambda *numbers: counted.append(numbers))
    batcher = Batcher(model, batch_tokens=1, workers=1)
    with pytest.raises(ModelError, match="damaged"):
        batcher.submit(["bad", "never taken"]).result(60)
    assert len(vectors_of(batcher.submit(["good"]))) == 1
    assert counted == [(1, None)]
    assert batcher.waiting_items == 0
    assert batcher.close()
    with pytest.raises(RefusedRequestError, match="stopped"):
        batcher.submit(["late"])


def test_vectors_of_the_real_model_do_not_depend_on_the_batch(engine):
    texts = ["short", "a text of some more words", "short too", "x " * 400, "one more of a few words"]
    alone = [engine.embed([text]) for text in texts]
    batcher = Batcher(BatchedTexts(engine), batch_tokens=2000, workers=2)
    futures = [batcher.submit([text, f"{text} and others"]) for text in texts]
    for future, item in zip(futures, alone, strict=True):
        result = join_embeddings(future.result(60))
        np.testing.assert_array_equal(result.vectors[0], item.vectors[0])
        assert (result.windows[0], result.tokens[0]) == (item.windows[0], item.tokens[0])
    batcher.close()


def test_nobody_is_waited_for_before_the_first_answer():
    gathering = Gathering()
    gathering.record_request(now=5.0)
    assert gathering.left(now=5.0) == 0.0


def test_the_wait_ends_at_a_share_of_the_last_batch_even_while_requests_come():
    gathering = Gathering()
    gathering.record_answers(100, seconds=100.0, now=0.0)  # at most 3 s in all, and 2 s without a request
    for now in (0.75, 1.5, 2.25):
        gathering.record_request(now)
        assert gathering.left(now) > 0
    assert gathering.left(2.5) == 0.5
    assert gathering.left(3.0) == 0.0


def test_the_wait_ends_when_no_request_comes():
    gathering = Gathering()
    gathering.record_answers(100, seconds=100.0, now=0.0)
    assert gathering.left(0.5) == 1.5
    gathering.record_request(0.5)
    assert gathering.left(2.0) == 0.5
    assert gathering.left(2.5) == 0.0


def test_the_wait_ends_once_as_many_have_asked_as_were_answered():
    gathering = Gathering()
    gathering.record_answers(2, seconds=100.0, now=0.0)
    gathering.record_request(0.25)
    assert gathering.left(0.25) == 2.0
    gathering.record_request(0.25)
    assert gathering.left(0.25) == 0.0


def ticket(*sizes):
    """A ticket whose items are their own sizes in tokens."""
    return Ticket(list(sizes), list(sizes))


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(batching, "SLICE_TOKENS", 6)


# A slice of 6 tokens has two items of 3.
def test_large_ticket_does_not_delay_a_small_ticket(small_slices):
    waiting = TicketQueue()
    large, small = ticket(*[3] * 10), ticket(3)
    waiting.add(large)
    waiting.add(small)
    assert waiting.take(9) == {large: range(2), small: range(1)}
    assert len(waiting) == 1
    assert waiting.tokens == 8 * 3


def test_small_tickets_get_a_slice_while_a_large_ticket_stays_in_budget(small_slices):
    waiting = TicketQueue()
    large, *small = every = [ticket(*[3] * 10), *(ticket(3, 3, 3) for _ in range(4))]
    for entry in every:
        waiting.add(entry)
    # Budget 9, at most 27: 6 tokens of each of the first four are 24, and 3 of the fifth; no second turns.
    assert list(waiting.take(9, 27).items()) == [
        *((entry, range(2)) for entry in every[:4]),
        (small[3], range(1)),
    ]
    # The turns go on with the large one: 6 + 3 + 3 + 3 + 6 tokens, and no second turn above the budget.
    assert list(waiting.take(9, 27).items()) == [
        (large, range(2, 4)),
        *((entry, range(2, 3)) for entry in small[:3]),
        (small[3], range(1, 3)),
    ]
    # Now the large one is alone: a slice of 6 tokens, and 3 of the next one, up to the budget.
    assert waiting.take(9, 27) == {large: range(4, 7)}


def test_slices_of_the_same_ticket_are_joined_in_a_batch(small_slices):
    waiting = TicketQueue()
    single = ticket(*[3] * 5)
    waiting.add(single)
    assert waiting.take(1000) == {single: range(5)}
    assert waiting.take(1000) == {}


def test_item_above_the_budget_is_a_separate_batch():
    waiting = TicketQueue()
    large = ticket(500, 3)
    waiting.add(large)
    assert waiting.take(10) == {large: range(1)}
    assert waiting.take(10) == {large: range(1, 2)}


def test_a_dropped_ticket_leaves_the_queue():
    waiting = TicketQueue()
    gone, other = ticket(3, 3), ticket(3)
    waiting.add(gone)
    waiting.add(other)
    waiting.drop(gone)
    assert (waiting.tokens, waiting.n_items) == (3, 1)
    assert waiting.take(100) == {other: range(1)}
    waiting.drop(other)  # it was taken: nothing of it waits
    assert waiting.tokens == 0


def test_results_are_in_the_order_of_the_items():
    class Halves:
        """Gives back its items, in batches of which the second ends first."""

        second_has_ended = threading.Event()

        def size(self, item):
            return 600

        def run(self, items, counts, check):
            if items == ["a"]:
                assert self.second_has_ended.wait(60)
            if items == ["b"]:
                self.second_has_ended.set()
            return [items]

    # A batch has up to 4 x 150 tokens.
    batcher = Batcher(Halves(), batch_tokens=150, workers=2)
    assert batcher.submit(["a", "b"]).result(60) == [["a"], ["b"]]
    assert batcher.close()


@pytest.fixture
def large_batcher(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, workers=1)
    yield batcher
    gated.let.set()
    batcher.close()


def test_nothing_is_sent_for_work_that_was_abandoned(large_batcher):
    task = Task()
    task.cancel()
    with pytest.raises(CancelledError):
        task.submit(large_batcher.submit, ["late"])
    assert large_batcher.waiting_items == 0


def test_work_that_is_abandoned_after_it_was_sent_waits_no_more(large_batcher, gated):
    large_batcher.submit(["holds the model up"])
    assert gated.begun.acquire(timeout=60)
    task = Task()
    sent = task.submit(large_batcher.submit, ["waits"])
    threading.Thread(target=task.cancel).start()
    with pytest.raises(CancelledError):
        sent.result(60)
    assert large_batcher.waiting_items == 0


def test_a_batch_that_nobody_waits_for_ends_at_its_next_step(toy_embedder):
    begun, is_cancelled, steps = threading.Event(), threading.Event(), []

    class Stepwise:
        def embed(self, texts, *, progress):
            if texts == ["next"]:
                return toy_embedder.embed(texts)
            begun.set()
            assert is_cancelled.wait(60)
            for step in range(3):
                steps.append(step)
                progress("embedding", step, 3)
            raise AssertionError("the batch was not abandoned")

    batcher = Batcher(BatchedTexts(Stepwise()), batch_tokens=1000, workers=1)
    long = batcher.submit(["long"])
    assert begun.wait(60)
    long.cancel()
    is_cancelled.set()
    assert len(vectors_of(batcher.submit(["next"]))) == 1
    assert steps == [0]
    assert batcher.close()


def test_batch_continues_while_any_request_waits():
    waiting, cancelled = Ticket(["a"], [1]), Ticket(["b"], [1])
    cancelled.future.cancel()
    check_wanted([waiting, cancelled])
    with pytest.raises(CancelledError):
        check_wanted([cancelled])


def embeddings(*numbers, tokens=True):
    vectors = np.array([[number] for number in numbers], np.float32)
    ones = np.ones(len(numbers), np.int64)
    return Embeddings(vectors, ones, None, 2 * ones if tokens else None)


class Lengths:
    """Embeds a text as its length."""

    def embed(self, texts, *, progress=None):
        return embeddings(*map(len, texts))


def test_requests_get_their_vectors_and_the_batch_is_counted():
    heard = []
    model = BatchedTexts(Lengths(), lambda *left: heard.append(left))
    first, second = model.run(["a", "bb", "ccc"], [1, 2], lambda: None)
    assert first.vectors[:, 0].tolist() == [1]
    assert second.vectors[:, 0].tolist() == [2, 3]
    assert heard == [(3, 6)]  # two tokens a text


def test_tokens_are_estimated_by_bytes():
    model = BatchedTexts(Lengths())
    assert model.size("good") == 2 + 4 // 4
    assert model.size("äöü!") == 2 + 7 // 4
    assert model.size("") == 2


def test_vectors_of_a_request_are_joined():
    result = join_embeddings([embeddings(1, 2), embeddings(3)])
    assert result.vectors[:, 0].tolist() == [1, 2, 3]
    assert result.tokens.tolist() == [2, 2, 2]
    assert result.unknown is None


def test_tokens_that_a_part_does_not_state_are_missing():
    assert join_embeddings([embeddings(1), embeddings(2, tokens=False)]).tokens is None


@pytest.fixture
def batched(gated):
    batcher = Batcher(BatchedTexts(gated), batch_tokens=1000, workers=1)
    yield BatchedEmbedder(gated, batcher)
    gated.let.set()
    batcher.close()


def test_vectors_are_those_of_the_embedder_and_equal_texts_are_sent_once(batched, gated, toy_embedder):
    gated.let.set()
    seen = []
    result = batched.embed(["a", "b", "a"], progress=lambda *left: seen.append(left))
    np.testing.assert_array_equal(result.vectors, toy_embedder.embed(["a", "b", "a"]).vectors)
    assert gated.batches == [["a", "b"]]
    assert seen == [("embedding", 2, 2)]
    assert (batched.dimensions, batched.signature) == (gated.dimensions, gated.signature)


def test_no_texts_have_no_vectors(batched):
    assert batched.embed([]).vectors.shape == (0, batched.dimensions)


def test_abandoned_work_ends_while_it_waits(batched, gated):
    task, ended = Task(), []

    def work():
        try:
            batched.embed(["waits"])
        except CancelledError as error:
            ended.append(error)

    thread = threading.Thread(target=in_task, args=(task, work))
    thread.start()
    assert gated.begun.acquire(timeout=60)
    task.cancel()
    thread.join(60)
    assert len(ended) == 1
    with pytest.raises(CancelledError):
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
def row_batcher(heeded):
    result = Batcher(BatchedRows(heeded), batch_tokens=10_000, workers=1)
    yield result
    heeded.let.set()
    result.close()


@pytest.mark.parametrize("together", [1, 40, 10_000])
def test_states_are_those_of_the_engine(heeded, row_batcher, engine, together):
    heeded.let.set()
    result = TokenEncoder(BatchedStates(heeded, row_batcher, together)).token_states(
        TEXTS, layer=engine.layers
    )
    expected = TokenEncoder(engine).token_states(TEXTS, layer=engine.layers)
    for item, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(item.states, other.states)
    # x is read in one window of the 512 tokens that the model takes, so each text is a row.
    assert sum(heeded.rows) == len(TEXTS)


def test_other_layers_come_from_the_engine(heeded, row_batcher, engine):
    heeded.let.set()
    encoder = TokenEncoder(BatchedStates(heeded, row_batcher, 100))
    result = encoder.token_states(["good"], layer=1)[0].states
    np.testing.assert_array_equal(result, TokenEncoder(engine).token_states(["good"], layer=1)[0].states)


def begin(work, *args):
    thread = threading.Thread(target=work, args=args)
    thread.start()
    return thread


def test_rows_of_several_requests_are_read_together(heeded, row_batcher, engine):
    states = BatchedStates(heeded, row_batcher, 100)
    result = {}

    def ask(text):
        result[text] = TokenEncoder(states).token_states([text], layer=engine.layers)

    threads = [begin(ask, "first")]
    assert heeded.begun.acquire(timeout=60)
    threads += [begin(ask, text) for text in ("second one", "third one")]
    until(lambda: row_batcher.waiting_items == 2)
    heeded.let.set()
    for thread in threads:
        thread.join(60)
    assert heeded.rows == [1, 2]
    expected = TokenEncoder(engine).token_states(["third one"], layer=engine.layers)
    np.testing.assert_array_equal(result["third one"][0].states, expected[0].states)


def test_rows_of_abandoned_work_leave_the_queue(heeded, row_batcher, engine):
    states, task, ended = BatchedStates(heeded, row_batcher, 1), Task(), []
    rows = [np.array([101, 2204, 102], np.int32)] * 3

    def read():
        try:
            list(states.run_layer([(None, rows)], layer=engine.layers))
        except CancelledError as error:
            ended.append(error)

    row_batcher.submit([np.array([101, 102], np.int32)])
    assert heeded.begun.acquire(timeout=60)
    reading = begin(in_task, task, read)
    until(lambda: row_batcher.waiting_items == 2)  # two are sent ahead
    task.cancel()
    reading.join(60)
    assert len(ended) == 1
    assert row_batcher.waiting_items == 0
