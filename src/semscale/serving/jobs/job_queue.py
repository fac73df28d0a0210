"""Jobs in the order in which they came, one at a time; unfinished ones go on after a restart."""

import logging
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from semscale.errors import InputError, SemscaleError
from semscale.presentable import Presentable
from semscale.serving.batching.errand import ERRAND, AbandonedError, Errand
from semscale.serving.jobs.disk_room import DiskRoom, DiskShare
from semscale.serving.jobs.job_folder import JobFolder, JobStatus
from semscale.serving.jobs.job_growth import JobGrowth
from semscale.serving.jobs.job_order import JobFields
from semscale.serving.limits import ServiceLimits
from semscale.serving.refusals import NOT_FOUND, TOO_MANY, RefusedRequestError
from semscale.serving.requests.field_names import in_request
from semscale.store.folder_lock import lock_folder
from semscale.types import Progress

_RETRY_AFTER = 60
_NAME_BYTES = 16
_NAME = re.compile(f"[0-9a-f]{{{2 * _NAME_BYTES}}}")
_LOG = logging.getLogger("semscale.serving")

Work = Callable[[JobFolder, Progress], Presentable]


class JobProgress(NamedTuple):
    """How far a job's current stage is; ``total`` is ``None`` where it is not known."""

    stage: str
    done: int
    total: int | None


@dataclass(eq=False)
class _Job:
    """A job that waits or runs."""

    folder: JobFolder
    errand: Errand
    status: JobStatus = JobStatus.WAITING
    progress: JobProgress | None = None
    removed: bool = False


class JobQueue:
    """Runs the jobs of a folder in a thread of its own.

    Args:
        home: holds a folder for each job; one service at a time uses it.
        work: measures the table of a job.
        limits: of jobs and their files.

    Raises:
        InputError: another service uses the folder, or nothing can be written there.
    """

    def __init__(self, home: Path, work: Work, limits: ServiceLimits) -> None:
        self._lock = _locked(home)
        self._home, self._work, self._limits = home, work, limits
        self._room = DiskRoom(home, limits.job_bytes)
        self._changed = threading.Condition()
        self._stopped = False
        self._n_uploads = 0
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._not_written: dict[str, str] = {}
        for folder in self._folders():
            if not folder.is_whole:
                folder.remove()  # its upload was cut short, so nobody was told its name
            elif folder.end is not None:
                folder.drop_table()  # the service was killed before it could
        unfinished = [each for each in self._folders() if each.end is None]
        for folder in sorted(unfinished, key=lambda each: str(each.order["created"])):
            self._jobs[folder.id] = _Job(folder, Errand(is_bounded=False))
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after what is finished; unfinished jobs go on when the service starts again."""
        with self._changed:
            self._stopped = True
            for job in self._jobs.values():
                job.errand.abandon()
            self._changed.notify_all()

    def close(self, seconds: float = 30.0) -> bool:
        """Wait until the thread has ended, give the folder back, and say whether it has ended."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        self._lock.release()
        return not self._thread.is_alive()

    @property
    def n_unfinished(self) -> int:
        """How many jobs wait or run."""
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
        folder.path.mkdir()
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
        """Put a job whose table is there at the end of the line."""
        created = datetime.now(UTC).isoformat()
        folder.accept({"kind": kind, "fields": fields.model_dump(mode="json"), "created": created})
        with self._changed:
            self._jobs[folder.id] = _Job(folder, Errand(is_bounded=False))
            self._changed.notify_all()

    def remove(self, name: str) -> None:
        """Cancel a job, or remove one that has ended, with its files; a restart does not bring it back.

        Raises:
            RefusedRequestError: there is no such job.
        """
        self._drop(self.folder(name))

    def _drop(self, folder: JobFolder) -> None:
        with self._changed:
            self._not_written.pop(folder.id, None)
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
            job.errand.abandon()

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
        """Say how far a job is.

        Raises:
            RefusedRequestError: its folder has been removed meanwhile.
        """
        try:
            job, end, order = self._jobs.get(folder.id), folder.end, folder.order
        except FileNotFoundError:
            raise _no_job(folder.id) from None
        if end is None and folder.id in self._not_written:
            end = {"status": JobStatus.FAILED, "error": self._not_written[folder.id]}
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
        """Say how far all jobs are, the oldest first; a job that is removed meanwhile is left out."""
        found = []
        for folder in self._folders():
            with suppress(RefusedRequestError):
                found.append(self.record(folder))
        return sorted(found, key=lambda each: str(each["created"]))

    def _folders(self) -> list[JobFolder]:
        """Find the folders of jobs; whatever else the user keeps beside them is left alone."""
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
        ERRAND.set(job.errand)
        try:
            with self._room.share(job.folder.path) as share:
                self._finish(job, JobGrowth(job.folder, share))
        except AbandonedError:
            return
        except (SemscaleError, OSError) as error:
            self._failed(job, str(error))
        except Exception as error:
            _LOG.exception("a bug of ours: please report it")
            self._failed(job, f"this is a bug of ours: {type(error).__name__}")

    def _finish(self, job: _Job, growth: JobGrowth) -> None:
        """Do the work of a job, within its room on disk."""

        def progress(stage: str, done: int, total: int | None) -> None:
            job.errand.check()
            growth.check(stage)
            job.progress = JobProgress(stage, done, total)

        summary = self._work(job.folder, progress)
        job.folder.summary.write_text(summary.to_json(), encoding="utf-8")
        growth.check()
        job.folder.finish(JobStatus.FINISHED)
        job.folder.drop_table()

    def _failed(self, job: _Job, words: str) -> None:
        if job.removed:
            return  # nobody asks for it any more, and its files go at once
        # Messages name the table by its path here, which the client does not know, and options of commands.
        said = in_request(words.replace(f"{job.folder.path}/", ""))
        try:
            job.folder.drop_results()  # which makes room for the reason
            job.folder.finish(JobStatus.FAILED, said)
            job.folder.drop_table()
        except OSError as error:  # as on a full disk; other jobs go on, this one at the next start
            _LOG.error("job %s failed (%s), which cannot be written: %s", job.folder.id, said, error)  # noqa: TRY400
            self._note(job.folder.id, f"{said}; it begins again when the service starts again")

    def _note(self, name: str, words: str) -> None:
        """Remember why a job failed, for as long as its folder is there."""
        with self._changed:
            there = {folder.id for folder in self._folders()}
            noted = {**self._not_written, name: words}
            self._not_written = {each: noted[each] for each in noted if each in there}


def _no_job(name: str) -> RefusedRequestError:
    return RefusedRequestError(NOT_FOUND, f"there is no job {name[:40]!r}", field="id")


def _locked(home: Path) -> FileLock:
    """Make the folder and lock it.

    Raises:
        InputError: another service uses it, or nothing can be written there.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        return lock_folder(home, lambda _: None)
    except OSError as error:
        said = f"jobs: {home} cannot be written ({error.strerror or error}): name another folder"
        raise InputError(said, in_shell=f"--{said}") from None
    except InputError:
        said = f"jobs: another service uses {home}: stop it, or name another folder"
        raise InputError(said, in_shell=f"--{said}") from None
