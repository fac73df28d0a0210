"""P(True) among the requests of ``Asking``."""

import math

import numpy as np
import pytest
from scripted_chat import ScriptedChat

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.sampling import Sampling, Stopping
from semscale.chat import FailureKind, Message
from semscale.chat.replies import Reply, TokenLogprob
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.types import Status

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


def test_given_answers_have_no_p_true():
    with pytest.raises(InputError, match="measure p_true asks the model"):
        Consistency(measures=["p_true"]).measure(["a"], [["a"]])
