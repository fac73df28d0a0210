"""JSON lines, and evaluation logs as inspect_ai 0.3, promptfoo (version 3) and OpenAI's evals write them."""

import json
import zipfile

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.store import evaluation_logs
from semscale.store.evaluation_logs import log_variants, open_jsonl
from semscale.store.reading import open_table


def opened(folder, *rows):
    path = folder / "answers.jsonl"
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8"
    )
    return open_jsonl(path, "answers.jsonl")


def only(table):
    (batch,) = table.batches(1_000_000)
    return batch


def test_matching_types_are_preserved(tmp_path):
    batch = only(
        opened(tmp_path, {"i": 1, "f": 1, "b": True, "s": "x", "n": None}, {"i": 2, "f": 0.5, "b": False})
    )
    assert batch.schema == {"i": pl.Int64, "f": pl.Float64, "b": pl.Boolean, "s": pl.String, "n": pl.Null}
    assert batch["s"].to_list() == ["x", None]


def test_a_column_of_everything_keeps_every_value(tmp_path):
    cells = ["text", 5, 2.5, True, ["a"], {"b": 1}, None, "5"]
    batch = only(opened(tmp_path, *({"text": cell} for cell in cells)))
    assert batch["text"].dtype == pl.Object
    texts = batch["text"].to_list()
    assert texts == cells
    assert [type(cell) for cell in texts] == [type(cell) for cell in cells]


def test_nan_is_read_as_a_number(tmp_path):
    batch = only(opened(tmp_path, '{"x": NaN}', '{"x": 1}'))
    assert batch["x"].is_nan().to_list() == [True, False]


@pytest.mark.parametrize("large", [2**63, -(2**63) - 1, 10**30])
def test_integers_beyond_64_bits_are_not_rounded(tmp_path, large):
    assert only(opened(tmp_path, {"id": large}, {"id": 1}))["id"].to_list() == [large, 1]


def test_large_integers_beside_floats_are_not_rounded(tmp_path):
    assert only(opened(tmp_path, {"id": 2**53 + 1}, {"id": 0.5}))["id"].to_list() == [2**53 + 1, 0.5]


def test_a_key_that_appears_late_joins_its_batch(tmp_path):
    table = opened(tmp_path, *[{"a": 1}] * 1500, {"a": 2, "late": "x"})
    assert table.columns == ("a",)
    first, last = table.batches(1500)
    assert first.columns == ["a"]
    assert last.rows() == [(2, "x")]
    table.require("late", "text")


