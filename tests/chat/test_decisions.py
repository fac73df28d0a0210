"""Typed decisions: questions, answers, formats on the wire, and runs."""

import json
import math

import pytest
from tests.support.decision_endpoint import ASKED, REQUEST

from semscale.chat import ImagePart, Message, Reply, Request, TextPart, TokenLogprob
from semscale.chat.decision_formats import (
    average_answers,
    check_decision,
    decisions_answers,
    decisions_body,
    find_fault,
    letter_masses,
    letter_request,
    rotations,
)
from semscale.chat.decisions import (
    ChoiceQuestion,
    DecisionAnswer,
    DecisionAnswers,
    DecisionCall,
    DecisionLimits,
    DecisionRequest,
    DecisionRun,
    Option,
    PredicateQuestion,
    ScoreQuestion,
    decide,
)
from semscale.chat.ledger import ContentKeys, dump_reply, load_reply
from semscale.chat.messages import Usage
from semscale.chat.pacing import Retries
from semscale.chat.settings import Budget
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.signature import Signature


def options(*names):
    return tuple(map(Option, names))


@pytest.mark.parametrize("kind", [ChoiceQuestion, ScoreQuestion])
def test_a_question_needs_two_options(kind):
    with pytest.raises(InputError, match="must be two or more, got 1"):
        kind("Which?", options("a"))


def test_options_have_different_names():
    with pytest.raises(InputError, match="got 'a' twice"):
        ScoreQuestion("Which?", options("a", "b", "a"))


@pytest.mark.parametrize("instructions", ["", "  ", None])
def test_a_question_needs_instructions(instructions):
    with pytest.raises(InputError, match="instructions"):
        PredicateQuestion(instructions)


def test_a_request_needs_a_question_and_a_message():
    with pytest.raises(InputError, match="at least one question"):
        DecisionRequest.of("text", {})
    with pytest.raises(InputError, match="at least one message"):
        DecisionRequest((), {"a": PredicateQuestion("Is it?")})


def test_probabilities_of_two_decimals_are_normalised_to_sum_to_1():
    # .33 + .33 + .33 = .99, and three values may each be off by .005: .985 to 1.015 is rounding
    result = DecisionAnswer.of([0.33, 0.33, 0.33])
    assert result.masses == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (result.covered, result.is_normalised) == (pytest.approx(0.99), True)


@pytest.mark.parametrize(("last", "usable"), [(0.51, True), (0.512, False), (0.49, True), (0.488, False)])
def test_the_tolerance_is_half_a_hundredth_per_value(last, usable):
    # two values: .01 in all
    assert bool(DecisionAnswer.of([0.5, last]).masses) is usable


def test_a_sum_of_1_is_left_alone():
    result = DecisionAnswer.of([0.25, 0.75])
    assert (result.masses, result.is_normalised) == ((0.25, 0.75), False)


@pytest.mark.parametrize("value", [-0.1, 1.2, math.nan, math.inf])
def test_invalid_probabilities_are_refused(value):
    with pytest.raises(ValueError, match="probability"):
        DecisionAnswer.of([0.5, value])


def test_answers_survive_the_ledger():
    answers = {
        "a": DecisionAnswer.of([0.1, 0.9]),
        "b": DecisionAnswer.refusal(),
        "c": DecisionAnswer.of([0.1, 0.2]),
        "d": DecisionAnswer((0.5, 0.5), 1.0, readings=((0.25, 0.75), (0.75, 0.25))),
    }
    reply = Reply("", decisions=answers, usage=Usage(3, 1), model="m", raw="{}")
    stored = load_reply(dump_reply(reply))
    assert (stored.usage, stored.model, stored.raw, stored.text) == (Usage(3, 1), "m", "{}", reply.text)
    result = stored.decisions
    assert (result["a"].masses, result["b"].refused) == ((0.1, 0.9), True)
    assert result["c"].reason == answers["c"].reason
    assert math.isnan(result["c"].covered)
    assert result["d"].readings == answers["d"].readings
    assert result["a"].readings == ()


