"""Parameters that a model refuses: recognised, left out from then on, and stored with the reply."""

import json

import pytest
from tests.support.endpoint import REFUSALS, error
from tests.support.made_up_requests import requests, statuses

from semscale.chat import CallError, FailureKind, Request
from semscale.chat.refused_parameters import (
    AcceptedParameters,
    ParameterForm,
    model_parameters,
    parse_refused_parameters,
    set_parameters,
)
from semscale.chat.runner import Runner
from semscale.chat.settings import Budget, Limits
from semscale.errors import InterruptedRunError

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
        ("You are not allowed to request logprobs from this model", ("logprobs",)),
        ("logprobs is currently unavailable", ("logprobs",)),
        ("parameter 'seed' is not a valid field", ("seed",)),
        ("seed is no longer supported", ("seed",)),
        ("temperature cannot be changed for this model", ("temperature",)),
        ("`temperature` and `top_p` cannot both be specified for this model.", ("top_p",)),
        ("模型不支持 seed 参数", ("seed",)),
    ],
)
def test_unsupported_parameters_are_read_from_the_error(body, names):
    assert parse_refused_parameters(body) == names


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
        "Unsupported parameter: 'temperatures'",
    ],
)
def test_other_refusals(body):
    assert parse_refused_parameters(body) == ()


REQUEST = Request.of("a", temperature=0.0, max_tokens=5, stop=("END",), top_logprobs=2, extra={"x": 1})


def refusal(names):
    return CallError("no", kind=FailureKind.REJECTED, refused=tuple(names))


def test_a_limit_goes_by_its_other_name_before_it_is_left_out():
    first = ParameterForm().after_refusal(refusal(["max_tokens"]), REQUEST)
    sent = first.apply(REQUEST).parameters
    assert (sent.max_tokens, sent.extra) == (None, {"x": 1, "max_completion_tokens": 5})
    assert first.left_out_of(REQUEST) == ()
    second = first.after_refusal(refusal(["max_completion_tokens"]), REQUEST)
    sent = second.apply(REQUEST).parameters
    assert (sent.max_tokens, sent.extra) == (None, {"x": 1})
    assert second.left_out_of(REQUEST) == ("max_tokens",)
    assert second.after_refusal(refusal(["max_tokens"]), REQUEST) is None


def test_both_names_of_a_limit_refused_at_once():
    form = ParameterForm().after_refusal(refusal(["max_tokens", "max_completion_tokens"]), REQUEST)
    assert form.apply(REQUEST).parameters.extra == {"x": 1}


@pytest.mark.parametrize(
    ("refused", "attribute", "without"),
    [("temperature", "temperature", None), ("stop", "stop", ()), ("logprobs", "top_logprobs", None)],
)
def test_only_refused_parameters_are_left_out(refused, attribute, without):
    form = ParameterForm().after_refusal(refusal([refused]), REQUEST)
    sent = form.apply(REQUEST)
    assert getattr(sent.parameters, attribute) == without
    assert set(set_parameters(REQUEST.parameters)) - set(set_parameters(sent.parameters)) == {attribute}
    assert sent.messages == REQUEST.messages


def test_a_refusal_of_unsent_parameters_changes_nothing():
    assert ParameterForm().after_refusal(refusal(["seed", "top_p"]), REQUEST) is None
    assert ParameterForm().after_refusal(refusal([]), REQUEST) is None
    assert ParameterForm().apply(REQUEST) is REQUEST


def test_forms_are_merged():
    first, other = ParameterForm(frozenset({"seed"})), ParameterForm(frozenset({"stop"}), "max_tokens")
    assert (
        first.merge(other) == other.merge(first) == ParameterForm(frozenset({"seed", "stop"}), "max_tokens")
    )


def test_accepted_parameters_are_shared_by_runs_of_the_same_model():
    class Model:
        pass

    first, other = Model(), Model()
    form = ParameterForm(frozenset({"temperature"}))
    assert model_parameters(first).unknown_in(REQUEST)
    model_parameters(first).learn(form, REQUEST)
    assert model_parameters(first).form == form
    assert not model_parameters(first).unknown_in(REQUEST)
    assert model_parameters(first).unknown_in(Request.of("a", seed=1))
    assert model_parameters(other) == model_parameters(other)
    assert model_parameters(other).form == ParameterForm()


def test_a_model_without_a_hash_learns_anew_in_every_run():
    class Model:
        __hash__ = None

    assert isinstance(model_parameters(Model()), AcceptedParameters)


MANY = Limits(concurrency=8)


