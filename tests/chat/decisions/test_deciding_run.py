"""Runs of decisions against an endpoint that speaks both formats, or neither."""

import pytest
from decision_endpoint import ASKED, REQUEST

from semscale.chat import ImagePart, Message
from semscale.chat.budget import Budget
from semscale.chat.decisions import (
    DecisionAnswer,
    DecisionRequest,
    DecisionRun,
    Option,
    PredicateQuestion,
    ScoreQuestion,
    decide,
)
from semscale.chat.pacing import Retries
from semscale.errors import InputError, InterruptedRunError, ReplyError

BY_NAME = {"no": 0.1, "yes": 0.9, "billing": 0.2, "sales": 0.8, "rude": 0.3, "kind": 0.7}


def by_name(asked, names, text):
    return [BY_NAME[name.split(":")[0]] for name in names]


def requests(n: int) -> list[DecisionRequest]:
    return [DecisionRequest.of(f"Text {number}.", ASKED) for number in range(n)]


@pytest.fixture
def run(decider, tmp_path):
    decider.masses = by_name

    def call(asked=None, **settings):
        settings = {"ledger": tmp_path / "ledger.sqlite", "retries": Retries(0)} | settings
        return decide("m", asked or [REQUEST], base_url=decider.url, **settings)

    return call


@pytest.mark.parametrize(
    ("speaks", "form", "tolerance"),
    [
        (("decisions", "systemone", "completions"), "decisions", 1e-12),
        (("systemone", "completions"), "systemone", 1e-12),
        (("completions",), "next-token", 1e-9),
    ],
)
def test_the_first_form_that_the_endpoint_takes_gives_the_same_answers(decider, run, speaks, form, tolerance):
    decider.speaks = speaks
    found = run()
    assert found.form == form
    assert len(found.not_taken) == {"decisions": 0, "systemone": 1, "next-token": 2}[form]
    masses = [answer.masses for answer in found.answers[0].values()]
    wanted = [(0.1, 0.9), (0.2, 0.8), (0.3, 0.7)]
    assert [pytest.approx(each, abs=tolerance) for each in wanted] == masses
    assert found.counts == {"answered": 3, "refused": 0, "unusable": 0, "normalised": 0}


def test_one_request_holds_all_questions(decider, run):
    assert len(run(requests(5)).answers) == 5
    assert decider.paths == ["decisions"] * 5


def test_letters_cost_a_call_for_each_order_of_each_question(decider, run):
    decider.speaks = ("completions",)
    run(requests(3))
    # three questions of two options: 6 calls a request, and one try of either format
    assert decider.paths.count("completions") == 18
    assert len(decider.paths) == 20


def test_a_model_that_prefers_the_first_letter_is_told_apart_from_its_mean(decider, run):
    decider.speaks, decider.favours = ("completions",), 1.0
    answer = run().answers[0]["tone"]
    # rude .3, kind .7: with the first letter favoured by e, P(rude) is .3e / (.3e + .7) = .5381 where it
    # stands first, and .3 / (.3 + .7e) = .1362 where it stands second; their mean is .3371, .2010 from each
    assert answer.masses == pytest.approx((0.3371, 0.6629), abs=1e-4)
    assert answer.order_bias == pytest.approx(0.2010, abs=1e-4)


def test_replies_are_kept_in_the_ledger(decider, run):
    first = run(requests(3))
    n_sent = len(decider.requests)
    assert run(requests(3)).answers == first.answers
    assert len(decider.requests) == n_sent


def test_refusals_and_rounded_probabilities_are_counted(decider, run):
    sums = {"no": 0.1, "yes": 0.9, "billing": 0.33, "sales": 0.66}
    decider.masses = lambda asked, names, text: None if "rude" in names else [sums[name] for name in names]
    found = run()
    assert found.counts == {"answered": 2, "refused": 1, "unusable": 0, "normalised": 1}
    assert found.answers[0]["team"].masses == pytest.approx((1 / 3, 2 / 3))


def test_a_sum_that_rounding_does_not_explain_is_no_answer_and_is_not_paid_for_again(decider, run):
    decider.masses = lambda asked, names, text: [0.2] * len(names)
    found = run(retries=Retries(3, first_wait=0))
    assert found.counts["unusable"] == 2  # the predicate states one probability only
    assert found.answers[0]["tone"].reason.startswith("the probabilities sum to 0.4")
    assert len(decider.requests) == 1


def test_a_call_that_fails_for_a_while_is_repeated(decider, run):
    decider.planned.append((503, {"error": "busy"}))
    assert run(retries=Retries(1, first_wait=0)).form == "decisions"
    assert decider.paths == ["decisions", "decisions"]


MALFORMED = (200, {"answers": [{"type": "predicate"}] * 3})


