"""``semscale drift gate`` end to end, with the example runs and the real model."""

import json
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from semscale.cli.drift import gate as comparing
from semscale.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
GOOD, BAD = EXAMPLES / "candidate_good.jsonl", EXAMPLES / "candidate_bad.jsonl"
NEW = ("--model", "model-b")


def runs(semscale):
    return json.loads(semscale("drift", "history", "--json").out)["datasets"][0]["runs"]


@pytest.mark.exhaustive
def test_from_the_first_run_to_the_history(semscale, approved, tmp_path):
    good = semscale("drift", "gate", GOOD, *NEW)
    assert good.code == 0, good.out + good.err
    assert good.out.splitlines()[-1].startswith("pass: ")
    bad = semscale("drift", "gate", BAD, "--model", "model-c", "--by", "exercise")
    assert bad.code == 1, bad.out + bad.err
    last = bad.out.splitlines()[-1]
    assert last.startswith("fail: ")
    assert "semscale drift approve" in last

    content = json.loads(semscale("drift", "history", "--json").out)
    (feedback,) = content["datasets"]
    # The baseline, its two reruns, and the candidates.
    assert [run["model"] for run in feedback["runs"]] == ["model-a"] * 3 + ["model-b", "model-c"]
    assert [entry["outcome"] for entry in feedback["comparisons"]] == ["pass", "fail"]
    assert feedback["baseline"]["by"] == "Ann"

    again = semscale("drift", "gate", feedback["runs"][4]["id"][:8])
    assert again.code == 1


