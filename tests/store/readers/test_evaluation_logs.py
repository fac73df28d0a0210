"""Logs as inspect_ai 0.3, promptfoo (version 3) and OpenAI's evals write them, cut to what is read."""

import json
import zipfile

import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table

SAMPLES = [
    {
        "id": 1,
        "epoch": 1,
        "input": "The capital of France?",
        "target": "Paris",
        "output": {
            "model": "made-up",
            "choices": [
                {
                    "message": {"role": "assistant", "content": "Paris"},
                    "logprobs": {"content": [{"token": "Paris", "logprob": -0.25}]},
                }
            ],
        },
        "scores": {"match": {"value": "C", "answer": "Paris"}, "judge": {"value": 0.5}},
    },
    {
        "id": 1,
        "epoch": 2,
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "The capital?"}],
        "target": ["Paris", "paris"],
        "output": {"choices": [{"message": {"content": [{"type": "text", "text": "Rome"}]}}]},
        "scores": {"match": {"value": "I"}},
    },
    {"id": 2, "epoch": 1, "input": "x", "target": "", "output": {}, "error": {"message": "timed out"}},
]


def rows(path, **settings):
    return next(open_table(path, **settings).batches(100)).to_dicts()


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def check_inspect(found):
    first, second, third = found
    assert (first["id"], first["epoch"], first["output"], first["target"]) == ("1", 1, "Paris", "Paris")
    assert (first["score_match"], first["score_judge"], first["model"]) == ("correct", 0.5, "made-up")
    assert json.loads(first["logprobs"]) == [{"token": "Paris", "logprob": -0.25}]
    assert second["input"] == "system: Be brief.\nuser: The capital?"
    assert (second["output"], second["score_match"], second["target"]) == (
        "Rome",
        "incorrect",
        '["Paris", "paris"]',
    )
    assert (third["output"], third["error"], third["score_match"]) == (None, "timed out", None)


def test_a_log_of_inspect_as_json(tmp_path):
    check_inspect(rows(write(tmp_path / "log.json", {"version": 2, "eval": {}, "samples": SAMPLES})))


def test_a_log_of_inspect_as_a_package(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        for sample in SAMPLES:
            package.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    check_inspect(rows(path))


def test_results_of_promptfoo(tmp_path):
    found = {
        "testIdx": 0,
        "prompt": {"raw": '[{"role": "user", "content": "Name a city in Italy."}]', "label": "p"},
        "vars": {"country": "Italy", "tags": ["a"]},
        "provider": {"id": "openai:made-up"},
        "response": {"output": "Rome"},
        "success": True,
        "score": 1,
    }
    lost = {"testIdx": 1, "prompt": {"raw": "Hi"}, "provider": "p", "success": False, "error": "refused"}
    first, second = rows(write(tmp_path / "r.json", {"results": {"version": 3, "results": [found, lost]}}))
    assert first["prompt"] == "Name a city in Italy."
    assert (first["output"], first["provider"], first["success"]) == ("Rome", "openai:made-up", True)
    assert (first["var_country"], first["var_tags"]) == ("Italy", '["a"]')
    assert (second["output"], second["error"], second["provider"]) == (None, "refused", "p")


def test_events_of_openai_evals(tmp_path):
    events = [
        {"spec": {"eval_name": "made-up"}},
        {
            "sample_id": "s.0",
            "type": "sampling",
            "data": {"prompt": [{"role": "user", "content": "2 + 2?"}], "sampled": ["4", "four"]},
        },
        {"sample_id": "s.0", "type": "match", "data": {"correct": True, "expected": "4", "picked": "4"}},
        {"final_report": {"accuracy": 1.0}},
    ]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    found = rows(path)
    assert [row["output"] for row in found] == ["4", "four"]
    assert {(row["sample_id"], row["prompt"], row["expected"], row["correct"]) for row in found} == {
        ("s.0", "2 + 2?", "4", True)
    }


def test_a_match_labels_the_samplings_before_it_and_a_grader_is_no_sample(tmp_path):
    def sampling(prompt, said):
        return {"sample_id": "s.0", "type": "sampling", "data": {"prompt": prompt, "sampled": [said]}}

    def match(correct):
        return {"sample_id": "s.0", "type": "match", "data": {"correct": correct, "expected": "Paris"}}

    grader = sampling("Is the answer right?", "CORRECT")
    events = [sampling("France?", "Paris"), grader, match(True), sampling("France?", "Rome"), match(False)]
    path = tmp_path / "events.jsonl"
    lines = [{"spec": {}}, *events, sampling("France?", "Lyon")]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = [(row["output"], row["expected"], row["correct"]) for row in rows(path)]
    assert found == [("Paris", "Paris", True), ("Rome", "Paris", False), ("Lyon", None, None)]


@pytest.mark.parametrize("format", ["inspect", "promptfoo"])
def test_a_file_that_is_no_such_log_is_refused(tmp_path, format):
    with pytest.raises(InputError, match="log of inspect_ai|results of promptfoo"):
        open_table(write(tmp_path / "x.json", {"other": 1}), format=format)


def test_a_log_without_samples_and_a_broken_line_are_refused(tmp_path):
    with pytest.raises(InputError, match="holds no samples"):
        open_table(write(tmp_path / "x.json", {"eval": {}, "samples": []}))
    path = tmp_path / "events.jsonl"
    path.write_text('{"spec": {}}\n{"type": "sampl\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 2 is no JSON object"):
        open_table(path)


def test_a_zip_that_cannot_be_unpacked_is_refused(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("samples/1.json", json.dumps(SAMPLES[0]))
    content = bytearray(path.read_bytes())
    for header, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(header) + place] = 99  # a method of compression that Python does not have
    path.write_bytes(content)
    with pytest.raises(InputError, match="--log-format json"):
        open_table(path)


@pytest.mark.parametrize("format", [None, "inspect", "promptfoo"])
def test_a_log_that_is_cut_off_is_said_to_be_no_json(tmp_path, format):
    path = tmp_path / "cut.json"
    path.write_text('{"eval": {}, "samples": [{"id": 1,')
    with pytest.raises(InputError, match=r"cut.json is no JSON: .*line 1 column 35.*damaged or cut off"):
        open_table(path, format=format)


def test_json_that_is_no_log_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('[{"answer": "Paris"}]')
    with pytest.raises(InputError, match="no log of inspect_ai or promptfoo .* save a table as JSON lines"):
        open_table(path)
