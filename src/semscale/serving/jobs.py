"""Jobs: uploaded tables that are measured one at a time, within their room on disk, also after a restart."""

import json
import logging
import re
import secrets
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import polars.selectors as cs
from filelock import FileLock

from semscale.errors import InputError, SemscaleError
from semscale.presentable import Presentable
from semscale.serving.batching import CURRENT_TASK, AbandonedError, Task
from semscale.serving.requests import (
    DISK_FULL,
    NOT_FOUND,
    TOO_LARGE,
    TOO_MANY,
    JobFields,
    RefusedRequestError,
    ServiceLimits,
    as_field_names,
)
from semscale.store.atomic import create_private_folder, replacing, sync
from semscale.store.folder_lock import lock_folder
from semscale.types import Progress

STEP = 64 * 1024 * 1024
"""Bytes that are promised at once, where there is room, so that the disk is not searched too often."""

WRITING = "writing"
"""Stage at which a run puts its parts together."""

_ORDER, _END = "order.json", "end.json"
_NO_ROOM = "the jobs fill the disk that they may have: remove old ones, or send a smaller table"
_AGAIN = "it begins again when the service starts again"
_RETRY_AFTER = 60
_NAME_BYTES = 16
_NAME = re.compile(f"[0-9a-f]{{{2 * _NAME_BYTES}}}")
_LOG = logging.getLogger("semscale.serving")


class JobStatus(StrEnum):
    """Status of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class JobFolder:
    """A job on disk: its order, the uploaded table, its end, and its result.

    Attributes:
        path: of the folder; its name is the job's.
    """

    path: Path

    @property
    def id(self) -> str:
        """The job's name."""
        return self.path.name

    @property
    def order(self) -> dict[str, Any]:
        """The order: ``kind``, ``fields`` and ``created``."""
        order: dict[str, Any] = json.loads((self.path / _ORDER).read_bytes())
        return order

    @property
    def is_whole(self) -> bool:
        """True if the upload was finished."""
        return (self.path / _ORDER).is_file()

    @property
    def table(self) -> Path:
        """The uploaded table."""
        return self.upload_path(self.order["fields"]["format"])

    @property
    def result(self) -> Path:
        """The measured table."""
        return self.path / f"result.{self.order['fields']['result']}"

    @property
    def parts(self) -> Path:
        """The folder of finished parts, while the job is not finished."""
        return self.result.with_name(f"{self.result.name}.parts")

    @property
    def summary(self) -> Path:
        """The summary in JSON."""
        return self.path / "summary.json"

    @property
    def end(self) -> dict[str, Any] | None:
        """The end of the job: ``status`` and ``error``; ``None`` before it."""
        end = self.path / _END
        return json.loads(end.read_bytes()) if end.is_file() else None

    def upload_path(self, extension: str) -> Path:
        """Return the path of a table that is uploaded."""
        return self.path / f"table.{extension}"

    def accept(self, order: Mapping[str, Any]) -> None:
        """Store the order; from now on the job survives a restart."""
        self._write(_ORDER, order)

    def finish(self, status: JobStatus, error: str | None = None) -> None:
        """Store the end of the job."""
        self._write(_END, {"status": str(status), "error": error})

    def forget(self) -> None:
        """Remove the order: the job is gone, even if the service is killed before its files are."""
        with suppress(FileNotFoundError):
            (self.path / _ORDER).unlink()
            sync(self.path)

    def remove(self) -> None:
        """Remove everything; files that cannot be removed now are removed at the next start."""
        self.forget()
        shutil.rmtree(self.path, ignore_errors=True)

    def drop_results(self) -> None:
        """Remove all results so far; the order and the table stay."""
        inputs = {_ORDER, _END, self.table.name}
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in inputs:
                path.unlink()

    def drop_table(self) -> None:
        """Remove the uploaded table, which is no longer needed."""
        self.table.unlink(missing_ok=True)

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        with replacing(self.path / name, private=True) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")


def bytes_in(path: Path) -> int:
    """Add up the sizes of a file, or of all files in a folder; those that vanish meanwhile count nothing."""
    total = 0
    for file in (path, *path.rglob("*")):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
    return total


