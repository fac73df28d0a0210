"""P(True): from a token, among the requests of a run, and by typed decisions."""

import asyncio
import math

import numpy as np
import pytest
from tests.support.scripted_chat import ScriptedChat

from semscale.answer_consistency.asking import AskedModel, Sampling, Stopping
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.p_true import (
    P_TRUE,
    PTrueForms,
    ask_p_true,
    p_true,
    p_true_request,
    with_p_true_forms,
)
from semscale.chat import CallError, FailureKind, Message
from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.chat.messages import Reply, TokenLogprob
from semscale.chat.runner import Runner
from semscale.chat.settings import Limits
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Status


class SureJudge:
    name = "sure"
    signature = Signature.of("chat", model="sure")

    def __init__(self, reply):
        self.reply = reply

    async def complete(self, request):
        assert request.parameters.top_logprobs
        return self.reply


def token(text, share, *alternatives):
    top = ((text, math.log(share)), *((name, math.log(p)) for name, p in alternatives))
    return TokenLogprob(text, math.log(share), top)


def test_spellings_of_a_word_are_summed():
    # True .3 + true .1 beside False .4 + FALSE .2: .4 / 1.0
    assert p_true([token(" False", 0.4, ("true", 0.1), ("True", 0.3), ("FALSE", 0.2))]) == pytest.approx(0.4)


def test_the_first_token_that_says_it_counts():
    assert p_true([token("**", 0.9), token("True", 0.9, ("False", 0.1))]) == pytest.approx(0.9)


def test_a_word_before_it_leaves_no_value():
    assert math.isnan(p_true([TokenLogprob("Not", -0.1), TokenLogprob(" true", -0.1)]))


def test_the_remaining_probability_goes_to_the_token_that_is_not_shown():
    assert p_true([TokenLogprob("False", math.log(0.7))]) == pytest.approx(0.3)
    assert p_true([TokenLogprob("True", math.log(0.7))]) == pytest.approx(0.7)


@pytest.mark.parametrize("tokens", [None, (), [TokenLogprob("Perhaps", -0.1)]])
def test_without_either_word_there_is_no_value(tokens):
    assert math.isnan(p_true(tokens))


def test_alternative_answers_are_shown_once_without_the_proposed_answer():
    text = p_true_request("Q?", "Paris", ["Rome", "Rome", "Paris", " "]).messages[-1].text
    assert text.count("Possible answer:") == 1
    assert "Proposed answer: Paris" in text


def test_an_answer_that_is_missing_is_not_asked_about():
    tokens = (token("True", 0.8, ("False", 0.2)),)
    model = SureJudge(Reply("True", logprobs=tokens))
    result = asyncio.run(ask_p_true(["Q?", "R?"], ["Paris", None], None, Runner(model, ledger=False)))
    np.testing.assert_allclose(result, [0.8, np.nan])
    with pytest.raises(InputError, match="equal lengths"):
        asyncio.run(ask_p_true(["Q?"], ["a", "b"], None, Runner(model, ledger=False)))


ASKED = "Is the proposed answer True or False?"


class Sure(ScriptedChat):
    """Answers by a script; says True with the probability that stands for the question in ``sure``."""

    def __init__(self, script, sure):
        super().__init__(script)
        self.sure, self.judged = sure, []

    async def complete(self, request):
        text = request.messages[-1].text
        if ASKED not in text:
            return await super().complete(request)
        self.judged.append(text)
        share = next(share for prompt, share in self.sure.items() if prompt in text)
        return Reply("True", logprobs=(TokenLogprob("True", math.log(share)),))


def ask(chat, prompts, **settings):
    tool = Consistency(chat, measures=["exact_match", "p_true"])
    return tool.ask(prompts, runner=Runner(chat, ledger=False), **settings)


def test_the_samples_that_came_are_shown_before_the_answer():
    chat = Sure({"q?": ["Paris", "Rome", FailureKind.REJECTED]}, {"q?": 0.7})
    asked = ask(chat, ["q?"], n_samples=2)
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.7])
    assert chat.judged == [f"Question: q?\nPossible answer: Rome\nProposed answer: Paris\n{ASKED}"]
    assert asked.replies.counts.n_calls == 4


def test_the_prompts_that_settle_early_are_asked_about_too():
    chat = Sure({"sure?": ["yes"] * 11, "guess?": [*"abcdefghijk"]}, {"sure?": 0.9, "guess?": 0.2})
    steps = []
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5, 0.95))
    asked = ask(chat, ["sure?", "guess?"], sampling=sampling, progress=lambda *step: steps.append(step))
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.9, 0.2])
    # test_asking.py: either is settled after four samples, so that twelve are saved.
    counts = asked.replies.counts
    assert (counts.n_calls, counts.n_saved) == (2 + 8 + 2, 12)
    asking = [step[1:] for step in steps if step[0] == "asking scripted"]
    assert (asking[0], asking[-1]) == ((0, 24), (12, 12))