def test_answers_are_shown_as_json_without_unknown_numbers():
    reply = Reply("", decisions={"ok": DecisionAnswer.of([0.25, 0.75]), "no": DecisionAnswer.refusal()})
    shown = json.loads(reply.transcript)
    assert (shown["ok"]["masses"], shown["no"]["refused"]) == ([0.25, 0.75], True)
    assert "order_bias" not in shown["ok"]


@pytest.mark.parametrize(
    "call",
    [
        DecisionCall(DecisionRequest.of("It broke.", {"angry": PredicateQuestion("Is it angry?")}), "own"),
        DecisionCall(
            DecisionRequest.of("It works.", {"angry": PredicateQuestion("Is it angry?")}), "decisions"
        ),
        DecisionCall(
            DecisionRequest.of("It broke.", {"angry": PredicateQuestion("Is it mad?")}), "decisions"
        ),
        DecisionCall(
            DecisionRequest.of("It broke.", {"mad": PredicateQuestion("Is it angry?")}), "decisions"
        ),
        Request.of("It broke."),
    ],
)
def test_a_decision_has_a_key_of_its_own(call):
    keys = ContentKeys(CustomModel())
    asked = DecisionRequest.of("It broke.", {"angry": PredicateQuestion("Is it angry?")})
    assert keys.of(call) != keys.of(DecisionCall(asked, "decisions"))
    assert keys.of(DecisionCall(asked, "decisions")) == keys.of(DecisionCall(asked, "decisions"))


def test_a_letter_has_the_key_of_its_chat_request():
    asked = DecisionRequest.of("It broke.", {"angry": PredicateQuestion("Is it angry?")})
    call, keys = letter_request(asked, "angry", (1, 0)), ContentKeys(CustomModel())
    assert keys.of(call) == keys.of(Request(call.messages, call.parameters))


@pytest.mark.parametrize("reading", [(1.0,), (0.5, 0.6), (-0.5, 1.5)])
def test_a_reading_must_be_a_distribution_over_the_options(reading):
    result = DecisionAnswers({"q": DecisionAnswer((0.5, 0.5), 1.0, readings=((0.5, 0.5), reading))})
    assert find_fault(result, {"q": 2}) == "a reading of 'q' is no distribution over 2 options"


def test_a_probability_may_be_off_by_a_millionth_at_both_ends():
    # a predicate's yes of 1.0000004 leaves -.0000004 for no; two decimals could not show either
    assert DecisionAnswer.of([-4e-7, 1.0000004]).masses == (0.0, 1.0)
    with pytest.raises(ValueError, match="probability"):
        DecisionAnswer.of([-2e-6, 1.0])


ANSWERS = [
    {"type": "predicate", "name": "angry", "probability": 0.75},
    {
        "type": "choice",
        "choice": "sales",
        "confidence": 0.5,
        "probabilities": [{"value": "sales", "probability": 0.75}, {"value": "billing", "probability": 0.25}],
    },
    {"type": "refusal", "name": "tone"},
]


def test_the_body_has_the_fields_of_the_client():
    assert decisions_body("m", REQUEST) == {
        "model": "m",
        "input": [{"type": "message", "role": "user", "content": "It broke."}],
        "questions": [
            {"type": "predicate", "name": "angry", "instructions": "Is it angry?"},
            {
                "type": "choice",
                "name": "team",
                "instructions": "Which team?",
                "choices": [{"value": "billing", "description": "money"}, {"value": "sales"}],
            },
            {
                "type": "score",
                "name": "tone",
                "instructions": "How kind?",
                "levels": [{"label": "rude"}, {"label": "kind", "description": "warm words"}],
            },
        ],
    }


def test_an_image_is_a_part_of_its_message():
    message = Message("user", (TextPart("What is it?"), ImagePart("data:image/png;base64,AAAA")))
    body = decisions_body("m", DecisionRequest((message,), ASKED))
    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
    ]


