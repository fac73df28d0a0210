"""Asking a model for answers and samples, and stopping early."""

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted_chat import ScriptedChat

from semscale.answer_consistency.asking import Sampling, Stopping, early_decision
from semscale.answer_consistency.consistency import Consistency
from semscale.chat import FailureKind, Message, Parameters
from semscale.chat.runner import Runner
from semscale.chat.settings import Budget
from semscale.errors import InputError, UnfinishedWarning
from semscale.types import Status

FAITHFUL = {"sure?": ["yes"] * 11, "guess?": ["a", *"bcdefghijk"]}


def exact(chat, **settings):
    return Consistency(chat, measures=["exact_match"], **settings)


def runner(chat, **settings):
    return Runner(chat, **{"ledger": False, **settings})


def test_asking_stops_when_the_decision_is_settled():
    chat = ScriptedChat(FAITHFUL)
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5, 0.95))
    asked = exact(chat).ask(["sure?", "guess?"], sampling=sampling, runner=runner(chat))
    assert asked.replies.sides == (True, False)
    # test_betting_by_hand: ten ones are settled after four; so are ten zeros, by symmetry
    assert [len(samples) for samples in asked.replies.samples] == [4, 4]
    assert (asked.replies.counts.n_calls, asked.replies.counts.n_saved) == (10, 12)
    assert len(chat.asked) == 10


def test_the_same_seed_gives_the_same_decisions_in_any_order():
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5))
    chats = ScriptedChat(FAITHFUL), ScriptedChat(FAITHFUL)
    first = exact(chats[0]).ask(["sure?", "guess?"], sampling=sampling, runner=runner(chats[0]))
    other = exact(chats[1]).ask(["guess?", "sure?"], sampling=sampling, runner=runner(chats[1]))
    assert first.replies.samples == other.replies.samples[::-1]
    assert first.replies.sides == other.replies.sides[::-1]


def test_prompts_without_a_question_are_not_asked_and_failures_stay_apart():
    chat = ScriptedChat(
        {
            "ok": ["a", "a", FailureKind.REFUSED, "a"],
            "bad": [FailureKind.REJECTED],
            "no": [FailureKind.REFUSED],
        }
    )
    asked = exact(chat).ask(["ok", "", None, "bad", "no"], 3, runner=runner(chat))
    consistencies = asked.consistencies
    assert list(consistencies.status) == [
        Status.SCORED, Status.EMPTY, Status.MISSING, Status.FAILED, Status.REFUSED,
    ]  # fmt: skip
    assert asked.replies.samples[0] == ["a", None, "a"]
    assert (consistencies.n_samples[0], consistencies.samples_left_out[0]) == (2, 1)
    assert asked.replies.counts.n_failed == 3
    assert asked.replies.counts.why_failed == "no"  # what the scripted model says
    assert asked.replies.counts.n_calls == len(chat.asked) == 6


def test_a_failed_sample_makes_fewer_decide():
    chat = ScriptedChat({"p": ["a", FailureKind.REFUSED, "a", FailureKind.REFUSED]})
    sampling = Sampling(n_samples=3, stopping=Stopping(0.6))
    asked = exact(chat).ask(["p"], sampling=sampling, runner=runner(chat))
    assert asked.replies.sides == (True,)  # one of one
    assert asked.consistencies.n_samples.tolist() == [1]


def test_a_caller_is_warned_of_a_cap_with_its_reason():
    chat = ScriptedChat({"p": ["a"] * 3, "q": ["a"] * 3})
    with pytest.warns(UnfinishedWarning, match="of 2 items unfinished: the cap of 3 calls is reached"):
        asked = exact(chat).ask(["p", "q"], 2, runner=runner(chat, budget=Budget(calls=3)))
    assert asked.replies.counts.stopped is not None


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_prompts_without_a_value_state_the_reason():
    failed = FailureKind.REJECTED
    chat = ScriptedChat(
        {"ok": ["a", "a"], "bad": [failed], "no": [FailureKind.REFUSED], "half": ["a", failed]}
    )
    asked = exact(chat).ask(["ok", "", None, "bad", "no", "half"], 1, runner=runner(chat))
    assert asked.consistencies.reasons == (
        None,
        "the question is empty",
        "the question is missing",
        "no",  # what the scripted model says
        "no",
        "no sample is usable, 1 needed: no",
    )
    capped = exact(chat).ask(["ok"], 1, runner=runner(chat, budget=Budget(calls=1)))
    assert capped.consistencies.reasons[0].startswith("the cap of 1 calls is reached")


