"""``drift record``, ``judge`` and ``consistency`` with logs of other tools."""

import json

import pytest
from tests.support.evaluation_logs import LOGS, OUTPUTS, QUESTIONS, promptfoo_log

from semscale.drift.columns import RunColumns
from semscale.drift.reading import read_run, read_runs

FORMATS = pytest.mark.parametrize("format", list(LOGS))


@FORMATS
def test_a_log_is_recorded_without_naming_columns(semscale, tmp_path, format):
    path = LOGS[format][0](tmp_path)
    model = ["--model", "m"] if format == "openai-evals" else []
    ended = semscale("drift", "record", path, *model, "--json")
    assert (ended.code, ended.err) == (0, "")
    content = json.loads(ended.out)
    assert content["model"] == ("m" if model else "made-up")
    assert len(content["reruns"]) == 1
    # The second output of each question is that of a rerun.
    runs = read_runs(path, model="m")
    for run in runs:
        assert [item.input for item in run.items] == list(QUESTIONS.values())
    texts = [[output.text for output in item.outputs] for run in runs for item in run.items]
    assert texts == [[outputs[rerun]] for rerun in range(2) for outputs in OUTPUTS.values()]


def test_named_columns_of_a_log_are_used(tmp_path):
    run, _ = read_runs(promptfoo_log(tmp_path), columns=RunColumns(id="prompt", input="test"))
    assert [(item.id, item.input) for item in run.items] == [
        (QUESTIONS["capital"], "0"),
        (QUESTIONS["sum"], "1"),
    ]


def test_a_log_of_several_providers_is_no_run(semscale, tmp_path):
    ended = semscale("drift", "record", promptfoo_log(tmp_path, ("one", "two")), "--model", "m")
    assert ended.code == 2
    assert "has outputs of 2 providers, " in ended.err
    assert "promptfoo eval --filter-providers NAME" in ended.err


def test_a_log_that_names_no_model_has_the_name_of_its_file(semscale, tmp_path):
    path = LOGS["openai-evals"][0](tmp_path)
    ended = semscale("drift", "record", path, "--json")
    assert json.loads(ended.out)["model"] == path.stem


@FORMATS
@pytest.mark.needs("api")
def test_a_log_is_judged(semscale, judge_endpoint, tmp_path, monkeypatch, format):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    write, _, prompt = LOGS[format]
    columns = ("--prompt", prompt, "--answer", "output")
    ended = semscale(
        "judge", write(tmp_path), *columns, "--chat-model", "m", "--chat-url", judge_endpoint.url, "--json"
    )
    assert json.loads(ended.out)["rows"] == 4
    asked = {body["messages"][-1]["content"] for body, _, _ in judge_endpoint.requests}
    assert all(any(question in text for text in asked) for question in QUESTIONS.values())


@FORMATS
def test_rows_of_a_sample_are_its_answer_and_samples(semscale, tmp_path, format):
    write, item, prompt = LOGS[format]
    columns = ("--item", item, "--prompt", prompt, "--answer", "output", "--measure", "exact_match")
    ended = semscale(
        "consistency", write(tmp_path), *columns, "--floor", "0", "--out", "found.jsonl", "--json"
    )
    assert ended.code == 0, ended.err
    rows = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    # "Paris" and "It is Paris" are not the same words; "4" and "4" are.
    assert [row["semscale_exact_match"] for row in rows] == [0, 1]


def two_prompts(folder):
    results = [
        {
            "testIdx": 0,
            "promptIdx": prompt,
            "prompt": {"raw": f"Capital of France? ({prompt})"},
            "provider": {"id": "made-up"},
            "response": {"output": output},
        }
        for prompt, output in enumerate(("Paris", "Paris, France"))
    ]
    path = folder / "prompts.json"
    path.write_text(json.dumps({"results": {"results": results}}), encoding="utf-8")
    return path


def test_answers_to_two_prompts_are_not_samples_of_the_same_item(semscale, tmp_path):
    ended = semscale("consistency", two_prompts(tmp_path), "--item", "test", "--answer", "output", "--json")
    read = json.loads(ended.out)
    assert (read["items"], read["counts"]) == (2, {"too-few-samples": 2})
    assert read["cautions"][0].startswith("Outputs to 2 prompts are in this log")


def test_prompts_of_the_same_test_are_items_of_a_run(tmp_path):
    run = read_run(two_prompts(tmp_path))
    assert [(item.id, [output.text for output in item.outputs]) for item in run.items] == [
        ("0.0", ["Paris"]),
        ("0.1", ["Paris, France"]),
    ]
