"""A judge from questions and answers to verdicts, with chat models that say what a test wants."""

import asyncio
import json

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running

import semscale
from semscale.chat.messages import CallError, FailureKind, Reply, TokenLogprob
from semscale.chat.settings import Budget
from semscale.errors import InputError, ReplyError, UnfinishedWarning
from semscale.judging.judge import Judge, judge
from semscale.judging.requests import JudgeState
from semscale.judging.verdict import Provenance
from semscale.types import Status

FOUR = '{"score": 4, "explanation": "a date is missing"}'


def test_a_verdict_holds_score_explanation_and_reply(running):
    verdict = Judge(Scripted(lambda _: FOUR)).judge(["When?"], ["1066"], running=running)[0]
    assert (verdict.score, verdict.expected, verdict.status) == (0.75, 0.75, Status.SCORED)
    assert verdict.distribution == ((0.75, 1.0),)
    assert verdict.provenance is Provenance.SINGLE
    assert np.isnan(verdict.covered)
    assert (verdict.explanation, verdict.replies) == ("a date is missing", (FOUR,))


def test_what_cannot_be_judged_has_a_status_and_is_not_asked_about(running):
    model = Scripted(lambda _: FOUR)
    questions = ["q", "", None, 3, "q", "q", float("nan")]
    answers = ["a", "a", "a", "a", "  ", None, "a"]
    verdicts = Judge(model).judge(questions, answers, running=running)
    assert [str(status) for status in verdicts.status] == [
        "scored", "empty", "missing", "not-text", "empty", "missing", "missing"
    ]  # fmt: skip
    assert len(model.requests) == 1
    assert np.isnan(verdicts.score[1:]).all()
    assert verdicts.counts == {Status.SCORED: 1, Status.MISSING: 3, Status.NOT_TEXT: 1, Status.EMPTY: 2}


def test_unreadable_reply_is_corrected_and_stays_in_the_conversation(running):
    model = Scripted(lambda request: "Score: 2" if len(request.messages) > 2 else "4 or 5")
    verdict = Judge(model).judge(["q"], ["a"], running=running)[0]
    assert (verdict.score, verdict.replies) == (0.25, ("4 or 5", "Score: 2"))
    stated = model.requests[1].messages
    assert [message.role for message in stated] == ["system", "user", "assistant", "user"]
    assert stated[2].text == "4 or 5"
    assert "did not state one score" in stated[3].text


@pytest.mark.parametrize("corrections", [0, 1, 3])
def test_what_stays_unreadable_has_no_score(running, corrections):
    model = Scripted(lambda _: "4 or 5")
    verdict = Judge(model, corrections=corrections).judge(["q"], ["a"], running=running)[0]
    assert (verdict.status, len(verdict.replies)) == (Status.UNPARSABLE, corrections + 1)
    assert np.isnan(verdict.score)
    assert verdict.distribution == ()


@pytest.mark.parametrize(
    "stated", ["I'm sorry, but I can't.", CallError("the filter declined", kind=FailureKind.REFUSED)]
)
def test_a_refusal_is_not_asked_again(running, stated):
    model = Scripted(lambda _: stated)
    verdict = Judge(model).judge(["q"], ["a"], running=running)[0]
    assert verdict.status is Status.REFUSED
    assert len(model.requests) == 1


def test_failed_call_affects_only_its_item(running):
    broken = CallError("the endpoint hung up", kind=FailureKind.CONNECTION)
    model = Scripted(lambda request: broken if material(request) == "b" else FOUR)
    verdicts = Judge(model).judge(["q"] * 3, ["a", "b", "c"], running=running)
    assert [str(status) for status in verdicts.status] == ["scored", "failed", "scored"]
    assert verdicts[1].reason == "the endpoint hung up"


def test_a_wrong_key_ends_the_run(running):
    model = Scripted(lambda _: CallError("the key is wrong", kind=FailureKind.DENIED))
    with pytest.raises(ReplyError, match="the key is wrong"):
        Judge(model).judge(["q"], ["a"], running=running)


