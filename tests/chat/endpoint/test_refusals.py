"""Refusals of parameters as endpoints word them, and refusals of other things."""

import json

import pytest

from semscale.chat.endpoint import refused_parameters

OPENAI_TEMPERATURE = {
    "error": {
        "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default "
        "(1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    }
}
OPENAI_LIMIT = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
PYDANTIC = {
    "detail": [
        {
            "type": "extra_forbidden",
            "loc": ["body", name],
            "msg": "Extra inputs are not permitted",
            "input": 1,
        }
        for name in ("seed", "top_logprobs")
    ]
}
VLLM = {
    "object": "error",
    "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stop'), 'msg': 'Extra inputs are not "
    "permitted', 'input': 'temperature'}]",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
AZURE = {"error": {**OPENAI_LIMIT["error"], "param": None}}
SERDE = "unknown field `top_p`, expected one of `model`, `messages`, `temperature`, `seed` at line 1 column 9"
GEMINI = [{"error": {"code": 400, "message": 'Unknown name "seed": Cannot find field.', "status": "INVALID"}}]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (json.dumps(OPENAI_TEMPERATURE), ("temperature",)),
        (json.dumps(OPENAI_LIMIT), ("max_tokens",)),
        (json.dumps(AZURE), ("max_tokens",)),
        (json.dumps(PYDANTIC), ("seed", "top_logprobs")),
        (json.dumps(VLLM), ("stop",)),
        (json.dumps(GEMINI), ("seed",)),
        (json.dumps({"error": SERDE}), ("top_p",)),
        (json.dumps({"error": {"message": "`temperature` is deprecated for this model."}}), ("temperature",)),
        (json.dumps({"error": "property 'logprobs' is unsupported"}), ("logprobs",)),
        (json.dumps({"error": "Input error: `temperature` must be strictly positive"}), ("temperature",)),
        ("invalid temperature: only 1 is allowed for this model", ("temperature",)),
        ("`temperature` may only be set to 1 when thinking is enabled", ("temperature",)),
        ("seed: Extra inputs are not permitted", ("seed",)),
        ('json: unknown field "max_completion_tokens"', ("max_completion_tokens",)),
    ],
)
def test_parameters_that_are_not_taken(body, names):
    assert refused_parameters(body) == names


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[" * 100_000,
        "max_tokens is too large: 100000. This model supports at most 4096 completion tokens.",
        json.dumps(
            {"error": {"message": "Invalid value for 'top_logprobs': must be <= 5", "param": "top_logprobs"}}
        ),
        "temperature must be between 0 and 2",
        "This model's maximum context length is 4096 tokens",
        "The picture's format is not supported. The room's temperature is fine.",
        json.dumps({"error": {"message": "response_format is not supported", "param": "response_format"}}),
        "Unsupported parameter: 'temperatures'",
    ],
)
def test_other_refusals(body):
    assert refused_parameters(body) == ()
