"""Judges that decide, against an endpoint that speaks both formats, or neither."""

import json
import math

import pytest
from tests.judging.conftest import plain_running
from tests.support.decision_endpoint import deciding_endpoint

from semscale.chat import load_chat_model
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.errors import InputError
from semscale.judging.judge import Judge, Panel
from semscale.judging.templates import Criterion, Rubric, even_template
from semscale.judging.verdict import Provenance, verdicts_from_json, verdicts_to_json
from semscale.report.html import page
from semscale.types import Status

LEVELS = [0.05, 0.1, 0.15, 0.2, 0.5]  # likert, from low to high: 0, .25, .5, .75, 1
EXPECTED = 0.25 * 0.1 + 0.5 * 0.15 + 0.75 * 0.2 + 0.5
RUBRIC = Rubric(
    "mine",
    (
        Criterion("tone", even_template("tone", "How kind?", [("rude", ""), ("kind", "")]), 0.75),
        Criterion("care", even_template("care", "How careful?", [("not", ""), ("very", "")]), 0.25),
    ),
)
BY_LABEL = {"rude": 0.2, "kind": 0.8, "not": 0.4, "very": 0.6}
ORDER = (
    "Completely incorrect",
    "Mostly incorrect",
    "Partially correct",
    "Mostly correct",
    "Completely correct",
)


def likert(asked, names, text):
    labels = [name.split(":")[0] for name in names]
    if labels[0] in BY_LABEL:
        return [BY_LABEL[label] for label in labels]
    return [LEVELS[ORDER.index(label)] for label in labels]


@pytest.fixture
def decider():
    with deciding_endpoint() as result:
        result.masses = likert
        yield result


def judge(decider, **settings):
    return Judge(load_chat_model("m", base_url=decider.url), **{"method": "decision", **settings})


def judged(decider, n=3, running=None, **settings):
    answers = [f"answer {number}" for number in range(n)]
    return judge(decider, **settings).judge(["q"] * n, answers, running=running or plain_running())


@pytest.mark.parametrize(
    ("speaks", "method", "provenance", "n_calls"),
    [
        (("decisions", "completions"), "decisions", Provenance.DECISION, 3),
        # a path that is not there, and five orders of five levels for each of three answers
        (("completions",), "next-token", Provenance.NEXT_TOKEN, 16),
    ],
)
@pytest.mark.exhaustive
def test_a_verdict_is_the_distribution_that_the_model_gave(decider, speaks, method, provenance, n_calls):
    decider.speaks = speaks
    result = judged(decider)
    assert result.provenances == {provenance: 3}
    assert result.pmf[0].tolist() == pytest.approx(LEVELS)
    assert result.expected.tolist() == pytest.approx([EXPECTED] * 3)
    assert result.score.tolist() == [1.0] * 3
    assert result[0].confidence == pytest.approx(0.5)
    assert dict(result.signature.fields)["method"] == method
    assert len(decider.requests) == n_calls


def test_prose_is_the_last_resort(decider):
    decider.speaks, decider.logprobs = ("completions",), False
    decider.say = lambda asked: "Score: 4\nExplanation: fine"
    result = judged(decider)
    assert result.score.tolist() == [0.75] * 3
    assert dict(result.signature.fields)["method"] == "prose"
    assert result.provenances == {Provenance.SINGLE: 3}


