"""P(True) by typed decisions, of a model that gives no log-probabilities."""

import asyncio

import numpy as np
import pytest
from scripted_chat import ScriptedChat

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.asking.p_true_forms import p_true_decision, with_p_true_forms
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.sampling import Sampling, Stopping
from semscale.chat import CallError, FailureKind
from semscale.chat.calls.limits import Limits
from semscale.chat.decisions import DecisionAnswer, DecisionAnswers, DecisionLimits
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.replies import Reply
from semscale.chat.runner import Runner
from semscale.signature import Signature
from semscale.types import Status

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


class Decider:
    """Gives yes the probability that stands for the question; fails with ``failure`` if there is one."""

    name, signature, limits = "scripted", Signature.of("chat", model="scripted"), DecisionLimits()

    def __init__(self, yes=0.75, failure=None):
        self.yes, self.failure, self.texts = yes, failure, []

    async def decide(self, request):
        self.texts.append(request.messages[-1].text)
        if self.failure is not None:
            raise CallError("no", kind=self.failure)
        answer = DecisionAnswer.refusal() if self.yes is None else DecisionAnswer.of([1 - self.yes, self.yes])
        return DecisionAnswers(dict.fromkeys(request.questions, answer))


def ask(chat, deciders, prompts=PROMPTS, **settings):
    model = DecidingChat(deciders, chat)
    # One call at a time, so that replies are known before most of the next requests.
    runner = Runner(model, ledger=False, limits=Limits(concurrency=1))
    tool = Consistency(chat, measures=["exact_match", "p_true"])
    return tool.ask(prompts, runner=runner, **{"n_samples": 1, **settings})


def test_a_decision_stands_in_where_no_log_probabilities_come():
    chat, decider = Worded(PROMPTS), Decider(0.75)
    asked = ask(chat, {"own": decider})
    np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.75] * 6)
    assert chat.words <= 2  # the first one shows it while perhaps a second one waits in line
    assert decider.texts[0] == "Question: q0?\nProposed answer: a"
    counts = asked.replies.counts
    assert (counts.n_calls, counts.p_true_forms, counts.n_decided) == (6 * 3 + chat.words, {"own": 6}, 6)
    fields = dict(asked.consistencies.signature.fields)
    assert (fields["p_true_form"], fields["p_true_temperature"]) == ("own", "default")


def test_what_one_part_of_a_run_shows_counts_for_the_next_ones():
    chat, unknown, decider = Worded(PROMPTS), Decider(failure=FailureKind.UNSUPPORTED), Decider(0.75)
    tool = Consistency(chat, measures=["exact_match", "p_true"])
    runner = Runner(
        DecidingChat({"decisions": unknown, "own": decider}, chat), ledger=False, limits=Limits(concurrency=1)
    )
    model, tried = AskedModel(Sampling(n_samples=1), runner), []
    for start in (0, 2, 4):
        asked = asyncio.run(tool.ask_part(PROMPTS[start : start + 2], model))
        np.testing.assert_allclose(asked.consistencies.measures["p_true"], [0.75] * 2)
        model = model.for_next_part()
        tried.append((chat.words, len(unknown.texts)))
    assert tried[0] == tried[1] == tried[2]  # only the first part finds out


def test_a_form_that_is_not_taken_counts_for_nothing_and_the_next_one_is_tried():
    unknown, decider = Decider(failure=FailureKind.UNSUPPORTED), Decider(0.5)
    asked = ask(Worded(PROMPTS), {"decisions": unknown, "systemone": decider})
    assert len(unknown.texts) <= 2
    assert len(decider.texts) == 6
    assert asked.replies.counts.failures == {}
    assert asked.replies.counts.p_true_forms == {"systemone": 6}


def test_three_rejections_show_that_a_form_is_not_taken():
    chat, rejecting = Worded(PROMPTS), Decider(failure=FailureKind.REJECTED)
    asked = ask(chat, {"decisions": rejecting})
    # Then the others are asked for a token after all, as some replies may have probabilities.
    assert 3 <= len(rejecting.texts) <= 4
    assert chat.words == 6
    assert np.isnan(asked.consistencies.measures["p_true"]).all()
    assert list(asked.consistencies.status) == [Status.SCORED] * 6
    assert asked.replies.counts.n_failed == 0
    assert "p_true_form" not in dict(asked.consistencies.signature.fields)


def test_a_decision_that_is_declined_is_missing():
    asked = ask(Worded(PROMPTS), {"own": Decider(None)})
    assert np.isnan(asked.consistencies.measures["p_true"]).all()
    assert asked.replies.counts.p_true_forms == {}


def test_prompts_that_settle_early_are_decided_too():
    chat, steps = Worded(PROMPTS), []
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5, 0.95))
    asked = ask(
        chat, {"own": Decider(0.25)}, n_samples=None, sampling=sampling,
        progress=lambda *step: steps.append(step),
    )  # fmt: skip
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
    found = dict(with_p_true_forms(signature, forms).fields)
    assert found.get("p_true_form") == added
    assert found["p_true_temperature"] == ("default" if added == "own" else "0")
    again = with_p_true_forms(with_p_true_forms(signature, {"own": 1}), {"systemone": 2})
    assert dict(again.fields)["p_true_form"] == "systemone"


def test_samples_are_shown_and_the_form_is_named():
    asked = p_true_decision("Q?", "Paris", ["Rome", "Paris"], "systemone")
    assert asked.messages[-1].text == "Question: Q?\nPossible answer: Rome\nProposed answer: Paris"
    assert asked.parameters.extra["decision"]["form"] == "systemone"