def test_answers_are_put_into_the_order_of_the_options():
    result = decisions_answers({"answers": ANSWERS}, REQUEST)
    assert result["angry"].masses == (0.25, 0.75)
    assert result["team"].masses == (0.25, 0.75)
    assert result["tone"].refused


@pytest.mark.parametrize(
    "answers",
    [
        ANSWERS[:2],
        [ANSWERS[1], ANSWERS[0], ANSWERS[2]],
        [ANSWERS[0], {"type": "choice", "probabilities": [{"value": "sales", "probability": 1}]}, ANSWERS[2]],
        [{"type": "predicate", "probability": 1.4}, *ANSWERS[1:]],
        [{"probability": 0.5}, *ANSWERS[1:]],
    ],
)
def test_systemone_answers_to_unknown_questions_are_refused(answers):
    with pytest.raises((ValueError, KeyError)):
        decisions_answers({"answers": answers}, REQUEST)


QUESTION = ScoreQuestion("How good?", (Option("bad"), Option("fair", "has faults"), Option("good")))


WITH_INSTRUCTIONS = DecisionRequest(
    (Message("system", "Judge."), Message("user", "The text.")), {"q": QUESTION}
)


def reply(*top: tuple[str, float]) -> Reply:
    result = tuple((token, math.log(share)) for token, share in top)
    return Reply(top[0][0], logprobs=(TokenLogprob(*result[0], result),))


def test_every_option_is_once_in_every_position():
    orders = rotations(4)
    assert all(sorted(positions) == [0, 1, 2, 3] for positions in (*orders, *zip(*orders, strict=True)))


def test_the_question_follows_the_text_with_its_options_in_order():
    request = letter_request(WITH_INSTRUCTIONS, "q", (2, 0, 1))
    assert isinstance(request, Request)
    assert [message.role for message in request.messages] == ["system", "user"]
    text = request.messages[1].text
    assert text.startswith("The text.\n\nHow good?\n\nA: good\nB: bad\nC: fair: has faults\n")
    assert "A to C" in text
    assert (request.parameters.max_tokens, request.parameters.top_logprobs) == (1, 20)


def test_masses_return_to_the_order_of_the_options():
    # the order (2, 0, 1) puts good at A, bad at B and fair at C
    result = letter_masses(reply(("A", 0.5), ("B", 0.25), (" C", 0.25)), (2, 0, 1))
    assert result.masses == pytest.approx((0.25, 0.25, 0.5))


def test_tokens_that_are_no_letter_are_left_out_and_counted():
    result = letter_masses(reply(("A", 0.5), (" A", 0.1), ("The", 0.2), ("AB", 0.1), ("D", 0.1)), (0, 1, 2))
    assert result.masses == (1.0, 0.0, 0.0)
    assert result.covered == pytest.approx(0.6)


def test_without_a_letter_the_answer_states_the_reason():
    result = letter_masses(reply(("The", 0.9), ("I", 0.1)), (0, 1, 2))
    assert result.masses == ()
    assert "must be whole tokens" in result.reason


def test_without_log_probabilities_there_is_no_answer():
    assert letter_masses(Reply("A"), (0, 1)) is None


def test_the_order_bias_of_a_model_that_always_says_a_is_as_large_as_it_can_be():
    # always the first letter: each order gives all mass to another option, so the mean is 1/3 each, and each
    # order is (|1 - 1/3| + 1/3 + 1/3) / 2 = 2/3 away from it
    answers = [letter_masses(reply(("A", 1.0)), order) for order in rotations(3)]
    result = average_answers(answers, 3)
    assert result.masses == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert result.order_bias == pytest.approx(2 / 3)


def test_an_order_without_probabilities_leaves_no_balanced_mean():
    result = average_answers([DecisionAnswer((0.5, 0.5), 1.0), None], 2)
    assert result.masses == ()
    assert result.reason == "1 of 2 orders of the options have probabilities"


def test_letters_with_almost_no_mass_are_no_answer():
    result = letter_masses(reply(("I", 0.95), ("A", 0.002)), (0, 1, 2, 3, 4))
    assert result.masses == ()
    assert "the letters have 0.002 of the next token's probability, and 0.1 is the least" in result.reason
    assert letter_masses(reply(("I", 0.85), ("A", 0.15)), (0, 1)).masses == (1.0, 0.0)


