"""Requests: numbers are those of the package, and every wrong field, body and size is refused by its name."""

import asyncio
import json
import threading
import time
from base64 import b64decode

import numpy as np
import pytest
from tests.support.services import MODEL, client_of, loaded_service

import semscale
from semscale.serving import requests

ASKED = {"input": ["good"], "model": MODEL}
LINES = {"content-type": "application/x-ndjson"}
TEXTS = ["I would buy it at once.", None, " ", "Never."]


def rows_of(results):
    return json.loads(results.to_frame().write_json())


def test_ratings_are_those_of_the_package(client, engine):
    expected = semscale.rate(TEXTS, embedder=engine, temperature=0.5)
    answer = client.post("/rate", json={"texts": TEXTS, "temperature": 0.5}).json()
    assert answer["results"] == rows_of(expected)
    assert answer["signature"] == str(expected.signature)
    assert answer["counts"] == {"scored": 2, "missing": 1, "empty": 1}
    assert answer["results"][1]["mean"] is None


def test_lines_give_the_same_ratings_in_their_order(client, monkeypatch):
    monkeypatch.setattr("semscale.serving.routes._LINES_AT_ONCE", 2)
    whole = client.post("/rate", json={"texts": TEXTS, "scale": "quality", "missing": ["NA"]}).json()
    body = "\n".join(json.dumps({"text": text}) for text in TEXTS)
    answer = client.post("/rate?scale=quality&missing=NA", content=body, headers=LINES)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line.pop("row") for line in lines] == [1, 2, 3, 4]
    assert lines == whole["results"]
    assert answer.headers["x-semscale-signature"] == whole["signature"]


def test_a_type_of_content_may_be_in_capitals(client):
    headers = {"content-type": "Application/X-NDJSON; charset=utf-8"}
    answer = client.post("/rate", content='{"text": "Never."}', headers=headers)
    assert json.loads(answer.text)["row"] == 1


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"])
def test_body_is_json_whatever_type_it_states(client, kind):
    answer = client.post("/rate", content='{"texts": ["Never."]}', headers={"content-type": kind})
    assert answer.json()["counts"] == {"scored": 1}


def test_a_scale_may_be_in_the_request(client):
    scale = {
        "title": "Mood",
        "question": "How are you?",
        "points": [{"value": 1, "label": "bad"}, {"value": 2, "label": "good"}],
        "anchor_sets": {"plain": ["I feel bad.", "I feel good."]},
    }
    request = {"texts": ["I feel good."], "scale": scale, "floor": None, "readout": "ssr"}
    answer = client.post("/rate", json=request).json()
    # The text is the upper anchor, so by SSR all mass is on its point.
    assert answer["results"][0]["mean"] == pytest.approx(2.0)


@pytest.mark.parametrize("method", ["calibrated", "cosine"])
def test_matches_are_those_of_the_package(client, engine, method):
    predictions = ["It is not safe.", None]
    references = [["It is safe.", "It is dangerous."], "It is safe."]
    expected = semscale.match(predictions, references, method, embedder=engine)
    sent = {"predictions": predictions, "references": references, "method": method}
    answer = client.post("/match", json=sent).json()
    assert answer["results"] == rows_of(expected)
    assert answer["signature"] == str(expected.signature)
    body = "\n".join(
        json.dumps({"prediction": item, "reference": other})
        for item, other in zip(predictions, references, strict=True)
    )
    lines = client.post(f"/match?method={method}", content=body, headers=LINES).text.splitlines()
    assert [json.loads(line)["score"] for line in lines] == [row["score"] for row in answer["results"]]


def test_consistency_is_that_of_the_package(client, engine):
    answers, samples = ["12", "Yes"], [["12", "13"], ["yes", "Yes."]]
    expected = semscale.consistency(answers, samples, embedder=engine)
    answer = client.post("/consistency", json={"answers": answers, "samples": samples}).json()
    assert answer["results"] == rows_of(expected)
    assert answer["signature"] == str(expected.signature)


