"""Jobs on disk: the queue, the room, and the growth of results."""

import shutil
import threading
import time

import polars as pl
import pytest

pytest.importorskip("starlette", reason='starlette is not installed: pip install "semscale[serve]"')

from held_jobs import HeldWork, Summary, added, queue_of

from semscale.errors import InputError
from semscale.serving import jobs
from semscale.serving.jobs import DiskRoom, JobFolder, JobGrowth, expected_bytes
from semscale.serving.requests import RefusedRequestError


def test_unfinished_jobs_go_on_after_a_restart_in_their_order(tmp_path):
    first_work = HeldWork()
    queue = queue_of(tmp_path, first_work)
    folders = [added(queue) for _ in range(2)]
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
    for _ in folders:
        assert work.begun.acquire(timeout=60)
    until = time.monotonic() + 60
    while again.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert work.done == [folder.id for folder in folders]
    assert [record["status"] for record in again.records()] == ["finished", "finished"]
    again.stop()
    again.close()


def test_a_restart_removes_the_table_of_a_job_that_has_ended(tmp_path):
    from semscale.serving.jobs import JobStatus

    queue = queue_of(tmp_path, HeldWork())
    folder = added(queue)
    folder.table.write_text("comment")
    folder.finish(JobStatus.FINISHED)  # and the service was killed
    queue.stop()
    queue.close()
    again = queue_of(tmp_path, HeldWork())
    assert {path.name for path in folder.path.iterdir()} == {"order.json", "end.json"}
    again.stop()
    again.close()


def test_what_else_is_in_the_folder_of_jobs_is_left_alone(tmp_path):
    home = tmp_path / "jobs"
    stored = [home / "my-project" / "notes.txt", home / ("g" * 32) / "notes.txt", home / "order.json"]
    for path in stored:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    queue = queue_of(tmp_path, HeldWork())
    assert [path.read_text() for path in stored] == ["mine"] * 3
    assert queue.records() == []
    queue.stop()
    queue.close()


def test_a_job_whose_end_cannot_be_written_does_not_stop_the_others(tmp_path, caplog):
    done = threading.Event()

    def work(folder, progress):
        if folder.id == lost.id:
            shutil.rmtree(folder.path)
            raise OSError("No space left on device")
        done.set()
        return Summary()

    queue = queue_of(tmp_path, work)
    lost = added(queue)
    added(queue)
    queue.start()
    assert done.wait(60)
    queue.stop()
    assert queue.close()
    assert f"job {lost.id} failed (No space left on device), which cannot be written" in caplog.text


def test_a_job_whose_failure_cannot_be_written_is_not_said_to_wait(tmp_path, monkeypatch, caplog):
    from semscale.serving.jobs import JobFolder

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(JobFolder, "finish", full)
    queue = queue_of(tmp_path, full)
    folder = added(queue)
    queue.start()
    until = time.monotonic() + 60
    while queue.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)
    record = queue.record(folder)
    assert (record["status"], record["error"]) == (
        "failed",
        "No space left on device; it begins again when the service starts again",
    )
    assert "cannot be written" in caplog.text
    queue.stop()
    queue.close()