@pytest.mark.needs("api")
@pytest.mark.parametrize("words", REFUSALS)
def test_a_single_call_learns_for_all_calls(runner, endpoint, words):
    endpoint.refuse("temperature", words=words)
    asked = runner(limits=MANY)
    outcomes = asked.run(requests(20, temperature=0.0, top_p=0.5))
    assert statuses(outcomes) == ["replied"] * 20
    assert {outcome.reply.left_out for outcome in outcomes} == {("temperature",)}
    assert len(endpoint.requests) == asked.spent.calls == 21
    assert [body.get("top_p") for body, _, _ in endpoint.requests] == [0.5] * 21
    assert sum("temperature" in body for body, _, _ in endpoint.requests) == 1
    assert sorted(outcome.attempts for outcome in outcomes) == [1] * 19 + [2]


@pytest.mark.needs("api")
def test_the_next_run_knows_what_a_run_learned(runner, endpoint):
    endpoint.refuse("seed", words="pydantic")
    asked = runner()
    asked.run(requests(1, seed=1))
    asked.run(requests(3, seed=1))
    assert len(endpoint.requests) == 4


@pytest.mark.needs("api")
def test_the_limit_goes_by_its_other_name(runner, endpoint):
    endpoint.refuse("max_tokens")
    (outcome,) = runner().run(requests(1, max_tokens=7))
    assert outcome.reply.left_out == ()
    assert [body.get("max_completion_tokens") for body, _, _ in endpoint.requests] == [None, 7]


@pytest.mark.needs("api")
@pytest.mark.parametrize("words", REFUSALS)
@pytest.mark.exhaustive
def test_all_parameters_refused_in_turn_are_left_out(runner, endpoint, words):
    names = ("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop", "top_logprobs")
    endpoint.refuse(*names, words=words)
    settings = {"temperature": 0.0, "max_tokens": 5, "top_p": 0.5, "seed": 1, "stop": ("END",)}
    (outcome,) = runner().run(requests(1, **settings, top_logprobs=2))
    assert set(outcome.reply.left_out) == {*settings, "top_logprobs"}
    assert set(endpoint.requests[-1][0]) == {"model", "messages"}
    assert len(endpoint.requests) == outcome.attempts == 8


@pytest.mark.needs("api")
def test_repeated_requests_reuse_replies_and_their_left_out_parameters(runner, endpoint, tmp_path):
    endpoint.refuse("temperature")
    asked = requests(3, temperature=0.0)
    first = runner().run(asked)
    sent = len(endpoint.requests)
    again = Runner(endpoint.model(), ledger=tmp_path / "ledger.sqlite").run(asked)
    assert [outcome.reply for outcome in again] == [outcome.reply for outcome in first]
    assert {outcome.reply.left_out for outcome in again} == {("temperature",)}
    assert len(endpoint.requests) == sent


@pytest.mark.needs("api")
def test_a_refused_call_counts_against_the_cap(runner, endpoint):
    endpoint.refuse("temperature")
    with pytest.raises(InterruptedRunError, match="the cap of 3 calls is reached; received replies"):
        runner(budget=Budget(calls=3)).run(requests(9, temperature=0.0))
    assert len(endpoint.requests) == 3


@pytest.mark.needs("api")
def test_a_parameter_stays_if_a_call_without_it_is_refused_too(runner, endpoint):
    refusal = (400, error("'temperature' and pictures of this kind are not supported"))
    endpoint.plan(refusal, (400, error("pictures of this kind are not supported")))
    outcomes = runner(limits=Limits(concurrency=1)).run(requests(2, temperature=0.0))
    assert statuses(outcomes) == ["failed", "replied"]
    assert outcomes[0].failure.kind is FailureKind.REJECTED
    assert outcomes[1].reply.left_out == ()
    assert endpoint.requests[-1][0]["temperature"] == 0.0


@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "message": "This response_format type is unavailable now",
                "type": "invalid_request_error",
            }
        },
        {"error": {"message": "response_format is not supported", "param": "response_format"}},
        {
            "error": {
                "message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
                "this model.",
                "param": None,
            }
        },
        {"error": {"message": "This model does not support response format `json_schema`."}},
        {"detail": [{"loc": ["body", "response_format", "type"], "msg": "Input should be 'text'"}]},
        {"error": "'response_format.type' must be 'json_object' or 'text'"},
        {"error": {"message": "response_format.type: unknown variant `json_schema`, expected `text`"}},
        {"error": {"message": "Invalid schema for response_format 'reply'", "code": "invalid_json_schema"}},
        {"error": {"message": "Structured outputs are not enabled for this deployment"}},
        [{"error": {"message": 'Unknown name "response_schema": Cannot find field.'}}],
    ],
)
def test_an_unsupported_schema_is_read_from_the_error(body):
    assert parse_refused_parameters(json.dumps(body)) == ("response_format",)


def test_a_reply_that_breaks_the_schema_refuses_no_parameter():
    body = {"error": {"message": "Failed to generate JSON.", "code": "json_validate_failed"}}
    assert parse_refused_parameters(json.dumps(body)) == ()