class DiskRoom:
    """Shares out the bytes that the files of jobs may have, so that no job counts on the bytes of another.

    Args:
        home: the folder of all jobs.
        most: bytes that its files may have.
    """

    def __init__(self, home: Path, most: int) -> None:
        self._home, self._most = home, most
        self._search = threading.Lock()  # held during a search of the disk
        self.lock = threading.Lock()  # held for a moment, to read or change promises
        self._shares: set[DiskShare] = set()

    @contextmanager
    def share(self, folder: Path) -> Iterator["DiskShare"]:
        """Give an upload, or a job that runs, its share for as long as it takes.

        Args:
            folder: where it writes; the files there count as promised.
        """
        share = DiskShare(self, folder, bytes_in(folder))
        with self.lock:
            self._shares.add(share)
        try:
            yield share
        finally:
            with self.lock:
                self._shares.remove(share)

    def promise(self, share: "DiskShare", n: int) -> None:
        """Promise a share ``n`` bytes in all, and some more where there is room.

        Where there is none, bytes that were promised to other shares and are not needed yet are taken back
        first.

        Raises:
            RefusedRequestError: these are more bytes than all jobs may have, or there is no room.
        """
        if n > self._most:
            message = f"the files of all jobs may have {self._most:,} bytes: send a smaller table"
            raise RefusedRequestError(TOO_LARGE, message)
        with self._search:
            with self.lock:
                before = set(self._shares)
            folders = {other.folder for other in before}
            stored = sum(bytes_in(path) for path in self._home.iterdir() if path not in folders)
            with self.lock:
                # A share that has ended meanwhile was not searched, so its promise still counts.
                rest = (before | self._shares) - {share}
                free = self._most - stored - sum(other.promised for other in rest)
                if n > free:
                    for other in rest:
                        other.promised = other.needed
                    free = self._most - stored - sum(other.promised for other in rest)
                if n > free:
                    raise RefusedRequestError(DISK_FULL, _NO_ROOM)
                share.needed = n
                share.promised = min(max(n, share.promised + STEP), free)


class DiskShare:
    """The bytes that one upload, or one job that runs, may write.

    Attributes:
        folder: where it writes.
        needed: bytes that it has written, or is about to write.
        promised: bytes that no other share counts on; at least as many.
    """

    def __init__(self, room: DiskRoom, folder: Path, written: int) -> None:
        self._room = room
        self.folder = folder
        self.needed = self.promised = written

    def covers(self, n: int) -> bool:
        """Return true if ``n`` bytes in all were promised; if so, they are needed from now on."""
        with self._room.lock:
            if n <= self.promised:
                self.needed = n
            return n <= self.promised

    def cover(self, n: int) -> None:
        """Make sure that ``n`` bytes in all may be written.

        Raises:
            RefusedRequestError: there is no room for them.
        """
        if not self.covers(n):
            self._room.promise(self, n)


class JobGrowth:
    """Checks that the files of a job that runs stay within its share of the disk.

    Args:
        folder: of the job.
        share: its share.
    """

    def __init__(self, folder: JobFolder, share: DiskShare) -> None:
        self._folder, self._share = folder, share
        self._last = bytes_in(folder.path)
        self._largest_step = 0
        self._changed = self._last_change()

    def check(self, stage: str | None = None) -> None:
        """Make sure that the job may keep its files, and go on.

        Once a part is finished, another step as large as the largest so far must have room, and at the stage
        ``writing`` the result beside its parts.

        Args:
            stage: of the run; ``None`` when it has ended.

        Raises:
            RefusedRequestError: there is no room.
        """
        changed = self._last_change()
        if stage not in (None, WRITING) and changed == self._changed:
            return  # a look at thousands of parts takes longer than one at their folder
        self._changed = changed
        written = bytes_in(self._folder.path)
        self._largest_step = max(self._largest_step, written - self._last)
        self._last = written
        ahead = 0
        if stage is not None:
            ahead = expected_bytes(self._folder) if stage == WRITING else self._largest_step
        self._share.cover(written + ahead)

    def _last_change(self) -> int | None:
        """Return the time at which the last part was added; ``None`` without parts."""
        parts = self._folder.parts
        return parts.stat().st_mtime_ns if parts.is_dir() else None


def expected_bytes(folder: JobFolder) -> int:
    """Estimate the bytes of a result from its parts: the first part as CSV or JSON shows the ratio."""
    parts = sorted(folder.parts.glob("part-*.parquet"))
    if not parts:
        return 0
    total = sum(part.stat().st_size for part in parts)
    match folder.result.suffix:
        case ".csv":
            written = pl.read_parquet(parts[0]).select(~cs.nested()).write_csv()
        case ".jsonl":
            written = pl.read_parquet(parts[0]).write_ndjson()
        case _:
            return total
    return round(total * len(written.encode()) / parts[0].stat().st_size)


