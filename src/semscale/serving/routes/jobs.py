"""``/jobs``: tables that are uploaded, measured while nobody waits, and fetched when they are ready."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from semscale.messages import shortened
from semscale.serving.jobs.disk_room import DiskShare
from semscale.serving.jobs.job_folder import JobFolder, JobStatus
from semscale.serving.jobs.job_order import JOB_FIELDS
from semscale.serving.jobs.job_queue import JobQueue
from semscale.serving.jobs.job_work import JobWork
from semscale.serving.json_answers import JSON, json_answer
from semscale.serving.refusals import CONFLICT, NOT_FOUND, RefusedRequestError, invalid
from semscale.serving.requests.fields import check_settings, checked
from semscale.serving.requests.query import settings_of
from semscale.serving.requests.reading import read_parts
from semscale.serving.service import Service

_ACCEPTED = 202
_AT_LEAST = (
    64 * 1024
)  # bytes of an upload within the limit of time, so that a slow one holds no room for ever


class JobRoutes:
    """Takes jobs, says how far they are, and gives their results.

    Args:
        service: its limits and threads.
        queue: runs the jobs.
        work: checks their settings.
    """

    def __init__(self, service: Service, queue: JobQueue, work: JobWork) -> None:
        self._service, self._queue, self._work = service, queue, work

    async def submit(self, request: Request) -> Response:
        """Take a table as the body of a request, and settings in its address.

        Raises:
            RefusedRequestError: a wrong setting, too many jobs, or no room.
        """
        kind = request.query_params.get("kind", "")
        if kind not in JOB_FIELDS:
            raise invalid(f"kind must be one of {', '.join(JOB_FIELDS)}, got {shortened(kind)}", "kind")
        given = settings_of(request.query_params, JOB_FIELDS[kind])
        fields = checked(JOB_FIELDS[kind], {name: given[name] for name in given if name != "kind"})
        await self._service.errands.run(lambda: self._work.check(fields))
        check_settings(fields, self._service.limits)
        with self._queue.uploading() as (folder, share):
            await self._upload(request, folder.upload_in(fields.format), share)
            await _to_its_end(lambda: self._queue.add(folder, kind, fields))
        headers = {"Location": f"/jobs/{folder.id}"}
        return json_answer(self._queue.record(folder), _ACCEPTED, headers)

    async def jobs(self, _: Request) -> Response:
        """List all jobs, the oldest first."""
        return json_answer({"jobs": await asyncio.to_thread(self._queue.records)})

    async def job(self, request: Request) -> Response:
        """Say how far a job is."""
        return json_answer(self._queue.record(self._folder(request)))

    async def result(self, request: Request) -> Response:
        """Give the measured table."""
        path = self._finished(request).result
        return _file(path, name=path.name)

    async def summary(self, request: Request) -> Response:
        """Give the summary, as ``--json`` prints it."""
        return _file(self._finished(request).summary, JSON)

    async def cancel(self, request: Request) -> Response:
        """Cancel a job, or remove one that has ended, with all its files."""
        folder = self._folder(request)
        await asyncio.to_thread(self._queue.remove, folder.id)
        return json_answer({"id": folder.id, "status": "removed"})

    def _folder(self, request: Request) -> JobFolder:
        return self._queue.folder(request.path_params["id"])

    def _finished(self, request: Request) -> JobFolder:
        folder = self._folder(request)
        status = self._queue.record(folder)["status"]
        if status != JobStatus.FINISHED:
            raise RefusedRequestError(CONFLICT, f"the job is {status}: it has no result")
        return folder

    async def _upload(self, request: Request, path: Path, share: DiskShare) -> None:
        """Write a table as it comes; so many bytes at least must come within each limit of time."""
        limit: asyncio.Timeout = request.scope["semscale.limit"]
        n_written = due = 0

        async def keep(part: bytes, n: int) -> None:
            nonlocal n_written, due
            if not share.covers(n):
                await asyncio.to_thread(share.cover, n)
            await asyncio.to_thread(file.write, part)
            n_written += len(part)
            if n_written >= due:
                due = n_written + _AT_LEAST
                limit.reschedule(asyncio.get_running_loop().time() + self._service.limits.seconds)

        with path.open("wb") as file:
            await read_parts(request, keep)
        if not path.stat().st_size:
            raise invalid("the body must be a table, got nothing", "body")


async def _to_its_end(work: Callable[[], None]) -> None:
    """Do some work in a thread; if the request is cancelled, wait for its end, so that it can be undone."""
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def _file(path: Path, kind: str | None = None, name: str | None = None) -> Response:
    """Give a file of a job.

    Args:
        path: of the file.
        kind: its type of content; by default as its extension says.
        name: under which a client keeps the file, if it does.

    Raises:
        RefusedRequestError: it has been removed meanwhile.
    """
    if not path.is_file():
        raise RefusedRequestError(
            NOT_FOUND, "the files of the job have been removed: send it again", field="id"
        )
    return FileResponse(path, media_type=kind, filename=name)
