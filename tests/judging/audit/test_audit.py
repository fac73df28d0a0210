"""The audit finds the bias that a made-up judge has, and none in one that has none."""

import re

import pytest
from tests.judging.conftest import Scripted, material

from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.judging.audit import CHECKS, audit, lettered_levels, reversed_levels
from semscale.judging.judge import Judge
from semscale.judging.templates import load_template
from semscale.signature import Signature

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
    found = audit(Judge(Scripted(say)), questions, [f"{a} {n}" for n, a in enumerate(ANSWERS)], **settings)
    return {check.name: check for check in found.checks}


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


def test_a_judge_that_always_says_the_same_number_is_found_by_turning_the_scale(running):
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
    found = audit(Judge(Scripted(lambda _: "50"), template="continuous"), ["q"], ["a"], running=running)
    skipped = {check.name: check.skipped for check in found.checks}
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
    turned, letters = reversed_levels(likert), lettered_levels(likert)
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
                name: DecisionAnswer.of([masses.get(each.value.split(": ")[-1], 0) for each in asked.options])
                for name, asked in request.questions.items()
            }
        )


def test_a_decision_whose_most_likely_level_stays_has_not_moved(running):
    found = audit(Judge(Swayed(), method="decision"), ["q"] * 4, list("abcd"), running=running)
    padding = next(check for check in found.checks if check.name == "padding")
    # .75 * .8 + .5 * .2 = .7 becomes .75 * .6 + .5 * .4 = .65; the fourth level stays the likeliest.
    assert padding.effect.value == pytest.approx(-0.05)
    assert padding.moved.value == 0
