"""Judges beside people's labels, and decisions beside prose."""

import json

import numpy as np
import polars as pl
import pytest
from decision_endpoint import deciding_endpoint
from tests.judging.conftest import Scripted, plain_running
from tests.schema_check import check_json

from semscale.cli.main import main
from semscale.judging.audit import audit, compare_distributions, level_calibration, level_shares
from semscale.judging.judge import Judge
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.stats.intervals.estimates import IntervalPlan

RUBRIC = Rubric(
    "mine",
    (
        Criterion("tone", even_template("tone", "How kind?", [("rude", ""), ("kind", "")]), 0.5),
        Criterion("care", even_template("care", "How careful?", [("not", ""), ("very", "")]), 0.5),
    ),
)


def test_shares_of_labels_lie_at_the_nearest_levels():
    found = level_shares(np.array([[0.0, 0.5, 0.6], [1.0, np.nan, np.nan]]), np.array([0.0, 0.5, 1.0]))
    assert found.tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0], [0.0, 0.0, 1.0]]


def test_the_figures_beside_people():
    judge = Judge(Scripted(lambda _: "Score: 4"), logprobs=False)
    verdicts = judge.judge(["q"] * 2, ["a", "b"], running=plain_running())
    found = compare_distributions(verdicts, np.array([[1.0], [0.5]]), IntervalPlan())
    # .75 against 1 and .5: -.25 and .25
    assert (found.less.value, found.off.value) == (0.0, 0.25)
    # one of four thresholds lies between level 4 and the label each time
    assert found.rps.value == pytest.approx(0.25)
    # Level 4 is stated for sure, and people say 5 and 3.
    assert (found.calibration.error, found.calibration.brier.value) == (1.0, 1.0)


def test_calibration_is_of_the_most_likely_level():
    levels = np.array([0.0, 0.5, 1.0])
    pmf = np.array([[0.1, 0.2, 0.7]] * 4 + [[0.6, 0.4, 0.0]] * 2 + [[np.nan] * 3, [0.0, 0.0, 1.0]])
    people = np.array([1.0, 1.0, 0.0, 0.5, 0.0, 0.5, 1.0, np.nan])
    found = level_calibration(pmf, people, levels, IntervalPlan())
    # Of four at .7 two are right, of two at .6 one is: (4 * .2 + 2 * .1) / 6.
    assert found.error == pytest.approx(1 / 6)
    assert found.n == 6
    assert level_calibration(pmf[-3:], people[-3:], levels, IntervalPlan()) is None


def test_a_rubric_is_audited_by_its_own_levels():
    judge = Judge(Scripted(lambda _: "Score: 2"), criteria=RUBRIC, logprobs=False)
    found = {
        check.name: check for check in audit(judge, ["q"] * 3, ["a"] * 3, running=plain_running()).checks
    }
    # always the second one: 1 as it stands, 0 with the levels turned round
    assert found["reversed"].effect.value == -1.0


@pytest.mark.needs("api")
def test_a_judge_that_decides_is_audited_beside_its_prose(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    table = tmp_path / "answers.csv"
    pl.DataFrame({"q": ["q"] * 3, "a": ["x", "y", "z"], "people": [5, 5, 4]}).write_csv(table)
    by_label = {"incorrect": 0.0, "partially": 0.0, "mostly": 0.25, "completely": 0.75}

    def masses(asked, names, text):
        return [
            0.0 if "incorrect" in name else by_label[word] if (word := _word(name, by_label)) else 0
            for name in names
        ]

    with deciding_endpoint() as decider:
        decider.masses, decider.say = masses, lambda asked: "Score: 4"
        arguments = [
            "--question",
            "q",
            "--answer",
            "a",
            "--human",
            "people",
            "--model",
            "m",
            "--base-url",
            decider.url,
        ]
        assert main(["judge", "audit", str(table), *arguments, "--method", "decision", "--json"]) == 0
    text = capsys.readouterr().out
    check_json(text)
    decision, prose = json.loads(text)["judges"]
    assert (decision["name"], prose["name"]) == ("m, decision", "m, prose")
    assert (decision["calls_a_row"], prose["calls_a_row"]) == (1.0, 1.0)
    # 20 tokens a decision; in prose each call takes 15
    assert (decision["spent"]["prompt_tokens"], prose["spent"]["prompt_tokens"]) == (60, 36)
    # .25 * .75 + .75 = .9375 against 1, 1 and .75
    assert decision["people"]["judge_less_people"]["value"] == pytest.approx(0.9375 - 2.75 / 3)
    assert prose["people"]["judge_less_people"]["value"] == pytest.approx(0.75 - 2.75 / 3)
    assert (
        decision["people"]["ranked_probability_score"]["value"]
        < prose["people"]["ranked_probability_score"]["value"]
    )
    reversed_ = next(check for check in decision["checks"] if check["check"] == "reversed")
    assert reversed_["effect"]["value"] == pytest.approx(0.0)


def _word(name, words):
    return next((word for word in words if word in name.lower()), None)


def test_a_rubric_of_several_criteria_has_no_ranked_probability_score():
    judge = Judge(Scripted(lambda _: "Score: 2"), criteria=RUBRIC, logprobs=False)
    found = compare_distributions(
        judge.judge(["q"], ["a"], running=plain_running()), np.array([[1.0]]), IntervalPlan()
    )
    assert (found.off.value, found.rps) == (0.0, None)


def test_the_signature_of_an_audit_has_intervals_and_labels():
    judge = Judge(Scripted(lambda _: "Score: 2"), logprobs=False)
    plain, half, labelled = (
        audit(judge, ["q"], ["a"], running=plain_running(), **more).signature
        for more in ({}, {"plan": IntervalPlan(0.5)}, {"human": [5]})
    )
    assert plain.differences(half) == {"interval": ("0.95", "0.5")}
    assert set(plain.differences(labelled)) == {"labels", "inclusion"}


@pytest.mark.needs("api")
def test_where_letters_stand_in_they_are_no_change_and_tokens_are_those_of_all_replies(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    table = tmp_path / "answers.csv"
    pl.DataFrame({"q": ["q"] * 2, "a": ["x", "y"]}).write_csv(table)
    found = []
    with deciding_endpoint() as decider:
        decider.speaks = ("completions",)
        decider.say = lambda asked: "Score: 4"
        decider.masses = lambda asked, names, text: [1 / len(names)] * len(names)
        command = ["judge", "audit", str(table), "--question", "q", "--answer", "a", "--model", "m"]
        for _ in range(2):
            ended = main([*command, "--base-url", decider.url, "--method", "decision", "--json"])
            shown = capsys.readouterr()
            assert ended == 0, shown.err
            found.append(json.loads(shown.out)["judges"])
    for first, again in zip(*found, strict=True):
        assert first["spent"]["prompt_tokens"] == again["spent"]["prompt_tokens"] > 0
        assert again["spent"]["calls"] < first["spent"]["calls"]  # refused forms are asked for again
    relabelled = next(check for check in found[0][0]["checks"] if check["check"] == "relabelled")
    assert relabelled["effect"] is None
    assert relabelled["skipped"].startswith("letters stand in for decisions")