def test_the_texts_are_marked_and_the_levels_stand_beside_the_question(decider):
    judged(decider, n=1, rubric="Be strict.")
    system, user = decider.requests[0][1]["input"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "[BEGIN ANSWER" in user["content"]
    assert "answer 0" in user["content"]
    question = decider.requests[0][1]["questions"][0]
    assert question["instructions"].endswith("Be strict.")
    assert [level["label"] for level in question["levels"]] == list(ORDER)


def test_equally_likely_levels_give_the_level_nearest_to_the_mean(decider):
    # mean: .25 * .4 + .75 * .4 + 1 * .1 = .5: both are .25 away, so the lower one
    decider.masses = lambda asked, names, text: [0.1, 0.4, 0.0, 0.4, 0.1]
    assert judged(decider, n=1).score.tolist() == [0.25]


def test_refusals_and_wrong_sums_have_no_score(decider):
    def masses(asked, names, text):
        if "answer 0" in text:
            return None
        return [0.1] * 5 if "answer 1" in text else likert(asked, names, text)

    decider.masses = masses
    result = judged(decider)
    assert list(result.status) == [Status.REFUSED, Status.UNPARSABLE, Status.SCORED]
    assert result[1].reason.startswith("the probabilities sum to 0.5")
    assert [math.isnan(score) for score in result.score] == [True, True, False]
    assert result[1].replies


def test_probabilities_of_two_decimals_are_counted(decider):
    decider.masses = lambda asked, names, text: [0.33, 0.33, 0.33, 0.0, 0.0]
    result = judged(decider)
    summary = result.summarize(["q"] * 3, ["a"] * 3)
    assert result.covered.tolist() == pytest.approx([0.99] * 3)
    judge_summary = summary.judges["m"]
    assert judge_summary.n_normalised == 3
    assert any("did not sum to 1" in caution for caution in summary.document().sentences("caution"))


@pytest.mark.exhaustive
def test_order_bias_of_decisions_is_reported(decider):
    decider.speaks, decider.favours = ("completions",), 3.0
    result = judged(decider)
    assert result[0].order_bias > 0.1
    summary = result.summarize(["q"] * 3, ["a"] * 3)
    cautions = " ".join(summary.document().sentences("caution"))
    assert "m takes no typed decisions" in cautions
    assert "The order of the levels moves" in cautions


def test_the_orders_give_p_correct_a_standard_error(decider):
    # All mass goes to the letter at the first place, so of true and false one order reads 1 and the other 0:
    # a mean of .5, and a standard deviation of the root of .5, by the root of 2.
    decider.speaks, decider.favours = ("completions",), 60.0
    decider.masses = lambda asked, names, text: [0.5, 0.5]
    result = judged(decider, template="true_false")
    assert result.expected.tolist() == pytest.approx([0.5] * 3)
    assert result.standard_error.tolist() == pytest.approx([0.5] * 3)
    summary = result.summarize(["q"] * 3, ["a"] * 3)
    assert summary.record()["lowest"][0]["verdicts"][0]["standard_error"] == pytest.approx(0.5)
    shown = page(summary.document())
    assert "standard error 0.50" in shown
    assert "how far other orders or replies would differ." in shown


def test_standard_error_of_a_single_decision_is_unknown(decider):
    result = judged(decider)
    assert all(map(math.isnan, result.standard_error))
    assert result.to_frame()["standard_error"].null_count() == 3
    message = page(result.summarize(["q"] * 3, ["a"] * 3).document())
    assert "the spread of repeated readings is not known" in message


def test_standard_error_of_a_rubric_combines_those_of_its_criteria(decider):
    decider.speaks, decider.favours = ("completions",), 60.0
    result = judged(decider, criteria=RUBRIC)
    # Each criterion has two levels, so .5 as above; weights .75 and .25: .5 * root(.75^2 + .25^2)
    assert result.standard_error.tolist() == pytest.approx([0.5 * (0.75**2 + 0.25**2) ** 0.5] * 3)


def test_reasons_for_rejected_forms_are_counted_and_quoted(decider):
    # Three items are tried in the first form, as one may be refused for what it says.
    decider.planned.extend([(400, {"error": {"message": "decisions are off"}})] * 3)
    decider.speaks = ("completions",)
    result = judged(decider)
    (refusal,) = result.refused_forms
    assert (refusal.form, refusal.n) == ("decisions", 3)
    assert "decisions are off" in refusal.reason
    reasons = result.to_frame()["refused_forms"].to_list()
    assert reasons == [f"decisions: {refusal.reason} (3 requests)"] * 3
    summary = result.summarize(["q"] * 3, ["a"] * 3)
    assert json.loads(summary.to_json())["judges"][0]["refused_forms"] == [
        {"form": "decisions", "reason": refusal.reason, "n": 3},
    ]
    assert "decisions are off" in " ".join(summary.document().sentences("caution"))
    shown = page(summary.document())
    assert "decisions, not taken" in shown


@pytest.mark.parametrize(
    ("retries", "tries"),
    [
        (Retries(1, first_wait=0), 2),
        (Retries(6, first_wait=0), 5),  # a run ends when the first call was repeated four times
    ],
)
def test_malformed_decisions_about_three_items_lead_to_the_next_form(decider, retries, tries):
    decider.planned.extend([(200, {"answers": [{"type": "score"}]})] * 3 * tries)
    result = judged(decider, n=4, running=Running(ledger=False, retries=retries))
    assert list(result.status) == [Status.SCORED] * 4
    assert decider.paths == ["decisions"] * 3 * tries + ["completions"] * 4 * 5
    (refusal,) = result.refused_forms
    assert (refusal.form, refusal.n) == ("decisions", 3)


def test_refused_item_does_not_mark_the_form_as_rejected(decider):
    # The first item is refused for what it says, and the second one is not.
    decider.planned.append((400, {"error": {"message": "content policy"}}))
    result = judged(decider)
    assert result.refused_forms == ()
    assert result.to_frame()["refused_forms"].to_list() == [None] * 3
    assert list(result.status) == [Status.REFUSED, Status.SCORED, Status.SCORED]


def test_a_judge_in_prose_has_no_column_of_forms(decider):
    decider.say = lambda asked: "Score: 4"
    assert "refused_forms" not in judged(decider, method="prose").to_frame().columns


def test_the_reasons_of_rows_without_a_score_are_counted(decider):
    decider.masses = lambda asked, names, text: (
        None if "answer 0" in text else [0.1] * 5 if "answer 3" not in text else likert(asked, names, text)
    )
    summary = judged(decider, n=4).summarize(["q"] * 4, ["a"] * 4)
    sums = "the probabilities sum to 0.5, and rounding explains 0.975 to 1.025"
    result = summary.record()["judges"][0]["reasons"]
    assert {(entry["status"], entry["reason"], entry["n"]) for entry in result} == {
        ("unparsable", sums, 2),
        ("refused", "the judge declined to give a score", 1),
    }
    assert sums in page(summary.document())


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_cap_leaves_the_rest_unfinished(decider):
    result = judged(decider, n=9, running=plain_running(budget=Budget(calls=4)))
    assert result.counts == {Status.SCORED: 4, Status.UNFINISHED: 5}


def test_rubric_is_a_single_request_with_a_question_per_criterion(decider):
    result = judged(decider, criteria=RUBRIC)
    assert decider.paths == ["decisions"] * 3
    assert [question["name"] for question in decider.requests[0][1]["questions"]] == ["tone", "care"]
    # .75 * .8 + .25 * .6
    assert result.expected.tolist() == pytest.approx([0.75] * 3)
    frame = result.to_frame()
    assert frame["criterion_tone"].to_list() == pytest.approx([0.8] * 3)
    assert frame["criterion_care"].to_list() == pytest.approx([0.6] * 3)
    assert frame["criterion_care_status"].to_list() == ["scored"] * 3


@pytest.mark.parametrize("method", ["decision", "prose"])
def test_a_rubric_is_asked_criterion_by_criterion_where_nobody_decides(decider, method):
    decider.speaks, decider.logprobs = ("completions",), False
    decider.say = lambda asked: "Score: 2" if "How kind?" in asked["messages"][-1]["content"] else "Score: 1"
    result = judged(decider, criteria=RUBRIC, method=method)
    assert result.to_frame()["criterion_tone"].to_list() == [1.0] * 3
    assert result.expected.tolist() == pytest.approx([0.75] * 3)


def test_a_criterion_that_is_refused_leaves_the_row_without_a_score(decider):
    decider.masses = lambda asked, names, text: None if "careful" in asked else likert(asked, names, text)
    result = judged(decider, n=1, criteria=RUBRIC)
    assert result.status[0] == Status.REFUSED
    assert result[0].reason.startswith("criterion 'care'")
    assert result.to_frame().select("criterion_tone", "criterion_care").row(0) == (pytest.approx(0.8), None)


def test_the_report_lists_the_criteria(decider):
    result = judged(decider, criteria=RUBRIC)
    summary = result.summarize(["q"] * 3, ["a"] * 3)
    assert {name: mean.value for name, mean in summary.criteria.items()} == pytest.approx(
        {"tone": 0.8, "care": 0.6}
    )
    record = summary.record()["judges"][0]
    assert [(entry["name"], entry["weight"]) for entry in record["criteria"]] == [
        ("tone", 0.75),
        ("care", 0.25),
    ]
    assert "criteria" in [section.name for section in summary.document().sections]


def test_a_panel_mixes_both_kinds(decider):
    decider.say = lambda asked: "Score: 3"
    panel = Panel([judge(decider), judge(decider, method="prose")])
    result = panel.judge(["q"], ["a"], running=plain_running())
    assert result.expected[0].tolist() == pytest.approx([EXPECTED, 0.5])
    summary = result.summarize(["q"], ["a"])
    assert {str(kind): n for kind, n in summary.provenances.items()} == {"decision": 1, "single": 1}


def test_samples_are_not_for_decisions(decider):
    with pytest.raises(InputError, match="samples must be 1 with method='decision'"):
        judge(decider, samples=3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"template": "continuous"}, "needs a template with levels, 'continuous' has a range"),
        ({"template": "recommendation"}, "2 to 10 levels, got 11"),
        ({"method": "decide"}, "method must be prose or decision, got 'decide'"),
    ],
)
def test_what_no_decision_can_hold_is_refused_before_anything_is_sent(decider, settings, message):
    with pytest.raises(InputError, match=message):
        judge(decider, **settings)
    assert decider.requests == []


def test_a_verdict_is_read_back_as_it_was(decider):
    first = judged(decider, running=plain_running(), criteria=RUBRIC)[0]
    (again,) = verdicts_from_json(verdicts_to_json([first]))
    assert again.distribution == (
        (0.0, pytest.approx(0.75 * 0.2 + 0.25 * 0.4)),
        (1.0, pytest.approx(0.75 * 0.8 + 0.25 * 0.6)),
    )
    assert repr(again) == repr(first)
    assert again.deviation == first.deviation