def test_samples_give_shares(running):
    model = Scripted(lambda request: ["Score: 4", "Score: 5", "hm", "Score: 4"][request.sample])
    judging = Judge(model, samples=4, corrections=0)
    verdict = judging.judge(["q"], ["a"], running=running)[0]
    # 4, 5 and 4 of 5: two thirds at .75, one third at 1; three of four replies state a level.
    assert verdict.score == 0.75
    assert verdict.distribution == ((0.75, pytest.approx(2 / 3)), (1.0, pytest.approx(1 / 3)))
    assert verdict.expected == pytest.approx(5 / 6)
    assert (verdict.provenance, verdict.covered) == (Provenance.SAMPLES, 0.75)
    # Around 5/6 the three lie -1/12, -1/12 and 2/12: squares of 6/144, a variance of 3/144, by 3: 1/144.
    assert verdict.standard_error == pytest.approx(1 / 12)
    assert {request.parameters.temperature for request in model.requests} == {1.0}


def token(text, *top):
    return TokenLogprob(text, dict(top).get(text, -0.1), tuple(top))


def reply_with_logprobs(_):
    log = np.log
    top = (("4", log(0.6)), ("5", log(0.2)), ("3", log(0.1)), ("four", log(0.05)))
    return Reply(
        '{"score": 4}', logprobs=(token('{"'), token("score"), token('": '), token("4", *top), token("}"))
    )


def test_logprobs_give_the_distribution_at_the_position_of_the_score(running):
    verdict = Judge(Scripted(reply_with_logprobs)).judge(["q"], ["a"], running=running)[0]
    # .6, .2 and .1 of .9 that is on levels: expected (.6*.75 + .2*1 + .1*.5) / .9
    assert verdict.provenance is Provenance.LOGPROBS
    assert verdict.covered == pytest.approx(0.9)
    assert verdict.expected == pytest.approx((0.6 * 0.75 + 0.2 + 0.1 * 0.5) / 0.9)
    assert verdict.score == 0.75


def test_without_logprobs_nothing_is_pretended(running):
    model = Scripted(
        lambda request: reply_with_logprobs(request) if request.parameters.top_logprobs else FOUR
    )
    verdicts = Judge(model, logprobs=False).judge(["q"], ["a"], running=running)
    assert verdicts.provenances == {Provenance.SINGLE: 1}
    assert ("logprobs", "none") in verdicts.signature.fields


@pytest.mark.parametrize("schema", [True, False])
@pytest.mark.parametrize("logprobs", [True, False])
def test_a_judge_finds_out_what_its_model_takes(running, schema, logprobs):
    model = Scripted(lambda _: FOUR if schema else "Score: 4", takes_schema=schema, takes_logprobs=logprobs)
    verdicts = Judge(model).judge(["q", "r"], ["a", "b"], running=running)
    assert verdicts.score.tolist() == [0.75, 0.75]
    applied = dict(verdicts.signature.fields)
    assert applied["structured"] == ("yes" if schema else "no")
    assert all((request.parameters.schema is not None) == schema for request in model.requests)
    assert {request.parameters.top_logprobs for request in model.requests} == {20 if logprobs else None}


@pytest.mark.parametrize(
    ("explanation", "takes_schema", "score"),
    [
        ("Of the 5 points, 2 are new.", True, 1.0), ("Of the 5 points, 2 are new.", False, 1.0),
        ("I retract the score.", True, 1.0), ("I retract the score.", False, np.nan),
    ],
)  # fmt: skip
def test_the_score_of_a_reply_under_a_schema_counts_even_if_its_explanation_retracts_it(
    running, explanation, takes_schema, score
):
    reply = json.dumps({"score": 5, "explanation": explanation})
    judge_of = Judge(Scripted(lambda _: reply, takes_schema=takes_schema), corrections=0)
    np.testing.assert_equal(judge_of.judge(["q"], ["a"], running=running).score.tolist(), [score])


def test_probabilities_that_were_asked_for_and_never_came_are_in_no_signature(running):
    plain = Judge(Scripted(lambda _: FOUR)).judge(["q"], ["a"], running=running)
    assert ("logprobs", "none") in plain.signature.fields
    inputs = Judge(Scripted(reply_with_logprobs)).judge(["q"], ["a"], running=running)
    assert ("logprobs", "20") in inputs.signature.fields