def test_the_spread_over_orders_gives_a_standard_error():
    result = average_answers(
        [DecisionAnswer((0.2, 0.8)), DecisionAnswer((0.4, 0.6)), DecisionAnswer((0.6, 0.4))], 3
    )
    # .8, .6 and .4: a standard deviation of .2, by the root of 3
    assert result.standard_error((0, 1)) == pytest.approx(0.2 / 3**0.5)


def test_equal_readings_or_a_single_reading_have_no_known_error():
    assert math.isnan(DecisionAnswer((0.2, 0.8)).standard_error((0, 1)))
    alike = average_answers([DecisionAnswer((0.2, 0.8)), DecisionAnswer((0.2, 0.8))], 2)
    assert math.isnan(alike.standard_error((0, 1)))


YES = PredicateQuestion("Is it?")


class CustomModel:
    name, signature, limits = "own", Signature.of("chat", model="own"), DecisionLimits(questions=2)

    def __init__(self):
        self.asked = 0

    async def decide(self, request):
        self.asked += 1
        return DecisionAnswers({})


def test_an_image_is_refused_by_a_model_that_reads_texts_only():
    request = DecisionRequest((Message("user", (ImagePart("data:image/png;base64,AAAA"),)),), {"q": YES})
    with pytest.raises(InputError, match="own decides about texts and reads no images"):
        check_decision(request, CustomModel.limits, "own")


def test_too_many_options_are_refused():
    question = ChoiceQuestion("Which?", tuple(Option(str(number)) for number in range(4)))
    with pytest.raises(InputError, match="2 to 3 options, got 4 in question 'q'"):
        check_decision(DecisionRequest.of("t", {"q": question}), DecisionLimits(options=3), "own")


def test_too_many_questions_are_refused_before_anything_is_sent():
    model = CustomModel()
    with pytest.raises(InputError, match="own takes 2 questions at once, got 3"):
        decide(model, [DecisionRequest.of("t", dict.fromkeys("abc", YES))], ledger=False)
    assert model.asked == 0


def test_no_request_is_refused():
    with pytest.raises(InputError, match="at least one"):
        decide(CustomModel(), [])


def test_a_signature_of_the_wrong_type_is_refused():
    model = CustomModel()
    model.signature = "own"
    with pytest.raises(InputError, match="signature of a decision model"):
        decide(model, [DecisionRequest.of("t", {"q": YES})])


class Answering(CustomModel):
    def __init__(self, answers):
        self.answers = answers

    async def decide(self, request):
        return DecisionAnswers(self.answers)


def answered(answers):
    question = ScoreQuestion("How good?", tuple(map(Option, ("bad", "fair", "good"))))
    result = decide(
        Answering(answers), [DecisionRequest.of("t", {"q": question})], ledger=False, retries=Retries(0)
    )
    return result.answers[0]["q"]


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"q": DecisionAnswer((2, 3, 0))}, "the probabilities of 'q' must be from 0 to 1, got 2"),
        ({"q": DecisionAnswer((0.5, 0.2, 0.1))}, "the probabilities of 'q' sum to 0.8"),
        ({"q": DecisionAnswer((0.5, 0.5))}, "'q' has 3 options and 2 probabilities"),
        ({"q": DecisionAnswer((float("nan"), 0.5, 0.5))}, "must be from 0 to 1, got nan"),
        ({"q": DecisionAnswer()}, "the answer to 'q' has neither probabilities nor a reason"),
        ({}, "there is no answer to 'q'"),
        ({"q": DecisionAnswer.of([0, 0, 1]), "r": DecisionAnswer.refusal()}, "there is no question 'r'"),
    ],
)
def test_invalid_answers_of_a_custom_model_are_not_used(answers, reason):
    result = answered(answers)
    assert result.masses == ()
    assert result.reason.startswith("own answered with decisions that cannot be used: ")
    assert reason in result.reason


