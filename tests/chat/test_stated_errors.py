"""Errors in the words of vendors: the reason is shown, and the failure has the kind that it means."""

import json
from types import SimpleNamespace

import pytest
from tests.support.endpoint import completion
from tests.support.made_up_requests import requests, statuses

from semscale.chat import CallError, FailureKind, load_chat_model
from semscale.chat.endpoint import Scrubber, failure_of, parse_reply
from semscale.chat.runner import Runner
from semscale.chat.settings import Limits
from semscale.errors import InputError, ReplyError

GEMINI_KEY = [
    {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
        }
    }
]
AZURE_FILTER = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
        "policy. Please modify your prompt and retry.",
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    }
}


def failure(status, body, **headers):
    class StatusError(Exception):
        status_code = status
        response = SimpleNamespace(text=body if isinstance(body, str) else json.dumps(body), headers=headers)

    return failure_of(StatusError(f"Error code: {status}"), Scrubber([]), model="m")


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, GEMINI_KEY, "API key not valid. Please pass a valid API key."),
        (400, {"error": "no such field"}, "no such field"),
        (400, {"message": "no such field", "code": 3}, "no such field"),
        (400, {"detail": "no such field"}, "no such field"),
        (422, {"detail": [{"loc": ["body", "x"], "msg": "no such field"}]}, "body.x: no such field"),
        (400, {"errors": ["no such field", "no such row"]}, "no such field; no such row"),
        (400, {"Message": "no such field"}, "no such field"),
        (500, {"fault": {"faultstring": "no such field"}}, "no such field"),
        (400, {"error": {"error": {"msg": "no such field"}}}, "no such field"),
        (400, {"error": json.dumps({"message": "no such field"})}, "no such field"),
        (200, {"base_resp": {"status_code": 2013, "status_msg": "no such field"}}, "no such field"),
        (
            400,
            {"error": {"message": "Provider returned error", "metadata": {"raw": '{"detail": "no field"}'}}},
            "Provider returned error: no field",
        ),
    ],
)
def test_the_reason_is_read_from_any_shape(status, body, reason):
    assert str(failure(status, body)).startswith(f"m: Error code: {status} - {reason}")


@pytest.mark.parametrize("body", ["", "[]", "{}", "[" * 10_000, '{"error": null}', '{"error": {}}'])
def test_a_body_without_a_reason_adds_nothing(body):
    assert str(failure(400, body)) == "m: Error code: 400"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, GEMINI_KEY),
        (400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]),
        (400, [{"error": {"message": "API key expired. Please renew the API key.", "status": "INVALID"}}]),
        (400, {"code": "invalid", "error": "Incorrect API key provided: xa***. You can obtain one."}),
        (403, {"error": {"message": "forbidden", "code": "invalid_api_key"}}),
        (400, {"code": "InvalidApiKey", "message": "No such key."}),
        (400, {"message": "The security token is expired", "__type": "x", "code": "ExpiredTokenException"}),
        (400, {"message": "The security token included in the request is invalid"}),
        (400, {"error": {"message": "Missing required header: Authorization"}}),
        (400, {"error": {"message": "Unauthenticated: bad credentials"}}),
        (401, {}),
    ],
)
def test_a_wrong_key_is_denied_with_any_status(status, body):
    assert failure(status, body).kind is FailureKind.DENIED


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, [{"error": {"message": "The API is disabled in project 1.", "status": "PERMISSION_DENIED"}}]),
        (403, {"error": {"message": "Not permitted", "type": "permission_error"}, "type": "error"}),
        (403, {"message": "You don't have access to the model with the specified model ID."}),
        (400, [{"error": {"message": "User location is not supported for the API use."}}]),
        (403, {"error": {"message": "Region not allowed", "code": "unsupported_country_region_territory"}}),
    ],
)
def test_an_account_without_access_is_denied(status, body):
    assert failure(status, body).kind is FailureKind.DENIED


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, AZURE_FILTER),
        (400, {"error": {"message": "flagged", "code": "content_policy_violation"}}),
        (400, {"error": {"message": "Invalid prompt: your prompt was flagged", "code": "invalid_prompt"}}),
        (400, {"error": {"message": "Output data may contain inappropriate content.", "code": "x"}}),
        (400, {"code": "DataInspectionFailed", "message": "Input data may contain ..."}),
        (400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
        (400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}),
        (400, {"error": {"message": "The request was rejected because it was considered high risk"}}),
        (403, {"error": {"message": "Your input was flagged", "metadata": {"reasons": ["violence"]}}}),
        (400, {"promptFeedback": {"blockReason": "OTHER"}}),
        (400, {"message": "Blocked by guardrail."}),
        (451, {"error": {"type": "censorship_blocked"}}),
    ],
)
def test_a_filter_of_prompts_is_a_refusal(status, body):
    assert failure(status, body).kind is FailureKind.REFUSED


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (402, {"error": {"message": "Insufficient Balance"}}, FailureKind.NO_QUOTA),
        (400, {"error": {"message": "Your credit balance is too low."}}, FailureKind.NO_QUOTA),
        (400, {"code": "Arrearage", "message": "Access denied."}, FailureKind.NO_QUOTA),
        (429, {"error": {"code": "1113", "message": "您的账户已欠费"}}, FailureKind.NO_QUOTA),
        (429, {"error": {"message": "You exceeded your current quota"}}, FailureKind.RATE_LIMITED),
        (400, {"error": {"message": "Model Not Exist"}}, FailureKind.UNKNOWN_MODEL),
        (400, {"error": {"message": "m is not a valid model ID", "code": 400}}, FailureKind.UNKNOWN_MODEL),
        (400, {"error": {"message": "gone", "code": "model_decommissioned"}}, FailureKind.UNKNOWN_MODEL),
        (
            400,
            {"error": {"message": "Invalid model name passed in model=m. Call `/v1/models` to view models"}},
            FailureKind.UNKNOWN_MODEL,
        ),
        (403, {"error": {"message": "Key limit exceeded (total limit).", "code": 403}}, FailureKind.NO_QUOTA),
        (429, {"error": {"message": "Per-key limit exceeded, retry in 2 s"}}, FailureKind.RATE_LIMITED),
        (400, {"message": "Invalid model: m", "type": "invalid_model"}, FailureKind.UNKNOWN_MODEL),
        (
            400,
            {"error": {"message": "This response_format type is unavailable now"}},
            FailureKind.UNSUPPORTED,
        ),
        (400, {"error": {"message": "seed is not supported", "param": "seed"}}, FailureKind.REJECTED),
        (400, {"error": {"message": "This model's maximum context length is 9"}}, FailureKind.REJECTED),
        (
            403,
            {"error": {"message": "Your account was flagged for its usage policies"}},
            FailureKind.REJECTED,
        ),
        (403, {"error": {"message": "Your request was blocked."}}, FailureKind.REJECTED),
        (503, {"error": {"message": "Content filter is down", "code": "x"}}, FailureKind.SERVER),
        (500, {"error": {"message": "API key service: invalid API key cache"}}, FailureKind.SERVER),
    ],
)
def test_other_kinds(status, body, kind):
    assert failure(status, body).kind is kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, FailureKind.DENIED),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, FailureKind.REFUSED),
        ({"choices": [], "promptFeedback": {"blockReason": "SAFETY"}}, FailureKind.REFUSED),
        ({"choices": []}, FailureKind.EMPTY),
        ({"error": {"code": 502, "message": "Provider returned error"}}, FailureKind.MALFORMED),
        (completion("", finish_reason="SAFETY"), FailureKind.REFUSED),
        (completion("Sc", finish_reason="guardrail_intervened"), FailureKind.REFUSED),
        (completion("", finish_reason="content_filter: PROHIBITED_CONTENT"), FailureKind.REFUSED),
    ],
)
def test_errors_with_status_200(body, kind):
    with pytest.raises(CallError) as caught:
        parse_reply(json.dumps(body), Scrubber([]), model="m")
    assert caught.value.kind is kind