def test_an_answer_that_did_not_come_is_not_asked_about():
    chat = Sure({"no": [FailureKind.REFUSED], "ok": ["a", "a"]}, {"ok": 0.5})
    asked = ask(chat, ["no", "ok", None], n_samples=1)
    assert list(asked.replies.status) == [Status.REFUSED, Status.SCORED, Status.MISSING]
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [np.nan, 0.5, np.nan])
    assert len(chat.judged) == 1


def test_a_conversation_is_refused_before_anything_is_asked():
    chat = Sure({"q?": ["a", "a"]}, {})
    with pytest.raises(InputError, match="p_true needs prompts that are texts"):
        ask(chat, ["q?", [Message("user", "q?")]], n_samples=1)
    assert chat.asked == []


def test_p_true_is_refused_for_answers_without_a_model():
    with pytest.raises(InputError, match="measure p_true asks the model"):
        Consistency(measures=["p_true"]).measure(["a"], [["a"]])


PROMPTS = [f"q{n}?" for n in range(6)]


class Worded(ScriptedChat):
    """Answers by a script, and says True without log-probabilities."""

    def __init__(self, prompts):
        super().__init__({prompt: ["a"] * 11 for prompt in prompts})
        self.words = 0

    async def complete(self, request):
        if "Is the proposed answer True or False?" in request.messages[-1].text:
            self.words += 1
            return Reply("True")
        return await super().complete(request)


class Deciding(Worded):
    """Answers in words, and decides: gives yes a probability, or fails with ``failure`` if there is one."""

    limits = DecisionLimits()

    def __init__(self, prompts, yes=0.75, failure=None):
        super().__init__(prompts)
        self.yes, self.failure, self.texts = yes, failure, []

    async def decide(self, request):
        self.texts.append(request.messages[-1].text)
        if self.failure is not None:
            raise CallError("no", kind=self.failure)
        answer = DecisionAnswer.refusal() if self.yes is None else DecisionAnswer.of([1 - self.yes, self.yes])
        return DecisionAnswers(dict.fromkeys(request.questions, answer))


def serial_runner(chat):
    # One call at a time, so that replies are known before most of the next requests.
    return Runner(chat, ledger=False, limits=Limits(concurrency=1))


def ask_decisions(chat, prompts=PROMPTS, **settings):
    tool = Consistency(chat, measures=["exact_match", "p_true"])
    return tool.ask(prompts, runner=serial_runner(chat), **{"n_samples": 1, **settings})


def test_a_decision_replaces_missing_log_probabilities():
    chat = Deciding(PROMPTS, 0.75)
    asked = ask_decisions(chat)
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.75] * 6)
    assert chat.words <= 2  # the first one shows it while perhaps a second one waits in line
    assert chat.texts[0] == "Question: q0?\nProposed answer: a"
    counts = asked.replies.counts
    assert (counts.n_calls, counts.p_true_forms, counts.n_decided) == (6 * 3 + chat.words, {"own": 6}, 6)
    fields = dict(asked.consistencies.signature.fields)
    assert (fields["p_true_form"], fields["p_true_temperature"]) == ("own", "default")


@pytest.mark.parametrize(("failure", "value"), [(None, 0.75), (FailureKind.UNSUPPORTED, math.nan)])
def test_later_parts_reuse_what_the_first_part_learned_of_the_model(failure, value):
    chat = Deciding(PROMPTS, 0.75, failure)
    tool = Consistency(chat, measures=["exact_match", "p_true"])
    model, refused = AskedModel(Sampling(n_samples=1), serial_runner(chat)), []
    for start in (0, 2, 4):
        asked = asyncio.run(tool.ask_part(PROMPTS[start : start + 2], model))
        np.testing.assert_allclose(asked.consistencies.measures["p_true"], [value] * 2)
        refused.append(len(chat.texts) if failure else chat.words)
    assert refused[0] == refused[1] == refused[2]  # only the first part finds out


def test_an_unsupported_form_has_no_cost_and_is_not_tried_again():
    chat = Deciding(PROMPTS, failure=FailureKind.UNSUPPORTED)
    asked = ask_decisions(chat)
    assert len(chat.texts) <= 2
    assert chat.words == 6
    assert asked.replies.counts.failures == {}
    assert asked.replies.counts.p_true_forms == {}


def test_three_rejections_mark_a_form_as_unsupported():
    chat = Deciding(PROMPTS, failure=FailureKind.REJECTED)
    asked = ask_decisions(chat)
    # Then the others are asked for a token after all, as some replies may have probabilities.
    assert 3 <= len(chat.texts) <= 4
    assert chat.words == 6
    assert np.isnan(asked.consistencies.measures["p_true"]).all()
    assert list(asked.consistencies.status) == [Status.SCORED] * 6
    assert asked.replies.counts.n_failed == 0
    assert "p_true_form" not in dict(asked.consistencies.signature.fields)


class Rejecting(Deciding):
    """Rejects requests with log-probabilities, in terms that nobody recognizes."""

    async def complete(self, request):
        if request.parameters.top_logprobs is not None:
            self.words += 1
            raise CallError("bad request", kind=FailureKind.REJECTED)
        return await super().complete(request)


