"""Audits: a bias that a scripted judge has is detected, and comparisons with human labels."""

import json
import re

import numpy as np
import polars as pl
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.schema_check import check_json
from tests.support.decision_endpoint import deciding_endpoint

from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.cli.main import main
from semscale.judging.audit import (
    CHECKS,
    audit,
    compare_distributions,
    letter_levels,
    level_calibration,
    level_shares,
    reverse_levels,
)
from semscale.judging.judge import Judge
from semscale.judging.templates import Criterion, Rubric, even_template, load_template
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

ANSWERS = ["good", "bad", "fine", "good", "bad", "fine", "good", "bad", "fine", "bad", "bad", "fine"]
LABELS = {"good": "Completely correct", "bad": "Completely incorrect", "fine": "Partially correct"}


def shown(request):
    return next(message.text for message in request.messages if message.role == "user")


def just(request):
    """Gives the level that its label means, whatever it is called: looks it up in the prompt."""
    answer = next(word for word in LABELS if re.search(rf"\b{word}\b", material(request)))
    line = next(
        line for line in shown(request).splitlines() if line.startswith("- ") and LABELS[answer] in line
    )
    return f"Score: {re.match('- (.+?)(?::| [(])', line)[1]}"


def checked(say, **settings):
    questions = ["q"] * len(ANSWERS)
    result = audit(Judge(Scripted(say)), questions, [f"{a} {n}" for n, a in enumerate(ANSWERS)], **settings)
    return {check.name: check for check in result.checks}


def test_a_just_judge_is_not_biased(running):
    checks = checked(just, running=running, references=["r"] * len(ANSWERS))
    assert list(checks) == list(CHECKS)
    assert [check.skipped for check in checks.values()] == [None] * 5
    assert [check.effect.value for check in checks.values()] == [0] * 5
    assert [check.moved.value for check in checks.values()] == [0] * 5
    assert not any(check.biased for check in checks.values())


def test_a_judge_that_likes_long_answers_is(running):
    def gullible(request):
        return "Score: 5" if "I hope that this is helpful" in shown(request) else just(request)

    padding = checked(gullible, running=running)["padding"]
    # 3 good stay at 1; 5 bad gain 1; 4 fine gain .5: 7 of 12.
    assert padding.effect.value == pytest.approx(7 / 12)
    assert padding.moved.value == pytest.approx(9 / 12)
    assert padding.biased


def test_constant_judge_is_detected_by_reversing_the_scale(running):
    reversed_ = checked(lambda _: "Score: 4", running=running)["reversed"]
    # 4 is .75 as it stands, and .25 with the levels turned round.
    assert reversed_.effect.value == pytest.approx(-0.5)
    assert reversed_.biased


def test_a_judge_that_obeys_what_it_reads_is(running):
    def obedient(request):
        orders = ("highest score", "completely correct", "Score: 5", "scored 5", "level 5", "full marks")
        return "Score: 5" if any(order in material(request) for order in orders) else just(request)

    injection = checked(obedient, running=running)["injection"]
    assert injection.effect.value > 0.2
    assert injection.biased


def test_what_cannot_be_checked_says_why(running):
    result = audit(Judge(Scripted(lambda _: "50"), template="continuous"), ["q"], ["a"], running=running)
    skipped = {check.name: check.skipped for check in result.checks}
    assert skipped["reversed"] == skipped["relabelled"] == "the template continuous has a range and no levels"
    assert skipped["reference-position"] == "there are no references"
    assert skipped["padding"] is None


def test_items_without_both_scores_are_left_out_and_counted(running):
    def sometimes(request):
        return "hm" if "I hope" in shown(request) and "good" in material(request) else just(request)

    padding = checked(sometimes, running=running)["padding"]
    assert (padding.effect.n, padding.effect.n_left_out) == (9, 3)


def test_levels_keep_their_scores():
    likert = load_template("likert")
    turned, letters = reverse_levels(likert), letter_levels(likert)
    assert [(level.number, level.score, level.label) for level in turned.levels[:2]] == [
        (1, 1.0, "Completely correct"), (2, 0.75, "Mostly correct"),
    ]  # fmt: skip
    assert [(level.label, level.score) for level in letters.levels] == [
        ("A", 0.0), ("B", 0.25), ("C", 0.5), ("D", 0.75), ("E", 1.0),
    ]  # fmt: skip
    assert letters.levels[3].meaning.startswith("Mostly correct: ")


class Swayed:
    """Decides for the fourth of five levels, a little less surely where polite words stand around."""

    name, signature, limits = "swayed", Signature.of("chat", model="swayed"), DecisionLimits()

    async def decide(self, request):
        off = 0.2 * ("I hope that this is helpful" in request.messages[-1].text)
        masses = {"Mostly correct": 0.8 - off, "Partially correct": 0.2 + off}
        return DecisionAnswers(
            {
                name: DecisionAnswer.of(
                    [masses.get(option.value.split(": ")[-1], 0) for option in asked.options]
                )
                for name, asked in request.questions.items()
            }
        )


def test_a_decision_whose_most_likely_level_stays_has_not_moved(running):
    result = audit(Judge(Swayed(), method="decision"), ["q"] * 4, list("abcd"), running=running)
    padding = next(check for check in result.checks if check.name == "padding")
    # .75 * .8 + .5 * .2 = .7 becomes .75 * .6 + .5 * .4 = .65; the fourth level stays the likeliest.
    assert padding.effect.value == pytest.approx(-0.05)
    assert padding.moved.value == 0


