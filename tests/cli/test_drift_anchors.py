"""``semscale drift anchors``, and what later comparisons say of the ruler, with the real model."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from moved_encoder import MovedEncoder

from semscale.cli.drift import gate as comparing
from semscale.drift.measure.meter import DriftMeter

pytestmark = pytest.mark.exhaustive

EXAMPLES = Path(__file__).parents[2] / "examples" / "drift"
GOOD, BAD = EXAMPLES / "candidate_good.jsonl", EXAMPLES / "candidate_bad.jsonl"


@pytest.fixture
def pairs(tmp_path):
    """Twelve anchors with labels from 1 to 5 in ``pairs.csv``; one has none."""
    rows = [f"You name cause {at}.,You mention cause {at}.,{at % 5 + 1 if at else ''}" for at in range(12)]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["reference,output,score", *rows]) + "\n")
    return path


@pytest.fixture
def frozen(semscale, approved, pairs):
    ended = semscale("drift", "anchors", pairs, "--human", "score", "--human-range", "1", "5", "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


@pytest.fixture
def moved_model(monkeypatch):
    """Put another model in the place of the gate's, under the same name."""

    def exchange(patched=monkeypatch):
        def meter(*_, **__):
            return DriftMeter(MovedEncoder(DriftMeter(cache=False).encoder._engine), cache=False)

        patched.setattr(comparing, "drift_meter", meter)

    return exchange


def test_anchors_are_frozen_once_and_shown(semscale, frozen):
    (kept,) = frozen["sets"]
    assert (frozen["dataset"], kept["name"], kept["pairs"], kept["labels"]) == ("feedback", "pairs", 12, 11)
    (ruler,) = kept["rulers"]
    assert (ruler["repeats"], ruler["runs"]) == (1, 0)
    assert [one["reading"] for one in ruler["errors"]] == ["match", "bertscore_f1", "cosine"]
    assert ruler["errors"][0]["error"]["n"] == 11
    assert json.loads(semscale("drift", "anchors", "--json").out)["sets"] == frozen["sets"]
    again = semscale("drift", "anchors", "pairs.csv", "--human", "score", "--human-range", "1", "5", "--json")
    assert json.loads(again.out)["sets"] == frozen["sets"]
    out = semscale("drift", "anchors", "--report", "anchors.md").out
    assert kept["hash"] in out
    assert "Against people" in Path("anchors.md").read_text()


def test_anchors_that_changed_are_refused_in_one_line(semscale, frozen, pairs):
    pairs.write_text(pairs.read_text().replace("cause 3.,", "cause 33.,"))
    given = ("drift", "anchors", pairs, "--human", "score", "--human-range", "1", "5")
    ended = semscale(*given)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert f"anchor set 'pairs' was frozen with the hash {frozen['sets'][0]['hash']}" in ended.err
    assert "under another name (--name)" in ended.err
    assert semscale(*given, "--name", "pairs-2").code == 0
    sets = json.loads(semscale("drift", "anchors", "--json").out)["sets"]
    assert [one["name"] for one in sets] == ["pairs", "pairs-2"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--again", "pairs.csv"], "--again measures what is stored: leave the file out"),
        (["--name", "x"], "--name belongs to a file of anchors, which is not given"),
        (["--human", "score"], "--human belongs to a file of anchors, which is not given"),
        (["pairs.csv", "--human", "score"], "data row 2: column 'score' has the label '2'"),
        (["pairs.csv", "--human-range", "1-", "5"], "--human-range must be a number, got '1-'"),
        (["pairs.csv", "--human-range", "1", "5"], "--human-range belongs to label"),
        (["pairs.csv", "--output", "said"], "said"),
        (["gone.csv"], "gone.csv does not exist"),
        ([], "dataset 'feedback' has no anchors: freeze some with semscale drift anchors FILE"),
        (["--again"], "dataset 'feedback' has no anchors"),
    ],
)
def test_bad_input_is_refused_in_one_line(semscale, approved, pairs, options, said):
    ended = semscale("drift", "anchors", *options)
    assert ended.code == 2, ended.out
    assert len(ended.err.splitlines()) == 1
    assert said in ended.err


def test_a_gate_without_anchors_says_nothing_of_a_ruler(semscale, approved):
    found = json.loads(semscale("drift", "gate", GOOD, "--model", "model-b", "--json").out)
    assert (found["moved"], found["ruler"]) == (None, None)


