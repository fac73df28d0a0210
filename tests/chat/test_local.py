"""Chat models on this machine."""

import asyncio
import hashlib
import json
import math
import os
import subprocess
import sys

import pytest

from semscale.chat import CallError, FailureKind, ImagePart, Message, Request, load_chat_model
from semscale.chat.decision_formats import letter_request
from semscale.chat.decisions import DecisionRequest, PredicateQuestion, decide
from semscale.chat.local import (
    LocalModel,
    asks_for_next_token,
    beam_settings,
    find_local_model,
    likeliest_tokens,
)
from semscale.chat.messages import Parameters, Usage
from semscale.chat.pacing import Retries
from semscale.chat.runner import Runner
from semscale.chat.settings import Limits
from semscale.cli.main import main
from semscale.errors import ModelError


def test_a_gguf_file(tmp_path):
    path = tmp_path / "my model:1.gguf"
    path.write_bytes(b"weights")
    sha256 = hashlib.sha256(b"weights").hexdigest()
    assert find_local_model(str(path)) == LocalModel(path, "my_model_1", sha256, context=None)


def test_a_folder_exported_for_openvino(tmp_path):
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported" / "openvino_model.bin").write_bytes(b"weights")
    result = find_local_model(str(tmp_path / "exported"))
    assert (result.path, result.name) == (tmp_path / "exported", "exported")


@pytest.mark.parametrize("name", ["missing.gguf", "model.safetensors", "."])
def test_a_name_that_is_no_local_model_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(ModelError, match="is not a local chat model: use SmolLM2-135M-Instruct"):
        find_local_model(name)


def test_an_embedding_model_is_no_chat_model():
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is an embedding model"):
        find_local_model("all-MiniLM-L6-v2")


def test_tokens_with_the_same_text_add_up():
    result = likeliest_tokens(["B", "A", "A"], [math.log(0.4), math.log(0.3), math.log(0.2)])
    assert [text for text, _ in result.top] == ["A", "B"]
    assert math.exp(result.logprob) == pytest.approx(0.5)


def test_no_probability_is_above_1():
    # Two beams that rounding took to a sum of 1.0001.
    assert likeliest_tokens(["A", "A"], [math.log(0.6), math.log(0.4001)]).logprob == 0


def test_a_token_without_any_probability_is_left_out():
    assert [text for text, _ in likeliest_tokens(["A", "B"], [0.0, -math.inf]).top] == ["A"]


def test_beam_search_returns_a_token_per_beam():
    assert beam_settings(20) == {"max_new_tokens": 1, "num_beams": 20, "num_return_sequences": 20}


@pytest.mark.parametrize(
    ("parameters", "asks"),
    [
        ({"max_tokens": 1, "top_logprobs": 20, "temperature": 0.0}, True),
        ({"max_tokens": 1, "top_logprobs": 20}, True),
        ({"max_tokens": 2, "top_logprobs": 20}, False),
        ({"max_tokens": 1}, False),
        ({"max_tokens": 1, "top_logprobs": 0}, False),
        ({"max_tokens": 1, "top_logprobs": 5, "temperature": 1.0}, False),
        ({"max_tokens": 1, "top_logprobs": 5, "schema": {"type": "string"}}, False),
    ],
)
def test_only_requests_for_a_single_token_are_searched(parameters, asks):
    assert asks_for_next_token(Parameters(**parameters)) is asks


FRANCE = Request.of("What is the capital of France?", temperature=0.0, max_tokens=24)


ANIMAL = Request.of("Name an animal.", temperature=1.0, seed=5, max_tokens=12)


@pytest.fixture(scope="module")
def model():
    return load_chat_model("local")


def ask(model, *requests: Request) -> list[str]:
    async def all_of_them() -> list[str]:
        return [(await model.complete(request)).text for request in requests]

    return asyncio.run(all_of_them())