def test_a_running_job_is_cancelled_and_a_waiting_one_removed(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    running, waiting = added(queue), added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.remove(waiting.id)
    queue.remove(running.id)
    until = time.monotonic() + 60
    while (queue.n_unfinished or running.path.exists()) and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert not running.path.exists()
    assert not waiting.path.exists()
    assert work.done == []
    queue.stop()
    queue.close()


def test_a_running_job_that_is_cancelled_is_gone_although_the_service_is_killed(tmp_path):
    from semscale.serving.requests import RefusedRequestError

    work = HeldWork()
    queue = queue_of(tmp_path, work)
    running = added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.stop()
    assert queue.close()
    # The thread has stopped before the job is cancelled, so nobody is left to remove its files.
    queue.remove(running.id)
    assert running.path.exists()
    with pytest.raises(RefusedRequestError, match="there is no job"):
        queue.folder(running.id)
    again = queue_of(tmp_path, HeldWork())
    assert again.n_unfinished == 0
    assert not running.path.exists()
    again.stop()
    again.close()


def test_a_job_that_outgrows_the_disk_of_jobs_fails_and_leaves_room_for_the_others(tmp_path):
    def work(folder, progress):
        folder.parts.mkdir()
        if folder.id == large.id:
            (folder.parts / "part-000000.json").write_bytes(b"x" * 60_000)
        progress("rating rows", 1, 2)
        folder.result.write_text("measured")
        return Summary()

    queue = queue_of(tmp_path, work, job_bytes=100_000)
    large, small = added(queue), added(queue)
    queue.start()
    until = time.monotonic() + 60
    while queue.n_unfinished and time.monotonic() < until:
        threading.Event().wait(0.01)
    record = queue.record(large)  # 60,000 bytes are there, and the next part would not fit
    assert record["status"] == "failed"
    assert record["error"] == "the files of all jobs may have 100,000 bytes: send a smaller table"
    assert {path.name for path in large.path.iterdir()} == {"order.json", "end.json"}
    assert queue.record(small)["status"] == "finished"
    queue.stop()
    queue.close()


def test_reasons_that_cannot_be_written_are_stored_as_long_as_their_jobs(tmp_path, monkeypatch):
    from semscale.serving.batching import Task
    from semscale.serving.jobs import JobFolder, _Job

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(JobFolder, "finish", full)
    queue = queue_of(tmp_path, full)
    removed, lost, failed = (added(queue) for _ in range(3))
    queue._fail(_Job(removed, Task()), "no space")
    queue._fail(_Job(lost, Task()), "no space")
    queue.remove(removed.id)
    shutil.rmtree(lost.path)
    queue._fail(_Job(failed, Task()), "no space")
    assert list(queue._unwritten_errors) == [failed.id]
    queue.stop()
    queue.close()


def test_a_job_whose_folder_vanishes_is_left_out_of_the_list(tmp_path, monkeypatch):
    from semscale.serving.jobs import JobFolder
    from semscale.serving.requests import RefusedRequestError

    queue = queue_of(tmp_path, HeldWork())
    stored, lost = added(queue), added(queue)
    result = queue._folders()
    shutil.rmtree(lost.path)
    monkeypatch.setattr(queue, "_folders", lambda: result)
    assert [record["id"] for record in queue.records()] == [stored.id]
    with pytest.raises(RefusedRequestError, match="there is no job") as refused:
        queue.record(JobFolder(lost.path))
    assert refused.value.status == 404
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


@pytest.fixture
def home(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "result.csv").write_bytes(b"x" * 30)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_two_uploads_do_not_count_on_the_same_room(home):
    room = DiskRoom(home, 100)  # 70 are free
    with room.share(home / "first") as first, room.share(home / "second") as second:
        first.cover(50)
        (home / "first" / "table.csv").write_bytes(b"x" * 50)
        # An upload takes all the room at once where less than a step is left.
        assert first.promised == 70
        with pytest.raises(RefusedRequestError, match="remove old ones") as refused:
            second.cover(21)
        assert refused.value.status == 507
        # What the first one does not need yet was taken back for the second one.
        second.cover(20)
        with pytest.raises(RefusedRequestError, match="remove old ones"):
            first.cover(51)
    with room.share(home / "second") as second:
        second.cover(20)  # 30 + 50 are on disk
        with pytest.raises(RefusedRequestError, match="remove old ones"):
            second.cover(21)


def test_room_is_promised_in_steps(home, monkeypatch):
    monkeypatch.setattr(jobs, "STEP", 10)
    room = DiskRoom(home, 100)
    with room.share(home / "first") as first, room.share(home / "second") as second:
        first.cover(1)
        second.cover(25)
        assert (first.promised, second.promised) == (10, 25)
        first.cover(10)
        assert first.promised == 10
        second.cover(60)
        with pytest.raises(RefusedRequestError):
            first.cover(11)


def test_the_files_that_a_share_begins_with_are_its_own(home):
    with DiskRoom(home, 100).share(home / "old") as old:
        assert (old.needed, old.promised) == (30, 30)
        old.cover(100)
        with pytest.raises(RefusedRequestError):
            old.cover(101)


def test_a_table_larger_than_all_jobs_may_be_is_refused_for_its_size(home):
    with DiskRoom(home, 100).share(home / "first") as share:
        with pytest.raises(RefusedRequestError, match="may have 100 bytes: send a") as refused:
            share.cover(101)
        assert refused.value.status == 413


@pytest.fixture
def folder(tmp_path):
    result = JobFolder(tmp_path / ("a" * 32))
    result.path.mkdir()
    result.accept({"kind": "rate", "fields": {"format": "csv", "result": "csv"}, "created": ""})
    result.parts.mkdir()
    return result


def size_of(folder):
    return sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())


def test_the_next_part_must_have_room_as_large_as_the_largest_so_far(folder, tmp_path):
    start = size_of(folder)
    with DiskRoom(tmp_path, start + 250).share(folder.path) as share:
        growth = JobGrowth(folder, share)
        (folder.parts / "part-000000.json").write_bytes(b"x" * 100)
        growth.check("rating rows")
        assert share.needed == start + 200
        (folder.parts / "part-000001.json").write_bytes(b"x" * 80)
        with pytest.raises(RefusedRequestError) as refused:  # 180 are there, and 100 more do not fit
            growth.check("rating rows")
        assert refused.value.status == 413
        growth.check()  # all that was written is within the limit


def test_the_result_must_have_room_beside_its_parts(folder, tmp_path):
    pl.DataFrame({"text": ["x" * 10_000] * 3, "kept": [[1.0]] * 3}).write_parquet(
        folder.parts / "part-000000.parquet"
    )
    # The title, a line feed, and three lines of 10,000 characters; lists are no part of a CSV file.
    assert expected_bytes(folder) == 5 + 3 * 10_001
    start = size_of(folder)
    with DiskRoom(tmp_path, start + 30_000).share(folder.path) as share:
        growth = JobGrowth(folder, share)
        growth.check("rating rows")
        with pytest.raises(RefusedRequestError):
            growth.check("writing")


@pytest.mark.parametrize(("result", "times"), [("parquet", 2), ("jsonl", 2)])
def test_what_a_result_takes_is_estimated_from_the_first_part(folder, result, times):
    folder.accept({"kind": "embed", "fields": {"format": "csv", "result": result}, "created": ""})
    assert expected_bytes(folder) == 0
    folder.parts.mkdir()
    for number in range(times):
        pl.DataFrame({"a": ["x"]}).write_parquet(folder.parts / f"part-{number:06d}.parquet")
    size = (folder.parts / "part-000000.parquet").stat().st_size
    # {"a":"x"} and a line feed
    assert expected_bytes(folder) == (times * size if result == "parquet" else times * 10)
