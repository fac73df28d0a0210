"""The description of the service: each route, each status it answers with, and the schema of each answer."""

import json

import pytest
from jsonschema import Draft202012Validator
from tests.support.services import MODEL, SECRET, client_of, loaded_service, until

LINES = {"content-type": "application/x-ndjson"}
TABLE = "id,comment\n1,I would buy it at once.\n"


@pytest.fixture(scope="module")
def described(engine, tmp_path_factory):
    home = tmp_path_factory.mktemp("described") / "jobs"
    service = loaded_service(engine, home=home, max_body=5000 / 2**20, jobs_disk=1_000_000 / 2**20)
    client = client_of(service)
    yield service, client, client.get("/openapi.json").json()
    service.close()


def check_answer(schema, verb, path, answer):
    """Check that the description of a route has the status, type of content and schema of an answer."""
    responses = schema["paths"][path][verb.lower()]["responses"]
    assert str(answer.status_code) in responses
    contents = responses[str(answer.status_code)]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in contents
    if kind == "application/json":
        Draft202012Validator({**schema, **contents[kind]["schema"]}).validate(answer.json())


def model_of(schema, content):
    """Return the model that a content refers to."""
    return schema["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]


CODES = [
    {"name": "price", "definition": "What it costs.", "examples": ["It costs too much."]},
    {"name": "staff", "definition": "People who serve.", "examples": ["The waiter was rude."]},
]
REQUESTS = [
    ("POST", "/v1/embeddings", 200, {"json": {"input": ["good"], "model": MODEL}}),
    (
        "POST",
        "/v1/embeddings",
        200,
        {"json": {"input": "good", "model": MODEL, "encoding_format": "base64"}},
    ),
    ("POST", "/v1/embeddings", 400, {"content": "{"}),
    ("POST", "/v1/embeddings", 404, {"json": {"input": "good", "model": "gpt"}}),
    ("POST", "/v1/embeddings", 413, {"content": " " * 5001}),
    ("POST", "/v1/embeddings", 422, {"json": {"input": []}}),
    ("GET", "/v1/models", 200, {}),
    ("GET", "/v1/models", 403, {"headers": {"origin": "https://example.org"}}),
    ("POST", "/rate", 200, {"json": {"texts": ["good", None]}}),
    ("POST", "/rate", 200, {"content": '{"text": "good"}', "headers": LINES}),
    ("POST", "/rate", 400, {"content": "[]"}),
    ("POST", "/rate", 422, {"json": {"texts": "good"}}),
    ("POST", "/match", 200, {"json": {"predictions": ["a"], "references": ["b"], "method": "cosine"}}),
    ("POST", "/match", 422, {"json": {"predictions": ["a"], "references": []}}),
    ("POST", "/consistency", 200, {"json": {"answers": ["12"], "samples": [["12", "13"]]}}),
    ("POST", "/consistency", 422, {"json": {"answers": ["12"]}}),
    ("POST", "/code", 200, {"json": {"texts": ["good", None], "codes": CODES, "sentiment": "none"}}),
    ("POST", "/code", 400, {"content": "[]"}),
    ("POST", "/code", 422, {"json": {"texts": ["good"], "codes": []}}),
    ("GET", "/health", 200, {}),
    ("GET", "/ready", 200, {}),
    ("GET", "/metrics", 200, {}),
    ("POST", "/jobs", 413, {"content": TABLE, "headers": {"content-length": "2000000"}}),
    ("POST", "/jobs", 422, {"content": ""}),
    ("GET", "/jobs", 200, {}),
    ("GET", "/jobs/{id}", 404, {}),
    ("POST", "/jobs/{id}", 404, {}),
    ("GET", "/jobs/{id}/result", 404, {}),
    ("GET", "/jobs/{id}/summary", 404, {}),
    ("DELETE", "/jobs/{id}", 404, {}),
]


@pytest.mark.parametrize(("verb", "path", "status", "content"), REQUESTS)
def test_answers_are_as_described(described, verb, path, status, content):
    _, client, schema = described
    address = path.replace("{id}", "0" * 32)
    parameters = {"params": {"kind": "rate", "text": "comment"}} if verb + path == "POST/jobs" else {}
    answer = client.send(verb, address, **content, **parameters)
    assert answer.status_code == status
    check_answer(schema, verb, path, answer)


def test_the_life_of_a_job_is_as_described(described):
    service, client, schema = described
    accepted = client.post("/jobs?kind=rate&text=comment&result=csv", content=TABLE)
    check_answer(schema, "POST", "/jobs", accepted)
    name = accepted.json()["id"]
    early = client.get(f"/jobs/{name}/result")
    if early.status_code == 409:
        check_answer(schema, "GET", "/jobs/{id}/result", early)
    while service.jobs.n_unfinished:
        check_answer(schema, "GET", "/jobs/{id}", client.get(f"/jobs/{name}"))
    for path in ("/jobs", "/jobs/{id}", "/jobs/{id}/result", "/jobs/{id}/summary"):
        answer = client.get(path.replace("{id}", name))
        assert answer.status_code == 200
        check_answer(schema, "GET", path, answer)
    check_answer(schema, "POST", "/jobs/{id}", client.post(f"/jobs/{name}"))
    check_answer(schema, "DELETE", "/jobs/{id}", client.send("DELETE", f"/jobs/{name}"))
    failed = client.post("/jobs?kind=rate&text=remark", content=TABLE).json()["id"]
    while service.jobs.n_unfinished:
        continue
    check_answer(schema, "GET", "/jobs/{id}/summary", client.get(f"/jobs/{failed}/summary"))


def test_every_route_is_requested(described):
    _, _, schema = described
    routes = {(verb.upper(), path) for path, verbs in schema["paths"].items() for verb in verbs}
    assert routes == {(verb, path) for verb, path, _, _ in REQUESTS}


def test_a_service_that_loads_or_ends_answers_as_described(described):
    from semscale.serving.service import Service

    _, _, schema = described
    service = Service(lambda _: None)
    client = client_of(service)
    for verb, path, _, _ in REQUESTS:
        if path in ("/health", "/metrics") or path.startswith("/jobs"):
            continue
        answer = client.send(verb, path, content="{}")
        assert answer.status_code == 503
        check_answer(schema, verb, path, answer)
    service.state.drain()
    check_answer(schema, "GET", "/metrics", client.get("/metrics"))


def test_the_bearer_token_is_described(service):
    client = client_of(service, SECRET)
    shown = {"Authorization": f"Bearer {SECRET}"}
    schema = client.get("/openapi.json", headers=shown).json()
    assert schema["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert schema["security"] == [{"bearer": []}]
    assert schema["paths"]["/ready"]["get"]["security"] == []
    refused = client.get("/v1/models")
    assert refused.status_code == 401
    check_answer(schema, "GET", "/v1/models", refused)


def test_every_route_with_access_describes_its_refusals(described):
    _, _, schema = described
    for path, verbs in schema["paths"].items():
        for route in verbs.values():
            statuses = {int(status) for status in route["responses"]}
            if route.get("security") != []:
                assert {401, 403, 429, 500, 503, 504} <= statuses, path
            for response in route["responses"].values():
                assert response["content"], path


def test_settings_of_a_request_are_those_of_the_instrument(described):
    from semscale.rating.settings import RaterSettings

    _, _, schema = described
    body = model_of(schema, schema["paths"]["/rate"]["post"]["requestBody"]["content"]["application/json"])
    assert set(RaterSettings.model_fields) - {"embedder", "calibration"} < set(body["properties"])
    described_setting = body["properties"]["temperature"]["description"]
    assert described_setting == RaterSettings.model_fields["temperature"].description
    assert json.dumps(schema, allow_nan=False)


def test_rows_of_results_are_described_by_the_columns_of_the_result(described):
    _, _, schema = described

    def columns(path):
        answer = schema["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]
        row = model_of(schema, answer)["properties"]["results"]["items"]
        assert row["required"] == ["status"]
        return {name: cell["type"] for name, cell in row["properties"].items()}

    assert columns("/rate") == {
        "status": "string",
        "similarity": ["number", "null"],
        "windows": "integer",
        "language": ["string", "null"],
    }
    assert columns("/match") == {
        "status": "string",
        "score": ["number", "null"],
        "reference": ["integer", "null"],
        "windows": "integer",
    }
    assert columns("/consistency") == {
        "status": "string",
        "samples_left_out": "integer",
        "windows": "integer",
    }


@pytest.mark.exhaustive
def test_schemathesis_finds_no_mismatch(engine, tmp_path):
    """Generated requests, valid or not, get answers as described: status, type of content, schema, access."""
    schemathesis = pytest.importorskip(
        "schemathesis", reason="schemathesis is not installed: pip install --group serve"
    )
    from schemathesis.config import SchemathesisConfig
    from schemathesis.engine import from_schema

    from semscale.serving.application import application
    from semscale.serving.service import Service
    from semscale.serving.state import Phase

    service = Service(lambda _: engine, model=MODEL)
    service.open_jobs(tmp_path / "jobs")
    access = {"Authorization": f"Bearer {SECRET}"}
    settings = {
        "headers": access,
        "generation": {"max-examples": 30, "deterministic": True},
        # A schema of JSON cannot state that two lists are equally long, or that a scale has this anchor set.
        "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", 401, 404, 409, 422, 429]}},
    }
    described = schemathesis.openapi.from_asgi(
        "/openapi.json",
        application(service, token=SECRET),
        headers=access,
        config=SchemathesisConfig.from_dict(settings),
    )
    until(lambda: service.state.phase is Phase.READY)
    n_checks, failures = 0, []
    for event in from_schema(described).execute():
        recorder = getattr(event, "recorder", None)
        for checks in recorder.checks.values() if recorder else ():
            n_checks += len(checks)
            failures += [check.failure_info.failure for check in checks if check.failure_info]
    assert not [f"{failure.operation}: {failure.title}: {failure.message}" for failure in failures]
    assert n_checks > 1000
    service.close()