@pytest.mark.parametrize(
    ("path", "fields", "field", "arguments"),
    [
        ("/rate", {"texts": ["a"], "scale": "/etc/passwd"}, "scale", "unknown scale"),
        ("/rate", {"texts": ["a"], "scale": "qualty"}, "scale", "did you mean 'quality'"),
        ("/rate", {"texts": ["a"], "temperature": -1}, "temperature", "0 or more"),
        ("/rate", {"texts": "a"}, "texts", "texts"),
        ("/rate", {"texts": ["a"], "missing": 5}, "missing", "codes such as 'NA'"),
        ("/match", {"predictions": ["a"], "references": []}, None, "1"),
        ("/match", {"predictions": ["a"], "references": ["b"], "method": "bert"}, "method", "calibrated"),
        (
            "/consistency",
            {"answers": ["a"], "samples": [["b"]], "measures": ["bert_score"]},
            "measures",
            "model",
        ),
        ("/consistency", {"answers": ["a"], "samples": [["b"]], "measures": [{}]}, "measures", "among"),
        ("/consistency", {"answers": ["a"], "samples": [["b"]], "measures": ["x"]}, "measures", "among"),
        ("/match", {"predictions": ["a"], "references": ["b"], "corpus": ["c"] * 2049}, "corpus", "2,048"),
        ("/match", {"predictions": ["a"], "references": ["b"], "corpus": ["c" * 100_001]}, "corpus", "each"),
        ("/rate", {"texts": ["a"], "scale": {"title": "x" * 100_001}}, "scale", "at most 100,000 characters"),
        ("/rate", {"texts": ["a"], "scale": {"a": [["b"] * 2048]}}, "scale", "at most 2,048 texts"),
        ("/rate", {"texts": ["a"], "missing": ["NA"] * 2049}, "missing", "at most 2,048 texts"),
    ],
)
def test_a_wrong_field_is_named(client, path, fields, field, arguments):
    answer = client.post(path, json=fields)
    assert answer.status_code == 422
    assert arguments in answer.json()["error"]["message"]
    if field is not None:
        assert answer.json()["error"]["param"] == field


@pytest.mark.parametrize("method", ["calibrated", "cosine"])
def test_a_recall_share_that_is_no_number_is_refused(client, method):
    sent = {"predictions": ["a"], "references": ["b"], "recall_share": float("nan"), "method": method}
    answer = client.post("/match", content=json.dumps(sent))
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "recall_share")


def test_every_measure_is_served_or_refused_by_name(service):
    from semscale.answer_consistency.measures import MEASURES
    from semscale.errors import InputError
    from semscale.serving.requests import ConsistencySettingFields

    refused = {}
    for name in MEASURES:
        try:
            service.instruments["consistency"].find_or_build(ConsistencySettingFields(measures=[name]))
        except InputError as error:
            refused[name] = str(error)
    for name, message in refused.items():
        assert message.startswith(f"measures: {name} needs ")
        assert message.endswith("which this service does not have: leave it out, or use the command")
    assert "consistency" not in refused
    assert "an entailment model" in refused["noncontradiction"]


@pytest.mark.parametrize(
    ("body", "status", "arguments"),
    [
        ("", 400, "no lines"),
        ("{", 400, "line 1 must be JSON"),
        ('{"text": "a"}\n{"texts": "a"}', 422, "line 2 must be an object with text"),
        ('{"text": "a"}\n"b"', 422, "line 2"),
    ],
)
def test_a_wrong_line_is_named(client, body, status, arguments):
    answer = client.post("/rate", content=body, headers=LINES)
    assert answer.status_code == status
    assert arguments in answer.json()["error"]["message"]


