"""Jobs: uploaded tables that are measured one at a time within a disk quota; they survive a restart."""

import logging
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock
from pydantic import BaseModel, Field
from sqlalchemy import (
    JSON,
    Column,
    MetaData,
    String,
    Table,
    cast,
    delete,
    insert,
    select,
    type_coerce,
    update,
)

from semscale.errors import InputError, SemscaleError
from semscale.messages import shorten
from semscale.presentable import Presentable
from semscale.serving.background import BackgroundWork, Step, Task, current_task
from semscale.serving.refusals import RefusedRequestError
from semscale.serving.requests import JOB_FIELDS, JobFields, ServiceLimits, check_fields, parse_json
from semscale.spelling import in_request
from semscale.store.atomic import create_private, create_private_folder, lock_folder
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database
from semscale.types import Progress

UPLOAD_STEP = 16 * 1024 * 1024
"""Bytes of an upload after which the quota is checked again."""

_CUT_SHORT = (
    "the service ended while this job ran, perhaps because of this job: it is not repeated by itself, as it "
    "could end the service again; POST /jobs/{id} runs it again after its finished parts, DELETE removes it"
)
_RETRY_AFTER = 60
_ID_BYTES = 16
_ID = re.compile(f"[0-9a-f]{{{2 * _ID_BYTES}}}")
_LOG = logging.getLogger("semscale.serving")

_JOBS = Table(
    "jobs",
    MetaData(),
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("fields", JSON, nullable=False),
    Column("created", String, nullable=False),
    Column("status", String, nullable=False),
    Column("error", String),
)


class JobStatus(StrEnum):
    """Status of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"

    @property
    def has_ended(self) -> bool:
        """True if the job is finished or failed."""
        return self in {JobStatus.FINISHED, JobStatus.FAILED}


class JobRecord(BaseModel):
    """Job as clients see it."""

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": list(JOB_FIELDS)})]
    created: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    status: JobStatus
    progress: Step | None
    error: str | None


@dataclass(eq=False)
class Job:
    """A job: its settings, its state, and the paths of its files.

    Attributes:
        folder: folder of the uploaded table, finished parts, result and summary; its name is the job's name.
        kind: one of ``JOB_FIELDS``.
        fields: the job's settings, as JSON values.
        created: time of creation in ISO 8601.
        status: current status.
        error: reason of a failure.
        task: the work in the background; ``None`` until the queue starts.
        is_removed: true once the job was cancelled.
    """

    folder: Path
    kind: str
    fields: dict[str, Any]
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    status: JobStatus = JobStatus.WAITING
    error: str | None = None
    task: Task[None] | None = None
    is_removed: bool = False

    @property
    def id(self) -> str:
        """The job's name."""
        return self.folder.name

    @property
    def table(self) -> Path:
        """Path of the uploaded table."""
        return self.folder / f"table.{self.fields['format']}"

    @property
    def result(self) -> Path:
        """Path of the measured table."""
        return self.folder / f"result.{self.fields['result']}"

    @property
    def parts(self) -> Path:
        """Path of the folder with finished parts, which exists until the job is finished."""
        return self.result.with_name(f"{self.result.name}.parts")

    @property
    def summary(self) -> Path:
        """Path of the summary in JSON."""
        return self.folder / "summary.json"

    def record(self) -> JobRecord:
        """Return the status and progress for clients."""
        running = self.task if self.status is JobStatus.RUNNING else None
        return JobRecord(
            id=self.id,
            kind=self.kind,
            created=self.created,
            status=self.status,
            progress=None if running is None else running.progress,
            error=self.error,
        )

    def drop_results(self) -> None:
        """Remove all results so far; keep the uploaded table."""
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != self.table:
                path.unlink()