def test_a_gate_says_that_neither_moved_or_the_system_alone(semscale, frozen):
    good = semscale("drift", "gate", GOOD, "--model", "model-b")
    assert good.code == 0, good.out
    assert "The ruler did not move: 12 anchors of 'pairs' are read as before. Neither" in good.out
    bad = json.loads(semscale("drift", "gate", BAD, "--model", "model-c", "--json").out)
    assert (bad["outcome"], bad["moved"], bad["ruler"]["status"]) == ("fail", "system", "kept")
    assert bad["ruler"]["runs"] == 2
    assert json.loads(semscale("drift", "history", "--verify", "--json").out)["holds"]
    compared = json.loads(semscale("drift", "compare", GOOD, "--model", "model-b", "--json").out)
    assert (compared["moved"], compared["ruler"]["runs"]) == (None, 3)


def test_a_gate_whose_ruler_moved_passes_nothing_until_the_anchors_are_read_again(
    semscale, frozen, moved_model, tmp_path
):
    moved_model()
    gate = ("drift", "gate", GOOD, "--model", "model-b")
    files = ("--junit", "junit.xml", "--summary", "summary.md", "--report", "drift.html", "--github")
    ended = semscale(*gate, *files)
    assert ended.code == 4, ended.out
    assert "The ruler moved, so this comparison cannot be trusted" in ended.out
    said = "undecided: The ruler moved: it reads 12 anchors of 'pairs'"
    assert [line for line in ended.out.splitlines() if line.startswith(said)]
    assert "Nothing failed, and a moved ruler lets nothing pass." in ended.out
    cases = ElementTree.parse(tmp_path / "junit.xml").findall(".//testcase[@classname='ruler']")
    assert [case.get("name") for case in cases] == ["pairs"]
    assert cases[0].find("skipped") is not None
    assert "::warning title=The ruler moved::" in ended.out
    for written in ("summary.md", "drift.html"):
        assert "he ruler moved: it reads 12 anchors" in (tmp_path / written).read_text()
    found = json.loads(semscale(*gate, "--json").out)
    assert (found["outcome"], found["moved"], found["ruler"]["status"]) == ("undecided", "ruler", "moved")
    assert json.loads(semscale("drift", "history", "--json").out)["datasets"][0]["comparisons"][0][
        "outcome"
    ] == ("undecided")


def test_a_comparison_with_a_moved_ruler_is_marked_and_no_night_of_many(semscale, frozen, moved_model):
    assert semscale("drift", "gate", GOOD, "--model", "model-b").code == 0
    with pytest.MonkeyPatch.context() as patched:
        moved_model(patched)
        gate = semscale("drift", "gate", BAD, "--model", "model-c", "--json")
        assert json.loads(gate.out)["moved"] == "both"
    (feedback,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert [one["ruler_moved"] for one in feedback["comparisons"]] == [False, True]
    assert feedback["trend"]["ruler_moved"] == [1]
    assert "1 run was measured while the ruler had moved" in semscale("drift", "history").out
    over = ("drift", "gate", EXAMPLES / "rerun.jsonl", "--model", "model-d", "--over-runs", "--json")
    found = json.loads(semscale(*over).out)
    assert len(found["sequence"][0]["losses"]) == 2
    assert any("because it was measured while the ruler had moved" in line for line in found["cautions"])


def test_anchors_that_are_read_again_are_the_new_reference(semscale, frozen):
    assert semscale("drift", "gate", GOOD, "--model", "model-b").code == 0
    runs = [
        one["runs"]
        for again in ([], ["--again"])
        for one in json.loads(semscale("drift", "anchors", *again, "--json").out)["sets"][0]["rulers"]
    ]
    assert runs == [1, 0]


def test_another_ruler_that_was_asked_for_is_no_alarm(semscale, frozen):
    found = json.loads(semscale("drift", "gate", GOOD, "--model", "model-b", "--layer", "5", "--json").out)
    assert (found["outcome"], found["ruler"]["status"], found["moved"]) == ("pass", "new", None)
    assert found["ruler"]["declared"] == {"layer": ["6", "5"]}
    assert found["ruler"]["apart"]["cosine"] == pytest.approx(0, abs=1e-6)
    assert found["ruler"]["apart"]["bertscore_f1"] > 0
    assert any(
        "another ruler than before reads the anchors (layer 6 → 5)" in said for said in found["cautions"]
    )
