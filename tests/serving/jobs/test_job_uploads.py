"""Uploads of jobs: what counts while they come, and what stays when they fail."""

import asyncio
import threading
import time
from typing import ClassVar

import pytest
from held_jobs import HeldWork, added, queue_of


def test_jobs_that_are_uploaded_count_among_those_that_wait(tmp_path):
    from semscale.serving.refusals import RefusedRequestError

    queue = queue_of(tmp_path, HeldWork(), jobs=2)
    added(queue)
    with queue.uploading(), pytest.raises(RefusedRequestError, match="at most 2 jobs") as refused:
        queue.uploading().__enter__()
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "60"})
    added(queue)
    queue.stop()
    queue.close()


def test_a_failed_upload_leaves_no_folder(tmp_path):
    queue = queue_of(tmp_path, HeldWork())

    def upload():
        with queue.uploading() as (folder, _):
            folder.upload_in("csv").write_text("a,b")
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        upload()
    assert queue.records() == []
    assert [path for path in (tmp_path / "jobs").iterdir() if path.is_dir()] == []
    queue.stop()
    queue.close()


def test_a_job_whose_request_fails_after_it_was_added_is_dropped(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    queue.start()

    def request(*, is_running):
        with queue.uploading() as (folder, _):
            queue.add(folder, "embed", EmbeddingJobFields(text="comment"))
            assert not is_running or work.begun.acquire(timeout=60)
            raise TimeoutError

    from semscale.serving.jobs.job_order import EmbeddingJobFields

    with pytest.raises(TimeoutError):
        request(is_running=True)
    added(queue)
    with pytest.raises(TimeoutError):
        request(is_running=False)
    work.let.set()
    until = time.monotonic() + 60
    while queue.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert [record["status"] for record in queue.records()] == ["finished"]
    assert len([path for path in (tmp_path / "jobs").iterdir() if path.is_dir()]) == 1
    queue.stop()
    queue.close()


def test_a_cancelled_request_ends_after_its_job_was_added():
    from semscale.serving.routes.jobs import _to_its_end

    begun, let, done = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        let.wait(60)
        done.append("added")

    async def cancelled():
        request = asyncio.ensure_future(_to_its_end(work))
        await asyncio.to_thread(begun.wait, 60)
        request.cancel()
        asyncio.get_running_loop().call_soon(let.set)
        with pytest.raises(asyncio.CancelledError):
            await request
        return list(done)

    assert asyncio.run(cancelled()) == ["added"]


def test_a_slow_upload_does_not_put_off_its_end_for_ever(tmp_path):
    from semscale.serving.limits import ServiceLimits
    from semscale.serving.routes.jobs import _AT_LEAST, JobRoutes

    class Limit:
        n = 0

        def reschedule(self, _):
            self.n += 1

    class Request:
        headers: ClassVar = {}

        def __init__(self, *sizes):
            self.sizes = sizes
            self.scope = {"semscale.limit": Limit()}

        async def stream(self):
            for size in self.sizes:
                yield b"x" * size

    class Service:
        limits = ServiceLimits()

    def moved(*sizes):
        """How often an upload in parts of some sizes gets more time."""
        queue = queue_of(tmp_path, HeldWork())
        routes, request = JobRoutes(Service(), queue, None), Request(*sizes)
        with queue.uploading() as (folder, share):
            asyncio.run(routes._upload(request, folder.upload_in("csv"), share))
        queue.stop()
        queue.close()
        return request.scope["semscale.limit"].n

    assert moved(*[1] * 100) == 1
    assert moved(1, _AT_LEAST - 1, 1, _AT_LEAST) == 3  # at 1, 1 + 64 KiB and 1 + 2 x 64 KiB bytes
