"""``semscale drift history`` and ``plan`` with its self-test."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run
from semscale.history.stored_comparison import StoredComparison, StoredFigure

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
START = datetime(2026, 1, 1, tzinfo=UTC)
HISTORY = "semscale-history.sqlite"


def run_of(name, day, dataset="answers", **settings):
    items = (Item("1", (Output(f"Yes, as on day {day}.", {"credits": 2.0}),)),)
    return Run(
        dataset, f"model-{name}", items, id=name * 32, recorded=START + timedelta(days=day), **settings
    )


@pytest.fixture
def followed(semscale):
    """A history of a baseline and eight candidates: five alike, then three that lose more."""
    with open_history(HISTORY) as history:
        history.record(run_of("b", 0))
        history.approve(Approval("b" * 32, "answers", "Ann", "read", approved=START))
        for day, loss in enumerate([0.1, 0.11, 0.1, 0.12, 0.1, 0.5, 0.51, 0.5], 1):
            history.record(run_of(f"{day:x}", day, note="nightly"))
            figure = StoredFigure("match", None, loss, loss, loss - 0.01, loss + 0.01, 0.05, 1, 0)
            comparison = StoredComparison(
                "b" * 32,
                f"{day:x}" * 32,
                f"model-{day:x}",
                "answers",
                "semscale 0|drift",
                "pass" if loss < 0.2 else "fail",
                (replace(figure, outcome="pass" if loss < 0.2 else "fail"),),
                {"match": np.array([loss])},
                START + timedelta(days=day),
            )
            history.record_comparison(comparison)


def test_a_history_shows_runs_and_comparisons(semscale, followed, tmp_path):
    ended = semscale("drift", "history", "--report", "history.html")
    assert ended.code == 0, ended.err
    assert "9 runs, 8 comparisons" in ended.out
    assert "baseline model-b (bbbbbbbb), approved by Ann on 2026-01-01: “read" in ended.out
    lines = {line.split("  ")[0]: line for line in ended.out.splitlines()}
    assert lines["bbbbbbbb"].endswith("baseline")
    assert "nightly" in lines["11111111"]
    assert "answers" in (tmp_path / "history.html").read_text()


def test_an_approval_names_the_last_gate_and_a_run_gated_after_the_latest(semscale, followed):
    who = "--approved-by", "Ann", "--why", "read"
    ended = semscale("drift", "approve", "latest", *who)  # run 8 lost .5 in its gate, 10 margins of .05
    assert "Its last gate, on 2026-01-09 00:00 UTC, failed: match 10.0 times the margin." in ended.out
    assert "latest is" not in ended.out
    ended = semscale("drift", "approve", "11111111", *who, "--json")
    assert json.loads(ended.out)["last_gate"] == "pass"
    with open_history(HISTORY) as history:  # run 1 is gated again, compared with another baseline
        known = history.comparisons(dataset="answers")[0]
        again = replace(known, baseline_id="2" * 32, id="e" * 32, compared=START + timedelta(days=9))
        history.record_comparison(replace(again, scores={"match": np.array([0.1])}))
    ended = semscale("drift", "approve", "latest", *who)
    assert "88888888" in ended.out
    assert "Run 11111111 of model-1 was gated after it" in ended.out


@pytest.mark.parametrize("report", ["history.md", "history.xlsx"])
def test_reports_are_written_in_every_form(semscale, followed, tmp_path, report):
    ended = semscale("drift", "history", "--report", report, "--figures", "drawn")
    assert ended.code == 0, ended.err
    assert f"report: {report}" in ended.out
    content = (tmp_path / report).read_bytes()
    assert content.startswith(b"PK") if report.endswith("xlsx") else b"answers" in content
    assert any(path.suffix == ".svg" for path in (tmp_path / "drawn").iterdir())


def test_json_has_all_of_a_history(semscale, followed):
    content = json.loads(semscale("drift", "history", "--json").out)
    (answers,) = content["datasets"]
    assert [stored["outcome"] for stored in answers["comparisons"]] == ["pass"] * 5 + ["fail"] * 3
    losses = [stored["drifts"][0]["loss"] for stored in answers["comparisons"]]
    assert losses == [0.1, 0.11, 0.1, 0.12, 0.1, 0.5, 0.51, 0.5]
    assert answers["baseline"]["expired"] is False


def test_an_empty_history_names_the_first_command(semscale, tmp_path):
    open_history(HISTORY).close()
    ended = semscale("drift", "history")
    assert (ended.code, "semscale drift record" in ended.out) == (0, True)


def test_a_dataset_may_lack_a_baseline_or_have_an_expired_baseline(semscale):
    with open_history(HISTORY) as history:
        history.record(run_of("a", 0))
        history.record(run_of("c", 0, "quiz"))
        until = START + timedelta(days=1)
        history.approve(Approval("c" * 32, "quiz", "Ann", "x", approved=START, expires=until))
    ended = semscale("drift", "history")
    assert "no baseline: semscale drift approve" in ended.out
    assert "(expired)" in ended.out
    assert "answers" not in semscale("drift", "history", "--dataset", "quiz").out


BAD = {
    "no history": (["history", "--history", "no.sqlite"], ["no.sqlite does not exist"]),
    "no such dataset": (["history", "--dataset", "anwers"], ["'anwers'", "did you mean 'answers'"]),
    "no page": (["history", "--report", "history.pdf"], ["report must end in .html"]),
    "an unknown damage": (["plan", "--self-test", "--damage", "burn"], ["--damage must be of", "negate"]),
    "a share that is none": (["plan", "--self-test", "--share", "2"], ["share", "2"]),
    "no draws": (["plan", "--self-test", "--draws", "0"], ["draws", "0"]),
    "damage without a self-test": (["plan", "--damage", "drop"], ["--damage belongs to --self-test"]),
    "a run with a self-test": (["plan", "latest", "--self-test"], ["leave out RUN"]),
    "an unknown run": (["plan", "ffff"], ["unknown run 'ffff'"]),
    "no rerun": (["plan"], ["a plan needs 2 reruns", "--rerun-of baseline"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_prints_a_single_line_and_exits_with_2(semscale, followed, files, case):
    before = files()
    arguments, messages = BAD[case]
    ended = semscale("drift", *arguments)
    assert ended.code == 2, ended.out + ended.err
    assert ended.err.count("\n") == 1
    assert [word for word in messages if word not in ended.err] == [], ended.err
    assert files() == before


@pytest.fixture
def rerun(semscale):
    """The example's baseline and its two reruns."""
    base = ("drift", "record", EXAMPLES / "baseline.jsonl", "--model", "m", "--dataset", "feedback")
    assert semscale(*base).code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x").code == 0
    again = ("drift", "record", EXAMPLES / "rerun.jsonl", "--model", "m", "--rerun-of", "baseline")
    assert semscale(*again).code == 0


