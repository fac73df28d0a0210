"""What ``semscale drift gate`` cannot use: one line, exit code 2, and nothing is written."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from semscale.history.history import open_history
from semscale.history.runs import Approval

pytestmark = pytest.mark.exhaustive


def lines(*items):
    return "".join(json.dumps(item) + "\n" for item in items)


def gate(*arguments):
    return ["gate", "new.jsonl", "--model", "n", *arguments]


REFUSED = {
    "no such file or run": (
        ["gate", "nowhere.jsonl"],
        ["nowhere.jsonl does not exist", "name a file of outputs, or a run that semscale drift history"],
    ),
    "a mistyped latest": (["gate", "latst"], ["unknown run 'latst'", "did you mean 'latest'?"]),
    "an unknown damage": (
        ["plan", "--self-test", "--damage", "negat"],
        ["--damage must be", "negate", "got negat"],
    ),
    "a share above 1": (["plan", "--self-test", "--share", "2"], ["--share must be above 0"]),
    "no items": (["plan", "--self-test", "--n-items", "0"], ["--n-items must be at least 1, or none"]),
    "no such run": (["gate", "ffff"], ["unknown run 'ffff'"]),
    "the baseline itself": (["gate", "latest"], ["another run than the baseline"]),
    "ids missing": (["gate", "fewer.jsonl", "--model", "n"], ["has no 'b'", "record every item"]),
    "other groups": (["gate", "moved.jsonl", "--model", "n"], ["groups", "'a'", "'x'", "'y'"]),
    "another question": (["gate", "asked.jsonl", "--model", "n"], ["the candidate had other inputs in 'a'"]),
    "a credit gate without credits": (
        gate("--threshold", "max_avg_credits_drift=0.5"),
        ["max_avg_credits_drift", "numeric field", "'credits'"],
    ),
    "contradicting thresholds": (
        gate("--threshold", "min_match=0.9", "--threshold", "max_match=0.5"),
        ["min_match", "max_match", "contradict"],
    ),
    "a threshold given twice": (
        gate("--threshold", "min_match=0.1", "--threshold", "min_match=0.2"),
        ["--threshold must name each once", "'min_match'"],
    ),
    "a stored run as another model's": (
        ["gate", "latest", "--model", "n"],
        ["is of 'm'", "got 'n'", "drop --model"],
    ),
    "columns of a file for a stored run": (
        ["gate", "latest", "--id", "foo", "--output", "bar", "--note", "hi", "--encoding", "utf-8"],
        ["--note, --id, --output and --encoding belong to a file of outputs, and 'latest' is a run"],
    ),
    "a threshold without a number": (gate("--threshold", "min_match"), ["--threshold must be NAME=VALUE"]),
    "an unknown threshold": (gate("--threshold", "min_mach=0.5"), ["min_mach", "did you mean 'min_match'"]),
    "an unknown metric": (gate("--metric", "mach"), ["--metric: unknown metric 'mach'"]),
    "an unknown kind of groups": (gate("--by", "topc"), ["--by: unknown kind of groups 'topc'", "topic"]),
    "a margin beyond the worst case": (gate("--gate", "wide.yaml"), ["match must be below 1"]),
    "settings with a wrong key": (gate("--gate", "wrong.yaml"), ["wrong.yaml", "alpah"]),
    "a wrong metric in a file": (gate("--gate", "metric.yaml"), ["'metric.yaml': metrics: unknown metric"]),
    "annotations within JSON": (gate("--json", "--github"), ["--github", "leave out --json"]),
    "a report that is no page": (gate("--report", "page.pdf"), ["report must end in .html"]),
    "one file for two": (gate("--junit", "a.xml", "--summary", "a.xml"), ["'a.xml'", "two"]),
    "an ending that is not XML's": (
        gate("--junit", "junit.txt"),
        ["--junit must end in .xml, got 'junit.txt'"],
    ),
    "no folder for the XML": (gate("--junit", "no/junit.xml"), ["junit", "does not exist"]),
    "no history": (gate("--history", "none.sqlite"), ["none.sqlite does not exist"]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_unusable_input_of_a_gate_prints_a_single_line_and_exits_with_2(semscale, tmp_path, files, case):
    a, b = ({"id": name, "input": "?", "output": name, "topic": "x"} for name in "ab")
    for name, items in {
        "base": [a, b],
        "new": [a, b],
        "fewer": [a],
        "moved": [a | {"topic": "y"}, b],
        "asked": [a | {"input": "!"}, b],
    }.items():
        (tmp_path / f"{name}.jsonl").write_text(lines(*items))
    (tmp_path / "wrong.yaml").write_text("alpah: 0.1\n")
    (tmp_path / "wide.yaml").write_text("margins: {match: 5}\n")
    (tmp_path / "metric.yaml").write_text("metrics: [mach]\n")
    semscale("drift", "record", "base.jsonl", "--model", "m", "--by", "topic")
    semscale("drift", "approve", "latest", "--approved-by", "A", "--why", "x")
    before, stored = files(), (tmp_path / "semscale-history.sqlite").read_bytes()
    arguments, messages = REFUSED[case]
    ended = semscale("drift", *arguments)
    assert ended.code == 2, ended.out + ended.err
    assert ended.out == ""
    assert ended.err.count("\n") == 1, ended.err
    assert [word for word in messages if word not in ended.err] == [], ended.err
    assert files() == before
    assert (tmp_path / "semscale-history.sqlite").read_bytes() == stored


@pytest.mark.parametrize("expired", [False, True])
def test_without_an_approved_baseline_there_is_no_gate(semscale, tmp_path, expired):
    (tmp_path / "base.jsonl").write_text(lines({"id": "a", "output": "x"}))
    semscale("drift", "record", "base.jsonl", "--model", "m")
    if expired:
        past = datetime(2026, 1, 1, tzinfo=UTC)
        with open_history("semscale-history.sqlite") as history:
            run = history.runs()[0].id
            history.approve(
                Approval(run, "base", "Ann", "x", approved=past, expires=past + timedelta(days=1))
            )
    ended = semscale("drift", "gate", "base.jsonl", "--model", "n")
    assert ended.code == 2
    assert ("is stale: Ann approved" if expired else "has no approved baseline") in ended.err
    assert "semscale drift approve" in ended.err


def test_the_latest_run_is_no_rerun(semscale, tmp_path):
    # The rerun is the latest in time; taken for the candidate, it would be compared with its own original.
    (tmp_path / "base.jsonl").write_text(lines({"id": "a", "output": "x"}))
    semscale("drift", "record", "base.jsonl", "--model", "m")
    semscale("drift", "approve", "latest", "--approved-by", "A", "--why", "x")
    assert semscale("drift", "record", "base.jsonl", "--model", "m", "--rerun-of", "baseline").code == 0
    ended = semscale("drift", "gate", "latest")
    assert ended.code == 2
    assert "candidate must be another run than the baseline" in ended.err