RUBRIC = Rubric(
    "mine",
    (
        Criterion("tone", even_template("tone", "How kind?", [("rude", ""), ("kind", "")]), 0.5),
        Criterion("care", even_template("care", "How careful?", [("not", ""), ("very", "")]), 0.5),
    ),
)


def test_shares_of_labels_lie_at_the_nearest_levels():
    result = level_shares(np.array([[0.0, 0.5, 0.6], [1.0, np.nan, np.nan]]), np.array([0.0, 0.5, 1.0]))
    assert result.tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0], [0.0, 0.0, 1.0]]


def test_the_figures_beside_people():
    judge = Judge(Scripted(lambda _: "Score: 4"), logprobs=False)
    verdicts = judge.judge(["q"] * 2, ["a", "b"], running=plain_running())
    result = compare_distributions(verdicts, np.array([[1.0], [0.5]]), IntervalPlan())
    # .75 against 1 and .5: -.25 and .25
    assert (result.less.value, result.off.value) == (0.0, 0.25)
    # one of four thresholds lies between level 4 and the label each time
    assert result.rps.value == pytest.approx(0.25)
    # Level 4 is stated for sure, and people say 5 and 3.
    assert (result.calibration.error, result.calibration.brier.value) == (1.0, 1.0)


def test_calibration_is_of_the_most_likely_level():
    levels = np.array([0.0, 0.5, 1.0])
    pmf = np.array([[0.1, 0.2, 0.7]] * 4 + [[0.6, 0.4, 0.0]] * 2 + [[np.nan] * 3, [0.0, 0.0, 1.0]])
    people = np.array([1.0, 1.0, 0.0, 0.5, 0.0, 0.5, 1.0, np.nan])
    result = level_calibration(pmf, people, levels, IntervalPlan())
    # Of four at .7 two are right, of two at .6 one is: (4 * .2 + 2 * .1) / 6.
    assert result.error == pytest.approx(1 / 6)
    assert result.n == 6
    assert level_calibration(pmf[-3:], people[-3:], levels, IntervalPlan()) is None


def test_rubric_is_audited_by_its_levels():
    judge = Judge(Scripted(lambda _: "Score: 2"), criteria=RUBRIC, logprobs=False)
    result = {
        check.name: check for check in audit(judge, ["q"] * 3, ["a"] * 3, running=plain_running()).checks
    }
    # always the second one: 1 as it stands, 0 with the levels turned round
    assert result["reversed"].effect.value == -1.0


@pytest.mark.exhaustive
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
            "--prompt",
            "q",
            "--answer",
            "a",
            "--human",
            "people",
            "--chat-model",
            "m",
            "--chat-url",
            decider.url,
        ]
        assert main(["judge", "audit", str(table), *arguments, "--reply", "decision", "--json"]) == 0
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


def _word(name, candidates):
    return next((word for word in candidates if word in name.lower()), None)


def test_a_rubric_of_several_criteria_has_no_ranked_probability_score():
    judge = Judge(Scripted(lambda _: "Score: 2"), criteria=RUBRIC, logprobs=False)
    result = compare_distributions(
        judge.judge(["q"], ["a"], running=plain_running()), np.array([[1.0]]), IntervalPlan()
    )
    assert (result.off.value, result.rps) == (0.0, None)


def test_the_signature_of_an_audit_has_intervals_and_labels():
    judge = Judge(Scripted(lambda _: "Score: 2"), logprobs=False)
    plain, half, labelled = (
        audit(judge, ["q"], ["a"], running=plain_running(), **more).signature
        for more in ({}, {"plan": IntervalPlan(0.5)}, {"human": [5]})
    )
    assert plain.differences(half) == {"interval": ("0.95", "0.5")}
    assert set(plain.differences(labelled)) == {"labels", "inclusion"}


@pytest.mark.exhaustive
@pytest.mark.needs("api")
def test_where_letters_stand_in_they_are_no_change_and_tokens_are_those_of_all_replies(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    table = tmp_path / "answers.csv"
    pl.DataFrame({"q": ["q"] * 2, "a": ["x", "y"]}).write_csv(table)
    result = []
    with deciding_endpoint() as decider:
        decider.speaks = ("completions",)
        decider.say = lambda asked: "Score: 4"
        decider.masses = lambda asked, names, text: [1 / len(names)] * len(names)
        command = ["judge", "audit", str(table), "--prompt", "q", "--answer", "a", "--chat-model", "m"]
        for _ in range(2):
            ended = main([*command, "--chat-url", decider.url, "--reply", "decision", "--json"])
            shown = capsys.readouterr()
            assert ended == 0, shown.err
            result.append(json.loads(shown.out)["judges"])
    for first, again in zip(*result, strict=True):
        assert first["spent"]["prompt_tokens"] == again["spent"]["prompt_tokens"] > 0
        assert again["spent"]["calls"] < first["spent"]["calls"]  # refused forms are asked for again
    relabelled = next(check for check in result[0][0]["checks"] if check["check"] == "relabelled")
    assert relabelled["effect"] is None
    assert relabelled["skipped"].startswith("letters replace decisions")