@pytest.mark.needs("local")
def test_it_answers(model):
    reply = asyncio.run(model.complete(FRANCE))
    assert "Paris" in reply.text
    assert (reply.finish_reason, reply.model) == ("stop", "SmolLM2-135M-Instruct")
    assert reply.usage.prompt_tokens > reply.usage.completion_tokens > 2


@pytest.mark.needs("local")
def test_temperature_0_gives_the_same_reply_in_any_company(model):
    alone = ask(model, FRANCE)[0]
    assert ask(model, ANIMAL, FRANCE, ANIMAL, FRANCE)[1::2] == [alone, alone]


@pytest.mark.needs("local")
def test_a_seed_decides_random_replies(model):
    other = Request.of("Name an animal.", temperature=1.0, seed=6, max_tokens=12)
    first, second, third = ask(model, ANIMAL, other, ANIMAL)
    assert first == third != second


@pytest.mark.needs("local")
def test_samples_differ_without_a_seed(model):
    request = Request.of("Name an animal.", temperature=1.0, max_tokens=12)
    samples = ask(model, *(request.with_sample(number) for number in range(4)))
    assert len(set(samples)) > 1
    assert ask(model, request.with_sample(2)) == [samples[2]]


@pytest.mark.needs("local")
def test_a_length_and_a_stop_are_respected(model):
    cut = Request.of("What is the capital of France?", max_tokens=3)
    reply = asyncio.run(model.complete(cut))
    assert (reply.finish_reason, reply.usage.completion_tokens) == ("length", 3)
    stopped = Request.of("What is the capital of France?", max_tokens=24, stop=("Paris",))
    assert ask(model, stopped) == ["The capital of France is"]


BLUE = DecisionRequest.of("The sky is blue.", {"true": PredicateQuestion("Is this true?")})


@pytest.mark.needs("local")
def test_the_likeliest_next_tokens_have_their_probabilities(model):
    asked = letter_request(BLUE, "true", (0, 1))
    reply = asyncio.run(model.complete(asked))
    (first,) = reply.logprobs
    assert (first.token, first.logprob) == first.top[0]
    shares = [math.exp(logprob) for _, logprob in first.top]
    assert shares == sorted(shares, reverse=True)
    assert 10 < len(shares) <= 20
    assert 0.3 < sum(shares) <= 1
    # The engine's own figure for the token that it chooses; it counts in steps of 1/8 on some processors.
    genai = model._genai
    history = genai.ChatHistory([{"role": "user", "content": asked.messages[0].text}])
    chosen = model._pipeline.generate(history, genai.GenerationConfig(max_new_tokens=1, logprobs=1))
    assert dict(first.top)[chosen.texts[0]] == pytest.approx(chosen.scores[0], abs=0.26)


@pytest.mark.needs("local")
def test_it_decides_by_the_letters_of_the_options(model):
    result = decide(model, [BLUE, BLUE], ledger=False)
    assert (result.form, result.counts["answered"]) == ("next-token", 2)
    answer = result.answers[0]["true"]
    assert sum(answer.masses) == pytest.approx(1)
    assert len(answer.readings) == 2
    assert 0 <= answer.order_bias <= 1


@pytest.mark.needs("local")
def test_longer_replies_have_no_probabilities(model):
    asked = Request.of("What is the capital of France?", temperature=0.0, max_tokens=4, top_logprobs=5)
    assert asyncio.run(model.complete(asked)).logprobs is None


@pytest.mark.needs("local")
def test_a_schema_is_followed(model):
    score = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    schema = {
        "type": "object",
        "properties": {"score": score},
        "required": ["score"],
        "additionalProperties": False,
    }
    (text,) = ask(model, Request.of("Rate the answer '4' to 'two and two?'.", schema=schema, max_tokens=40))
    assert json.loads(text)["score"] in range(1, 6)


