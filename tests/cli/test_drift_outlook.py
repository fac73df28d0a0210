"""``semscale drift history``, ``self-test`` and ``plan``."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_up import stored_comparison

from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
START = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = "semscale-history.sqlite"


def run_of(name, day, dataset="answers", **settings):
    items = (Item("1", (Output(f"Yes, as on day {day}.", {"credits": 2.0}),)),)
    return Run(
        dataset, f"model-{name}", items, id=name * 32, recorded=START + timedelta(days=day), **settings
    )


@pytest.fixture
def followed(semscale):
    """A history of a baseline and eight candidates: five alike, then three that lose more."""
    with open_history(PLACE) as history:
        history.record(run_of("b", 0))
        history.approve(Approval("b" * 32, "answers", "Ann", "read", approved=START))
        for day, loss in enumerate([0.1, 0.11, 0.1, 0.12, 0.1, 0.5, 0.51, 0.5], 1):
            history.record(run_of(f"{day:x}", day, note="nightly"))
            outcome = "pass" if loss < 0.2 else "fail"
            about = {
                "candidate_id": f"{day:x}" * 32,
                "outcome": outcome,
                "scores": {"match": np.array([loss])},
            }
            history.keep(stored_comparison({"match": loss}, day=day, **about))


def test_a_history_shows_runs_comparisons_and_trends(semscale, followed, tmp_path):
    ended = semscale("drift", "history", "--report", "trend.html")
    assert ended.code == 0, ended.err
    assert "answers  9 runs, 8 comparisons" in ended.out
    assert "baseline bbbbbbbb, approved by Ann on 2026-01-01: read" in ended.out
    lines = {line.split("  ")[0]: line for line in ended.out.splitlines()}
    assert lines["bbbbbbbb"].endswith("baseline")
    assert "nightly" in lines["11111111"]
    # By hand: means of the first five and of the last three.
    assert "0.106 → 0.503  66666666, 2026-01-07" in lines["match"]
    assert "answers" in (tmp_path / "trend.html").read_text()


@pytest.mark.parametrize(
    ("command", "report"),
    [("history", "trend.md"), ("history", "trend.xlsx"), ("plan", "plan.md"), ("plan", "plan.html")],
)
def test_reports_are_written_in_every_form(semscale, followed, tmp_path, command, report):
    figures = ("--figures", "drawn") if command == "history" else ()
    further = figures or ("--n-items", "20")
    ended = semscale("drift", command, "--report", report, *further)
    assert ended.code == 0, ended.err
    assert f"report: {report}" in ended.out
    content = (tmp_path / report).read_bytes()
    assert content.startswith(b"PK") if report.endswith("xlsx") else b"atch" in content
    assert not figures or (tmp_path / "drawn" / "trend.svg").read_text().startswith("<svg ")


def test_what_a_trend_leaves_out_is_said_to_be_of_the_trend(semscale, followed):
    with open_history(PLACE) as history:
        history.keep(stored_comparison({"match": 0.2}, day=30, candidate_id="1" * 32, baseline_id="b" * 32))
    out = semscale("drift", "history").out
    assert "trend: 1 comparison of " in out


def test_json_has_all_of_a_history(semscale, followed):
    content = json.loads(semscale("drift", "history", "--json").out)
    (answers,) = content["datasets"]
    assert [kept["outcome"] for kept in answers["comparisons"]] == ["pass"] * 5 + ["fail"] * 3
    (match,) = answers["trend"]["metrics"]
    assert match["losses"] == [0.1, 0.11, 0.1, 0.12, 0.1, 0.5, 0.51, 0.5]
    assert match["change"]["place"] == 5
    assert answers["baseline"]["expired"] is False


def test_an_empty_history_says_what_to_do(semscale, tmp_path):
    open_history(PLACE).close()
    ended = semscale("drift", "history")
    assert (ended.code, "semscale drift record" in ended.out) == (0, True)


def test_a_dataset_without_a_baseline_and_one_that_expired_say_so(semscale):
    with open_history(PLACE) as history:
        history.record(run_of("a", 0))
        history.record(run_of("c", 0, "quiz"))
        until = START + timedelta(days=1)
        history.approve(Approval("c" * 32, "quiz", "Ann", "x", approved=START, expires=until))
    ended = semscale("drift", "history")
    assert "no baseline: semscale drift approve" in ended.out
    assert "until 2026-01-02 00:00 UTC: x (expired)" in ended.out
    one = semscale("drift", "history", "--dataset", "quiz")
    assert "answers" not in one.out


def test_histories_of_two_machines_become_one(semscale, followed):
    with open_history("other.sqlite") as other:
        other.record(run_of("d", 20))
        other.record(run_of("b", 0))
    ended = semscale("drift", "history", "--merge", "other.sqlite")
    assert "taken in from other.sqlite: 1 run, 0 approvals, 0 comparisons" in ended.out
    # The place is shown as the history shows it, which leaves passwords out.
    again = semscale("drift", "history", "--merge", "sqlite:///other.sqlite?key=secret")
    assert "taken in from other.sqlite: 0 runs" in again.out
    assert "secret" not in again.out


BAD = {
    "no history": (["history", "--history", "no.sqlite"], ["no.sqlite does not exist"]),
    "nothing to merge": (["history", "--merge", "no.sqlite"], ["no.sqlite does not exist"]),
    "no such dataset": (["history", "--dataset", "anwers"], ["'anwers'", "did you mean 'answers'"]),
    "no page": (["history", "--report", "trend.pdf"], ["report must end in .html"]),
    "an unknown damage": (["self-test", "--damage", "burn"], ["--damage must be of", "burn", "negate"]),
    "a share that is none": (["self-test", "--share", "2"], ["share", "2"]),
    "no draws": (["self-test", "--draws", "0"], ["draws", "0"]),
    "an unknown run": (["self-test", "ffff"], ["unknown run 'ffff'"]),
    "a power that is none": (["plan", "--power", "2"], ["power must lie", "2"]),
    "a drift that is none": (["plan", "--drift", "much"], ["drift must be one number", "'much'"]),
    "a drift of nothing": (["plan", "--n-items", "5", "--drift", "mach=0.1"], ["drift", "'mach'", "match"]),
    "no items": (["plan", "--n-items", "1"], ["--n-items must be at least 2"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_exit_2(semscale, followed, files, case):
    before = files()
    arguments, words = BAD[case]
    ended = semscale("drift", *arguments)
    assert ended.code == 2, ended.out + ended.err
    assert ended.err.count("\n") == 1
    assert [word for word in words if word not in ended.err] == [], ended.err
    assert files() == before


@pytest.fixture
def rerun(semscale):
    """The example's baseline and its rerun."""
    base = ("drift", "record", EXAMPLES / "baseline.jsonl", "--model", "m", "--dataset", "feedback")
    assert semscale(*base).code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x").code == 0
    again = ("drift", "record", EXAMPLES / "rerun.jsonl", "--model", "m", "--rerun-of", "baseline")
    assert semscale(*again).code == 0