def test_a_schema_that_the_model_ignores_is_in_no_signature(running):
    def judged(*replies):
        stated = iter(replies)
        model = Scripted(lambda _: next(stated))
        rows = [f"answer {number}" for number in range(len(replies))]
        return dict(
            Judge(model, corrections=0).judge(["q"] * len(rows), rows, running=running).signature.fields
        )

    assert judged(FOUR, FOUR)["structured"] == "yes"
    assert judged(FOUR, "Score: 4")["structured"] == "no"  # one is enough: nothing held it to the schema
    assert judged(FOUR, Reply('{"score": 4, "expl', finish_reason="length"))["structured"] == "yes"  # cut off
    # The words of the prompt are those for a schema all the same.
    assert judged("Score: 4")["words"] == judged(FOUR)["words"]


def test_parameters_that_the_model_refused_are_not_in_the_signature(running):
    def say(request):
        left_out = ("temperature", "top_logprobs") if "first" in material(request) else ()
        return Reply(FOUR, left_out=left_out)

    custom_judge = Judge(Scripted(say), max_tokens=7)
    verdicts = custom_judge.judge(["a", "b"], ["first", "second"], running=running)
    assert "|temperature:default|max_tokens:7|" in str(verdicts.signature)
    assert "|temperature:0|max_tokens:7|" in str(custom_judge.signature)
    assert custom_judge.signature.differences(verdicts.signature).keys() == {"temperature", "logprobs"}


def test_what_was_refused_is_known_to_a_run_that_goes_on(running):
    state = JudgeState(running, ignored_schema=True, left_out=frozenset({"seed", "temperature"}))
    assert JudgeState(running).resume(state.notes()) == state


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_cap_counts_corrections_too():
    model = Scripted(lambda _: "4 or 5")
    verdicts = Judge(model, corrections=5).judge(["q"], ["a"], running=plain_running(budget=Budget(calls=3)))
    assert (verdicts[0].status, len(model.requests)) == (Status.UNFINISHED, 3)


def test_it_waits_inside_a_running_event_loop(running):
    async def notebook():
        return Judge(Scripted(lambda _: FOUR)).judge(["q"], ["a"], running=running)

    assert asyncio.run(notebook()).score.tolist() == [0.75]


def test_it_can_be_awaited(running):
    verdicts = asyncio.run(Judge(Scripted(lambda _: FOUR)).judge_async(["q"], ["a"], running=running))
    assert verdicts.score.tolist() == [0.75]


def test_connections_are_closed_at_the_end(running):
    model = Scripted(lambda _: FOUR)
    Judge(model).judge(["q"] * 2, ["a", "b"], running=running)
    assert model.closed == 1


def test_all_references_are_shown_to_the_judge(running):
    model = Scripted(lambda _: FOUR)
    verdicts = Judge(model).judge(
        ["q"] * 4, ["a"] * 4, references=["1066", ["1066", None, "in 1066"], None, ["", " "]], running=running
    )
    assert [str(status) for status in verdicts.status] == ["scored", "scored", "no-reference", "no-reference"]
    shown = {material(request, "REFERENCE") for request in model.requests}
    assert shown == {"1066", "1066\n\nor:\n\nin 1066"}


def test_a_scale_of_the_library_is_a_template(running):
    verdicts = judge(
        ["q"],
        ["a"],
        chat_model=Scripted(lambda _: '{"score": 2}'),
        template="quality",
        rubric="Only grammar counts.",
        running=running,
    )
    assert verdicts.template.name == "quality"
    assert verdicts.score.tolist() == [0.25]
    assert verdicts.pmf.tolist() == [[0, 1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"samples": 3, "temperature": 0}, "temperature must be > 0 for 3 samples"),
        ({"corrections": -1}, "corrections must be between 0 and 20, got -1"),
        ({"rubric": 3}, "rubric must be a text, got 3"),
        ({"reference_place": "middle"}, "reference_place must be after or before"),
        ({"temperature": -1}, "temperature must be from 0 to 100"),
    ],
)  # fmt: skip
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        Judge(Scripted(lambda _: FOUR), **settings)