def test_missing_keys_are_null_and_blank_lines_are_no_rows(tmp_path):
    assert only(opened(tmp_path, {"a": 1, "b": "x"}, "", "  ", {"b": "y"})).rows() == [(1, "x"), (None, "y")]


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("{", "no valid JSON"),
        ("[1, 2]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("{'a': 1}", "no valid JSON"),
        ("[" * 100_000, "nested too deeply|no valid JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, arguments):
    with pytest.raises(InputError, match=f"answers.jsonl, line 3: .*({arguments})"):
        opened(tmp_path, {"a": 1}, "", line)


def test_invalid_line_far_down_is_reported_when_reached(tmp_path):
    table = opened(tmp_path, *[{"a": 1}] * 2000, "oops")
    with pytest.raises(InputError, match="line 2001: "):
        list(table.batches(500))


def test_half_a_surrogate_pair_is_the_replacement_character(tmp_path):
    lines = ['{"a": "x\\ud800", "b": ["\\udfff", {"\\ud83d": 1.5}]}', '{"a": "\\ud83d\\ude00", "b": null}']
    (batch,) = opened(tmp_path, *lines).batches(10)
    assert batch.rows() == [("x\ufffd", ["\ufffd", {"\ufffd": 1.5}]), ("\U0001f600", None)]


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_nothing_in_it(tmp_path, content):
    with pytest.raises(InputError, match="is empty"):
        opened(tmp_path, content)


def test_objects_without_keys(tmp_path):
    with pytest.raises(InputError, match="without keys"):
        opened(tmp_path, {}, {})


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


def check_inspect(outcome):
    first, second, third = outcome
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
    outcome = {
        "testIdx": 0,
        "prompt": {"raw": '[{"role": "user", "content": "Name a city in Italy."}]', "label": "p"},
        "vars": {"country": "Italy", "tags": ["a"]},
        "provider": {"id": "openai:made-up"},
        "response": {"output": "Rome"},
        "success": True,
        "score": 1,
    }
    lost = {"testIdx": 1, "prompt": {"raw": "Hi"}, "provider": "p", "success": False, "error": "refused"}
    first, second = rows(write(tmp_path / "r.json", {"results": {"version": 3, "results": [outcome, lost]}}))
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
    outcome = rows(path)
    assert [row["output"] for row in outcome] == ["4", "four"]
    assert {(row["sample_id"], row["prompt"], row["expected"], row["correct"]) for row in outcome} == {
        ("s.0", "2 + 2?", "4", True)
    }


def test_a_match_labels_the_samplings_before_it_and_a_grader_is_no_sample(tmp_path):
    def sampling(prompt, stated):
        return {"sample_id": "s.0", "type": "sampling", "data": {"prompt": prompt, "sampled": [stated]}}

    def match(correct):
        return {"sample_id": "s.0", "type": "match", "data": {"correct": correct, "expected": "Paris"}}

    grader = sampling("Is the answer right?", "CORRECT")
    events = [sampling("France?", "Paris"), grader, match(True), sampling("France?", "Rome"), match(False)]
    path = tmp_path / "events.jsonl"
    lines = [{"spec": {}}, *events, sampling("France?", "Lyon")]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    outcome = [(row["output"], row["expected"], row["correct"]) for row in rows(path)]
    assert outcome == [("Paris", "Paris", True), ("Rome", "Paris", False), ("Lyon", None, None)]


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
    for header, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(header) + offset] = 99  # a method of compression that Python does not have
    path.write_bytes(content)
    with pytest.raises(InputError, match="--log-format json"):
        open_table(path)


@pytest.mark.parametrize("format", [None, "inspect", "promptfoo"])
def test_truncated_json_log_is_reported_as_invalid_json(tmp_path, format):
    path = tmp_path / "cut.json"
    path.write_text('{"eval": {}, "samples": [{"id": 1,')
    with pytest.raises(
        InputError, match=r"cut.json is not valid JSON: .*line 1 column 35.*damaged or cut off"
    ):
        open_table(path, format=format)


def test_json_that_is_no_log_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('[{"answer": "Paris"}]')
    with pytest.raises(
        InputError, match="not a log of inspect_ai or promptfoo .* save a table as JSON lines"
    ):
        open_table(path)


def test_truncated_packed_log_is_reported_as_damaged(tmp_path):
    path = tmp_path / "cut.eval"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("samples/1_epoch_1.json", json.dumps(SAMPLES[0]))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"cut.eval cannot be unpacked: it is damaged or cut off"):
        open_table(path)


def test_a_broken_sample_of_a_packed_log_is_named(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("samples/1_epoch_1.json", json.dumps(SAMPLES[0]))
        package.writestr("samples/1_epoch_2.json", json.dumps(SAMPLES[1])[:-5])
    with pytest.raises(InputError, match=r"log.eval: sample 2 of 2 cannot be read; the log is damaged"):
        open_table(path)


def test_a_run_that_ended_with_an_error_is_noted(tmp_path):
    log = {"version": 2, "status": "error", "eval": {}, "samples": SAMPLES}
    stated = ("The run that wrote this log has the status “error”: samples may be missing.",)
    assert open_table(write(tmp_path / "log.json", log)).notes == stated
    assert open_table(write(tmp_path / "fine.json", log | {"status": "success"})).notes == ()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("header.json", json.dumps({"version": 2, "status": "error"}))
        package.writestr("samples/1_epoch_1.json", json.dumps(SAMPLES[0]))
    assert open_table(path).notes == stated


def test_multiple_providers_in_a_log_are_noted(tmp_path):
    def result(provider):
        return {"testIdx": 0, "prompt": {"raw": "Hi"}, "provider": provider, "response": {"output": "Ho"}}

    mixed = write(tmp_path / "r.json", {"results": {"results": [result("b"), result({"id": "a"})]}})
    assert open_table(mixed).notes[0].startswith("Outputs of 2 providers are in this log (a, b); rows of one")
    same = write(tmp_path / "s.json", {"results": {"results": [result("a"), result("a")]}})
    assert open_table(same).notes == ()


def test_a_json_log_is_parsed_once(tmp_path, monkeypatch):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"eval": {}, "samples": [{"id": 1, "input": "Who?"}]}), encoding="utf-8")
    parsed = []

    def counted(text):
        parsed.append(text)
        return json.loads(text)

    monkeypatch.setattr(evaluation_logs, "parse_json", counted)
    assert next(open_table(path).batches(9))["input"].to_list() == ["Who?"]
    assert len(parsed) == 1