def error_of(answer):
    return answer.json()["error"]


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_vectors_are_those_of_the_model(client, engine, encoding):
    texts = ["good", "a nice day", "good"]
    answer = client.post("/v1/embeddings", json={"input": texts, "model": MODEL, "encoding_format": encoding})
    assert answer.status_code == 200
    content = answer.json()
    assert [(entry["object"], entry["index"]) for entry in content["data"]] == [
        ("embedding", index) for index in range(3)
    ]
    vectors = [entry["embedding"] for entry in content["data"]]
    if encoding == "base64":
        vectors = [np.frombuffer(b64decode(vector), "<f4") for vector in vectors]
    np.testing.assert_array_equal(np.array(vectors, np.float32), engine.embed(texts).vectors)
    # [CLS] good [SEP] twice, and [CLS] a nice day [SEP]
    assert content["usage"] == {"prompt_tokens": 11, "total_tokens": 11}
    assert (content["object"], content["model"]) == ("list", MODEL)


def test_single_text_can_be_a_string(client, engine):
    answer = client.post("/v1/embeddings", json={"input": "good", "model": f"sentence-transformers/{MODEL}"})
    assert error_of(answer)["param"] == "model"  # another name is another model
    answer = client.post("/v1/embeddings", json={"input": "good", "model": MODEL, "dimensions": 384})
    result = np.array(answer.json()["data"][0]["embedding"], np.float32)
    np.testing.assert_array_equal(result, engine.embed(["good"]).vectors[0])


@pytest.mark.parametrize(
    ("fields", "status", "field", "arguments"),
    [
        ({"input": [], "model": MODEL}, 422, "input", "a text or a list of texts"),
        ({"input": [[1, 2]], "model": MODEL}, 422, "input", "token IDs are not accepted"),
        ({"input": [1, 2], "model": MODEL}, 422, "input", "token IDs are not accepted"),
        ({"input": ["a", " "], "model": MODEL}, 422, "input", r"input\[1\] must not be empty"),
        ({"input": "a", "model": "gpt"}, 404, "model", f"one of {MODEL}"),
        ({"input": "a"}, 422, "model", "is missing"),
        ({"input": "a", "model": MODEL, "dimensions": 5}, 422, "dimensions", "must be 384"),
        ({"input": "a", "model": MODEL, "encoding_format": "hex"}, 422, "encoding_format", "hex"),
        ({"input": "a", "model": MODEL, "inputs": "a"}, 422, "inputs", "did you mean 'input'"),
        (["a"], 400, None, "a JSON object"),
    ],
)
def test_a_wrong_field_of_embeddings_is_named(client, fields, status, field, arguments):
    answer = client.post("/v1/embeddings", json=fields)
    assert answer.status_code == status
    assert error_of(answer)["param"] == field
    with pytest.raises(AssertionError, match=arguments):
        raise AssertionError(error_of(answer)["message"])


def test_the_body_must_be_json(client):
    answer = client.post("/v1/embeddings", content=b"{")
    assert answer.status_code == 400
    assert "must be JSON" in error_of(answer)["message"]


def test_the_models_are_listed(client):
    assert [entry["id"] for entry in client.get("/v1/models").json()["data"]] == [MODEL]


@pytest.fixture(scope="module")
def small(engine):
    result = loaded_service(engine, max_texts=3, max_characters=20, max_body=200 / 2**20)
    yield result
    result.close()


@pytest.mark.parametrize(
    ("content", "status", "field", "arguments"),
    [
        ({"json": {**ASKED, "input": ["a"] * 4}}, 422, "input", "at most 3 texts, got 4"),
        ({"json": {**ASKED, "input": ["a", "x" * 21]}}, 422, "input", "input[1] must have at most 20 char"),
        ({"content": b" " * 201}, 413, None, "at most 200 bytes"),
    ],
)
def test_limits_of_size(small, content, status, field, arguments):
    answer = client_of(small).post("/v1/embeddings", **content)
    assert answer.status_code == status
    assert answer.json()["error"]["param"] == field
    assert arguments in answer.json()["error"]["message"]


def test_a_body_of_unknown_length_is_counted(small):
    def parts():
        yield from [b"x" * 150, b"x" * 150]

    async def sent():
        import httpx

        async def body():
            for part in parts():
                yield part

        from semscale.serving.application import application

        transport = httpx.ASGITransport(application(small))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post("/v1/embeddings", content=body())

    assert asyncio.run(sent()).status_code == 413


