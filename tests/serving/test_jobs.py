"""Jobs: uploads, progress and results; restarts, kills, the quota, and a full disk."""

import asyncio
import csv
import io
import json
import sqlite3
import sys
import threading
from contextlib import closing
from typing import ClassVar

import numpy as np
import pytest

pytest.importorskip(
    "prometheus_client", reason='prometheus_client is not installed: pip install "semscale[serve]"'
)

from tests.fuzz.targets import CORPUS
from tests.support.services import TABLE, HeldWork, Summary, added, client_of, loaded_service, queue_of, until
from tests.support.small_disk import LARGE, can_mount, small_disk

from semscale.errors import InputError
from semscale.serving.jobs import JobStatus, JobStore
from semscale.serving.refusals import RefusedRequestError
from semscale.serving.requests import EmbeddingJobFields


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
    until(lambda: not again.n_unfinished)
    assert work.done == [job.id for job in jobs]
    assert [record.status for record in again.records()] == ["finished", "finished"]
    again.stop()
    again.close()


def test_a_restart_removes_the_table_of_a_job_that_has_ended(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    job = added(queue)
    job.table.write_text("comment")
    job.status = JobStatus.FINISHED
    JobStore(tmp_path / "jobs").set_status(job, job.status)  # and the service was killed
    queue.stop()
    queue.close()
    again = queue_of(tmp_path, HeldWork())
    assert not job.table.exists()
    assert [record.status for record in again.records()] == ["finished"]
    again.stop()
    again.close()


def test_jobs_are_private(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    job = added(queue)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "jobs").iterdir()}
    assert (modes["jobs.sqlite"], modes[job.id]) == (0o600, 0o700)
    assert job.table.stat().st_mode & 0o777 == 0o600
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


def stored_row(home, **changes):
    """Write a row into the database of jobs as another program can."""
    fields = {"text": "comment", "format": "csv", "result": "parquet"}
    row = {"id": "a" * 32, "kind": "embed", "fields": json.dumps(fields), "created": "2026", **changes}
    row.setdefault("status", "finished")
    with closing(sqlite3.connect(home / "jobs.sqlite")) as connection, connection:
        names = ", ".join(row)
        connection.execute(
            f"INSERT INTO jobs ({names}) VALUES ({', '.join('?' * len(row))})", [*row.values()]
        )
    return row["id"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": "../other"}, "its ID is not one that this service assigns"),
        ({"id": ".."}, "its ID is not one"),
        ({"id": b"\x00" * 32}, "its ID is not one"),
        ({"kind": "delete"}, "its kind must be one of rate, match, consistency, embed, got 'delete'"),
        ({"status": "new"}, "its status must be one of waiting, running, finished, failed, got 'new'"),
        ({"fields": '{"text": "a", "format": "/../../../other/notes.txt"}'}, "format must be csv"),
        ({"fields": '{"text": "a", "result": "/../../../other/notes.txt"}'}, "result must be parquet"),
        ({"fields": '{"text": "a", "owner": "me"}'}, "unknown key 'owner'"),
        ({"fields": "[]"}, "must be a JSON object, got []"),
        ({"fields": "{"}, "its settings must be JSON"),
        ({"fields": "[" * 100_000}, "use fewer levels"),
    ],
)
def test_stored_job_that_no_service_wrote_is_left_alone(tmp_path, caplog, changes, reason):
    queue_of(tmp_path, HeldWork()).close()
    home, other = tmp_path / "jobs", tmp_path / "other"
    (home / ("a" * 32) / "table.").mkdir(parents=True)
    files = [other / "notes.txt", home / ("a" * 32) / "table.csv"]
    files = files[: 1 if "id" in changes else 2]  # a folder without a row is removed
    other.mkdir()
    for path in files:
        path.write_text("mine")
    name = stored_row(home, **changes)
    again = queue_of(tmp_path, HeldWork())
    assert again.records() == []
    assert {path.read_text() for path in files} == {"mine"}
    with pytest.raises(RefusedRequestError, match="there is no job"):
        again.remove(str(name))
    assert len(caplog.messages) == 1
    assert reason in caplog.text
    again.stop()
    again.close()