class JobStore:
    """The database of jobs, which survives a restart: a SQLite file in the folder of jobs.

    The folder may have been copied from another person, so rows are checked like requests before any path is
    built from them.

    Args:
        home: the folder.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._database = Database(read_address(home / "jobs.sqlite", "jobs"), create=True)
        with self._database.writing() as connection:
            _JOBS.metadata.create_all(connection)

    def read(self) -> tuple[list[Job], set[str]]:
        """Read all jobs, the oldest first.

        Returns:
            The jobs, and the IDs of rows that are no jobs of this service. These rows and their files are
            left alone, and each is logged.
        """
        jobs, refused = [], set()
        # As text, since SQLite stores values of any type, and SQLAlchemy fails if one field is no JSON.
        stored = [type_coerce(cast(column, String), String).label(column.name) for column in _JOBS.c]
        with self._database.reading() as connection:
            rows = connection.execute(select(*stored).order_by(_JOBS.c.created)).all()
        for row in rows:
            try:
                jobs.append(_stored_job(self._home, row))
            except (ValueError, RefusedRequestError) as error:
                refused.add(str(row.id))
                _LOG.warning("job %s of the folder is left out: %s", shorten(row.id), error)
        return jobs, refused

    def add(self, job: Job) -> None:
        """Store a job, so that it survives a restart."""
        row = {"id": job.id, "kind": job.kind, "fields": job.fields, "created": job.created}
        with self._database.writing() as connection:
            connection.execute(insert(_JOBS).values(**row, status=str(job.status)))

    def set_status(self, job: Job, status: JobStatus, error: str | None = None) -> None:
        """Store the status of a job, and the reason of a failure."""
        values = {"status": str(status), "error": error}
        with self._database.writing() as connection:
            connection.execute(update(_JOBS).where(_JOBS.c.id == job.id).values(**values))

    def remove(self, job: Job) -> None:
        """Remove a job; it does not return if the service is killed before its files are removed."""
        with self._database.writing() as connection:
            connection.execute(delete(_JOBS).where(_JOBS.c.id == job.id))


def _stored_job(home: Path, row: Any) -> Job:
    """Return the job of a row.

    Raises:
        ValueError: the ID, kind or status is invalid, or the job's folder or a file in it is a link.
        RefusedRequestError: a setting is invalid.
    """
    if not _ID.fullmatch(str(row.id)):
        raise ValueError("its ID is not one that this service assigns")
    if row.kind not in JOB_FIELDS:
        raise ValueError(f"its kind must be one of {', '.join(JOB_FIELDS)}, got {shorten(row.kind)}")
    try:
        status = JobStatus(row.status)
    except ValueError:
        raise ValueError(
            f"its status must be one of {', '.join(JobStatus)}, got {shorten(row.status)}"
        ) from None
    fields = check_fields(JOB_FIELDS[row.kind], parse_json(str(row.fields), "its settings"))
    folder = home / row.id
    link = next((path for path in (folder, *folder.rglob("*")) if path.is_symlink()), None)
    if link is not None:
        raise ValueError(f"{link.relative_to(home)} is a link, which no job creates")
    return Job(folder, row.kind, fields.model_dump(mode="json"), str(row.created), status, row.error)


def bytes_in(path: Path) -> int:
    """Return the total size of all files in a folder; files removed in the meantime count as 0."""
    total = 0
    for file in path.rglob("*"):
        with suppress(FileNotFoundError):
            total += file.stat().st_size if file.is_file() else 0
    return total


Work = Callable[[Job, Progress], Presentable]


class JobQueue:
    """Runs the jobs of a folder in the background, one at a time, in order of arrival.

    Args:
        home: folder of the database and of one folder per job; only one service at a time can use it.
        work: measures the table of a job.
        limits: limits of jobs and their files.

    Raises:
        InputError: another service uses the folder, or the folder is not writable.
    """

    def __init__(self, home: Path, work: Work, limits: ServiceLimits) -> None:
        self._lock = _lock(home)
        self._home, self._work, self._limits = home, work, limits
        self._store = JobStore(home)
        self._background = BackgroundWork(1, most=None)
        self._changing = threading.Lock()
        self._is_started = self._is_stopped = False
        self._n_uploads = 0
        jobs, refused = self._store.read()
        self._jobs = {job.id: job for job in jobs}
        for path in home.iterdir():
            if path.name in self._jobs or path.name in refused or path.is_symlink():
                continue
            if _ID.fullmatch(path.name):
                shutil.rmtree(path, ignore_errors=True)  # an upload that was cut short, or a removed job
        for job in self._jobs.values():
            if job.status is JobStatus.FINISHED:
                job.table.unlink(missing_ok=True)  # the service was killed before it could
            elif job.status is JobStatus.RUNNING:
                self._mark_cut_short(job)

    def start(self) -> None:
        """Run the unfinished jobs, and those that are added from now on."""
        with self._changing:
            self._is_started = True
            for job in self._jobs.values():
                if not job.status.has_ended:
                    self._submit(job)

    def _submit(self, job: Job) -> None:
        if self._is_started and not self._is_stopped:
            job.task = self._background.submit(self._run, job)

    def stop(self) -> None:
        """Stop after the current part; unfinished jobs continue when the service starts again.

        The running job is stored as waiting at once, so that it continues even if the process is killed
        before the job has stopped.
        """
        with self._changing:
            if self._is_stopped:
                return
            self._is_stopped = True
            self._background.stop()
            for job in self._jobs.values():
                if job.status is JobStatus.RUNNING and not job.is_removed:
                    self._store_waiting(job)

    def close(self, seconds: float = 30.0) -> bool:
        """Wait for the running job and unlock the folder; return true if it has ended."""
        has_ended = self._background.close(seconds)
        self._lock.release()
        return has_ended

    @property
    def n_unfinished(self) -> int:
        """Number of waiting and running jobs."""
        return sum(not job.status.has_ended for job in list(self._jobs.values()))

    def check_quota(self, more: int = 0) -> None:
        """Check that the files of all jobs stay within the quota.

        Args:
            more: bytes to be written next.

        Raises:
            RefusedRequestError: the quota would be exceeded.
        """
        most = self._limits.job_bytes
        if more > most:
            message = f"the files of all jobs may have {most:,} bytes: send a smaller table"
            raise RefusedRequestError(413, message)
        if bytes_in(self._home) + more > most:
            raise RefusedRequestError(
                507,
                f"the files of all jobs may have {most:,} bytes: remove old jobs, or send a smaller table",
            )

    @contextmanager
    def uploading(self, kind: str, fields: JobFields) -> Iterator[Job]:
        """Create a job's folder for the upload of its table; remove it if the upload fails.

        Raises:
            RefusedRequestError: too many jobs wait.
        """
        self._check_room()
        job = Job(self._home / secrets.token_hex(_ID_BYTES), kind, fields.model_dump(mode="json"))
        job.folder.mkdir(mode=0o700)
        create_private(job.table)
        self._n_uploads += 1
        try:
            yield job
        except BaseException:
            self._drop(job)  # the job may have been added already
            raise
        finally:
            self._n_uploads -= 1

    def _check_room(self) -> None:
        if self.n_unfinished + self._n_uploads >= self._limits.max_jobs:
            raise RefusedRequestError(
                429,
                f"at most {self._limits.max_jobs} jobs may wait: try again later, or cancel one",
                retry_after=_RETRY_AFTER,
            )

    def add(self, job: Job) -> None:
        """Add a job with an uploaded table to the end of the queue."""
        self._store.add(job)
        with self._changing:
            self._jobs[job.id] = job
            self._submit(job)

    def find(self, name: str) -> Job:
        """Return the job with this name.

        Raises:
            RefusedRequestError: no job has this name.
        """
        job = self._jobs.get(name)
        if job is None or job.is_removed:
            raise RefusedRequestError(404, f"there is no job {name[:40]!r}", field="id")
        return job

    def records(self) -> list[JobRecord]:
        """Return the records of all jobs, the oldest first."""
        return [job.record() for job in list(self._jobs.values()) if not job.is_removed]

    def remove(self, name: str) -> None:
        """Cancel a job, or remove a job that has ended, permanently and with its files.

        Raises:
            RefusedRequestError: no job has this name.
        """
        self._drop(self.find(name))

    def run_again(self, name: str) -> Job:
        """Return to the queue a job whose run was cut short by the end of the service.

        Raises:
            RefusedRequestError: no job has this name, its files are gone, or too many jobs wait.
        """
        job = self.find(name)
        with self._changing:
            if job.status is not JobStatus.FAILED or not job.table.is_file():
                reason = "its table was removed" if job.status is JobStatus.FAILED else f"it is {job.status}"
                raise RefusedRequestError(409, f"the job cannot run again, as {reason}: send the table again")
            self._check_room()
            self._store.set_status(job, JobStatus.WAITING)
            job.status, job.error = JobStatus.WAITING, None
            self._submit(job)
        return job

    def _drop(self, job: Job) -> None:
        self._store.remove(job)
        with self._changing:
            job.is_removed = True
            if job.task is not None:
                job.task.cancel()
            if job.status is JobStatus.RUNNING:
                return  # its run removes the files once it no longer uses them
        self._forget(job)

    def _forget(self, job: Job) -> None:
        with self._changing:
            self._jobs.pop(job.id, None)
        shutil.rmtree(job.folder, ignore_errors=True)  # or at the next start

    def _run(self, job: Job) -> None:
        try:
            self._begin(job)
            self._measure(job)
        except CancelledError:
            pass
        except (SemscaleError, OSError) as error:
            self._fail(job, error.spelled(in_request) if isinstance(error, SemscaleError) else str(error))
        except Exception as error:
            _LOG.exception("a bug of ours: please report it")
            self._fail(job, f"this is a bug of ours: {type(error).__name__}")
        if job.is_removed:
            self._forget(job)

    def _begin(self, job: Job) -> None:
        """Store that a job runs, so that the next service sees whether it ended this one.

        Raises:
            CancelledError: the service stops, or the job was removed.
        """
        with self._changing:
            current_task().check()
            job.status = JobStatus.RUNNING
            self._store.set_status(job, JobStatus.RUNNING)

    def _store_waiting(self, job: Job) -> None:
        try:
            self._store.set_status(job, JobStatus.WAITING)
        except (SemscaleError, OSError) as error:  # as on a full disk
            _LOG.error("job %s will count as cut short, as its status cannot be written: %s", job.id, error)

    def _mark_cut_short(self, job: Job) -> None:
        """Mark a job as failed that ran when the service was killed or crashed; its files stay."""
        job.status, job.error = JobStatus.FAILED, _CUT_SHORT.format(id=job.id)
        try:
            self._store.set_status(job, job.status, job.error)
        except (SemscaleError, OSError) as error:  # the next start marks it again
            _LOG.error("the status of job %s cannot be written: %s", job.id, error)

    def _measure(self, job: Job) -> None:
        """Measure the table of a job, and check the quota after each part."""
        task, last_change = current_task(), 0

        def progress(stage: str, done: int, total: int | None) -> None:
            nonlocal last_change
            task.report(stage, done, total)
            change = job.parts.stat().st_mtime_ns if job.parts.is_dir() else 0
            if change != last_change:  # a search of thousands of parts takes longer than a look at the folder
                last_change = change
                self.check_quota()

        summary = self._work(job, progress)
        create_private(job.summary)
        job.summary.write_text(summary.to_json(), encoding="utf-8")
        self.check_quota()
        self._end(job, JobStatus.FINISHED)

    def _end(self, job: Job, status: JobStatus, error: str | None = None) -> None:
        with self._changing:  # else a stop could store a job as waiting that has just ended
            job.status, job.error = status, error
            self._store.set_status(job, status, error)
            job.table.unlink(missing_ok=True)

    def _fail(self, job: Job, message: str) -> None:
        if job.is_removed:
            return  # no client asks for it any more, and its files are removed at once
        # Messages name the table by its path here, which the client does not know.
        message = message.replace(f"{job.folder}/", "")
        try:
            job.drop_results()  # frees space to store the error
            self._end(job, JobStatus.FAILED, message)
        except (SemscaleError, OSError) as error:  # as on a full disk; other jobs go on
            _LOG.error("job %s failed (%s), which cannot be written: %s", job.id, message, error)
            job.status, job.error = JobStatus.FAILED, message


def _lock(home: Path) -> FileLock:
    """Create the folder and lock it.

    Raises:
        InputError: another service uses the folder, or the folder is not writable.
    """
    try:
        create_private_folder(home)
        return lock_folder(home, lambda _: None)
    except OSError as error:
        raise InputError(
            "jobs", f": {home} cannot be written ({error.strerror or error}): name another folder"
        ) from None
    except InputError:
        raise InputError("jobs", f": another service uses {home}: stop it, or name another folder") from None