def test_google_states_the_wait_in_the_body():
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s"}
    body = [{"error": {"message": "Resource has been exhausted", "details": [info]}}]
    assert failure(429, body).retry_after == 2.5
    assert failure(429, body, **{"Retry-After": "7"}).retry_after == 7.0


@pytest.mark.needs("api")
def test_a_wrong_key_at_google_ends_the_run_after_a_single_call(endpoint, tmp_path):
    endpoint.fault = lambda prompt, n_asked: (400, GEMINI_KEY)
    with pytest.raises(ReplyError, match="API key not valid. Please pass a valid API key.*check the key in"):
        Runner(endpoint.model(), limits=Limits(concurrency=1), ledger=tmp_path / "l").run(requests(9))
    assert len(endpoint.requests) == 1


@pytest.mark.needs("api")
def test_a_filtered_prompt_is_not_sent_again_by_the_next_run(endpoint, tmp_path):
    endpoint.fault = lambda prompt, n_asked: (400, AZURE_FILTER) if prompt == "question 1" else None
    for _ in range(2):
        outcomes = Runner(endpoint.model(), ledger=tmp_path / "l").run(requests(3))
        assert statuses(outcomes) == ["replied", "refused", "replied"]
        assert len(endpoint.requests) == 3


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    "address",
    [
        "https://team.openai.azure.com/openai/deployments/gpt?api-version=2024-02-01",
        "https://team.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-02-01",
        "https://team.openai.azure.com/openai/deployments/gpt/",
        "https://team.openai.azure.com/?api-version=2024-02-01",
        "https://team.openai.azure.com/OpenAI/Deployments/gpt",
        "https://team.openai.azure.com/models",
    ],
)
def test_a_deployment_address_is_refused_with_the_address_that_works(address):
    with pytest.raises(InputError) as caught:
        load_chat_model("m", base_url=address)
    assert "https://team.openai.azure.com/openai/v1" in str(caught.value)


@pytest.mark.needs("api")
@pytest.mark.parametrize("query", ["?api-version=2024-02-01", ""])
def test_a_proxy_of_azure_is_named_in_the_suggested_address(query):
    with pytest.raises(InputError, match="http://127.0.0.1:8000/openai/v1"):
        load_chat_model("m", base_url=f"http://127.0.0.1:8000/openai/deployments/gpt/{query}")


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/completions/", "https://api.example.com/v1"),
        ("https://api.example.com/v1/responses", "https://api.example.com/v1"),
        ("https://api.example.com/v1/messages", "https://api.example.com/v1"),
        ("http://localhost:11434/api/generate", "http://localhost:11434/v1"),
        ("http://localhost:11434/api/embeddings", "http://localhost:11434/v1"),
        ("https://g.example.com/v1beta/models/m:generateContent", "https://g.example.com/v1beta/openai"),
    ],
)
def test_an_address_with_a_route_is_refused_with_the_address_before_it(address, base):
    with pytest.raises(InputError, match=f"must end before its route: {base}, got"):
        load_chat_model("m", base_url=address)