@pytest.mark.parametrize(
    "link", ["", "table.csv", "result.parquet", "summary.json", "parts/part-000000.parquet"]
)
def test_stored_job_with_a_link_is_left_alone(tmp_path, caplog, link):
    queue_of(tmp_path, HeldWork()).close()
    home, other = tmp_path / "jobs", tmp_path / "other"
    other.mkdir()
    (other / "table.csv").write_text("mine")
    path = home / ("a" * 32) / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(other if not link else other / "table.csv")
    stored_row(home)
    again = queue_of(tmp_path, HeldWork())
    assert again.records() == []
    assert (other / "table.csv").read_text() == "mine"
    assert path.is_symlink()
    assert "is a link, which no job creates" in caplog.text
    again.stop()
    again.close()


def test_a_job_whose_failure_cannot_be_stored_is_failed_before_and_after_a_restart(
    tmp_path, monkeypatch, caplog
):
    done = threading.Event()

    def work(job, progress):
        if job.id == lost.id:
            raise OSError("No space left on device")
        done.set()
        return Summary()

    set_status = JobStore.set_status

    def full(self, job, status, error=None):
        if job.id == lost.id and status is JobStatus.FAILED:
            raise OSError("No space left on device")
        set_status(self, job, status, error)

    monkeypatch.setattr(JobStore, "set_status", full)
    queue = queue_of(tmp_path, work)
    lost = added(queue)
    other = added(queue)
    queue.start()
    assert done.wait(60)
    until(lambda: not queue.n_unfinished)
    record = queue.find(lost.id).record()
    assert (record.status, record.error) == ("failed", "No space left on device")
    assert f"job {lost.id} failed (No space left on device), which cannot be written" in caplog.text
    assert queue.find(other.id).status is JobStatus.FINISHED
    queue.stop()
    assert queue.close()
    again = queue_of(tmp_path, work)
    assert again.find(lost.id).status is JobStatus.FAILED
    again.stop()
    again.close()


def killed_while_running(tmp_path, *, waiting=0):
    """Return the queue of a service that was killed while its first job ran, as the next service opens it."""
    work = HeldWork()
    killed = queue_of(tmp_path, work)
    jobs = [added(killed) for _ in range(1 + waiting)]
    killed.start()
    assert work.begun.acquire(timeout=60)
    jobs[0].parts.mkdir()
    database = (tmp_path / "jobs" / "jobs.sqlite").read_bytes()  # as a kill would leave it
    killed.stop()
    assert killed.close()
    (tmp_path / "jobs" / "jobs.sqlite").write_bytes(database)
    work = HeldWork()
    work.let.set()
    return queue_of(tmp_path, work), work, jobs


def test_a_job_that_ran_when_the_service_was_killed_fails_and_the_next_jobs_run(tmp_path):
    queue, work, jobs = killed_while_running(tmp_path, waiting=1)
    for _ in range(2):  # and at every later start
        queue.start()
        until(lambda: not queue.n_unfinished)  # noqa: B023 - called at once
        assert work.done == [jobs[1].id]
        first, second = queue.records()
        assert (first.status, second.status) == ("failed", "finished")
        assert first.error.startswith("the service ended while this job ran")
        assert f"POST /jobs/{jobs[0].id} runs it again" in first.error
        queue.stop()
        assert queue.close()
        queue = queue_of(tmp_path, work)
    queue.stop()
    queue.close()


def test_a_job_that_was_cut_short_runs_again_with_its_finished_parts_on_request(tmp_path):
    queue, work, (job,) = killed_while_running(tmp_path)
    assert job.parts.is_dir()
    assert queue.run_again(job.id).status is JobStatus.WAITING
    queue.start()
    until(lambda: not queue.n_unfinished)
    assert work.done == [job.id]
    assert queue.find(job.id).status is JobStatus.FINISHED
    with pytest.raises(RefusedRequestError, match="it is finished: send the table again") as refused:
        queue.run_again(job.id)
    assert refused.value.status == 409
    queue.stop()
    queue.close()


def test_a_job_that_failed_by_itself_cannot_run_again(tmp_path):
    def work(job, progress):
        raise InputError("no column")

    queue = queue_of(tmp_path, work)
    job = added(queue)
    queue.start()
    until(lambda: not queue.n_unfinished)
    with pytest.raises(RefusedRequestError, match="its table was removed: send the table again"):
        queue.run_again(job.id)
    queue.stop()
    queue.close()


