"""Work in the background: progress, results, cancellation, limits, and the end at a shutdown."""

import asyncio
import threading
from concurrent.futures import CancelledError
from functools import partial

import pytest

from semscale.progress import Pace
from semscale.serving.background import BackgroundWork, Step, Task, report_progress
from semscale.serving.refusals import RefusedRequestError


class Steps:
    """Work that reports a step, and then waits until the test lets it go on."""

    def __init__(self) -> None:
        self.begun, self.let, self.steps = threading.Semaphore(0), threading.Event(), 0

    def __call__(self, result="measured"):
        while not self.let.is_set():
            report_progress("rating rows", self.steps, 1000)
            self.steps += 1
            if self.steps == 1:
                self.begun.release()
            self.let.wait(0.01)
        return result


@pytest.fixture
def steps():
    work = Steps()
    yield work
    work.let.set()


@pytest.fixture
def background():
    work = BackgroundWork(1, most=3, remembered=2)
    yield work
    work.stop()


def begin(background, steps, *arguments):
    task = background.submit(steps, *arguments)
    assert steps.begun.acquire(timeout=60)
    return task


def test_task_reports_its_progress_in_numbers_and_keeps_its_result(background, steps):
    task = begin(background, steps, "rated")
    assert background.find(task.id).progress == Step("rating rows", 0, 1000)
    assert task.future.running()
    steps.let.set()
    assert task.future.result(60) == "rated"
    assert background.find(task.id).future.result() == "rated"


def test_stages_of_a_task_state_what_is_done_and_the_time_left(monkeypatch):
    seconds = iter([0.0, 0.0, 0.0, 10.0])
    monkeypatch.setattr("semscale.serving.background.Pace", partial(Pace, now=lambda: next(seconds)))
    task = Task()
    task.report("pulling e5-small", 89_000_000, 89_000_000)
    assert len(task.unfinished_stages) == 1  # the latest, although it is done
    task.report("loading the model", 0, None)
    for done in (0, 2_000):  # 200 a second, so that 6,000 take 30 seconds
        task.report("rating", done, 8_000)
    pulling, _, rating = task.stages.values()
    assert task.unfinished_stages == [rating]
    assert pulling.amount == "89 of 89 MB"
    assert (rating.amount, rating.time_left) == ("2,000 of 8,000", "0:00:30 left")


def test_task_that_fails_keeps_its_error(background):
    def fail():
        raise ValueError("no such column")

    task = background.submit(fail)
    with pytest.raises(ValueError, match="no such column"):
        task.future.result(60)
    assert background.submit(str, 5).future.result(60) == "5"


def test_cancelled_task_ends_at_its_next_step(background, steps):
    task = begin(background, steps)
    task.cancel()
    with pytest.raises(CancelledError):
        task.future.result(60)
    assert not steps.let.is_set()


def test_task_that_is_cancelled_while_it_waits_never_starts(background, steps):
    begin(background, steps)
    waiting = background.submit(pytest.fail, "it started")
    assert not waiting.future.running()
    waiting.cancel()
    steps.let.set()
    assert background.submit(str, 5).future.result(60) == "5"
    assert waiting.future.cancelled()


def test_tasks_beyond_the_limit_are_refused(background, steps):
    begin(background, steps)
    waiting = [background.submit(str, number) for number in range(2)]
    with pytest.raises(RefusedRequestError, match="too many requests are waiting") as refused:
        background.submit(str, 3)
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
    steps.let.set()
    assert [task.future.result(60) for task in waiting] == ["0", "1"]


def test_only_the_latest_ended_tasks_are_remembered(background):
    tasks = []
    for number in range(4):
        tasks.append(background.submit(str, number))
        tasks[-1].future.result(60)
    background.submit(str, 4).future.result(60)
    with pytest.raises(RefusedRequestError, match="there is no task") as refused:
        background.find(tasks[0].id)
    assert refused.value.status == 404


def test_submitted_task_goes_on_when_its_client_goes_away(background, steps):
    async def request():
        tasks.append(background.submit(steps))
        await asyncio.Event().wait()  # as an answer that the client does not wait for

    async def disconnect():
        answering = asyncio.ensure_future(request())
        assert await asyncio.to_thread(steps.begun.acquire, timeout=60)
        answering.cancel()
        await asyncio.wait([answering])

    tasks = []
    asyncio.run(disconnect())
    steps.let.set()
    assert tasks[0].future.result(60) == "measured"


def test_work_that_a_request_waits_for_ends_when_its_client_goes_away(background, steps):
    async def disconnect():
        answering = asyncio.ensure_future(background.run(steps))
        assert await asyncio.to_thread(steps.begun.acquire, timeout=60)
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering

    asyncio.run(disconnect())
    assert background.submit(str, 5).future.result(60) == "5"  # the only thread is free again
    assert not steps.let.is_set()


def test_shutdown_cancels_all_tasks_and_refuses_further_ones(background, steps):
    running, waiting = begin(background, steps), background.submit(pytest.fail, "it started")
    background.stop()
    with pytest.raises(RefusedRequestError, match="the service has stopped"):
        background.submit(str, 5)
    assert background.close()
    assert isinstance(running.future.exception(), CancelledError)
    assert waiting.future.cancelled()


def test_shutdown_does_not_wait_for_ever_for_work_that_reports_nothing(background):
    let = threading.Event()
    task = background.submit(let.wait, 60)
    assert not background.close(seconds=0)
    let.set()
    assert task.future.result(60)
