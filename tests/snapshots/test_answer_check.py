"""A check of an answer passes, fails or leaves to people what lies between its limits."""

import math
from dataclasses import replace

import pytest
from tests.snapshots.test_compare_outputs import NAME, NEGATION, NamedScores

from semscale.errors import InputError
from semscale.guards.findings import Finding, Span
from semscale.snapshots.answer_check import check_answer
from semscale.snapshots.regression_sets import RegressionItem, gate_answers, parse_set, set_content

RIGHT, ANSWER, QUESTION = "The plan costs 59 euros.", "59 euros", "How much is the plan?"
ALONE = (ANSWER, RIGHT)
TOGETHER = (f"{QUESTION} {ANSWER}", f"{QUESTION} {RIGHT}")
NONE = (QUESTION, f"{QUESTION} {RIGHT}")


@pytest.mark.parametrize(
    ("alone", "together", "none", "score", "outcome"),
    [
        (0.3, 0.9, 0.5, 0.55, "pass"),  # (0.3 + 0.4 / 0.5) / 2
        (0.3, 0.8, 0.5, 0.45, "unsure"),
        (0.3, 0.54, 0.5, 0.19, "fail"),
        (0.5, 0.4, 0.5, 0.25, "unsure"),  # further from the right answer than the question alone counts as 0
        (math.nan, 0.9, 0.5, math.nan, "unsure"),
    ],
)
def test_a_score_is_the_mean_of_the_texts_alone_and_of_the_way_from_the_question(
    alone, together, none, score, outcome
):
    meter = NamedScores({ALONE: alone, TOGETHER: together, NONE: none})
    checked = check_answer(ANSWER, RIGHT, meter, question=QUESTION)
    assert checked.score == pytest.approx(score, nan_ok=True)
    assert checked.outcome == outcome


@pytest.mark.parametrize(
    ("score", "outcome"), [(0.5, "pass"), (0.49, "unsure"), (0.2, "unsure"), (0.19, "fail")]
)
def test_without_a_question_the_texts_alone_decide(score, outcome):
    assert check_answer(ANSWER, RIGHT, NamedScores({ALONE: score})).outcome == outcome


def unit(answer, right):
    return Finding("number", "other-unit", "Another unit.", Span(0, 1, answer), Span(0, 1, right))


@pytest.mark.parametrize(
    ("finding", "outcome"),
    [
        (NEGATION, "fail"),
        (unit("59 cents", "59 euros"), "fail"),
        (unit("59 euros", "59 euros per month"), "pass"),
        (NAME, "pass"),
    ],
)
def test_a_contradiction_fails_whatever_the_score(finding, outcome):
    meter = NamedScores({ALONE: 0.9 * 0.5}, {ALONE: (finding,)}, {ALONE: 0.5})
    checked = check_answer(ANSWER, RIGHT, meter)
    assert (checked.outcome, checked.score) == (outcome, pytest.approx(0.9))
    assert checked.findings == ((finding,) if outcome == "fail" else ())


def test_an_answer_in_which_the_other_party_acts_is_unsure():
    right, other, denied = "We call you.", "You call us.", "You do not call us."
    scores = NamedScores({(other, right): 0.9, (denied, right): 0.9})
    checked = check_answer(other, right, scores)
    assert checked.outcome == "unsure"
    assert checked.reason == 'it states what "you" do, the right answer what "we" do'
    assert check_answer(denied, right, scores).outcome == "pass"


def test_lost_content_is_unsure_and_is_measured_after_the_question():
    scores = {ALONE: 0.6, TOGETHER: 0.9, NONE: 0.5}
    for pair, outcome in ((ALONE, "pass"), (TOGETHER, "unsure")):
        meter = NamedScores(scores, lost={pair: 0.11})
        assert check_answer(ANSWER, RIGHT, meter, question=QUESTION).outcome == outcome
    assert check_answer(ANSWER, RIGHT, NamedScores({ALONE: 0.6}, lost={ALONE: 0.11})).outcome == "unsure"