def test_a_running_job_continues_after_a_kill_that_follows_an_orderly_stop(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    job = added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.stop()
    (stored,), _ = JobStore(tmp_path / "jobs").read()
    assert (stored.id, stored.status) == (job.id, JobStatus.WAITING)
    queue.close()


def test_running_job_is_cancelled_and_waiting_job_removed(tmp_path):
    work = HeldWork()
    queue = queue_of(tmp_path, work)
    running, waiting = added(queue), added(queue)
    queue.start()
    assert work.begun.acquire(timeout=60)
    queue.remove(waiting.id)
    queue.remove(running.id)
    until(lambda: not (queue.n_unfinished or running.folder.exists()))
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


def test_job_above_the_quota_fails_and_leaves_room_for_other_jobs(tmp_path):
    def work(job, progress):
        job.parts.mkdir()
        if job.id == large.id:
            (job.parts / "part-000000.json").write_bytes(b"x" * 160_000)
        progress("rating rows", 1, 2)
        job.result.write_text("measured")
        return Summary()

    queue = queue_of(tmp_path, work, jobs_disk=100_000 / 2**20)
    large, small = added(queue), added(queue)
    large.table.write_text("comment")
    queue.start()
    until(lambda: not queue.n_unfinished)
    record = queue.find(large.id).record()
    assert record.status == "failed"
    assert record.error.startswith("the files of all jobs may have 100,000 bytes: remove old jobs")
    assert list(large.folder.iterdir()) == []
    assert queue.find(small.id).status is JobStatus.FINISHED
    queue.stop()
    queue.close()


def test_the_quota_counts_the_files_of_all_jobs(tmp_path):
    queue = queue_of(tmp_path, HeldWork(), jobs_disk=100_000 / 2**20)
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


def test_folder_serves_a_single_service(tmp_path):
    queue = queue_of(tmp_path, HeldWork())
    with pytest.raises(InputError, match="jobs: another service uses .*: stop it, or name another folder"):
        queue_of(tmp_path, HeldWork())
    queue.stop()
    queue.close()


def ended(client, name):
    """Wait until a job has ended, and return its record."""

    def record():
        return client.get(f"/jobs/{name}").json()

    until(lambda: record()["status"] in ("finished", "failed"))
    return record()


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
    summary = jobs.get(f"/jobs/{name}/summary").json()
    assert (summary["schema"], summary["source"]) == (1, "table.csv")
    assert name in [entry["id"] for entry in jobs.get("/jobs").json()["jobs"]]
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
    ("address", "content", "field", "message"),
    [
        ("kind=rote&text=comment", TABLE, "kind", "one of rate, match"),
        ("kind=rate", TABLE, "text", "missing"),
        ("kind=rate&text=comment&scale=x", TABLE, "scale", "unknown scale"),
        ("kind=rate&text=comment&temperature=-1", TABLE, "temperature", "0 or more"),
        ("kind=consistency&answer=a", TABLE, None, "columns (sample, one or several)"),
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
def test_a_wrong_order_is_refused_and_leaves_no_files(jobs, home, address, content, field, message):
    before = {path.name for path in home.iterdir()}
    answer = jobs.post(f"/jobs?{address}", content=content)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
    assert field is None or answer.json()["error"]["param"] == field
    assert {path.name for path in home.iterdir()} == before


def test_unusable_table_is_reported_by_the_job(jobs):
    name = jobs.post("/jobs?kind=rate&text=remark", content=TABLE).json()["id"]
    record = ended(jobs, name)
    assert record["status"] == "failed"
    assert record["error"].startswith("text: table.csv has no column 'remark'")
    assert jobs.get(f"/jobs/{name}/result").status_code == 409


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory that Linux applies")
@pytest.mark.parametrize("name", ["claims-many-strings", "cell-in-the-far-corner"])
def test_a_table_that_ends_its_reader_fails_its_job_and_the_service_stays(jobs, name):
    table = (CORPUS / "xlsx" / f"{name}.xlsx").read_bytes()
    record = ended(jobs, jobs.post("/jobs?kind=rate&text=text&format=xlsx", content=table).json()["id"])
    assert record["status"] == "failed"
    assert record["error"].startswith("table.xlsx cannot be read as an Excel workbook: its reader ")
    name = jobs.post("/jobs?kind=rate&text=comment", content=TABLE).json()["id"]
    assert ended(jobs, name)["status"] == "finished"


ROWS = 40_000_000


def test_a_job_has_a_limit_of_rows_and_the_next_job_does_not_wait_for_it(jobs, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    # Equal rows take next to no bytes: a dictionary of one text, and runs of one index.
    rows = pa.DictionaryArray.from_arrays(pa.array(np.zeros(4_000_000, np.int32)), ["The room was clean."])
    path = tmp_path / "equal.parquet"
    with parquet.ParquetWriter(path, pa.schema({"comment": rows.type}), compression="zstd") as writer:
        for _ in range(ROWS // len(rows)):
            writer.write_table(pa.table({"comment": rows}), row_group_size=len(rows))
    assert path.stat().st_size < 200_000
    address = "/jobs?kind=embed&text=comment"
    large = jobs.post(f"{address}&format=parquet", content=path.read_bytes()).json()["id"]
    small = jobs.post(address, content=TABLE).json()["id"]
    assert ended(jobs, small)["status"] == "finished"
    assert ended(jobs, large)["error"] == (
        "a job may have 1,000,000 rows, got 40,000,000: split the table into several jobs"
    )


def test_rows_are_counted_where_the_table_does_not_state_their_number(tmp_path):
    from semscale.errors import InputError
    from semscale.serving.instruments import with_most_rows
    from semscale.store.reading import open_table

    (tmp_path / "table.csv").write_text(TABLE)  # three rows
    table = open_table(tmp_path / "table.csv")
    assert [batch.height for batch in with_most_rows(table, 3).batches(2)] == [2, 1]
    for batches in (with_most_rows(table, 2).batches(2), with_most_rows(table, 2).batches_with(["id"], 2)):
        with pytest.raises(InputError, match="a job may have 2 rows, got more"):
            list(batches)
    with pytest.raises(InputError, match="got more"):
        list(with_most_rows(table, 2).batches(2, 2))


def test_another_verb_is_refused_with_all_that_serve_the_path(jobs):
    answer = jobs.send("PUT", "/jobs/1")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, POST")


def test_openapi_description_names_the_settings_of_every_job_kind(jobs):
    paths = jobs.get("/openapi.json").json()["paths"]
    settings = {entry["name"]: entry for entry in paths["/jobs"]["post"]["parameters"]}
    assert settings["kind"]["schema"]["enum"] == ["rate", "match", "consistency", "embed"]
    assert settings["text"]["schema"]["description"] == "The column of texts. Of rate, embed."
    assert [name for name, entry in settings.items() if entry["required"]] == ["kind"]
    assert settings["format"]["schema"]["description"] == "Format of the uploaded table."
    assert paths["/jobs/{id}/result"]["get"]["parameters"][0]["name"] == "id"
    page = jobs.get("/docs").text
    assert "The texts to judge. Of match." in page


@pytest.mark.parametrize(("verb", "path"), [("POST", "/jobs?kind=rate"), ("GET", "/jobs/1/result")])
def test_a_service_without_jobs_says_how_to_have_them(client, verb, path):
    answer = client.send(verb, path, content=TABLE)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "this service takes no jobs: start it with --jobs FOLDER"


@pytest.mark.parametrize("name", ["x", "..", "0" * 32, "lock"])
def test_unknown_job_name_returns_404(jobs, name):
    assert jobs.get(f"/jobs/{name}").status_code == 404


def test_the_table_of_a_job_goes_with_its_end(jobs, home):
    name = jobs.post("/jobs?kind=embed&text=comment", content=TABLE).json()["id"]
    assert ended(jobs, name)["status"] == "finished"
    until(lambda: not (home / name / "table.csv").exists())
    stored = {path.name for path in (home / name).iterdir()}
    assert stored == {"result.parquet", "summary.json"}


def test_the_error_of_a_job_names_fields_and_not_options(jobs):
    name = jobs.post("/jobs?kind=rate&text=comment", content=b"PK\x03\x04 and more").json()["id"]
    assert ended(jobs, name)["error"].endswith("despite its name: read it with format=xlsx")
    torn = "id,comment\n1,Très bien.\n".encode() + b"2,\xff\n"
    name = jobs.post("/jobs?kind=rate&text=comment", content=torn).json()["id"]
    assert ended(jobs, name)["error"].endswith("pass another encoding, such as cp1252 or latin-1")
    latin = "id,comment\n1,Très bien.\n".encode("latin-1")
    address = "/jobs?kind=rate&text=comment&encoding=latin-1&result=csv"
    assert ended(jobs, jobs.post(address, content=latin).json()["id"])["status"] == "finished"


def test_jobs_that_are_uploaded_count_among_those_that_wait(tmp_path):
    queue = queue_of(tmp_path, HeldWork(), max_jobs=2)
    added(queue)
    fields = EmbeddingJobFields(text="comment")
    second = queue.uploading("embed", fields)
    with (
        queue.uploading("embed", fields),
        pytest.raises(RefusedRequestError, match="at most 2 jobs") as refused,
    ):
        second.__enter__()
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "60"})
    added(queue)
    queue.stop()
    queue.close()


def test_a_failed_upload_leaves_no_folder(tmp_path):
    queue = queue_of(tmp_path, HeldWork())

    def upload():
        with queue.uploading("embed", EmbeddingJobFields(text="comment")) as job:
            job.table.write_text("a,b")
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
        with queue.uploading("embed", EmbeddingJobFields(text="comment")) as job:
            queue.add(job)
            assert not is_running or work.begun.acquire(timeout=60)
            raise TimeoutError

    with pytest.raises(TimeoutError):
        request(is_running=True)
    added(queue)
    with pytest.raises(TimeoutError):
        request(is_running=False)
    work.let.set()
    until(lambda: not queue.n_unfinished)
    assert [record.status for record in queue.records()] == ["finished"]
    assert len([path for path in (tmp_path / "jobs").iterdir() if path.is_dir()]) == 1
    queue.stop()
    queue.close()


def test_a_cancelled_request_ends_after_its_job_was_added():
    from semscale.serving.routes import _finish

    begun, let, done = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        let.wait(60)
        done.append("added")

    async def cancelled():
        request = asyncio.ensure_future(_finish(work))
        await asyncio.to_thread(begun.wait, 60)
        request.cancel()
        asyncio.get_running_loop().call_soon(let.set)
        with pytest.raises(asyncio.CancelledError):
            await request
        return list(done)

    assert asyncio.run(cancelled()) == ["added"]


def test_a_slow_upload_does_not_put_off_its_end_for_ever(tmp_path):
    from semscale.serving.routes import _LEAST_UPLOAD, upload_table

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

    def moved(*sizes):
        """How often an upload in parts of some sizes gets more time."""
        queue = queue_of(tmp_path, HeldWork())
        request = Request(*sizes)
        with queue.uploading("embed", EmbeddingJobFields(text="comment")) as job:
            asyncio.run(upload_table(request, job.table, queue.check_quota, seconds=60))
        queue.stop()
        queue.close()
        return request.scope["semscale.limit"].n

    assert moved(*[1] * 100) == 1
    assert moved(1, _LEAST_UPLOAD - 1, 1, _LEAST_UPLOAD) == 3  # at 1, 1 + 64 KiB and 1 + 2 x 64 KiB bytes


LARGE_TABLE = f"comment,picture\nThe room was clean.,{'x' * 600_000}\n"


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a file system: run it as root")
def test_an_upload_that_finds_no_room_is_refused_and_leaves_no_files(engine, tmp_path):

    with small_disk(tmp_path / "disk") as disk:
        service = loaded_service(engine, home=disk.folder / "jobs")
        client = client_of(service)
        disk.leave(200_000)
        answer = client.post("/jobs?kind=embed&text=comment", content=LARGE_TABLE)
        assert answer.status_code == 507
        assert "the disk of the service is full" in answer.json()["error"]["message"]
        assert client.get("/jobs").json() == {"jobs": []}
        assert [path for path in (disk.folder / "jobs").iterdir() if path.is_dir()] == []
        assert client.post("/rate", json={"texts": ["Never."]}).status_code == 200
        disk.leave(LARGE)
        assert client.post("/jobs?kind=embed&text=comment", content=LARGE_TABLE).status_code == 202
        service.close()