@pytest.mark.exhaustive
def test_a_gate_that_is_asked_again_adds_nothing(semscale, approved):
    first, again = (json.loads(semscale("drift", "gate", GOOD, *NEW, "--json").out) for _ in range(2))
    assert again == first
    (feedback,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert [run["model"] for run in feedback["runs"]] == ["model-a"] * 3 + ["model-b"]
    assert [entry["id"] for entry in feedback["comparisons"]] == [first["comparison"]]


@pytest.mark.exhaustive
def test_all_outputs_of_a_gate_are_written(semscale, approved, tmp_path):
    (tmp_path / "summary.md").write_text("before\n")
    ended = semscale(
        "drift", "gate", BAD, *NEW, "--report", "page.html", "--figures", "drawn", "--junit", "junit.xml",
        "--summary", "summary.md", "--out", "items.parquet", "--github",
        "--threshold", "min_bertscore_f1=0.9",
    )  # fmt: skip
    assert ended.code == 1, ended.err
    assert ended.out.startswith("::error title=Drift gate failed")
    assert "min_bertscore_f1" in ended.out
    assert "Ann" in (tmp_path / "page.html").read_text()
    *printed, before_last, last = ended.out.splitlines()
    assert before_last.startswith("fail: ")
    (stop,) = (index for index, line in enumerate(printed) if line.startswith("::stop-commands::"))
    assert last == f"::{printed[stop].removeprefix('::stop-commands::')}::"
    assert [line for line in printed[:stop] if not line.startswith("::")] == []
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert names == {"metrics.svg", "metrics.png"}
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert int(suites.get("failures")) > 0
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("before\n")
    assert "Drift gate failed" in summary
    table = pl.read_parquet(tmp_path / "items.parquet")
    baseline = [json.loads(line) for line in (EXAMPLES / "baseline.jsonl").read_text().splitlines()]
    assert table["id"].to_list() == [item["id"] for item in baseline]
    outputs_by_item = [json.loads(line)["outputs"] for line in BAD.read_text().splitlines()]
    silent = [not any(output["text"] for output in outputs) for outputs in outputs_by_item]
    assert sum(silent) == 2
    losses = table["bertscore_f1_loss"].to_list()
    assert {loss for loss, is_silent in zip(losses, silent, strict=True) if is_silent} == {1.0}
    assert table["group_exercise"].n_unique() == 3


def test_json_has_the_decision_and_nothing_else(semscale, approved):
    content = json.loads(semscale("drift", "gate", GOOD, *NEW, "--metric", "cosine", "--json").out)
    assert (content["outcome"], content["items"], content["reruns"]) == ("pass", 30, 2)
    assert content["approval"]["why"] == "read them"
    assert content["recorded"] == str(GOOD)
    assert content["candidate"]["id"] == runs(semscale)[-1]["id"]


def test_a_rerun_that_is_the_candidate_is_not_its_noise(semscale, approved):
    rerun = (
        "drift",
        "record",
        EXAMPLES / "rerun.jsonl",
        "--model",
        "model-a",
        "--rerun-of",
        "baseline",
        "--json",
    )
    run = json.loads(semscale(*rerun).out)["id"]
    content = json.loads(semscale("drift", "gate", run, "--json").out)
    assert content["reruns"] == 1


def test_the_latest_run_is_no_rerun(semscale, approved):
    ended = semscale("drift", "gate", "latest", "--json")
    assert ended.code == 2
    assert "candidate must be another run than the baseline" in ended.err


def test_few_items_leave_it_undecided(semscale, tmp_path):
    texts = {"a": "The cell swells in water.", "b": "Mitochondria make ATP.", "c": "The wall keeps it whole."}
    items = [{"id": name, "output": text} for name, text in texts.items()]
    (tmp_path / "base.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    items[0]["output"] = "Osmosis moves water into the cell, so that it grows."
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    semscale("drift", "record", "base.jsonl", "--model", "m")
    semscale("drift", "approve", "latest", "--approved-by", "A", "--why", "x")
    ended = semscale("drift", "gate", "new.jsonl", "--model", "n")
    assert ended.code == 4, ended.out + ended.err
    last = ended.out.splitlines()[-1]
    assert last.startswith("undecided: ")
    assert "(semscale drift record FILE --rerun-of baseline)" in ended.out


@pytest.mark.exhaustive
def test_settings_of_a_file_yield_to_options(semscale, approved, tmp_path):
    (tmp_path / "gate.yaml").write_text("metrics: [match, cosine]\nalpha: 0.01\n")
    content = json.loads(semscale("drift", "gate", BAD, *NEW, "--gate", "gate.yaml", "--json").out)
    assert [test["metric"] for test in content["tests"]] == ["match", "cosine"]
    entry = json.loads(
        semscale("drift", "gate", "latest", "--gate", "gate.yaml", "--metric", "length", "--json").out
    )
    assert [test["metric"] for test in entry["tests"]] == ["length"]
    assert "alpha:0.01" in entry["signature"]


def test_a_stopped_gate_stores_nothing_and_names_the_next_step(semscale, approved, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "compare", stop)
    before = runs(semscale)
    ended = semscale("drift", "gate", BAD, *NEW)
    assert ended.code == 3
    assert "The same command continues" in ended.err
    assert runs(semscale) == before


def test_a_gate_stopped_while_writing_files_states_what_is_stored(semscale, approved, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("semscale.report.html.write_page", stopped)
    ended = semscale("drift", "gate", GOOD, *NEW, "--report", "page.html")
    stored = runs(semscale)[-1]["id"][:8]
    assert (ended.code, ended.err.count("\n")) == (3, 1)
    assert f"the comparison is stored, and files may be missing: ask about {stored} again" in ended.err
    assert not (tmp_path / "page.html").exists()


def test_a_history_that_cannot_be_written_is_refused_before_anything_is_measured(
    semscale, approved, monkeypatch
):
    def refuse(_):
        raise InputError("history x is read-only: copy it to a folder that you can write to")

    monkeypatch.setattr("semscale.history.history.History.check_writable", refuse)
    monkeypatch.setattr(comparing, "compare", None)
    ended = semscale("drift", "gate", BAD, *NEW)
    assert (ended.code, ended.err) == (
        2,
        "semscale: history x is read-only: copy it to a folder that you can write to\n",
    )


def test_a_candidate_file_is_read_for_the_groups_and_fields_of_the_baseline(semscale, tmp_path):
    rows = [
        "item,answer,credits,topic",
        "1,Warm air rises.,1,x",
        "1,Cold air sinks.,0.5,x",
        "2,It melts.,2,y",
    ]
    (tmp_path / "base.csv").write_text("\n".join(rows))
    (tmp_path / "new.csv").write_text("\n".join(rows).replace("0.5", "1.5"))
    columns = ("--id", "item", "--output", "answer", "--long")
    assert semscale(
        "drift", "record", "base.csv", "--model", "m", *columns, "--field", "credits", "--by", "topic"
    ).code == 0  # fmt: skip
    semscale("drift", "approve", "latest", "--approved-by", "A", "--why", "x")
    ended = semscale("drift", "gate", "new.csv", "--model", "n", *columns, "--by", "topic", "--json")
    assert ended.code == 4, ended.err
    drifts = json.loads(ended.out)["drifts"]
    losses = {
        tuple((entry["group"] or {}).values()): entry["loss"]
        for entry in drifts
        if "credits" in entry["metric"]
    }
    # Of item 1 the credits 1 and 0.5 became 1 and 1.5: |1.5 - 0.5| / 2 = 0.5; of item 2 nothing changed.
    assert losses == {(): 0.25, ("topic", "x"): 0.5, ("topic", "y"): 0.0}


def test_an_earlier_run_can_replace_the_baseline(semscale, approved):
    first = runs(semscale)[1]["id"][:6]
    content = json.loads(semscale("drift", "gate", GOOD, *NEW, "--baseline", first, "--json").out)
    assert content["baseline"]["id"].startswith(first)
    assert content["approval"] is None


@pytest.mark.exhaustive
def test_items_missing_in_a_candidate_are_reported_before_the_outcome(semscale, approved, tmp_path):
    items = [json.loads(line) for line in GOOD.read_text(encoding="utf-8").splitlines()]
    lost = [items[index]["id"] for index in (0, 1)]
    later = [*items[2:], items[2] | {"id": "added"}]
    (tmp_path / "later.jsonl").write_text(
        "".join(json.dumps(item) + "\n" for item in later), encoding="utf-8"
    )
    assert semscale("drift", "gate", "later.jsonl", *NEW).code == 1  # none may be missing
    allowed = (*NEW, "--limit", "missing=2")
    ended = semscale("drift", "gate", "later.jsonl", *allowed, "--summary", "summary.md", "--github")
    assert ended.code == 0, ended.out + ended.err
    assert "1 new item that the baseline does not have, not compared: 'added'" in ended.out
    content = json.loads(semscale("drift", "gate", "later.jsonl", *allowed, "--json").out)
    assert content["items"] == content["matching"]["common"] == 28
    assert sorted(content["matching"]["lost"]) == sorted(lost)
    assert content["matching"]["new"] == ["added"]
    assert content["silent"] == 0
    (feedback,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert [(entry["items"], entry["runs"]) for entry in feedback["versions"]] == [(30, 3), (29, 1)]


@pytest.mark.exhaustive
def test_the_history_stores_the_checks_of_the_gate(semscale, approved):
    gate = ("drift", "gate", BAD, *NEW, "--must-pass", "cells-02", "--threshold", "min_match=0.4")
    ended = semscale(*gate, "--json")
    assert ended.code == 1
    decided = json.loads(ended.out)
    shown = semscale("drift", "history")
    assert "silenced (2 items)" in shown.out
    (dataset,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    (stored,) = dataset["comparisons"]
    by_kind = {kind: [entry for entry in stored["checks"] if entry["kind"] == kind] for kind in
               ("limit", "must_pass", "threshold")}  # fmt: skip
    assert [(entry["name"], entry["passed"], entry["value"]) for entry in by_kind["limit"]] == [
        (entry["name"], entry["passed"], entry["n_broken"]) for entry in decided["limits"]
    ]
    assert [entry["name"] for entry in by_kind["must_pass"]] == ["cells-02"]
    assert by_kind["threshold"][0]["value"] == decided["thresholds"][0]["value"]
    assert semscale("drift", "history", "--verify").code == 0
    # Without a limit it is another decision.
    semscale(*gate, "--limit", "silenced=off")
    (dataset,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert len(dataset["comparisons"]) == 2