def test_answers_of_another_form_are_repeated_and_then_fail(decider, run):
    decider.planned.extend([MALFORMED] * 2)
    found = run(requests(2), retries=Retries(1, first_wait=0))
    assert found.answers[0]["tone"].reason == (
        "m answered with decisions that cannot be read: the field 'probability' is missing"
    )
    assert (found.form, found.counts["unusable"]) == ("decisions", 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("retries", "tries"),
    [
        (Retries(1, first_wait=0), 2),
        (Retries(6, first_wait=0), 5),  # a run ends when the first call was repeated four times
    ],
)
def test_malformed_answers_to_three_requests_show_that_a_form_is_not_taken(decider, run, retries, tries):
    decider.planned.extend([MALFORMED] * 3 * tries)
    found = run(requests(20), retries=retries)
    assert found.form == "systemone"
    assert "the field 'probability' is missing" in found.not_taken["decisions"]
    assert decider.paths == ["decisions"] * 3 * tries + ["systemone"] * 20


def test_malformed_decisions_after_other_failures_end_too(decider, run):
    decider.planned.extend([(503, {}), *[MALFORMED] * 16])
    found = run(requests(4), retries=Retries(6, first_wait=0))
    assert found.form == "systemone"
    # 7 calls for the first request, then 5 for each of two, as a new run counts its first failures anew
    assert decider.paths.count("decisions") == 7 + 5 + 5


POLICY = (400, {"error": {"message": "content policy"}})


def test_one_rejected_request_does_not_decide_the_form(decider, run):
    decider.planned.append(POLICY)
    found = run(requests(4))
    assert (found.form, found.not_taken) == ("decisions", {})
    # the other three have three answers each
    assert found.counts == {"answered": 9, "refused": 0, "unusable": 3, "normalised": 0}
    assert "content policy" in found.answers[0]["tone"].reason == found.reason
    assert decider.paths == ["decisions"] * 4


def test_three_rejected_requests_show_that_a_form_is_not_taken(decider, run):
    decider.planned.extend([POLICY] * 3)
    found = run(requests(4))
    assert found.form == "systemone"
    assert decider.paths == ["decisions"] * 3 + ["systemone"] * 4


def test_an_endpoint_that_answers_with_nothing_takes_no_decisions(decider, run):
    decider.planned.append((200, {}))
    found = run()
    assert found.form == "systemone"
    assert found.not_taken["decisions"].endswith("has no answers in it")


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (501, {"error": {"message": "not implemented"}}, "501"),
        (200, " <!doctype html><title>Log in</title>", "answers with a page at /decisions"),
    ],
)
def test_an_address_without_decisions_is_not_tried_again(decider, run, status, body, why):
    decider.planned.append((status, body))
    found = run(requests(2), retries=Retries(3, first_wait=0))
    assert found.form == "systemone"
    assert why in found.not_taken["decisions"]
    assert decider.paths == ["decisions", "systemone", "systemone"]


def test_letters_are_never_counted_as_mended():
    answers = ({"q": DecisionAnswer((0.5, 0.5), 0.8)},)
    assert DecisionRun(answers, "decisions", {}).counts["normalised"] == 1
    assert DecisionRun(answers, "next-token", {}).counts["normalised"] == 0


def test_a_cap_on_calls_stops_and_keeps_what_came(decider, run):
    with pytest.raises(InterruptedRunError, match="4 calls"):
        run(requests(9), budget=Budget(calls=4))
    assert len(decider.requests) == 4
    assert len(run(requests(9)).answers) == 9
    assert len(decider.requests) == 9


def test_too_many_levels_are_refused_before_anything_is_sent(decider, run):
    levels = tuple(Option(str(number)) for number in range(11))
    with pytest.raises(InputError, match="2 to 10 levels, got 11 in question 'q'"):
        run([DecisionRequest.of("Text.", {"q": ScoreQuestion("How much?", levels)})])
    assert decider.requests == []


def test_an_image_goes_to_a_format_that_reads_it(decider, run):
    image = ImagePart("data:image/png;base64,AAAA")
    asked = [DecisionRequest((Message("user", (image,)),), {"q": PredicateQuestion("Is it a cat?")})]
    assert run(asked).form == "decisions"
    part = decider.requests[0][1]["input"][0]["content"][0]
    assert part == {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}


def test_without_log_probabilities_no_form_is_left(decider, run):
    decider.speaks, decider.logprobs = ("completions",), False
    with pytest.raises(ReplyError, match="next-token: the model gives no log-probabilities"):
        run()


def test_an_unknown_model_is_told_by_the_chat_call(decider, run):
    decider.speaks = ()
    with pytest.raises(ReplyError, match="check the model's name"):
        run()