def test_unequal_lengths_are_both_named(running):
    judging = Judge(Scripted(lambda _: FOUR))
    with pytest.raises(InputError, match="got 2 questions and 1 answers"):
        judging.judge(["q", "r"], ["a"], running=running)
    with pytest.raises(InputError, match="got 1 questions and 1 answers and 2 references"):
        judging.judge(["q"], ["a"], references=["x", "y"], running=running)


def test_missing_api_key_is_reported_before_reading_inputs(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        semscale.judge(["q"], ["a"], chat_model="gpt-4o-mini")


def test_nothing_to_judge_is_no_error(running):
    verdicts = Judge(Scripted(lambda _: FOUR)).judge([], [], running=running)
    assert (len(verdicts), verdicts.to_frame().height, verdicts.counts) == (0, 0, {})


def test_the_table_has_everything(running):
    frame = Judge(Scripted(lambda _: FOUR)).judge(["q", None], ["a", "a"], running=running).to_frame()
    assert frame.columns == [
        "status", "score", "expected", "confidence", "standard_error", "provenance", "covered", "order_bias",
        "explanation", "replies", "reason",
        "p_1", "p_2", "p_3", "p_4", "p_5",
    ]  # fmt: skip
    assert frame["score"].to_list() == [0.75, None]
    assert frame["p_4"].to_list() == [1.0, None]
    assert frame["replies"].to_list() == [[FOUR], []]
    assert frame["covered"].null_count() == 2


def test_a_mean_says_how_many_it_left_out(running):
    model = Scripted(lambda request: f"Score: {material(request)}")
    verdicts = Judge(model).judge(["q"] * 3, ["1", "5", ""], running=running)
    overall = verdicts.estimate().overall
    assert (overall.mean.value, overall.n, overall.left_out) == (0.5, 2, {"empty": 1})


def test_a_filter_that_stops_the_first_item_shows_nothing_about_the_form(running):
    def say(request):
        if "item 0" in request.messages[-1].text:
            raise CallError("filtered", kind=FailureKind.REFUSED)
        if request.parameters.schema is not None:
            raise CallError("no schemas", kind=FailureKind.REJECTED)
        return "Score: 4"

    model = Scripted(say)
    result = Judge(model).judge(["q"] * 4, [f"item {number}" for number in range(4)], running=running)
    assert [str(status) for status in result.status] == ["refused", "scored", "scored", "scored"]
    assert dict(result.signature.fields)["structured"] == "no"


def test_model_that_refuses_schemas_is_asked_with_a_schema_only_once(running):
    def say(request):
        if request.parameters.schema is not None:
            raise CallError("no schemas", kind=FailureKind.UNSUPPORTED)
        return "Score: 4"

    model = Scripted(say)
    result = Judge(model).judge(["q", "r"], ["a", "b"], running=running)
    assert result.score.tolist() == [0.75, 0.75]
    assert [request.parameters.schema is not None for request in model.requests] == [True, False, False]
    assert [refusal.form for refusal in result.refused_forms] == [
        "prose by a schema with 20 log-probabilities"
    ]


def test_references_may_follow_the_answers_as_in_match():
    model = Scripted(lambda _: "Score: 4")
    both = [
        judge(["q"], ["a"], ["known right"], chat_model=model, running=plain_running()),
        Judge(model).judge(["q"], ["a"], references=["known right"], running=plain_running()),
    ]
    assert [verdicts.score.tolist() for verdicts in both] == [[0.75]] * 2  # 4 of 1 to 5
    assert all("known right" in request.messages[-1].text for request in model.requests)


def test_judge_warns_where_a_cap_ends_the_run_and_names_the_reason():
    questions, answers = [f"q{row}" for row in range(4)], list("abcd")
    running = plain_running(budget=Budget(calls=1))
    model = Scripted(lambda _: "Score: 4")
    with pytest.warns(UnfinishedWarning) as warned:
        verdicts = judge(questions, answers, chat_model=model, running=running)
    # One call brings one of four scores.
    assert (verdicts.n_scored, len(warned)) == (1, 1)
    assert str(warned[0].message).startswith(
        "the run ended early, with 3 of 4 items unfinished: the cap of 1 calls is reached"
    )
    assert warned[0].filename == __file__
    with pytest.warns(UnfinishedWarning) as warned:
        Judge(model).judge(questions, answers, running=running)
    assert warned[0].filename == __file__
