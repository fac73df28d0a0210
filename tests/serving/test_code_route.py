"""The route that codes texts by a codebook: codes, shares, cautions, and refusals."""

import polars as pl
import pytest

pytest.importorskip("fastapi", reason='fastapi is not installed: pip install "semscale[serve]"')

from tests.serving.test_openapi import CODES
from tests.support.services import client_of, loaded_service

import semscale
from semscale.coding import Code, Codebook

TEXTS = ["The waiters were rude, but it was cheap.", "A waiter smiled at us.", None, "n/a", "It costs a lot."]


def code(client, status=200, **fields):
    answer = client.post("/code", json={"texts": TEXTS, "codes": CODES, **fields})
    assert answer.status_code == status, answer.text
    return answer.json()


def test_codes_are_those_of_the_function(client, engine):
    book = Codebook(
        "of-the-request", tuple(Code(**{**code, "examples": tuple(code["examples"])}) for code in CODES)
    )
    expected = semscale.code(TEXTS, book, embedder=engine, sentiment="none", missing=["n/a"])
    answer = code(client, sentiment="none", missing=["n/a"])
    assert pl.DataFrame(answer["results"], infer_schema_length=None).rows() == expected.to_frame().rows()
    assert [row["outcome"] for row in answer["results"]] == [
        "coded", "coded", "no-answer", "no-answer", "coded"
    ]  # fmt: skip
    assert answer["counts"] == {"coded": 3, "no-answer": 2}
    assert answer["signature"] == str(expected.signature)
    staff = answer["estimates"]["staff"]
    assert (staff["n"], staff["n_left_out"], staff["sentiment"]) == (3, 2, None)
    assert staff["value"] == pytest.approx(2 / 3)
    assert answer["cautions"][0].startswith("Not calibrated")


def test_sentiment_is_rated_by_the_model_of_ratings(client, engine):
    answer = code(client)
    # The service of this test has one model for everything.
    assert "sentiment_model:all-MiniLM-L6-v2" in answer["signature"]
    assert answer["results"][0]["staff_sentiment"] < 3
    assert answer["estimates"]["staff"]["sentiment"]["n"] == 2


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"codes": CODES[:1]}, "codes", "a codebook needs at least 2 codes, got 1"),
        ({"codes": [CODES[0], {**CODES[1], "name": "price"}]}, "codes", "have the same name: rename one"),
        ({"codes": [CODES[0], {"name": "staff"}]}, "codes", "definition is missing: add it"),
        ({"codes": [CODES[0], {**CODES[0], "name": "cost"}]}, "codes", "share the text"),
        ({"sentiment": "niceness"}, "sentiment", "unknown scale"),
        ({"sentiment": "frequency"}, "sentiment", "has no good end"),
        ({"given_from": 0.5}, "given_from", "unknown key 'given_from'"),
        ({"texts": ["good"] * 11}, "texts", "texts must have at most 10 texts, got 11"),
        ({"texts": "good"}, "texts", "texts must be a list"),
    ],
)
def test_mistakes_are_refused(small, fields, field, message):
    error = code(small, status=422, **fields)["error"]
    assert message in error["message"]
    assert error["param"] == field


@pytest.fixture(scope="module")
def small(engine):
    service = loaded_service(engine, max_texts=10)
    yield client_of(service)
    service.close()