def test_the_order_bias_that_a_custom_model_states_is_stored():
    assert answered({"q": DecisionAnswer((0.0, 0.25, 0.75), 1.0, order_bias=0.125)}).order_bias == 0.125


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
        (("decisions", "completions"), "decisions", 1e-12),
        (("completions",), "next-token", 1e-9),
    ],
)
def test_the_first_form_that_the_endpoint_takes_gives_the_same_answers(decider, run, speaks, form, tolerance):
    decider.speaks = speaks
    result = run()
    assert result.form == form
    assert len(result.refused_forms) == {"decisions": 0, "next-token": 1}[form]
    masses = [answer.masses for answer in result.answers[0].values()]
    wanted = [(0.1, 0.9), (0.2, 0.8), (0.3, 0.7)]
    assert [pytest.approx(expected, abs=tolerance) for expected in wanted] == masses
    assert result.counts == {"answered": 3, "refused": 0, "unusable": 0, "normalised": 0}


def test_all_questions_fit_in_a_single_request(decider, run):
    assert len(run(requests(5)).answers) == 5
    assert decider.paths == ["decisions"] * 5


@pytest.mark.exhaustive
def test_letters_cost_a_call_per_question_and_order(decider, run):
    decider.speaks = ("completions",)
    run(requests(3))
    # three questions of two options: 6 calls a request, after one try of the endpoint's decisions
    assert decider.paths == ["decisions"] + ["completions"] * 18


def test_a_preference_for_the_first_letter_is_reported_as_order_bias(decider, run):
    decider.speaks, decider.favours = ("completions",), 1.0
    answer = run().answers[0]["tone"]
    # rude .3, kind .7: with the first letter favoured by e, P(rude) is .3e / (.3e + .7) = .5381 where it
    # stands first, and .3 / (.3 + .7e) = .1362 where it stands second; their mean is .3371, .2010 from each
    assert answer.masses == pytest.approx((0.3371, 0.6629), abs=1e-4)
    assert answer.order_bias == pytest.approx(0.2010, abs=1e-4)


def test_replies_are_stored_in_the_ledger(decider, run):
    first = run(requests(3))
    n_sent = len(decider.requests)
    assert run(requests(3)).answers == first.answers
    assert len(decider.requests) == n_sent


def test_refusals_and_rounded_probabilities_are_counted(decider, run):
    sums = {"no": 0.1, "yes": 0.9, "billing": 0.33, "sales": 0.66}
    decider.masses = lambda asked, names, text: None if "rude" in names else [sums[name] for name in names]
    result = run()
    assert result.counts == {"answered": 2, "refused": 1, "unusable": 0, "normalised": 1}
    assert result.answers[0]["team"].masses == pytest.approx((1 / 3, 2 / 3))


def test_a_sum_beyond_rounding_is_no_answer_and_is_not_paid_for_again(decider, run):
    decider.masses = lambda asked, names, text: [0.2] * len(names)
    result = run(retries=Retries(3, first_wait=0))
    assert result.counts["unusable"] == 2  # the predicate states one probability only
    assert result.answers[0]["tone"].reason.startswith("the probabilities sum to 0.4")
    assert len(decider.requests) == 1


def test_a_call_that_fails_for_a_while_is_repeated(decider, run):
    decider.planned.append((503, {"error": "busy"}))
    assert run(retries=Retries(1, first_wait=0)).form == "decisions"
    assert decider.paths == ["decisions", "decisions"]


MALFORMED = (200, {"answers": [{"type": "predicate"}] * 3})


def test_malformed_answers_are_retried_and_then_fail(decider, run):
    decider.planned.extend([MALFORMED] * 2)
    result = run(requests(2), retries=Retries(1, first_wait=0))
    assert result.answers[0]["tone"].reason == (
        "m answered with decisions that cannot be read: the field 'probability' is missing"
    )
    assert (result.form, result.counts["unusable"]) == ("decisions", 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("retries", "tries"),
    [
        (Retries(1, first_wait=0), 2),
        (Retries(6, first_wait=0), 5),  # a run ends when the first call was repeated four times
    ],
)
def test_malformed_answers_to_three_requests_mark_a_form_as_unsupported(decider, run, retries, tries):
    decider.planned.extend([MALFORMED] * 3 * tries)
    result = run(requests(20), retries=retries)
    assert result.form == "next-token"
    assert "the field 'probability' is missing" in result.refused_forms["decisions"]
    assert decider.paths == ["decisions"] * 3 * tries + ["completions"] * 20 * 6


