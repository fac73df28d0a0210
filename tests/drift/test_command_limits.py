"""Hard limits, must-pass items and undecided gates on the command line, with the example runs."""

import json
from pathlib import Path

import pytest

from semscale.cli.drift.options import DecisionOptions
from semscale.drift.settings import GateSettings

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
GOOD, BAD = EXAMPLES / "candidate_good.jsonl", EXAMPLES / "candidate_bad.jsonl"


def silenced_copy(folder, *ids):
    """The good candidate, silent on these items."""
    rows = [json.loads(line) for line in GOOD.read_text("utf-8").splitlines()]
    for row in rows:
        if row["id"] in ids:
            row["outputs"] = []
    path = folder / "silenced.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_single_silent_item_fails_unless_it_is_allowed(semscale, approved, tmp_path):
    silent = silenced_copy(tmp_path, "cells-02")
    options = ("--metric", "cosine", "--json")
    ended = semscale("drift", "gate", silent, "--model", "model-b", *options)
    content = json.loads(ended.out)
    assert (ended.code, content["outcome"]) == (1, "fail")
    assert content["reasons"][0] == "1 of 30 items lost all outputs (limit 0): cells-02"
    assert content["next_step"].startswith("Look at 'cells-02'")
    (broken,) = [check for check in content["limits"] if not check["passed"]]
    assert (broken["name"], broken["n_broken"], broken["items"]) == ("silenced", 1, ["cells-02"])
    allowed = semscale("drift", "gate", "latest", "--limit", "silenced=1", *options)
    assert not [check for check in json.loads(allowed.out)["limits"] if not check["passed"]]
    must = ("--limit", "silenced=off", "--must-pass", "cells-02")
    failed = semscale("drift", "gate", "latest", *must, *options)
    assert failed.code == 1
    (item,) = json.loads(failed.out)["must_pass"]
    # Without the limit its drift still counts: the loss of 1 less the noise.
    assert item["id"] == "cells-02"
    assert item["reasons"][-1].startswith("cosine drifted by ")


def test_the_gravest_fact_comes_first(semscale, approved):
    ended = semscale("drift", "gate", BAD, "--model", "model-b")
    assert ended.code == 1
    verdict, fact, *_ = ended.out.splitlines()
    assert verdict.startswith("Drift gate failed")
    assert fact == "Contradictions rose from 16 % to 36 % of outputs."


@pytest.mark.parametrize(("undecided", "code"), [(None, 4), ("fail", 1), ("warn", 0), ("pass", 0)])
def test_an_undecided_gate_ends_as_configured(semscale, undecided, code, tmp_path):
    few = tmp_path / "few.jsonl"  # fewer than ten items cannot pass
    rows = [json.dumps({"id": str(at), "output": "Good."}) + "\n" for at in range(3)]
    few.write_text("".join(rows), encoding="utf-8")
    assert semscale("drift", "record", few, "--model", "a", "--dataset", "d").code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x").code == 0
    option = () if undecided is None else ("--undecided", undecided)
    ended = semscale("drift", "gate", few, "--model", "b", *option)
    assert ended.code == code, ended.out + ended.err
    assert ("warning: the gate is undecided" in ended.err) is (undecided == "warn")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--limit", "silence=1"), "did you mean 'silenced'"),
        (("--limit", "silenced"), "--limit must be NAME=VALUE, got 'silenced'"),
        (
            ("--limit", "silenced=100%"),
            "--limit silenced must be a number of items, a share of them below 1 (100 %), or off",
        ),
        (("--must-pass", "nope"), "--must-pass names 'nope'"),
        (("--must-pass", "cells-2"), "did you mean 'cells-"),
    ],
)
def test_wrong_limits_are_refused_in_a_single_line(semscale, approved, options, message):
    ended = semscale("drift", "gate", GOOD, "--model", "model-b", *options)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_a_direction_in_the_file_makes_better_numbers_no_loss(semscale, approved, tmp_path):
    """Where more credits are better, credits that only rise fail nothing."""
    rows = [json.loads(line) for line in (EXAMPLES / "baseline.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        for output in row["outputs"]:
            output["credits"] += 1
    path = tmp_path / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    gate = tmp_path / "gate.yaml"

    def code(direction):
        gate.write_text(f"fields: {{credits: {direction}}}\nmetrics: credits_change\n", encoding="utf-8")
        ended = semscale("drift", "gate", path, "--model", "m", "--gate", gate, "--json")
        return ended.code

    assert code("higher") == 0
    assert code("lower") == code("either") == 1


def test_options_join_the_settings_of_the_file(tmp_path):
    gate = tmp_path / "gate.yaml"
    gate.write_text("limits: {silenced: 2, refused: 1}\nmust_pass: [a]\nalpha: 0.01\n", encoding="utf-8")
    options = GateSettings(limits=["silenced=50%", "lost_fields=0 %"], must_pass=["b", "a"])
    settings = DecisionOptions(file=gate, settings=options).read()
    assert settings.limits == {"silenced": 0.5, "refused": 1.0, "lost_fields": 0.0}
    assert (settings.must_pass, settings.alpha) == (("a", "b"), 0.01)
