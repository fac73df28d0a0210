"""Bodies of requests in OpenAI's format, with only what was set."""

import pytest

from semscale.chat import ImagePart, Message, Request, TextPart
from semscale.chat.endpoint import limit_name_at, request_body


def test_only_what_was_set_is_in_the_body():
    assert request_body("m", Request.of("a", system="b")) == {
        "model": "m",
        "messages": [{"role": "system", "content": "b"}, {"role": "user", "content": "a"}],
    }


def test_zeros_are_settings():
    assert request_body("m", Request.of("a", temperature=0.0, seed=0)).items() >= {
        ("temperature", 0.0),
        ("seed", 0),
    }


def test_every_parameter_in_openais_form():
    schema = {"type": "object"}
    request = Request.of("a", max_tokens=5, stop=("x",), top_logprobs=0, schema=schema, extra={"n": 2})
    body = request_body("m", request, limit_name="max_completion_tokens")
    assert (body["max_completion_tokens"], body["stop"], body["n"]) == (5, ["x"], 2)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 0)
    assert body["response_format"]["json_schema"] == {"name": "reply", "schema": schema, "strict": True}
    assert "max_tokens" not in body


def test_texts_and_images_are_parts():
    message = Message("user", (TextPart("What?"), ImagePart("https://example.org/a.png")))
    (found,) = request_body("m", Request((message,)))["messages"]
    assert found["content"] == [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
        ("https://openai.com.example.org/v1", "max_tokens"),
    ],
)
def test_the_limits_name_depends_on_the_host(url, name):
    assert limit_name_at(url) == name