def test_limits_count_inner_lists_too(small):
    sent = {"predictions": ["a"], "references": [["b", "c", "d", "e"]]}
    answer = client_of(small).post("/match", json=sent)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "references")


@pytest.mark.parametrize(
    ("body", "status", "field", "arguments"),
    [
        (b"[" * 100_000, 400, None, "use fewer levels"),
        (b'{"texts": ["a"], "scale": "\\ud800"}', 422, "scale", "unknown scale"),
        (b'{"texts": ["a"], "anchor_sets": ["x"]}', 422, None, "unknown purchase-intent anchor set"),
        (b'{"texts": ["a"], "temperature": NaN}', 422, "temperature", "0 or more, got nan"),
        (b'{"texts": ["a"], "texts": ["b"]}', 400, None, "'texts' is in an object twice"),
        (
            b'{"texts": ["a"], "scale": {"title": "a", "title": "b"}}',
            400,
            None,
            "'title' is in an object",
        ),
        (b'{"texts": ["\xff"]}', 400, None, "must be JSON"),
        (b'{"texts": ["a"], "seed": %b}' % (b"9" * 5000), 400, None, "must be JSON"),
        (b'{"texts": ["a"], "%b": 1}' % (b"x" * 5000), 422, "x" * 1000, "unknown key"),
    ],
)
def test_json_that_no_client_writes_is_refused(client, body, status, field, arguments):
    answer = client.post("/rate", content=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (status, field)
    assert arguments in answer.json()["error"]["message"]


def test_unpaired_surrogates_are_read_as_the_replacement_character(client):
    scale = (
        '{"title": "Mood%s", "question": "How?", "anchor_sets": {"plain": ["I feel bad.%s", "I feel good."]},'
        ' "points": [{"value": 1, "label": "bad%s"}, {"value": 2, "label": "good"}]}'
    )
    body = '{"texts": ["I feel good.%s"], "missing": ["x%s"], "scale": ' + scale + "}"
    answers = [client.post("/rate", content=body.replace("%s", end)) for end in ("\\ud83d", "\ufffd")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    raw = client.post("/rate", content=body.replace("%s", "\ud83d").encode("utf-8", "surrogatepass"))
    assert raw.content == answers[1].content


@pytest.mark.parametrize("depth", [90, 900, 5000])
def test_no_depth_of_lists_is_a_bug(client, depth):
    deep = "[" * depth + "]" * depth
    for path, body in (("/rate", '{"texts": ["a"], "missing": %s}'), ("/match", '{"predictions": %s}')):
        answer = client.post(path, content=body % deep)
        assert answer.status_code in (400, 422)
        assert len(answer.json()["error"]["message"]) <= 1003


def test_body_with_more_than_100_levels_is_refused_by_its_parser(client):
    body = '{"texts": ["a"], "missing": %s}'
    messages = [
        client.post("/rate", content=body % ("[" * depth + "]" * depth)).json()["error"]["message"]
        for depth in (99, 100)
    ]
    assert messages[0].startswith("missing must be codes")
    assert messages[1] == "the body is nested too deeply: use fewer levels"


def test_recursion_error_of_a_measurement_is_not_blamed_on_the_body():
    from semscale.serving.middleware import refusal_of

    assert refusal_of(RecursionError()).status == 500


def test_repeated_key_among_many_is_found_without_comparing_all_keys(client):
    keys = ",".join(f'"{number}":1' for number in range(150_000))
    start = time.process_time()
    answer = client.post("/rate", content=f'{{{keys},"149999":1}}')
    assert time.process_time() - start < 20  # 11 billion comparisons of keys take minutes
    assert answer.json()["error"]["message"] == "the body must be JSON: '149999' is in an object twice"


def test_many_unknown_keys_are_counted_and_not_described(client):
    unknown = {f"key{number}": 1 for number in range(20_000)}
    answer = client.post("/rate", json={"texts": ["a"], **unknown})
    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (422, "key0")
    assert error["message"] == "unknown keys 'key0' and 19,999 more: remove them"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("missing", [1] * 5001),
        ("scale", {"points": [[1] * 100] * 51}),
        ("encoding_format", {"a": [1] * 5000}),
    ],
)
def test_setting_with_thousands_of_values_is_refused_before_each_is_checked(client, field, value):
    path, column = ("/v1/embeddings", "input") if field == "encoding_format" else ("/rate", "texts")
    answer = client.post(path, json={column: ["a"], field: value})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, field)
    assert answer.json()["error"]["message"] == f"{field!r} must have at most 5,000 values: leave some out"