@pytest.mark.needs("local")
@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (Request((Message("user", (ImagePart.of(b"\x89PNG\r\n\x1a\n"),)),)), FailureKind.UNSUPPORTED),
        (Request.of("x " * 20_000), FailureKind.REJECTED),  # over 8,192 tokens
    ],
)
def test_unsupported_requests_of_a_local_model_fail(model, request_, kind):
    with pytest.raises(CallError) as caught:
        asyncio.run(model.complete(request_))
    assert caught.value.kind is kind


@pytest.mark.needs("local")
def test_a_run_costs_nothing_and_is_resumed(model, tmp_path):
    requests = [FRANCE, ANIMAL, FRANCE.with_sample(1)]
    runner = Runner(model, ledger=tmp_path / "ledger.sqlite")
    outcomes = runner.run(requests)
    assert [outcome.status.value for outcome in outcomes] == ["replied"] * 3
    assert (runner.spent.calls, runner.spent.money) == (3, 0.0)
    again = Runner(model, ledger=tmp_path / "ledger.sqlite")
    assert [outcome.reply for outcome in again.run(requests)] == [outcome.reply for outcome in outcomes]
    assert again.spent.usage == Usage(0, 0)


@pytest.mark.needs("local")
def test_a_reply_that_takes_too_long_is_broken_off(model):
    limits, retries = Limits(timeout=0.01), Retries(most=0)
    runner = Runner(model, limits=limits, retries=retries, ledger=False)
    (outcome,) = runner.run([Request.of("Tell me a long story.", max_tokens=1000)])
    assert outcome.failure.kind is FailureKind.TIMEOUT
    assert "Paris" in ask(model, FRANCE)[0]  # the engine is free again


@pytest.mark.needs("local")
def test_weights_that_cannot_be_run(tmp_path):
    (tmp_path / "broken.gguf").write_bytes(b"GGUF, but nothing else")
    with pytest.raises(ModelError, match="cannot be run by openvino-genai"):
        ask(load_chat_model(str(tmp_path / "broken.gguf")), FRANCE)


@pytest.mark.needs("local")
def test_importing_it_reports_nothing(model, tmp_path):
    _ = model.signature  # the weights are there: pip, which pulls them, would ask Rust for its version
    # OpenVINO itself is silent where CI is set, so the test must not be.
    program = (
        "import os; forks = []; os.register_at_fork(before=lambda: forks.append(1))\n"
        "from semscale.chat import load_chat_model\n"
        "load_chat_model('local').signature\n"
        "import sys; print('openvino_telemetry' in sys.modules, len(forks))"
    )
    from semscale.weights.folders import cache_root

    variables = {"HOME": str(tmp_path), "SEMSCALE_CACHE": str(cache_root())}
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | variables
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["False", "0"]
    assert list(tmp_path.iterdir()) == []


ITEMS = [
    {"id": "sky", "input": "What colour is the sky?", "right": "The sky is blue."},
    {"id": "sum", "input": "What is two plus two?", "right": "Two plus two is four."},
    {"id": "cat", "input": "Which animal says meow?", "right": "A cat says meow."},
]


SHORT = ("--max-tokens", "12", "--chat-temperature", "0", "--reference", "right", "--ledger", "ledger.sqlite")


@pytest.fixture
def semscale(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))

    def run(*arguments):
        capsys.readouterr()
        code = main(["drift", *arguments])
        return code, capsys.readouterr().out

    return run


@pytest.mark.needs("local")
def test_three_items_are_recorded_with_their_rerun_and_references(semscale):
    ask = ("record", "--prompts", "items.jsonl", "--chat-model", "local", "--reruns", "1", *SHORT)
    code, out = semscale(*ask, "--dry-run", "--json")
    assert (code, json.loads(out)["models"][0]["calls"]) == (0, 6)
    code, out = semscale(*ask)
    assert code == 0
    assert "SmolLM2-135M-Instruct" in out
    code, out = semscale("approve", "latest", "--approved-by", "Ann", "--why", "a trial")
    assert code == 0
    # At temperature 0 the same questions have the same answers.
    code, out = semscale(*ask[:5], *SHORT, "--rerun-of", "baseline")
    assert code == 0, out
