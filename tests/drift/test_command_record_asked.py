"""``semscale drift record --prompts``: a model or a program is asked, and what it gave becomes a run."""

import json
import sys

import pytest
from tests.support.endpoint import error, misbehaving_endpoint, prompt_of

from semscale.drift.hard_limits import fields_of
from semscale.drift.metrics import field_metrics
from semscale.history.items import Item, Output

pytestmark = pytest.mark.needs("api")

ITEMS = [
    {"id": "a", "input": "What is a?", "topic": "x"},
    {"id": "b", "input": "What is b?", "topic": "y"},
]
TEMPLATE = 'Be kind.\n{input}\nReply as {"text": ...}.'
# A longer wait than a run has patience for, so that nothing is repeated.
DOWN = (503, error("down"), {"Retry-After": "9999"})


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as server:
        yield server


@pytest.fixture
def record(semscale, tmp_path, endpoint, monkeypatch):
    """Record what the endpoint says about two items, which stand in ``items.jsonl``."""
    monkeypatch.setenv("SEMSCALE_PRICES", str(tmp_path / "prices.yaml"))
    (tmp_path / "prices.yaml").write_text("per_tokens: 1\nmodels: {priced-*: {prompt: 1, completion: 2}}\n")
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    (tmp_path / "kind.txt").write_text(TEMPLATE)

    def run(*options, model="priced-one", prompts=("--prompts", "items.jsonl")):
        whom = ("--chat-model", model, "--chat-url", endpoint.url) if model else ()
        return semscale("drift", "record", *prompts, *whom, "--ledger", "ledger.sqlite", *options)

    return run


@pytest.fixture
def stored(tmp_path):
    """All runs of the history, oldest first."""

    def load():
        from semscale.history.history import open_history

        with open_history(str(tmp_path / "semscale-history.sqlite")) as history:
            return [history.run(run.id) for run in history.runs()]

    return load


def counting(endpoint):
    """Let each reply say how often its prompt was asked."""
    asked = []

    def reply(body):
        asked.append(prompt_of(body))
        return f"{prompt_of(body)} {asked.count(prompt_of(body))}"

    endpoint.reply = reply


def texts(run):
    return [[output.text for output in item.outputs] for item in run.items]


def test_a_run_and_its_reruns_are_real_new_calls(record, endpoint, stored):
    counting(endpoint)
    ended = record("--reruns", 2, "--by", "topic", "--json")
    assert ended.code == 0, ended.err
    printed = json.loads(ended.out)
    assert len(endpoint.requests) == 6
    first, *reruns = stored()
    assert (first.dataset, first.model, first.id) == ("items", "priced-one", printed["id"])
    assert [item.input for item in first.items] == ["What is a?", "What is b?"]
    assert [dict(item.groups) for item in first.items] == [{"topic": "x"}, {"topic": "y"}]
    assert [run.rerun_of for run in reruns] == [first.id] * 2
    assert {run.id for run in reruns} == set(printed["reruns"])
    answers = [texts(run)[0][0] for run in (first, *reruns)]
    assert sorted(answers) == ["What is a? 1", "What is a? 2", "What is a? 3"]
    # 12 tokens at 1 and 3 at 2 for each of 6 replies.
    assert printed["asked"]["sums"] == {"tokens": 90.0, "cost": 108.0}
    assert printed["asked"]["n_calls"] == 6
    fields = first.items[0].outputs[0].fields
    assert (fields["call_tokens"], fields["call_cost"]) == (15.0, 18.0)
    assert fields["call_latency"] > 0


def test_the_same_command_sends_new_calls_and_reuses_no_replies(record, endpoint, stored):
    counting(endpoint)
    assert record().code == 0
    assert record().code == 0
    assert len(endpoint.requests) == 4
    assert [texts(run)[0] for run in stored()] == [["What is a? 1"], ["What is a? 2"]]


def test_a_stopped_command_pays_for_nothing_twice(record, endpoint, stored):
    capped = record("--reruns", 1, "--max-calls", 3)
    assert capped.code == 3
    assert "the cap of 3 calls is reached" in capped.err
    assert stored() == []
    assert record("--reruns", 1).code == 0
    assert len(endpoint.requests) == 4
    assert [run.rerun_of is None for run in stored()] == [True, False]


