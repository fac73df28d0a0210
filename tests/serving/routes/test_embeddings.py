"""``/v1/embeddings`` as OpenAI's interface has it."""

from base64 import b64decode

import numpy as np
import pytest

MODEL = "all-MiniLM-L6-v2"


def error_of(answer):
    return answer.json()["error"]


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_vectors_are_those_of_the_model(client, engine, encoding):
    texts = ["good", "a nice day", "good"]
    answer = client.post("/v1/embeddings", json={"input": texts, "model": MODEL, "encoding_format": encoding})
    assert answer.status_code == 200
    content = answer.json()
    assert [(each["object"], each["index"]) for each in content["data"]] == [
        ("embedding", place) for place in range(3)
    ]
    vectors = [each["embedding"] for each in content["data"]]
    if encoding == "base64":
        vectors = [np.frombuffer(b64decode(vector), "<f4") for vector in vectors]
    np.testing.assert_array_equal(np.array(vectors, np.float32), engine.embed(texts).vectors)
    # [CLS] good [SEP] twice, and [CLS] a nice day [SEP]
    assert content["usage"] == {"prompt_tokens": 11, "total_tokens": 11}
    assert (content["object"], content["model"]) == ("list", MODEL)


def test_one_text_may_be_a_string(client, engine):
    answer = client.post("/v1/embeddings", json={"input": "good", "model": f"sentence-transformers/{MODEL}"})
    assert error_of(answer)["param"] == "model"  # another name is another model
    answer = client.post("/v1/embeddings", json={"input": "good", "model": MODEL, "dimensions": 384})
    found = np.array(answer.json()["data"][0]["embedding"], np.float32)
    np.testing.assert_array_equal(found, engine.embed(["good"]).vectors[0])


@pytest.mark.parametrize(
    ("fields", "status", "field", "words"),
    [
        ({"input": [], "model": MODEL}, 422, "input", "a text or a list of texts"),
        ({"input": [[1, 2]], "model": MODEL}, 422, "input", "token ids are not taken"),
        ({"input": [1, 2], "model": MODEL}, 422, "input", "token ids are not taken"),
        ({"input": ["a", " "], "model": MODEL}, 422, "input", r"input\[1\] must not be empty"),
        ({"input": "a", "model": "gpt"}, 404, "model", f"one of {MODEL}"),
        ({"input": "a"}, 422, "model", "is missing"),
        ({"input": "a", "model": MODEL, "dimensions": 5}, 422, "dimensions", "must be 384"),
        ({"input": "a", "model": MODEL, "encoding_format": "hex"}, 422, "encoding_format", "hex"),
        ({"input": "a", "model": MODEL, "inputs": "a"}, 422, "inputs", "did you mean 'input'"),
        (["a"], 400, None, "a JSON object"),
    ],
)
def test_a_wrong_field_is_named(client, fields, status, field, words):
    answer = client.post("/v1/embeddings", json=fields)
    assert answer.status_code == status
    assert error_of(answer)["param"] == field
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(error_of(answer)["message"])


def test_the_body_must_be_json(client):
    answer = client.post("/v1/embeddings", content=b"{")
    assert answer.status_code == 400
    assert "must be JSON" in error_of(answer)["message"]


def test_the_models_are_listed(client):
    assert [each["id"] for each in client.get("/v1/models").json()["data"]] == [MODEL]
