"""Jobs: their order, their end, and what a restart finds."""

import asyncio
import csv
import io
import shutil
import threading
import time
from typing import ClassVar

import pytest
from made_services import Client, loaded_service

from semscale.errors import InputError

TABLE = "id,comment\n1,I would buy it at once.\n2,\n3,Never.\n"


def client_of(service):
    from semscale.serving.application import application

    return Client(application(service))


def ended(client, name):
    """Wait until a job has ended."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        record = client.get(f"/jobs/{name}").json()
        if record["status"] in ("finished", "failed"):
            return record
        threading.Event().wait(0.02)
    raise AssertionError(record)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("served") / "jobs"


@pytest.fixture(scope="module")
def jobs(engine, home):
    service = loaded_service(engine, home=home)
    yield client_of(service)
    service.close()


@pytest.mark.parametrize(
    ("address", "table", "column", "filled"),
    [
        ("kind=rate&text=comment", TABLE, "semscale_mean", [True, False, True]),
        ("kind=match&prediction=a&reference=b", "a,b\nYes,Yes.\nNo,Yes.\n", "semscale_score", [True, True]),
        (
            "kind=consistency&answer=a&sample=b&sample=c",
            "a,b,c\n12,12,13\n,1,1\n",
            "semscale_consistency",
            [True, False],
        ),
    ],
)
def test_a_job_gives_the_table_with_results(jobs, address, table, column, filled):
    accepted = jobs.post(f"/jobs?{address}&result=csv", content=table)
    assert accepted.status_code == 202, accepted.text
    name = accepted.json()["id"]
    assert accepted.headers["location"] == f"/jobs/{name}"
    assert ended(jobs, name)["status"] == "finished"
    result = jobs.get(f"/jobs/{name}/result")
    assert result.headers["content-disposition"] == 'attachment; filename="result.csv"'
    rows = list(csv.DictReader(io.StringIO(result.text)))
    assert [bool(row[column]) for row in rows] == filled
    assert jobs.get(f"/jobs/{name}/summary").json()["schema"] == 1
    assert name in [each["id"] for each in jobs.get("/jobs").json()["jobs"]]
    assert jobs.send("DELETE", f"/jobs/{name}").status_code == 200
    assert jobs.get(f"/jobs/{name}").status_code == 404


def test_vectors_of_a_job_are_those_of_the_model(jobs, engine, tmp_path):
    import polars as pl

    name = jobs.post("/jobs?kind=embed&text=comment", content=TABLE).json()["id"]
    ended(jobs, name)
    (tmp_path / "found.parquet").write_bytes(jobs.get(f"/jobs/{name}/result").content)
    vectors = pl.read_parquet(tmp_path / "found.parquet")["semscale_vector"].to_list()
    expected = engine.embed(["I would buy it at once.", "Never."]).vectors.tolist()
    assert vectors == [expected[0], None, expected[1]]


@pytest.mark.parametrize(
    ("address", "content", "field", "words"),
    [
        ("kind=rote&text=comment", TABLE, "kind", "one of rate, match"),
        ("kind=rate", TABLE, "text", "missing"),
        ("kind=rate&text=comment&scale=x", TABLE, "scale", "unknown scale"),
        ("kind=rate&text=comment&temperature=-1", TABLE, "temperature", "0 or more"),
        ("kind=consistency&answer=a", TABLE, None, "(sample=COLUMN, can be repeated)"),
        ("kind=rate&text=comment" + "&missing=x" * 2049, TABLE, "missing", "at most 2,048 texts, got 2,049"),
        ("kind=rate&text=comment", "", "body", "must be a table"),
        ("kind=rate&text=comment&sheet=2024", TABLE, "sheet", "sheet applies to xlsx, not to csv"),
        (
            "kind=rate&text=comment&format=jsonl&header=plain",
            "{}",
            "header",
            "header applies to csv, tsv and xlsx",
        ),
        ("kind=rate&text=comment&format=xlsx&encoding=cp1252", "PK", "encoding", "not to xlsx"),
        ("kind=rate&text=comment&encoding=latin-99", TABLE, "encoding", "one that Python knows"),
        ("kind=embed&text=comment&result=csv", TABLE, "result", "parquet or jsonl to hold vectors"),
        ("kind=rate&text=comment&text=remark", TABLE, "text", "named once in the address, got 2 times"),
    ],
)
def test_a_wrong_order_is_refused_and_leaves_no_files(jobs, home, address, content, field, words):
    before = {path.name for path in home.iterdir()}
    answer = jobs.post(f"/jobs?{address}", content=content)
    assert answer.status_code == 422
    assert words in answer.json()["error"]["message"]
    assert field is None or answer.json()["error"]["param"] == field
    assert {path.name for path in home.iterdir()} == before


def test_a_table_that_does_not_serve_is_said_by_the_job(jobs):
    name = jobs.post("/jobs?kind=rate&text=remark", content=TABLE).json()["id"]
    record = ended(jobs, name)
    assert record["status"] == "failed"
    assert record["error"].startswith("text: table.csv has no column 'remark'")
    assert jobs.get(f"/jobs/{name}/result").status_code == 409


def test_the_description_names_the_settings_of_each_kind_of_job(jobs):
    paths = jobs.get("/openapi.json").json()["paths"]
    settings = {each["name"]: each for each in paths["/jobs"]["post"]["parameters"]}
    assert settings["kind"]["schema"]["enum"] == ["rate", "match", "consistency", "embed"]
    assert settings["text"]["schema"]["description"] == "The column of texts. Of rate, embed."
    assert [name for name, each in settings.items() if each["required"]] == ["kind"]
    assert settings["format"]["schema"]["description"] == "Of the uploaded table."
    assert paths["/jobs/{id}/result"]["get"]["parameters"][0]["name"] == "id"
    page = jobs.get("/docs").text
    assert "The column of predictions. Of match." in page


@pytest.mark.parametrize(("verb", "path"), [("POST", "/jobs?kind=rate"), ("GET", "/jobs/1/result")])
def test_a_service_without_jobs_says_how_to_have_them(client, verb, path):
    answer = client.send(verb, path, content=TABLE)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "this service takes no jobs: start it with --jobs FOLDER"


@pytest.mark.parametrize("name", ["x", "..", "0" * 32, "lock"])
def test_a_name_that_is_no_job_is_not_found(jobs, name):
    assert jobs.get(f"/jobs/{name}").status_code == 404


class HeldWork:
    """Work that goes on when it is told to, or ends when it is abandoned."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.let = threading.Event()
        self.done: list[str] = []

    def __call__(self, folder, progress):
        self.begun.release()
        while not self.let.wait(0.01):
            progress("rating rows", 1, 2)
        self.done.append(folder.id)
        return Summary()