def test_an_outage_is_not_recorded_as_silence(record, endpoint, stored):
    endpoint.fault = lambda prompt, n_asked: DOWN if "b" in prompt else None
    ended = record()
    assert ended.code == 3
    assert "1 of 2 calls failed, most often because:" in ended.err
    assert "no run is recorded" in ended.err
    assert stored() == []
    endpoint.fault = lambda prompt, n_asked: None
    assert record().code == 0
    assert [prompt_of(body) for body, _, _ in endpoint.requests].count("What is a?") == 1


def test_a_request_that_the_model_does_not_take_is_an_item_without_output(record, endpoint, stored):
    rejected = (400, error("too long"))
    endpoint.fault = lambda prompt, n_asked: rejected if "b" in prompt else None
    ended = record()
    assert ended.code == 0, ended.err
    assert "1 answer without an output: " in ended.out
    (run,) = stored()
    assert [len(outputs) for outputs in texts(run)] == [1, 0]
    assert "no output for b: " in run.note
    assert "too long" in run.note


def test_a_template_is_filled_from_the_items(record, endpoint, stored):
    ended = record("--chat-temperature", 0.5, "--system-prompt", "Be brief.",
                   prompts=("--prompts", "kind.txt", "--items", "items.jsonl"))  # fmt: skip
    assert ended.code == 0, ended.err
    (body, _, _), _ = endpoint.requests
    assert body["temperature"] == 0.5
    asked = sorted(body["messages"][-1]["content"] for body, _, _ in endpoint.requests)
    assert asked[0] == 'Be kind.\nWhat is a?\nReply as {"text": ...}.'
    (run,) = stored()
    assert run.items[0].input == "What is a?"
    assert run.note.startswith("asked with kind.txt #")
    assert run.note.endswith(", temperature 0.5, system “Be brief.”")


def test_a_rerun_of_the_baseline_is_checked_before_any_call(record, semscale, endpoint, tmp_path):
    assert record().code == 0
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "fine")
    asked = len(endpoint.requests)
    other = record("--rerun-of", "baseline", model="priced-two")
    assert (other.code, len(endpoint.requests)) == (2, asked)
    assert "a rerun asks the same model again" in other.err
    assert record("--rerun-of", "baseline").code == 0
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEMS[0]) + "\n")
    fewer = record("--rerun-of", "baseline")
    assert (fewer.code, len(endpoint.requests)) == (2, asked + 2)
    assert "the candidate has no 'b', which the baseline has" in fewer.err


def test_a_gate_does_not_test_fields_of_calls(record, semscale):
    assert record("--reruns", 1).code == 0
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "fine")
    assert record(model="free").code == 0
    ended = semscale("drift", "history", "--json")
    (dataset,) = json.loads(ended.out)["datasets"]
    assert [run["model"] for run in dataset["runs"]] == ["priced-one", "priced-one", "free"]
    fields = ("call_latency", "call_cost", "call_tokens", "cost")
    assert [field_metrics(name, 1.0)[-1].is_usual for name in fields] == [False, False, False, True]
    # The price of the other model is not known: its answers lack no field of the baseline.
    output = Output("x", {"call_latency": 1.0, "call_cost": 2.0, "call_tokens": 3.0, "cost": 4.0})
    assert fields_of(Item("a", (output,))) == {"cost"}


ANSWER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    item = json.loads(line)\n"
    "    print(json.dumps({'id': item['id'], 'output': item['prompt'].upper(), 'cost': 0.5}))\n"
)


def test_a_program_answers(record, stored, tmp_path):
    (tmp_path / "ask.py").write_text(ANSWER)
    command = f'"{sys.executable}" ask.py'
    unnamed = record("--command", command, model=None)
    assert unnamed.code == 2
    assert "--command needs --model NAME" in unnamed.err
    ended = record("--command", command, "--model", "m", "--reruns", 1, model=None)
    assert ended.code == 0, ended.err
    first, rerun = stored()
    assert texts(first) == [["WHAT IS A?"], ["WHAT IS B?"]]
    assert first.items[0].outputs[0].fields == {"call_cost": 0.5}
    assert (rerun.rerun_of, rerun.model) == (first.id, "m")