def test_a_self_test_tells_harmless_from_harmful(semscale, rerun, tmp_path):
    command = (
        "drift", "self-test", "--damage", "drop", "--damage", "shuffle", "--share", 1, "--draws", 20,
        "--out", "rates.csv", "--report", "self-test.html",
    )  # fmt: skip
    ended = semscale(*command)
    assert ended.code == 0, ended.err
    detection, alarms = ended.out.split("False alarms: what must not fail")
    assert "shuffle" in alarms
    assert "100.0\N{NO-BREAK SPACE}% [83.9, 100.0]" in detection  # Wilson's interval of 20 of 20
    rates = pl.read_csv(tmp_path / "rates.csv")
    assert dict(rates.select("kind", "failed").iter_rows()) == {"rerun": None, "shuffle": 0.0, "drop": 1.0}
    assert "One rerun cannot be candidate and reference at once" in ended.err + ended.out
    assert "Would this gate notice?" in (tmp_path / "self-test.html").read_text()
    content = json.loads(semscale(*command[:-4], "--json").out)
    assert {row["kind"] for row in content["rows"]} == {"rerun", "drop", "shuffle"}
    assert content["rows"][-1]["failed"]["value"] == 1.0


def test_a_plan_starts_from_a_rerun_where_nothing_was_compared(semscale, rerun):
    ended = semscale("drift", "plan", "--metric", "match", "--drift", "match=0.3", "--n-items", 100)
    assert ended.code == 0, ended.err
    assert "100 items, 1 test, power 0.8" in ended.out
    assert "drift of model m over 30 items" in ended.out
    assert "within its margin" not in ended.out
    within = semscale("drift", "plan", "--metric", "match", "--drift", "match=0.01").out
    assert "a drift within its margin is not to fail, whatever the number of items: match" in within
    content = json.loads(semscale("drift", "plan", "--metric", "match", "--json").out)
    assert [one["metric"] for one in content["metrics"]] == ["match"]


def test_a_plan_without_anything_to_go_by_is_refused(semscale, tmp_path):
    (tmp_path / "base.jsonl").write_text('{"id": "a", "output": "x"}\n')
    semscale("drift", "record", "base.jsonl", "--model", "m")
    semscale("drift", "approve", "latest", "--approved-by", "A", "--why", "x")
    ended = semscale("drift", "plan")
    assert (ended.code, "record a rerun of the baseline" in ended.err) == (2, True)