@pytest.mark.exhaustive
def test_malformed_decisions_after_other_failures_end_too(decider, run):
    decider.planned.extend([(503, {}), *[MALFORMED] * 16])
    result = run(requests(4), retries=Retries(6, first_wait=0))
    assert result.form == "next-token"
    # 7 calls for the first request, then 5 for each of two, as a new run counts its first failures anew
    assert decider.paths.count("decisions") == 7 + 5 + 5


POLICY = (400, {"error": {"message": "content policy"}})
REJECTED = (400, {"error": {"message": "bad request"}})


@pytest.mark.exhaustive
def test_a_filtered_request_does_not_decide_the_form(decider, run):
    decider.planned.extend([POLICY, (501, {"error": {"message": "not implemented"}})])
    result = run(requests(4))
    assert result.form == "next-token"
    assert result.counts == {"answered": 12, "refused": 0, "unusable": 0, "normalised": 0}
    assert decider.paths == ["decisions"] * 2 + ["completions"] * 4 * 6


def test_a_filtered_request_is_refused_and_the_rest_are_answered(decider, run):
    decider.planned.append(POLICY)
    result = run(requests(4))
    assert (result.form, result.refused_forms) == ("decisions", {})
    assert result.counts == {"answered": 9, "refused": 3, "unusable": 0, "normalised": 0}
    assert "content policy" in result.answers[0]["tone"].reason
    assert decider.paths == ["decisions"] * 4


def test_a_rejected_request_does_not_decide_the_form(decider, run):
    decider.planned.append(REJECTED)
    result = run(requests(4))
    assert (result.form, result.refused_forms) == ("decisions", {})
    # the other three have three answers each
    assert result.counts == {"answered": 9, "refused": 0, "unusable": 3, "normalised": 0}
    assert "bad request" in result.answers[0]["tone"].reason == result.reason
    assert decider.paths == ["decisions"] * 4


@pytest.mark.exhaustive
def test_three_rejected_requests_mark_a_form_as_unsupported(decider, run):
    decider.planned.extend([REJECTED] * 3)
    result = run(requests(4))
    assert result.form == "next-token"
    assert decider.paths == ["decisions"] * 3 + ["completions"] * 4 * 6


def test_an_endpoint_that_answers_with_nothing_takes_no_decisions(decider, run):
    decider.planned.append((200, {}))
    result = run()
    assert result.form == "next-token"
    assert result.refused_forms["decisions"].endswith("contains no answers")


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (501, {"error": {"message": "not implemented"}}, "501"),
        (200, " <!doctype html><title>Log in</title>", "returns a web page at /decisions"),
    ],
)
def test_an_address_without_decisions_is_not_tried_again(decider, run, status, body, why):
    decider.planned.append((status, body))
    result = run(requests(2), retries=Retries(3, first_wait=0))
    assert result.form == "next-token"
    assert why in result.refused_forms["decisions"]
    assert decider.paths == ["decisions"] + ["completions"] * 2 * 6


def test_letters_are_never_counted_as_mended():
    answers = ({"q": DecisionAnswer((0.5, 0.5), 0.8)},)
    assert DecisionRun(answers, "decisions", {}).counts["normalised"] == 1
    assert DecisionRun(answers, "next-token", {}).counts["normalised"] == 0


def test_a_cap_on_calls_stops_the_run_and_keeps_received_answers(decider, run):
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


def test_an_unknown_model_is_reported_by_the_chat_call(decider, run):
    decider.speaks = ()
    with pytest.raises(ReplyError, match="check the model's name"):
        run()
