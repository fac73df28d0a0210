"""Jobs as a client sees them: what it sends, waits for and fetches."""

import csv
import io
import threading
import time

import pytest
from made_services import Client, loaded_service

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
    assert "The texts to be judged. Of match." in page


@pytest.mark.parametrize(("verb", "path"), [("POST", "/jobs?kind=rate"), ("GET", "/jobs/1/result")])
def test_a_service_without_jobs_says_how_to_have_them(client, verb, path):
    answer = client.send(verb, path, content=TABLE)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "this service takes no jobs: start it with --jobs FOLDER"


@pytest.mark.parametrize("name", ["x", "..", "0" * 32, "lock"])
def test_a_name_that_is_no_job_is_not_found(jobs, name):
    assert jobs.get(f"/jobs/{name}").status_code == 404


def test_the_table_of_a_job_goes_with_its_end(jobs, home):
    name = jobs.post("/jobs?kind=embed&text=comment", content=TABLE).json()["id"]
    assert ended(jobs, name)["status"] == "finished"
    until = time.monotonic() + 60
    while (home / name / "table.csv").exists() and time.monotonic() < until:
        threading.Event().wait(0.01)
    kept = {path.name for path in (home / name).iterdir()}
    assert kept == {"order.json", "end.json", "result.parquet", "summary.json"}


def test_the_error_of_a_job_names_fields_and_not_options(jobs):
    name = jobs.post("/jobs?kind=rate&text=comment", content=b"PK\x03\x04 and more").json()["id"]
    assert ended(jobs, name)["error"].endswith("whatever its name says: read it with format=xlsx")
    latin = "id,comment\n1,Très bien.\n".encode("latin-1")
    name = jobs.post("/jobs?kind=rate&text=comment", content=latin).json()["id"]
    assert ended(jobs, name)["error"].endswith("pass encoding=cp1252 or encoding=latin-1")
    address = "/jobs?kind=rate&text=comment&encoding=latin-1&result=csv"
    assert ended(jobs, jobs.post(address, content=latin).json()["id"])["status"] == "finished"