def promptfoo_prompts(folder):
    results = [
        {
            "testIdx": test,
            "promptIdx": prompt,
            "prompt": {"raw": f"{test} {prompt}"},
            "response": {"output": "A"},
        }
        for test in (0, 1)
        for prompt in (0, 1)
    ]
    return write(folder / "r.json", {"results": {"results": results}})


def test_multiple_prompts_in_a_log_are_noted_and_distinguished(tmp_path):
    table = open_table(promptfoo_prompts(tmp_path))
    assert table.notes[0].startswith("Outputs to 2 prompts are in this log")
    assert log_variants(table) == ("prompt_index",)
    assert next(table.batches(9))["prompt_index"].to_list() == [0, 1, 0, 1]


def result_of(prompt, answer, *, provider="a", **more):
    """Return a result of promptfoo as versions before 3 write it, without numbers."""
    question = prompt.split()[-1]
    return {
        "provider": {"id": provider},
        "prompt": {"raw": prompt},
        "vars": {"q": question},
        "response": {"output": answer},
        **more,
    }


OLD_RESULTS = [
    result_of("Briefly: Italy?", "Rome"),
    result_of("In detail: Italy?", "Rome it is"),
    result_of("Briefly: Spain?", "Madrid"),
]


@pytest.mark.parametrize(
    "log", [{"version": 2, "results": OLD_RESULTS}, {"results": {"version": 2, "results": OLD_RESULTS}}]
)
def test_tests_of_promptfoo_without_numbers_are_those_of_equal_variables(tmp_path, log):
    outcome = rows(write(tmp_path / "r.json", log))
    assert [(row["test"], row["prompt_index"], row["output"]) for row in outcome] == [
        ("0", 0, "Rome"),
        ("0", 1, "Rome it is"),
        ("1", 0, "Madrid"),
    ]


def numbered(*results):
    """Number results as promptfoo does: a column of its table for each pair of a provider and a prompt."""
    return [
        result_of(prompt, answer, testIdx=test, promptIdx=column, provider=provider)
        for test, column, prompt, answer, provider in results
    ]


TWO_PROVIDERS = numbered(
    (0, 0, "Italy?", "Rome", "a"),
    (0, 1, "Italy?", "Roma", "b"),
    (1, 0, "Spain?", "Madrid", "a"),
    (1, 1, "Spain?", "Madrid", "b"),
)


def test_a_prompt_to_two_providers_is_no_second_prompt(tmp_path):
    (note,) = open_table(write(tmp_path / "r.json", {"results": {"results": TWO_PROVIDERS}})).notes
    assert note.startswith("Outputs of 2 providers are in this log (a, b)")


def test_providers_with_one_id_are_named_by_their_labels(tmp_path):
    labels = {"a": "cold", "b": "hot"}
    results = [
        row | {"provider": {"id": "m", "label": labels[row["provider"]["id"]]}} for row in TWO_PROVIDERS
    ]
    path = write(tmp_path / "r.json", {"results": {"results": results}})
    assert [row["provider"] for row in rows(path)] == ["cold", "hot", "cold", "hot"]
    assert open_table(path).notes[0].startswith("Outputs of 2 providers are in this log (cold, hot)")


def test_repetitions_that_promptfoo_numbers_as_tests_are_noted(tmp_path):
    results = numbered(
        (0, 0, "Italy?", "Rome", "a"),
        (1, 0, "Italy?", "Roma", "a"),
        (2, 0, "Spain?", "Madrid", "a"),
        (3, 0, "Spain?", "Madrid!", "a"),
    )
    (note,) = open_table(write(tmp_path / "r.json", {"results": {"results": results}})).notes
    assert note.startswith("2 rows repeat the prompt of another test")
    assert "‘prompt’" in note