def test_progress_knows_how_many_requests_there_will_be():
    chat = ScriptedChat({**FAITHFUL, "bad": [FailureKind.REJECTED]})
    steps = []
    exact(chat).ask([*FAITHFUL, "bad"], 3, runner=runner(chat), progress=lambda *step: steps.append(step))
    asking = [step for step in steps if step[0] == "asking scripted"]
    # Three prompts with three samples each are 12 requests; a prompt without an answer has no samples.
    assert (asking[0], asking[-1]) == (("asking scripted", 0, 12), ("asking scripted", 9, 9))


def test_progress_expects_no_samples_of_settled_prompts():
    chat = ScriptedChat(FAITHFUL)
    steps = []
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5, 0.95))
    options = {"runner": runner(chat), "progress": lambda *step: steps.append(step)}
    exact(chat).ask(["sure?", "guess?"], sampling=sampling, **options)
    asking = [step for step in steps if step[0] == "asking scripted"]
    # Two answers and twenty samples at most; both prompts are settled after four, so that ten are sent.
    assert (asking[0][1:], asking[-1][1:]) == ((0, 22), (10, 10))


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_cap_holds_for_all_rounds_together(tmp_path):
    chat = ScriptedChat(FAITHFUL)
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5))
    capped = runner(chat, budget=Budget(calls=7))
    asked = exact(chat).ask(["sure?", "guess?"], sampling=sampling, runner=capped)
    assert len(chat.asked) == 7
    # Two answers and five samples: neither prompt has the four that settle it, and nothing was saved.
    assert list(asked.consistencies.status) == [Status.UNFINISHED] * 2
    assert (asked.replies.counts.n_calls, asked.replies.counts.n_saved) == (7, 0)


@pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")
def test_a_prompt_that_was_settled_before_the_cap_is_finished():
    chat = ScriptedChat({"sure?": ["yes"] * 11, "torn?": ["yes", *["yes", "no"] * 5]})
    sampling = Sampling(n_samples=10, stopping=Stopping(0.5))
    capped = runner(chat, budget=Budget(calls=11))
    asked = exact(chat).ask(["sure?", "torn?"], sampling=sampling, runner=capped)
    # Four rounds take two answers and eight samples; the first prompt is settled then, and saves six samples.
    assert list(asked.consistencies.status) == [Status.SCORED, Status.UNFINISHED]
    assert (asked.replies.counts.n_calls, asked.replies.counts.n_saved) == (11, 6)


def test_asking_inside_a_loop_that_runs_already():
    chat = ScriptedChat(FAITHFUL)

    async def in_a_notebook():
        there = exact(chat).ask(["sure?"], 2, runner=runner(chat))
        awaited = await exact(chat).ask_async(["sure?"], 2, runner=runner(chat))
        return there, awaited

    there, awaited = asyncio.run(in_a_notebook())
    assert there.replies == awaited.replies or there.replies.samples == awaited.replies.samples


def test_conversations_and_a_system_prompt(toy_embedder):
    chat = ScriptedChat({"and now?": ["a", "a"]})
    conversation = [Message("user", "hello"), Message("assistant", "hi"), Message("user", "and now?")]
    asked = exact(chat).ask([conversation], 1, runner=runner(chat))
    assert asked.replies.answers == ["a"]
    request = Sampling(system="Be brief.", answer=Parameters(max_tokens=9, seed=5)).request("q", 2)
    assert [(message.role, message.text) for message in request.messages] == [
        ("system", "Be brief."),
        ("user", "q"),
    ]
    assert (request.parameters.max_tokens, request.parameters.seed, request.parameters.temperature) == (
        9, 7, 1.0,
    )  # fmt: skip