def test_a_self_test_counts_detections_and_false_alarms(semscale, rerun, tmp_path):
    command = (
        "drift", "plan", "--self-test", "--damage", "silence", "--damage", "shuffle", "--share", 1,
        "--draws", 20, "--out", "rates.csv", "--report", "self-test.html",
    )  # fmt: skip
    ended = semscale(*command)
    assert ended.code == 0, ended.err
    rates = pl.read_csv(tmp_path / "rates.csv")
    assert dict(rates.select("kind", "failed").iter_rows()) == {
        "rerun": 0.0,
        "shuffle": 0.0,
        "silence": 1.0,
    }
    assert "silence" in (tmp_path / "self-test.html").read_text()
    content = json.loads(semscale(*command[:-4], "--json").out)
    assert {row["kind"] for row in content["rows"]} == {"rerun", "silence", "shuffle"}
    assert content["rows"][-1]["failed"]["value"] == 1.0


def test_a_plan_simulates_the_gate_on_recorded_runs(semscale, rerun, tmp_path):
    bad = EXAMPLES / "candidate_bad.jsonl"
    assert semscale("drift", "record", bad, "--model", "n", "--dataset", "feedback").code == 0
    ended = semscale("drift", "plan", "latest", "--report", "plan.html", "--json")
    assert ended.code == 0, ended.err
    plan = json.loads(ended.out)
    assert (plan["items"], plan["reruns"], plan["is_unchanged"], plan["power"]) == (30, 2, False, 0.8)
    assert plan["sizes"][0]["further_answers"] == 0
    assert plan["sizes"][0]["failed"] > 0.8  # the bad example fails as it is
    assert "with these items and reruns" in plan["sentence"]
    assert (tmp_path / "plan.html").exists()


def test_a_plan_from_a_single_rerun_is_refused(semscale, tmp_path):
    base = (
        "drift",
        "record",
        EXAMPLES / "baseline.jsonl",
        "--model",
        "m",
        "--dataset",
        "feedback",
        "--approve",
    )
    assert semscale(*base).code == 0
    first = (EXAMPLES / "rerun.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:30]
    (tmp_path / "one.jsonl").write_text("".join(first), encoding="utf-8")
    assert semscale("drift", "record", "one.jsonl", "--model", "m", "--rerun-of", "baseline").code == 0
    planned = semscale("drift", "plan")
    assert (planned.code, "a plan needs 2 reruns of the baseline" in planned.err) == (2, True)