def test_empty_lists_count_among_the_texts_of_a_request(small):
    body = {"predictions": ["a"] * 3, "references": [[]] * 4}
    answer = client_of(small).post("/match", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "references")
    assert "at most 3 texts, got 4" in answer.json()["error"]["message"]


@pytest.mark.parametrize("part", [b"1,", b'{"":1},', b"[["])
def test_document_of_too_many_parts_is_refused_unparsed(client, monkeypatch, part):
    monkeypatch.setattr(requests, "_object_without_repeats", None)
    answer = client.post("/v1/embeddings", content=b'{"input":[' + part * 500_000 + b"1]}")
    assert answer.status_code == 413
    assert "must have at most 500,000 commas and brackets" in answer.json()["error"]["message"]


def test_large_body_is_parsed_in_a_thread_of_its_own(client, monkeypatch):
    threads = []

    def parse(text, source):
        threads.append(threading.current_thread())
        return parse_json(text, source)

    parse_json = requests.parse_json
    monkeypatch.setattr(requests, "parse_json", parse)
    for size in (10, 100_000):
        assert client.post("/v1/embeddings", json={**ASKED, "user": "x" * size}).status_code == 200
    small, large = threads
    assert small is threading.main_thread() is not large


def test_a_line_too_deep_is_refused(client):
    lines = {"content-type": "application/x-ndjson"}
    answer = client.post("/rate", content=b'{"text": "a"}\n' + b"[" * 100_000, headers=lines)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("line 2 is nested too deeply")


@pytest.mark.parametrize(
    ("field", "number"),
    [
        ("temperature", "NaN"),
        ("epsilon", "Infinity"),
        ("floor", "-Infinity"),
        ("temperature", "1e999"),
        ("floor", "9" * 400),
    ],
)
def test_numbers_must_be_finite(client, field, number):
    answer = client.post("/rate", content=f'{{"texts": ["a"], "{field}": {number}}}')
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, field)
    answer = client.post(f"/rate?{field}={number}", content='{"text": "a"}', headers=LINES)
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, field)


def test_no_field_of_any_request_takes_a_number_that_is_not_finite():
    from pydantic import ValidationError

    from semscale.serving.requests import KINDS

    n_numbers = 0
    for kind in KINDS:
        for name, field in kind.model_fields.items():
            if "float" not in str(field.annotation):
                continue
            n_numbers += 1
            for number in (float("nan"), float("inf"), -float("inf")):
                with pytest.raises(ValidationError) as refused:
                    kind.model_validate({name: number})
                assert name in {error["loc"][0] for error in refused.value.errors()}, (kind, name)
    assert n_numbers > 10


@pytest.mark.parametrize("value", ["true", "false", '"0.5"'])
@pytest.mark.parametrize(("path", "field"), [("/rate", "temperature"), ("/consistency", "floor")])
def test_a_number_is_neither_a_text_nor_a_truth_value(client, path, field, value):
    columns = '"texts": ["a"]' if path == "/rate" else '"answers": ["a"], "samples": [["b"]]'
    answer = client.post(path, content=f'{{{columns}, "{field}": {value}}}')
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, field)
    assert answer.json()["error"]["message"].startswith(
        f"{field} must be {'a number' if path == '/rate' else repr('auto') + ' or a number'}, got "
    )


def test_another_verb_is_refused_with_those_that_serve(client):
    answer = client.send("PUT", "/rate")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