class Summary:
    def to_json(self):
        return "{}"


def queue_of(tmp_path, work, **limits):
    from semscale.serving.jobs.job_queue import JobQueue
    from semscale.serving.limits import ServiceLimits

    return JobQueue(tmp_path / "jobs", work, ServiceLimits(**limits))


def added(queue):
    from semscale.serving.jobs.job_order import EmbeddingJobFields

    with queue.uploading() as (folder, _):
        queue.add(folder, "embed", EmbeddingJobFields(text="comment"))
    return folder


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
    from semscale.serving.jobs.job_folder import JobStatus

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
    kept = [home / "my-project" / "notes.txt", home / ("g" * 32) / "notes.txt", home / "order.json"]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    queue = queue_of(tmp_path, HeldWork())
    assert [path.read_text() for path in kept] == ["mine"] * 3
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
    from semscale.serving.jobs.job_folder import JobFolder

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
    from semscale.serving.refusals import RefusedRequestError

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


def test_the_table_of_a_job_goes_with_its_end(jobs, home):
    name = jobs.post("/jobs?kind=embed&text=comment", content=TABLE).json()["id"]
    assert ended(jobs, name)["status"] == "finished"
    until = time.monotonic() + 60
    while (home / name / "table.csv").exists() and time.monotonic() < until:
        threading.Event().wait(0.01)
    kept = {path.name for path in (home / name).iterdir()}
    assert kept == {"order.json", "end.json", "result.parquet", "summary.json"}


def test_reasons_that_cannot_be_written_are_kept_as_long_as_their_jobs(tmp_path, monkeypatch):
    from semscale.serving.jobs.job_folder import JobFolder

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(JobFolder, "finish", full)
    queue = queue_of(tmp_path, full)
    removed, lost, kept = (added(queue) for _ in range(3))
    queue._note(removed.id, "no space")
    queue._note(lost.id, "no space")
    queue.remove(removed.id)
    shutil.rmtree(lost.path)
    queue._note(kept.id, "no space")
    assert list(queue._not_written) == [kept.id]
    queue.stop()
    queue.close()


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


def test_a_job_whose_folder_vanishes_is_left_out_of_the_list(tmp_path, monkeypatch):
    from semscale.serving.jobs.job_folder import JobFolder
    from semscale.serving.refusals import RefusedRequestError

    queue = queue_of(tmp_path, HeldWork())
    kept, lost = added(queue), added(queue)
    found = queue._folders()
    shutil.rmtree(lost.path)
    monkeypatch.setattr(queue, "_folders", lambda: found)
    assert [record["id"] for record in queue.records()] == [kept.id]
    with pytest.raises(RefusedRequestError, match="there is no job") as refused:
        queue.record(JobFolder(lost.path))
    assert refused.value.status == 404
    queue.stop()
    queue.close()


def test_the_error_of_a_job_names_fields_and_not_options(jobs):
    name = jobs.post("/jobs?kind=rate&text=comment", content=b"PK\x03\x04 and more").json()["id"]
    assert ended(jobs, name)["error"].endswith("whatever its name says: read it with format=xlsx")
    latin = "id,comment\n1,Très bien.\n".encode("latin-1")
    name = jobs.post("/jobs?kind=rate&text=comment", content=latin).json()["id"]
    assert ended(jobs, name)["error"].endswith("pass encoding=cp1252 or encoding=latin-1")
    address = "/jobs?kind=rate&text=comment&encoding=latin-1&result=csv"
    assert ended(jobs, jobs.post(address, content=latin).json()["id"])["status"] == "finished"


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