@pytest.mark.parametrize("results", [TWO_PROVIDERS, TWO_PROVIDERS[:1]])
def test_results_of_promptfoo_as_json_lines(tmp_path, results):
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, results)), encoding="utf-8")
    outcome = rows(path)
    assert [row["output"] for row in outcome] == ["Rome", "Roma", "Madrid", "Madrid"][: len(results)]
    assert outcome[0]["var_q"] == "Italy?"


def test_signs_that_only_some_programs_take_for_line_ends_stay_in_results_as_json_lines(tmp_path):
    results = [{**result, "response": {"output": "Ro\u2028me"}} for result in TWO_PROVIDERS]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(json.dumps(result, ensure_ascii=False) for result in results), encoding="utf-8")
    assert [row["output"] for row in rows(path)] == ["Ro\u2028me"] * len(results)


@pytest.mark.parametrize(
    ("changes", "provider"),
    [
        ({"provider": {"id": {"a": 1}}}, '{"a": 1}'),
        ({"provider": {"id": "x", "label": ["b"]}}, "x"),
        ({"provider": ["x"]}, '["x"]'),
        ({"promptIdx": {"z": 1}, "provider": "x"}, "x"),
    ],
)
def test_names_of_providers_and_prompts_that_are_no_texts_are_shown_as_json(tmp_path, changes, provider):
    results = [result | changes for result in TWO_PROVIDERS]
    outcome = rows(write(tmp_path / "r.json", {"results": {"results": results}}))
    assert {row["provider"] for row in outcome} == {provider}


def test_a_log_that_a_shell_wrote_as_utf_16(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"results": {"results": TWO_PROVIDERS}}), encoding="utf-16")
    assert len(rows(path)) == 4


def test_a_log_of_inspect_without_samples_states_the_reason(tmp_path):
    log = {"version": 2, "status": "error", "eval": {}, "error": {"message": "no key"}}
    with pytest.raises(InputError, match=r"holds no samples.*status “error” \(no key\); run it again"):
        open_table(write(tmp_path / "log.json", log))


def test_unnumbered_prompts_are_distinguished_by_text(tmp_path):
    results = [
        {"testIdx": 0, "prompt": {"raw": raw}, "response": {"output": "A"}} for raw in ("Hi", "Hello", "Hi")
    ]
    outcome = rows(write(tmp_path / "r.json", {"results": {"results": results}}))
    assert [row["prompt_index"] for row in outcome] == [0, 1, 0]


def test_multiple_runs_in_an_openai_evals_log_are_noted(tmp_path):
    def sampling(run, prompt):
        data = {"prompt": prompt, "sampled": ["4"]}
        return {"run_id": run, "sample_id": "s.0", "type": "sampling", "data": data}

    path = tmp_path / "events.jsonl"
    events = [{"spec": {}}, sampling("a", "2 + 2?"), {"spec": {}}, sampling("b", "Two and two?")]
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    table = open_table(path)
    assert table.notes[0].startswith("Outputs of 2 runs are in this log (a, b)")
    assert next(table.batches(9))["run"].to_list() == ["a", "b"]


def log_with(folder, *messages):
    samples = [
        {"id": number, "input": "?", "output": {"choices": [{"message": message}]}}
        for number, message in enumerate(messages)
    ]
    return write(folder / "log.json", {"eval": {}, "samples": samples})


def test_separately_stated_reasoning_has_a_column(tmp_path):
    path = log_with(tmp_path, {"content": "Paris", "reasoning": "Lyon?"}, {"content": "Rome"})
    batch = next(open_table(path).batches(9))
    assert batch["output"].to_list() == ["Paris", "Rome"]
    assert batch["reasoning"].to_list() == ["Lyon?", None]


@pytest.mark.parametrize(("kind", "expected"), [("remove", "Paris"), ("keep", "<think>Lyon?</think>Paris")])
def test_the_setting_decides_on_reasoning_in_an_output(tmp_path, kind, expected):
    table = open_table(log_with(tmp_path, {"content": "<think>Lyon?</think>Paris"}))
    assert "reasoning" not in table.columns
    columns = RatingColumns(text="output").with_preparation(RaterSettings(reasoning=kind))
    assert columns.read(next(table.batches(9)), 0)["text"] == [expected]