Work = Callable[[JobFolder, Progress], Presentable]


class JobProgress(NamedTuple):
    """Progress of a job's current stage; ``total`` is ``None`` where it is not known."""

    stage: str
    done: int
    total: int | None


@dataclass(eq=False)
class _Job:
    """A job that waits or runs."""

    folder: JobFolder
    task: Task
    status: JobStatus = JobStatus.WAITING
    progress: JobProgress | None = None
    removed: bool = False


class JobQueue:
    """Runs the jobs of a folder in a thread, one at a time, in the order in which they came.

    Args:
        home: holds a folder for each job; one service at a time uses it.
        work: measures the table of a job.
        limits: of jobs and their files.

    Raises:
        InputError: another service uses the folder, or nothing can be written there.
    """

    def __init__(self, home: Path, work: Work, limits: ServiceLimits) -> None:
        self._lock = _lock(home)
        self._home, self._work, self._limits = home, work, limits
        self._room = DiskRoom(home, limits.job_bytes)
        self._changed = threading.Condition()
        self._stopped = False
        self._n_uploads = 0
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._unwritten_errors: dict[str, str] = {}
        for folder in self._folders():
            if not folder.is_whole:
                folder.remove()  # its upload was cut short, so that no client knows its name
            elif folder.end is not None:
                folder.drop_table()  # the service was killed before it could
        unfinished = [folder for folder in self._folders() if folder.end is None]
        for folder in sorted(unfinished, key=lambda folder: str(folder.order["created"])):
            self._jobs[folder.id] = _Job(folder, Task(is_bounded=False))
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the parts that are finished; unfinished jobs go on when the service starts again."""
        with self._changed:
            self._stopped = True
            for job in self._jobs.values():
                job.task.abandon()
            self._changed.notify_all()

    def close(self, seconds: float = 30.0) -> bool:
        """Wait for the end of the thread, and unlock the folder; return true if the thread has ended."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        self._lock.release()
        return not self._thread.is_alive()

    @property
    def n_unfinished(self) -> int:
        """Number of jobs that wait or run."""
        return len(self._jobs)

    @contextmanager
    def uploading(self) -> Iterator[tuple[JobFolder, DiskShare]]:
        """Make a folder for a job whose table is uploaded, and give the upload its share of the disk.

        The folder is removed if the upload fails.

        Raises:
            RefusedRequestError: too many jobs wait.
        """
        if self.n_unfinished + self._n_uploads >= self._limits.jobs:
            raise RefusedRequestError(
                TOO_MANY,
                f"at most {self._limits.jobs} jobs may wait: try again later, or cancel one",
                retry_after=_RETRY_AFTER,
            )
        folder = JobFolder(self._home / secrets.token_hex(_NAME_BYTES))
        folder.path.mkdir(mode=0o700)
        self._n_uploads += 1
        try:
            with self._room.share(folder.path) as share:
                yield folder, share
        except BaseException:
            self._drop(folder)  # the job may have been added already
            raise
        finally:
            self._n_uploads -= 1

    def add(self, folder: JobFolder, kind: str, fields: JobFields) -> None:
        """Put a job whose table is uploaded at the end of the queue."""
        created = datetime.now(UTC).isoformat()
        folder.accept({"kind": kind, "fields": fields.model_dump(mode="json"), "created": created})
        with self._changed:
            self._jobs[folder.id] = _Job(folder, Task(is_bounded=False))
            self._changed.notify_all()

    def remove(self, name: str) -> None:
        """Cancel a job, or remove one that has ended, with its files; a restart does not bring it back.

        Raises:
            RefusedRequestError: there is no such job.
        """
        self._drop(self.folder(name))

    def _drop(self, folder: JobFolder) -> None:
        with self._changed:
            self._unwritten_errors.pop(folder.id, None)
            job = self._jobs.get(folder.id)
            if job is not None and job.status is JobStatus.RUNNING:
                job.removed = True  # the thread removes the files once it has let go of them
            else:
                self._jobs.pop(folder.id, None)
                job = None
        if job is None:
            folder.remove()
        else:
            folder.forget()
            job.task.abandon()

    def folder(self, name: str) -> JobFolder:
        """Find a job.

        Raises:
            RefusedRequestError: there is none of this name.
        """
        folder = JobFolder(self._home / name)
        job = self._jobs.get(name)
        if not _NAME.fullmatch(name) or not folder.is_whole or (job is not None and job.removed):
            raise _no_job(name)
        return folder

    def record(self, folder: JobFolder) -> dict[str, Any]:
        """Return the status and the progress of a job.

        Raises:
            RefusedRequestError: its folder has been removed meanwhile.
        """
        try:
            job, end, order = self._jobs.get(folder.id), folder.end, folder.order
        except FileNotFoundError:
            raise _no_job(folder.id) from None
        if end is None and folder.id in self._unwritten_errors:
            end = {"status": JobStatus.FAILED, "error": self._unwritten_errors[folder.id]}
        status = job.status if job else JobStatus(end["status"] if end else JobStatus.WAITING)
        progress = job.progress if job else None
        return {
            "id": folder.id,
            "kind": order["kind"],
            "created": order["created"],
            "status": str(status),
            "progress": None if progress is None else progress._asdict(),
            "error": end["error"] if end else None,
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the records of all jobs, the oldest first; a job that is removed meanwhile is left out."""
        records = []
        for folder in self._folders():
            with suppress(RefusedRequestError):
                records.append(self.record(folder))
        return sorted(records, key=lambda record: str(record["created"]))

    def _folders(self) -> list[JobFolder]:
        """Find the folders of jobs; other files of the user are left alone."""
        named = [path for path in self._home.iterdir() if _NAME.fullmatch(path.name)]
        return [JobFolder(path) for path in named if path.is_dir() and not path.is_symlink()]

    def _run(self) -> None:
        while (job := self._next()) is not None:
            copy_context().run(self._do, job)
            with self._changed:
                if not self._stopped:
                    self._jobs.pop(job.folder.id, None)
            if job.removed:
                job.folder.remove()

    def _next(self) -> _Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._stopped)
            if self._stopped:
                return None
            job = next(iter(self._jobs.values()))
            job.status = JobStatus.RUNNING
            return job

    def _do(self, job: _Job) -> None:
        CURRENT_TASK.set(job.task)
        try:
            with self._room.share(job.folder.path) as share:
                self._finish(job, JobGrowth(job.folder, share))
        except AbandonedError:
            return
        except (SemscaleError, OSError) as error:
            self._fail(job, str(error))
        except Exception as error:
            _LOG.exception("a bug of ours: please report it")
            self._fail(job, f"this is a bug of ours: {type(error).__name__}")

    def _finish(self, job: _Job, growth: JobGrowth) -> None:
        """Do the work of a job, within its room on disk."""

        def progress(stage: str, done: int, total: int | None) -> None:
            job.task.check()
            growth.check(stage)
            job.progress = JobProgress(stage, done, total)

        summary = self._work(job.folder, progress)
        job.folder.summary.write_text(summary.to_json(), encoding="utf-8")
        growth.check()
        job.folder.finish(JobStatus.FINISHED)
        job.folder.drop_table()

    def _fail(self, job: _Job, message: str) -> None:
        if job.removed:
            return  # no client asks for it any more, and its files go at once
        # Messages name the table by its path here, which the client does not know, and options of commands.
        message = as_field_names(message.replace(f"{job.folder.path}/", ""))
        try:
            job.folder.drop_results()  # which makes room for the reason
            job.folder.finish(JobStatus.FAILED, message)
            job.folder.drop_table()
        except OSError as error:  # as on a full disk; other jobs go on, this one at the next start
            _LOG.error("job %s failed (%s), which cannot be written: %s", job.folder.id, message, error)  # noqa: TRY400
            with self._changed:
                # The reason is known for as long as the job's folder exists.
                existing = {folder.id for folder in self._folders()}
                errors = {**self._unwritten_errors, job.folder.id: f"{message}; {_AGAIN}"}
                self._unwritten_errors = {name: errors[name] for name in errors if name in existing}


def _no_job(name: str) -> RefusedRequestError:
    return RefusedRequestError(NOT_FOUND, f"there is no job {name[:40]!r}", field="id")


def _lock(home: Path) -> FileLock:
    """Make the folder and lock it.

    Raises:
        InputError: another service uses it, or nothing can be written there.
    """
    try:
        create_private_folder(home)
        return lock_folder(home, lambda _: None)
    except OSError as error:
        message = f"jobs: {home} cannot be written ({error.strerror or error}): name another folder"
        raise InputError(message, in_shell=f"--{message}") from None
    except InputError:
        message = f"jobs: another service uses {home}: stop it, or name another folder"
        raise InputError(message, in_shell=f"--{message}") from None