def test_the_floor_of_all_answers_is_applied_when_stopping(toy_embedder):
    prompts = [f"q{n}" for n in range(12)]
    script = {prompt: [f"word{n} here"] * 6 for n, prompt in enumerate(prompts)}
    chats = ScriptedChat(script), ScriptedChat(script)
    settings = {"measures": ["ncs_above_floor"], "embedder": toy_embedder}
    stopped = Consistency(chats[0], **settings).ask(
        prompts, sampling=Sampling(stopping=Stopping(0.5)), runner=runner(chats[0])
    )
    whole = Consistency(chats[1], **settings).ask(prompts, runner=runner(chats[1]))
    assert stopped.consistencies.floor == whole.consistencies.floor is not None
    assert stopped.replies.counts.n_saved > 0 == whole.replies.counts.n_saved
    fields = dict(stopped.consistencies.signature.fields)
    assert fields["stop_at"] == "0.5"
    assert fields["chat_model"] == "scripted"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: Consistency().ask(["q"]), "chat_model must be given to ask"),
        (lambda: Sampling(temperature=0), "temperature must be > 0"),
        (lambda: exact(ScriptedChat({})).ask([3]), "prompts must be texts or lists of messages, got int"),
        (lambda: exact(ScriptedChat({})).ask("q"), "prompts must be a list"),
        (
            lambda: Consistency(ScriptedChat({}), measures=["bert_score"]).ask(
                ["q"], sampling=Sampling(stopping=Stopping(0.5))
            ),
            "stopping needs a first measure of single samples from 0 to 1",
        ),
    ],
)
def test_invalid_requests_are_refused(act, message):
    with pytest.raises(InputError, match=message):
        act()


def stops(values, threshold, confidence):
    """After how many values the side is settled, and which one it is."""
    for k in range(1, len(values) + 1):
        side = early_decision(values[:k], threshold, len(values), confidence)
        if side is not None:
            return k, side
    raise AssertionError("all values are there")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.05, 0.95))
def test_full_confidence_decides_for_the_side_of_the_mean_of_all_values(values, threshold):
    k, side = stops(values, threshold, 1.0)
    assert side == (np.mean(values) >= threshold - 1e-9) or np.mean(values) == pytest.approx(threshold)
    assert k <= len(values)


def test_curtailment_by_hand():
    # 10 samples, threshold .5: five ones suffice whatever follows; six zeros leave at most .4.
    assert stops([1.0] * 10, 0.5, 1.0) == (5, True)
    assert stops([0.0] * 10, 0.5, 1.0) == (6, False)


def test_betting_by_hand():
    # The capital after ones: 1.75, then left = 4/9, so 1 + .75 * 5/4 = 1.9375, then left = 3/8, so 1 + .75 *
    # 5/3 = 2.25, then left = 2/7, so 1 + .75 * 5/2 = 2.875: products 1.75, 3.39, 7.63, 21.9. 20 is passed at
    # the fourth.
    assert stops([1.0] * 10, 0.5, 0.95) == (4, True)
    assert early_decision([1.0] * 3, 0.5, 10, 1 - 1 / 7.6) is True
    assert early_decision([1.0] * 3, 0.5, 10, 1 - 1 / 7.7) is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_side_is_wrong_no_more_often_than_stated(confidence):
    rng = np.random.default_rng(0)
    wrong = n_values = 0
    draws = 2000
    for _ in range(draws):
        # The hardest case: a share of ones near the threshold.
        values = (rng.random(20) < rng.uniform(0.4, 0.6)).astype(float)
        k, side = stops(values, 0.5, confidence)
        wrong += side != (values.mean() >= 0.5)
        n_values += k
    assert wrong / draws <= 1 - confidence
    assert n_values < 20 * draws