def test_of_several_right_answers_the_one_counts_that_the_answer_agrees_with_best():
    low, high = "It costs nothing.", "It is 59 euros."
    meter = NamedScores({ALONE: 0.3, (ANSWER, low): 0.9, (ANSWER, high): 0.6}, {(ANSWER, low): (NEGATION,)})
    assert check_answer(ANSWER, [low, RIGHT], meter).outcome == "unsure"
    assert check_answer(ANSWER, [low, RIGHT, high], meter).outcome == "pass"
    assert check_answer(ANSWER, [low], meter).findings == (NEGATION,)
    with pytest.raises(InputError, match="right must have at least one answer"):
        check_answer(ANSWER, [], meter)


def test_an_accepted_answer_passes_and_is_known_to_the_gate_at_once():
    items = [RegressionItem("a", output=RIGHT), RegressionItem("b", output=RIGHT)]
    gate = gate_answers(items, {"a": ANSWER, "b": RIGHT}, NamedScores({ALONE: 0.3}))
    accepted = [replace(items[0], accepted=(ANSWER,)), items[1]]
    assert (gate.outcome, gate.with_decisions(accepted).outcome) == ("unsure", "pass")
    assert gate_answers(accepted, {"a": ANSWER, "b": RIGHT}, NamedScores()).outcome == "pass"
    assert parse_set(set_content(accepted), "set.jsonl") == accepted


def test_a_rejected_answer_fails_and_is_known_to_the_gate_at_once():
    items = [RegressionItem("a", output=RIGHT)]
    gate = gate_answers(items, {"a": ANSWER}, NamedScores({ALONE: 0.9}, {ALONE: (NEGATION,)}, {ALONE: 0.5}))
    passing = gate_answers(items, {"a": ANSWER}, NamedScores({ALONE: 0.9}))
    rejected = [replace(items[0], rejected=(ANSWER,))]
    assert (passing.outcome, passing.with_decisions(rejected).outcome) == ("pass", "fail")
    assert (passing.is_of(rejected), gate_answers(rejected, {}, NamedScores()).is_of(items)) == (True, False)
    assert gate.with_decisions(rejected).checked[0].findings == (), "the person's reason is shown"
    assert gate_answers(rejected, {"a": f" {ANSWER}\n"}, NamedScores()).outcome == "fail"
    assert parse_set(set_content(rejected), "set.jsonl") == rejected


def test_a_right_answer_passes_although_it_was_rejected_before():
    assert check_answer(ANSWER, [RIGHT, ANSWER], NamedScores(), rejected=[ANSWER]).outcome == "pass"


@pytest.mark.parametrize("decision", ["accepted", "rejected"])
def test_answers_that_people_decided_about_are_lists(decision):
    with pytest.raises(InputError, match=rf"set.jsonl, line 1: .*{decision} must be a list of texts"):
        parse_set(f'{{"id": "a", "{decision}": "59"}}', "set.jsonl")


def test_equal_and_missing_texts_need_no_model():
    meter = NamedScores()
    assert check_answer(f"<think>Hm.</think>\n{RIGHT} ", RIGHT, meter).outcome == "pass"
    assert check_answer(" ", RIGHT, meter).outcome == "fail"
    assert meter.calls == 0


def test_a_set_is_unsure_if_none_fails_and_one_is():
    items = [RegressionItem(name, output=RIGHT) for name in "abc"] + [RegressionItem("d")]
    meter = NamedScores({ALONE: 0.3})
    unsure = gate_answers(items, {"a": RIGHT, "b": ANSWER, "c": RIGHT}, meter)
    assert [gated.item.id for gated in unsure.items] == ["b", "a", "c", "d"]
    assert (unsure.outcome, unsure.count("unsure"), unsure.count("pass")) == ("unsure", 1, 2)
    assert gate_answers(items, {"a": RIGHT, "b": ANSWER}, meter).outcome == "fail"
    assert gate_answers(items, dict.fromkeys("abc", RIGHT), meter).outcome == "pass"
    assert gate_answers(items[3:], {}, meter).outcome == "unsure"