def test_a_decision_replaces_rejected_requests_for_a_token():
    chat = Rejecting(PROMPTS, 0.75)
    asked = ask_decisions(chat)
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.75] * 6)
    assert 3 <= chat.words <= 4


def test_a_decision_that_is_declined_is_missing():
    asked = ask_decisions(Deciding(PROMPTS, None))
    assert np.isnan(asked.consistencies.measures["p_true"]).all()
    assert asked.replies.counts.p_true_forms == {}


def test_prompts_that_settle_early_are_decided_too():
    chat, steps = Deciding(PROMPTS, 0.25), []
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5, 0.95))
    asked = ask_decisions(chat, n_samples=None, sampling=sampling, progress=lambda *step: steps.append(step))
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.25] * 6)
    assert chat.words == 1  # nobody else is asked about before its reply is there
    *_, last = (step[1:] for step in steps if step[0] == "asking scripted")
    assert last[0] == last[1] == asked.replies.counts.n_calls


@pytest.mark.parametrize(
    ("forms", "added"),
    [({}, None), ({"tokens": 3}, None), ({"own": 1, "tokens": 2}, "own+tokens"), ({"own": 3}, "own")],
)
def test_the_signature_names_decisions_alone(forms, added):
    signature = Signature.of("sampling", p_true_temperature=0.0)
    result = dict(with_p_true_forms(signature, forms).fields)
    assert result.get("p_true_form") == added
    assert result["p_true_temperature"] == ("default" if added == "own" else "0")
    again = with_p_true_forms(with_p_true_forms(signature, {"own": 1}), {"decisions": 2})
    assert dict(again.fields)["p_true_form"] == "decisions"


def test_samples_are_shown_and_the_form_is_named():
    forms = PTrueForms(["own"], {})
    asked = forms.request((0, P_TRUE - 1), "Q?", "Paris", ["Rome", "Paris"])
    assert asked.messages[-1].text == "Question: Q?\nPossible answer: Rome\nProposed answer: Paris"
    assert asked.form == "own"


MANY = [f"q{n}?" for n in range(60)]


class Unsure(ScriptedChat):
    """Answers by a script, and says Perhaps with its probability where it judges an answer."""

    def __init__(self, prompts, readable=lambda _: False):
        super().__init__({prompt: ["a"] * 11 for prompt in prompts})
        self.readable, self.judged = readable, 0

    async def complete(self, request):
        text = request.messages[-1].text
        if ASKED not in text:
            return await super().complete(request)
        word = "True" if self.readable(self.judged) else "Perhaps"
        self.judged += 1
        return Reply(word, logprobs=(token(word, 0.9),))


@pytest.mark.parametrize("stopping", [None, Stopping(0.5)])
@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_run_stops_after_20_replies_in_a_row_without_p_true(stopping):
    chat = Unsure(MANY)
    asked = ask(chat, MANY, sampling=Sampling(n_samples=2, stopping=stopping))
    # The calls in flight, at most 16, may still come.
    assert 20 <= chat.judged <= 20 + 16
    reason = "replies in a row have no P(True), such as 'Perhaps': leave out the measure p_true"
    assert reason in asked.replies.counts.stopped
    assert list(asked.replies.status).count(Status.UNFINISHED) == 60 - chat.judged
    assert np.isnan(asked.consistencies.measures["p_true"]).all()


def test_occasional_replies_with_p_true_let_a_run_continue():
    # The 20th and the 40th reply have it, so that no more than 20 in a row lack it at the end of the run.
    chat = Unsure(MANY[:59], readable=lambda n: n in {19, 39})
    asked = ask(chat, MANY[:59], n_samples=1)
    assert (chat.judged, asked.replies.counts.stopped) == (59, None)
    assert (~np.isnan(asked.consistencies.measures["p_true"])).sum() == 2


def test_equal_answers_to_equal_questions_count_once():
    chat = Unsure(["q?"])
    asked = Consistency(chat, measures=["exact_match", "p_true"]).ask(
        ["q?"] * 60, 1, runner=Runner(chat, ledger=False)
    )
    assert asked.replies.counts.stopped is None
    assert list(asked.replies.status) == [Status.SCORED] * 60


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_run_without_log_probabilities_stops_unless_decisions_have_p_true():
    chat = Worded(MANY)
    asked = ask(chat, MANY, n_samples=1)
    assert "have no P(True), as the model gives no log-probabilities" in asked.replies.counts.stopped
    asked = ask_decisions(Deciding(MANY, 0.75), MANY)
    assert asked.replies.counts.stopped is None
    asked = ask_decisions(Deciding(MANY, None), MANY)
    assert asked.replies.counts.stopped is None  # decisions that are declined are answers


def test_a_run_with_final_replies_without_p_true_is_complete():
    chat = Unsure(MANY[:20])
    asked = ask(chat, MANY[:20], n_samples=1)
    assert asked.replies.counts.stopped is None
    assert list(asked.replies.status) == [Status.SCORED] * 20
