"""Hard limits, must-pass items and undecided gates on the command line, with the example runs."""

import json
from pathlib import Path

import pytest

from semscale.cli.drift.gate import gate_settings
from semscale.cli.drift.options import GateOptions

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


def test_one_silent_item_fails_unless_it_is_allowed(semscale, approved, tmp_path):
    silent = silenced_copy(tmp_path, "cells-02")
    options = ("--metric", "cosine", "--json")
    ended = semscale("drift", "gate", silent, "--model", "model-b", *options)
    content = json.loads(ended.out)
    assert (ended.code, content["outcome"]) == (1, "fail")
    assert content["next_step"].startswith(
        "1 of 30 items with outputs has lost all outputs: look at 'cells-02'"
    )
    (broken,) = [check for check in content["limits"] if not check["passed"]]
    assert (broken["name"], broken["n_broken"], broken["items"]) == ("silenced", 1, ["cells-02"])
    allowed = semscale("drift", "gate", "latest", "--limit", "silenced=1", *options)
    assert not [check for check in json.loads(allowed.out)["limits"] if not check["passed"]]
    must = ("--limit", "silenced=off", "--must-pass", "cells-02")
    failed = semscale("drift", "gate", "latest", *must, *options)
    assert failed.code == 1
    (item,) = json.loads(failed.out)["must_pass"]
    # Without the limit its list is lost, and silence still loses everything: 1, less what the rerun lost.
    assert item["id"] == "cells-02"
    lost_list, lost_cosine, *_ = item["reasons"]
    assert lost_list == "lost more than 50 % of their outputs"
    assert lost_cosine.startswith("cosine lost ")


def test_the_first_line_says_what_to_do(semscale, approved):
    ended = semscale("drift", "gate", BAD, "--model", "model-b")
    assert ended.code == 1
    assert ended.out.startswith("2 of 30 items with outputs have lost all outputs, and ")


@pytest.mark.parametrize(("undecided", "code"), [(None, 4), ("fail", 1), ("warn", 0), ("pass", 0)])
def test_an_undecided_gate_ends_as_it_is_told(semscale, undecided, code, tmp_path):
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
    ("options", "said"),
    [
        (("--limit", "silence=1"), "did you mean 'silenced'"),
        (("--limit", "silenced"), "--limit must be a name with a number or off"),
        (("--limit", "foo=1"), "--limit: unknown limit 'foo'"),
        (("--limit", "silenced=-1"), "--limit silenced must be a number of items"),
        (
            ("--limit", "silenced=100%"),
            "--limit silenced must be 0 % or more and below 100 %, or off, got 100%",
        ),
        (("--must-pass", "nope"), "--must-pass (in a file: must_pass) names 'nope'"),
        (("--limit", "silenced=1", "--limit", "silenced=2"), "limit silenced is given as 1"),
        (("--must-pass", "cells-2"), "did you mean 'cells-"),
    ],
)
def test_wrong_limits_are_refused_in_one_line(semscale, approved, options, said):
    ended = semscale("drift", "gate", GOOD, "--model", "model-b", *options)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_a_direction_in_the_file_makes_better_numbers_no_loss(semscale, approved, tmp_path):
    """Where more credits are better, credits that only rise lose nothing."""
    rows = [json.loads(line) for line in (EXAMPLES / "baseline.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        for output in row["outputs"]:
            output["credits"] += 1
    path = tmp_path / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    gate = tmp_path / "gate.yaml"

    def loss(direction):
        gate.write_text(f"fields: {{credits: {direction}}}\nmetrics: credits_difference\n", encoding="utf-8")
        ended = semscale("drift", "gate", path, "--model", "m", "--gate", gate, "--json")
        (metric,) = [one for one in json.loads(ended.out)["metrics"] if one["metric"] == "credits_difference"]
        return metric["loss"], ended.code

    assert loss("higher") == (0, 0)
    assert loss("lower")[1] == loss("either")[1] == 1


def test_a_share_may_be_written_in_percent():
    settings = gate_settings(GateOptions(limits=["silenced=50%", "lost_fields=0 %"]))
    assert settings.limits == {"silenced": 0.5, "lost_fields": 0.0}
