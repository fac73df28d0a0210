"""``semscale drift record --anchors``, and the ruler in later gates, with the real model."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.moved_encoder import MovedEncoder

from semscale.cli.drift.options import MeasuringOptions
from semscale.drift.comparison import DriftMeter

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
GOOD, BAD = EXAMPLES / "candidate_good.jsonl", EXAMPLES / "candidate_bad.jsonl"
LABELS = ("--human", "score", "--human-range", "1", "5")


@pytest.fixture
def pairs(tmp_path):
    """Twelve anchors with labels from 1 to 5 in ``pairs.csv``; one has none."""
    rows = [f"You name cause {n}.,You mention cause {n}.,{n % 5 + 1 if n else ''}" for n in range(12)]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["reference,output,score", *rows]) + "\n")
    return path


@pytest.fixture
def recorded(semscale, approved, pairs):
    ended = semscale("drift", "record", "--anchors", pairs, *LABELS, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


@pytest.fixture
def moved_model(monkeypatch):
    """Replaces the gate's model by another one under the same name."""

    def exchange(patched=monkeypatch):
        def meter(*_):
            return DriftMeter(MovedEncoder(DriftMeter(cache=False).encoder._engine), cache=False)

        patched.setattr(MeasuringOptions, "meter", meter)

    return exchange


def test_anchors_are_stored_once_and_measured_again_as_a_new_reference(semscale, recorded, pairs):
    assert (recorded["dataset"], recorded["name"], recorded["is_new"]) == ("feedback", "pairs", True)
    assert (recorded["pairs"], recorded["labels"], recorded["repeats"]) == (12, 11, 1)
    assert [error["reading"] for error in recorded["errors"]] == ["match", "bertscore_f1", "cosine"]
    assert recorded["errors"][0]["error"]["n"] == 11
    again = json.loads(semscale("drift", "record", "--anchors", pairs, *LABELS, "--json").out)
    assert (again["id"], again["is_new"]) == (recorded["id"], False)
    assert recorded["hash"] in semscale("drift", "record", "--anchors", pairs, *LABELS).out


def test_changed_pairs_are_refused_in_a_single_line(semscale, recorded, pairs):
    pairs.write_text(pairs.read_text().replace("cause 3.,", "cause 33.,"))
    ended = semscale("drift", "record", "--anchors", pairs, *LABELS)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert f"anchor set 'pairs' was recorded with the hash {recorded['hash']}" in ended.err
    pairs.rename(pairs.with_name("pairs-2.csv"))
    ended = semscale("drift", "record", "--anchors", pairs.with_name("pairs-2.csv"), *LABELS, "--json")
    assert (ended.code, json.loads(ended.out)["name"]) == (0, "pairs-2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--human", "score", GOOD], "--human belongs to --anchors FILE, which is not given"),
        (["--anchors", "pairs.csv", GOOD], "give either a file of outputs or --anchors, got both"),
        (["--anchors", "pairs.csv", "--rerun-of", "baseline"], "--rerun-of belongs to a file of outputs"),
        (["--anchors", "pairs.csv", "--human", "score"], "data row 2: column 'score' has the label '2'"),
        (["--anchors", "pairs.csv", "--human-range", "1-", "5"], "--human-range must be a number, got '1-'"),
        (["--anchors", "pairs.csv", "--human-range", "1", "5"], "--human-range belongs to --human"),
        (["--anchors", "pairs.csv", "--output", "answer"], "answer"),
        (["--anchors", "gone.csv"], "gone.csv does not exist"),
    ],
)
def test_bad_input_is_refused_in_a_single_line(semscale, approved, pairs, options, message):
    ended = semscale("drift", "record", *options)
    assert ended.code == 2, ended.out
    assert len(ended.err.splitlines()) == 1
    assert message in ended.err


def test_a_gate_without_anchors_has_no_ruler(semscale, approved):
    content = json.loads(semscale("drift", "gate", GOOD, "--model", "model-b", "--json").out)
    assert (content["moved"], content["ruler"]) == (None, None)


def test_a_ruler_that_did_not_change_leaves_the_decision_to_the_system(semscale, recorded):
    good = semscale("drift", "gate", GOOD, "--model", "model-b")
    assert good.code == 0, good.out
    assert "ruler did not change: 12 anchors of 'pairs' have the same readings" in " ".join(good.out.split())
    bad = json.loads(semscale("drift", "gate", BAD, "--model", "model-c", "--json").out)
    assert (bad["outcome"], bad["moved"], bad["ruler"]["status"]) == ("fail", "system", "kept")
    assert json.loads(semscale("drift", "history", "--verify", "--json").out)["holds"]


def test_a_gate_with_a_changed_ruler_is_undecided(semscale, recorded, moved_model, tmp_path):
    moved_model()
    gate = ("drift", "gate", GOOD, "--model", "model-b")
    files = ("--junit", "junit.xml", "--summary", "summary.md", "--report", "drift.html", "--github")
    ended = semscale(*gate, *files)
    assert ended.code == 4, ended.out
    assert "The ruler changed" in ended.out
    cases = ElementTree.parse(tmp_path / "junit.xml").findall(".//testcase[@classname='ruler']")
    assert [case.get("name") for case in cases] == ["pairs"]
    assert cases[0].find("skipped") is not None
    for written in ("summary.md", "drift.html"):
        assert "he ruler changed" in (tmp_path / written).read_text()
    content = json.loads(semscale(*gate, "--json").out)
    assert (content["outcome"], content["moved"], content["ruler"]["status"]) == (
        "undecided",
        "ruler",
        "moved",
    )
    (feedback,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert [comparison["ruler_moved"] for comparison in feedback["comparisons"]] == [True]


def test_anchors_that_are_recorded_again_are_the_new_reference(semscale, recorded, moved_model, pairs):
    moved_model()
    gate = ("drift", "gate", GOOD, "--model", "model-b", "--json")
    assert json.loads(semscale(*gate).out)["ruler"]["status"] == "moved"
    assert semscale("drift", "record", "--anchors", pairs, *LABELS).code == 0
    assert json.loads(semscale(*gate).out)["ruler"]["status"] == "kept"


def test_other_settings_are_a_new_ruler_and_no_alarm(semscale, recorded):
    content = json.loads(semscale("drift", "gate", GOOD, "--model", "model-b", "--layer", "5", "--json").out)
    assert (content["outcome"], content["ruler"]["status"], content["moved"]) == ("pass", "new", None)
    assert content["ruler"]["declared"] == {"layer": ["6", "5"]}
