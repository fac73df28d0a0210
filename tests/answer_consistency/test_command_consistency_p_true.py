"""``semscale consistency --measure p_true``, over a real HTTP server."""

import json
import math

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.decision_endpoint import deciding_endpoint
from tests.support.endpoint import misbehaving_endpoint, prompt_of

pytestmark = pytest.mark.needs("api")

ASKED = "Is the proposed answer True or False?"
SHARES = {"True": 0.6, "False": 0.2}


def spoken(asked):
    """Answer "yes", and give the probabilities of True and False, if wanted, for the first question."""
    prompt = prompt_of(asked)
    if ASKED not in prompt:
        return "I cannot help with that." if "bomb" in prompt else "yes"
    if "sure?" not in prompt or not asked.get("logprobs"):
        return "True"
    top = [{"token": token, "logprob": math.log(share)} for token, share in SHARES.items()]
    return "True", {"logprobs": {"content": [{**top[0], "top_logprobs": top}]}}


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as server:
        server.reply = spoken
        yield server


@pytest.fixture
def command(tmp_path, endpoint):
    pl.DataFrame({"q": ["sure?", None, "guess?"]}).write_csv(tmp_path / "q.csv")
    return (
        "consistency", "q.csv", "--prompt", "q", "--ask", 2, "--chat-model", "m", "--chat-url", endpoint.url,
        "--ledger", tmp_path / "ledger", "--measure", "p_true", "--measure", "exact_match",
    )  # fmt: skip


def test_the_model_is_asked_once_per_answer_and_missing_values_are_counted(
    semscale, command, endpoint, tmp_path
):
    ended = semscale(*command, "--out", "o.jsonl")
    assert ended.code == 0, ended.err
    # Two questions: an answer, two samples and P(True) each.
    assert "8 replies asked for" in ended.out
    assert "P(True) is not known for 1 prompt: the model gave no log-probabilities" in ended.out
    table = pl.read_ndjson(tmp_path / "o.jsonl")
    # p(True) / (p(True) + p(False)) = .6 / .8
    assert table["semscale_p_true"].to_list() == [pytest.approx(0.75), None, None]
    assert table["semscale_exact_match"].to_list() == [1.0, None, 1.0]
    assert table["semscale_status"].to_list() == ["scored", "missing", "scored"]
    assert table["semscale_reason"][2].startswith("the model gave no log-probabilities")
    judged = [asked for asked, *_ in endpoint.requests if ASKED in prompt_of(asked)]
    assert {(asked["temperature"], asked["top_logprobs"]) for asked in judged} == {(0, 5)}
    assert semscale(*command).code == 0
    assert len(endpoint.requests) == 8


@pytest.mark.exhaustive
def test_a_dry_run_counts_a_call_per_answer_without_those_in_the_ledger(semscale, command, endpoint):
    def forecast():
        (model,) = json.loads(semscale(*command, "--dry-run", "--json").out)["models"]
        return model["requests"], model["answered"], model["calls"]

    assert forecast() == (8, 0, 8)
    assert endpoint.requests == []
    assert semscale(*command).code == 0
    assert forecast() == (8, 8, 0)


def test_an_answer_that_declines_is_not_asked_about(semscale, command, endpoint, tmp_path):
    pl.DataFrame({"q": ["sure?", "a bomb?"]}).write_csv(tmp_path / "q.csv")
    assert semscale(*command).code == 0
    assert len(endpoint.requests) == 7
    (model,) = json.loads(semscale(*command, "--dry-run", "--json").out)["models"]
    assert (model["requests"], model["calls"]) == (7, 0)


@pytest.mark.exhaustive
def test_a_cap_applies_to_p_true_and_the_same_command_continues(semscale, command, endpoint, tmp_path):
    # Two answers, the samples of the first question, P(True) of it, and perhaps a sample of the second.
    capped = semscale(*command, "--out", "o.jsonl", "--max-calls", 6, "--concurrency", 1)
    assert capped.code == 3
    statuses = pl.read_ndjson(tmp_path / "o.jsonl")["semscale_status"].to_list()
    assert statuses == ["scored", "missing", "unfinished"]
    assert semscale(*command, "--out", "o.jsonl").code == 0
    assert len(endpoint.requests) == 8


def test_an_endpoint_without_log_probabilities_leaves_the_other_measures(semscale, command, endpoint):
    endpoint.refuse("logprobs", "top_logprobs")
    content = json.loads(semscale(*command[:-4], "--measure", "exact_match", *command[-4:-2], "--json").out)
    figures = content["estimates"]["overall"]["figures"]
    assert {name: figure["value"] for name, figure in figures.items()} == {"exact_match": 1.0}
    assert any(caution.startswith("P(True) is not known for 2 prompts") for caution in content["cautions"])


@pytest.mark.exhaustive
def test_an_ensemble_takes_it_as_any_other_measure(semscale, command, tmp_path):
    questions = [f"sure? {n}" if n % 2 else f"guess? {n}" for n in range(24)]
    labels = [int(n % 4 > 0) for n in range(24)]
    pl.DataFrame({"q": questions, "right": labels}).write_csv(tmp_path / "q.csv")
    trust = json.loads(semscale(*command, "--correct", "right", "--ensemble", "mean", "--json").out)["trust"]
    assert trust["measure"] == "ensemble_mean"
    assert trust["filled"] == {"p_true": 12}  # the twelve that the endpoint gives no probabilities for


def test_answers_of_a_table_are_refused_with_the_remedy(semscale, tmp_path):
    pl.DataFrame({"a": ["yes"], "s": ["yes"]}).write_csv(tmp_path / "a.csv")
    ended = semscale("consistency", "a.csv", "--answer", "a", "--sample", "s", "--measure", "p_true")
    assert ended.code == 2
    assert "name --ask N and --chat-model NAME; semscale judge asks about answers in" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.exhaustive
def test_typed_decisions_replace_missing_log_probabilities(semscale, tmp_path):
    pl.DataFrame({"q": ["sure?", "guess?"]}).write_csv(tmp_path / "q.csv")
    with deciding_endpoint() as decider:
        decider.say = lambda asked: "True" if ASKED in asked["messages"][-1]["content"] else "yes"
        decider.masses = lambda asked, names, text: [0.25, 0.75] if "sure?" in text else [0.5, 0.5]
        command = (
            "consistency", "q.csv", "--prompt", "q", "--ask", 2, "--chat-model", "m",
            "--chat-url", decider.url,
            "--ledger", tmp_path / "ledger", "--measure", "p_true", "--concurrency", 1,
        )  # fmt: skip
        ended = semscale(*command, "--out", "o.jsonl", "--json")
        assert ended.code == 0, ended.err
        n_asked = len(decider.requests)
        assert semscale(*command).code == 0
        assert len(decider.requests) == n_asked
    check_json(ended.out)
    content = json.loads(ended.out)
    assert pl.read_ndjson(tmp_path / "o.jsonl")["semscale_p_true"].to_list() == [0.75, 0.5]
    assert content["asking"]["p_true_decisions"] == 2
    assert "|p_true_form:decisions" in content["signature"]
    assert any(
        caution.startswith("P(True) of 2 prompts is a typed decision") for caution in content["cautions"]
    )
