"""Jobs on disk: the queue, restarts, and the quota."""

import threading
import time

import pytest

pytest.importorskip("starlette", reason='starlette is not installed: pip install "semscale[serve]"')

from held_jobs import HeldWork, Summary, added, queue_of

from semscale.errors import InputError
from semscale.serving.jobs import JobStatus, JobStore
from semscale.serving.requests import RefusedRequestError


def test_unfinished_jobs_go_on_after_a_restart_in_their_order(tmp_path):
    first_work = HeldWork()
    queue = queue_of(tmp_path, first_work)
    jobs = [added(queue) for _ in range(2)]
    (tmp_path / "jobs" / ("f" * 32)).mkdir()  # an upload that was cut short
    queue.start()
    assert first_work.begun.acquire(timeout=60)
    queue.stop()
    assert queue.close()
    assert first_work.done == []

    work = HeldWork()
    work.let.set()
    again = queue_of(tmp_path, work)
    assert not (tmp_path / "jobs" / ("f" * 32)).exists()
    again.start()
    for _ in jobs:
        assert work.begun.acquire(timeout=60)
    until = time.monotonic() + 60
    while again.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert work.done == [job.id for job in jobs]
    assert [record["status"] for record in again.records()] == ["finished", "finished"]
    again.stop()
    again.close()


def test_a_restart_removes_the_table_of_a_job_that_has_ended(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    job = added(queue)
    job.table.write_text("comment")
    job.status = JobStatus.FINISHED
    JobStore(tmp_path / "jobs").end(job)  # and the service was killed
    queue.stop()
    queue.close()
    again = queue_of(tmp_path, HeldWork())
    assert not job.table.exists()
    assert [record["status"] for record in again.records()] == ["finished"]
    again.stop()
    again.close()


def test_jobs_are_private(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    job = added(queue)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "jobs").iterdir()}
    assert (modes["jobs.sqlite"], modes[job.id]) == (0o600, 0o700)
    queue.stop()
    queue.close()


def test_what_else_is_in_the_folder_of_jobs_is_left_alone(tmp_path):
    home = tmp_path / "jobs"
    stored = [home / "my-project" / "notes.txt", home / ("g" * 32) / "notes.txt", home / "notes.txt"]
    for path in stored:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    queue = queue_of(tmp_path, HeldWork())
    assert [path.read_text() for path in stored] == ["mine"] * 3
    assert queue.records() == []
    queue.stop()
    queue.close()


def until_ended(queue):
    until = time.monotonic() + 60
    while queue.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)


def test_a_job_whose_failure_cannot_be_stored_is_failed_until_a_restart(tmp_path, monkeypatch, caplog):
    done = threading.Event()

    def work(job, progress):
        if job.id == lost.id:
            raise OSError("No space left on device")
        done.set()
        return Summary()

    end = JobStore.end

    def full(self, job):
        if job.id == lost.id:
            raise OSError("No space left on device")
        end(self, job)

    monkeypatch.setattr(JobStore, "end", full)
    queue = queue_of(tmp_path, work)
    lost = added(queue)
    other = added(queue)
    queue.start()
    assert done.wait(60)
    until_ended(queue)
    record = queue.find(lost.id).record()
    assert (record["status"], record["error"]) == (
        "failed",
        "No space left on device; it begins again when the service starts again",
    )
    assert f"job {lost.id} failed (No space left on device), which cannot be written" in caplog.text
    assert queue.find(other.id).status is JobStatus.FINISHED
    queue.stop()
    assert queue.close()
    again = queue_of(tmp_path, work)
    assert again.find(lost.id).status is JobStatus.WAITING
    again.stop()
    again.close()


def test_a_running_job_is_cancelled_and_a_waiting_one_removed(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    running, waiting = added(queue), added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.remove(waiting.id)
    queue.remove(running.id)
    until = time.monotonic() + 60
    while (queue.n_unfinished or running.folder.exists()) and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert not running.folder.exists()
    assert not waiting.folder.exists()
    assert work.done == []
    queue.stop()
    queue.close()


def test_a_running_job_that_is_cancelled_is_gone_although_the_service_is_killed(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    running = added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.stop()
    assert queue.close()
    # The thread has stopped before the job is cancelled, so that it cannot remove the files.
    queue.remove(running.id)
    assert running.folder.exists()
    with pytest.raises(RefusedRequestError, match="there is no job"):
        queue.find(running.id)
    again = queue_of(tmp_path, HeldWork())
    assert again.n_unfinished == 0
    assert not running.folder.exists()
    again.stop()
    again.close()


def test_a_job_that_outgrows_the_quota_fails_and_leaves_room_for_the_others(tmp_path):
    def work(job, progress):
        job.parts.mkdir()
        if job.id == large.id:
            (job.parts / "part-000000.json").write_bytes(b"x" * 160_000)
        progress("rating rows", 1, 2)
        job.result.write_text("measured")
        return Summary()

    queue = queue_of(tmp_path, work, job_bytes=100_000)
    large, small = added(queue), added(queue)
    large.table.write_text("comment")
    queue.start()
    until_ended(queue)
    record = queue.find(large.id).record()
    assert record["status"] == "failed"
    assert record["error"].startswith("the files of all jobs may have 100,000 bytes: remove old jobs")
    assert list(large.folder.iterdir()) == []
    assert queue.find(small.id).status is JobStatus.FINISHED
    queue.stop()
    queue.close()


def test_the_quota_counts_the_files_of_all_jobs(tmp_path):
    queue = queue_of(tmp_path, HeldWork(), job_bytes=100_000)
    job = added(queue)
    (job.folder / "result.csv").write_bytes(b"x" * 60_000)
    queue.check_quota(20_000)  # beside the database, which has some pages of 4 KiB
    for more, status in ((40_001, 507), (100_001, 413)):
        with pytest.raises(RefusedRequestError, match="may have 100,000 bytes") as refused:
            queue.check_quota(more)
        assert refused.value.status == status
    queue.stop()
    queue.close()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "jobs").write_text("a file")
    with pytest.raises(InputError, match=r"jobs cannot be written \(File exists\): name another folder"):
        queue_of(tmp_path, HeldWork())
    with pytest.raises(InputError, match=r"jobs: .* cannot be written \(Not a directory\)"):
        queue_of(tmp_path / "jobs", HeldWork())


def test_a_folder_serves_one_service(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    with pytest.raises(InputError, match="jobs: another service uses .*: stop it, or name another folder"):
        queue_of(tmp_path, HeldWork())
    queue.stop()
    queue.close()