def test_a_program_that_dies_ends_with_3(record, stored, tmp_path):
    (tmp_path / "ask.py").write_text("raise SystemExit('no key')")
    ended = record("--command", f'"{sys.executable}" ask.py', "--model", "m", model=None)
    assert ended.code == 3
    assert "ended with exit code 1 after 0 of 2 items: no key" in ended.err
    assert stored() == []


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ([], "name a file of outputs, or what to ask: --prompts FILE with --chat-model NAME"),
        (["out.jsonl", "--chat-model", "m"], "--chat-model belongs to --prompts FILE, which is not given"),
        (["out.jsonl", "--max-calls", "3"], "--max-calls belongs to --prompts FILE"),
        (["--prompts", "items.jsonl"], "--prompts needs a model to ask: --chat-model or --command"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--command", "x"], "got both"),
        (["out.jsonl", "--prompts", "items.jsonl", "--chat-model", "m"], "got both"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--field", "x"],
         "--field belongs to a file of outputs"),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--reruns", "-1"], "--reruns must be >= 0"),
        (["--prompts", "items.jsonl", "--command", "x", "--model", "m", "--max-cost", "1"],
         "--max-cost belongs to --chat-model, and not to --command"),
        (["--prompts", "items.jsonl", "--command", "x", "--model", "m", "--chat-temperature", "0"],
         "--chat-temperature belongs to --chat-model, and not to --command"),
        (["--prompts", "kind.txt", "--chat-model", "m"], "name the table that fills it with --items"),
        (["--prompts", "items.jsonl", "--items", "items.jsonl", "--chat-model", "m"], "leave one out"),
        (
            ["--prompts", "items.jsonl", "--chat-model", "m", "--chat-temperature", "-1"],
            "temperature must be",
        ),
        (["--prompts", "items.jsonl", "--chat-model", "m", "--input", "no"], "no column 'no'"),
        (["--prompts", "none.jsonl", "--chat-model", "m"], "none.jsonl"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(record, semscale, endpoint, options, printed):
    ended = semscale("drift", "record", *options)
    assert (ended.code, len(endpoint.requests)) == (2, 0)
    assert printed in " ".join(ended.err.split())


def test_a_model_may_have_a_separate_address(record, endpoint):
    ended = record("--chat-model", f"m@{endpoint.url}", model=None)
    assert ended.code == 0, ended.err
    assert endpoint.requests[0][0]["model"] == "m"


def test_a_dry_run_forecasts_costs_and_sends_nothing(record, semscale, endpoint, tmp_path):
    (tmp_path / "history.sqlite").unlink(missing_ok=True)
    ended = record("--reruns", "2", "--max-tokens", "50", "--dry-run", "--json", model="priced-one")
    assert ended.code == 0, ended.err
    (model,) = json.loads(ended.out)["models"]
    # Two prompts of 10 bytes, three times; a third of the bytes and 8 for each message; 50 tokens a reply.
    assert (model["calls"], model["prompt_tokens"], model["reply_tokens"]) == (6, 6 * (4 + 8), 300)
    assert model["money"] == 6 * 12 + 2 * 300
    assert endpoint.requests == []
    assert semscale("drift", "history").code == 2, "there is no history yet"
    # What came before a stop is not asked for again; once recorded, everything is asked anew.
    assert record("--reruns", "2", "--max-tokens", "50", "--max-calls", "4", model="priced-one").code == 3
    again = record("--reruns", "2", "--max-tokens", "50", "--dry-run", "--json", model="priced-one")
    (model,) = json.loads(again.out)["models"]
    assert (model["requests"], model["answered"], model["calls"]) == (6, 4, 2)


def test_other_items_than_those_of_the_baseline_are_warned_of(record, tmp_path, endpoint):
    assert record("--dataset", "d").code == 0
    (tmp_path / "items.jsonl").write_text('{"id": "z", "input": "What is z?"}\n')
    ended = record("--dataset", "d")
    assert ended.code == 0, ended.err
    assert "warning: no id is shared with the latest run " in ended.err
    assert "0 of the 2 of the latest run" in ended.out
