"""Codes by a chat model: decisions about sentences, and their join with likeness."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.decisions import DecisionAnswers, DecisionLimits
from semscale.chat.messages import CallError, DecisionAnswer, FailureKind, Usage
from semscale.chat.settings import Budget, Spent
from semscale.coding.chat_codes import (
    ChatCoder,
    ChatCodes,
    LostReply,
    UnreadableCodesError,
    ask_about_codes,
    read_codes,
)
from semscale.coding.codebook import Code, Codebook
from semscale.coding.coder import CodeScores
from semscale.coding.coding import JoinedSources, code_answers, join_sources, mean_asked
from semscale.coding.summary import ChangeCounts, CodeChange
from semscale.errors import InterruptedRunError, ReplyError
from semscale.signature import Signature
from semscale.types import Status

TOPICS = {"power": "battery", "cost": "price", "display": "screen"}


class Decider:
    """A decision model: .9 where the sentence that a question names has the code's key word, else .1."""

    name, signature = "decider", Signature.of("chat", model="decider")

    def __init__(self, limits=None, fails=()):
        self.requests, self.limits, self._fails = [], limits or DecisionLimits(), fails

    async def decide(self, request):
        self.requests.append(request)
        text = request.messages[-1].text
        for word, failure in dict(self._fails).items():
            if word in text:
                raise CallError("stopped", kind=failure)
        sentences = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
        return DecisionAnswers({
            name: self._answer(question.instructions, sentences)
            for name, question in request.questions.items()
        })  # fmt: skip

    def _answer(self, asked, sentences):
        number = re.search(r"sentence (\d+)", asked)
        code = re.search(r'code "(\w+)"', asked)[1]
        sentence = sentences[number[1] if number else "1"]
        if "secret" in sentence:
            return DecisionAnswer(refused=True)
        yes = 0.9 if TOPICS[code] in sentence else 0.1
        return DecisionAnswer.of([1 - yes, yes])


def test_all_sentences_and_codes_of_an_answer_are_one_decision(book):
    model = Decider()
    answers = ["The battery died. A fair price.", "Nothing.", "The battery died. A fair price."]
    result = ask_about_codes(model, book, answers, running=plain_running())
    assert result.probability.tolist() == [[0.9, 0.9, 0.1], [0.1, 0.1, 0.1], [0.9, 0.9, 0.1]]
    assert result.units[0].tolist() == ["The battery died.", "A fair price.", None]
    # equal answers are sent once; 2 sentences and 1, each with 3 codes
    assert [len(request.questions) for request in model.requests] == [6, 3]
    assert (result.form, result.spent.calls, result.counts) == ("own", 2, {"scored": 3})
    assert "model:decider" in str(result.signature)


def test_the_codebook_is_sent_once_in_a_call_and_questions_name_its_codes(book):
    model = Decider()
    ask_about_codes(model, book, ["Fine. Nice."], question="How is it?", running=plain_running())
    (request,) = model.requests
    system, answer = (message.text for message in request.messages)
    described = '- power: how long the battery lasts Examples: "the battery died"; "a strong battery".'
    assert described in system
    assert answer.startswith("Question of the survey: How is it?")
    asked = [question.instructions for question in request.questions.values()]
    assert asked[0] == 'Does sentence 1 of the answer have the code "power"?'
    assert len(asked) == 6


def test_an_answer_with_more_questions_than_a_model_takes_has_several_calls(book):
    model = Decider(DecisionLimits(questions=4))
    result = ask_about_codes(model, book, ["The battery died. A fair price."], running=plain_running())
    assert [len(request.questions) for request in model.requests] == [4, 2]
    assert result.probability.tolist() == [[0.9, 0.9, 0.1]]


def test_a_code_has_no_probability_if_a_sentence_has_none(book):
    answers = ["The battery died. A secret.", "A fair price."]
    result = ask_about_codes(Decider(), book, answers, running=plain_running())
    assert np.isnan(result.probability[0]).all()
    assert result.probability[1].tolist() == [0.1, 0.9, 0.1]
    assert [str(status) for status in result.status] == ["refused", "scored"]


def test_a_content_filter_and_a_failure_are_statuses_of_their_answers(book):
    fails = {"rude": FailureKind.REFUSED, "slow": FailureKind.TIMEOUT}
    result = ask_about_codes(Decider(fails=fails), book, ["fine", "rude", "slow"], running=plain_running())
    assert [str(status) for status in result.status] == ["scored", "refused", "failed"]
    assert np.isnan(result.probability).all(axis=1).tolist() == [False, True, True]
    assert [(str(reply.status), reply.row) for reply in result.lost] == [("refused", 2), ("failed", 3)]


def test_a_net_has_the_greatest_probability_of_its_codes(book):
    nets = Codebook("phones", (
        Code("device", "the device", ()),
        Code("power", "battery", ("the battery died",), parent="device"),
        Code("cost", "price", ("the price is high",)),
        Code("display", "screen", ("a good screen",), parent="device"),
    ))  # fmt: skip
    model = Decider()
    result = ask_about_codes(model, nets, ["The screen broke."], running=plain_running())
    assert result.probability.tolist() == [[0.9, 0.1, 0.1, 0.9]]
    assert result.units[0].tolist() == ["The screen broke.", None, None, "The screen broke."]
    assert len(model.requests[0].questions) == 3


def _say(request):
    """List the codes of each sentence by key words; refuse or err where the answer says so."""
    answer = material(request)
    if "rude" in answer:
        return "I cannot help with that."
    if "odd" in answer:
        return "Perhaps, perhaps not."
    sentences = re.findall(r"^(\d+)\. (.*)$", answer, re.MULTILINE)
    return json.dumps({
        number: [code for code, word in TOPICS.items() if word in text] for number, text in sentences
    })  # fmt: skip


def test_prose_lists_the_codes_of_all_sentences_in_one_reply(book):
    model = Scripted(_say)
    result = ask_about_codes(
        model, book, ["my battery is flat. A fair price", "nothing"], method="prose", running=plain_running()
    )
    assert result.probability.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert result.units[0].tolist() == ["my battery is flat.", "A fair price", None]
    assert len(model.requests) == 2
    assert (result.form, result.counts, result.n_partly, result.lost) == ("prose", {"scored": 2}, 0, ())
    assert (result.spent.calls, result.spent.usage) == (2, Usage(20, 4))


def test_a_model_without_probabilities_is_asked_in_prose(book):
    result = ask_about_codes(
        Scripted(_say, takes_logprobs=False), book, ["my battery"], running=plain_running()
    )
    assert (result.form, result.probability.tolist()) == ("prose", [[1, 0, 0]])
    assert result.refusals[0].form == "next-token"


def test_a_decision_model_without_its_form_is_an_error(book):
    class Unable(Decider):
        async def decide(self, request):
            raise CallError("no such thing", kind=FailureKind.UNSUPPORTED)

    with pytest.raises(ReplyError, match="no such thing"):
        ask_about_codes(Unable(), book, ["fine"], running=plain_running())


def test_refusals_and_unreadable_replies_in_prose_are_statuses(book):
    result = ask_about_codes(
        Scripted(_say), book, ["fine", "rude", "odd"], method="prose", running=plain_running()
    )
    assert np.isnan(result.probability).all(axis=1).tolist() == [False, True, True]
    assert [str(status) for status in result.status] == ["scored", "refused", "unparsable"]
    assert [(str(reply.status), reply.row, reply.reply) for reply in result.lost] == [
        ("refused", 2, "I cannot help with that."),
        ("unparsable", 3, "Perhaps, perhaps not."),
    ]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("none of them", "no JSON object"),
        ('{"1": ["power"]', "no JSON object"),
        ('{"1": ["power"]}', "sentences 1 to 2, got 1"),
        ('{"1": [], "2": [], "3": []}', "sentences 1 to 2"),
        ('{"1": ["power"], "2": "cost"}', "must be a list"),
        ('{"1": ["batteries"], "2": []}', "'batteries', which is no code"),
        ('{"1": ["none", "power"], "2": []}', "'none', which is no code"),
    ],
)
def test_a_reply_with_anything_but_known_codes_is_unreadable(reply, message):
    with pytest.raises(UnreadableCodesError, match=message):
        read_codes(reply, 2, {"power": 0, "cost": 1})


def test_names_are_read_regardless_of_case_and_none_is_no_code():
    assert read_codes('{"1": ["Power", "COST"], "2": ["none"]}', 2, {"power": 0, "cost": 1}) == [
        {0, 1},
        set(),
    ]


def test_calls_are_listed_for_each_form_in_the_order_to_try(book):
    coder = ChatCoder(Scripted(_say), book)
    answers = ["The battery died. A fair price.", "Nothing.", "Nothing."]
    by_form = dict(zip(coder.forms, coder.calls(answers), strict=True))
    # 3 sentences, 3 codes, 2 orders of no and yes; prose has one call for each different answer
    assert {form: len(calls) for form, calls in by_form.items()} == {"next-token": 18, "prose": 2}
    assert ChatCoder(Scripted(_say), book, method="prose").forms == ("prose",)


def test_changes_are_counted_for_each_code():
    changes = ChangeCounts(["power", "cost"])
    nan = float("nan")
    changes.add(np.array([[1, 0], [1, nan], [0, 1]]), np.array([[1, 1], [nan, 1], [0, 1]]))
    changes.add(np.array([[1.0, 0.0]]), np.array([[0.0, nan]]))
    assert changes.changes() == (CodeChange("power", 2, 0), CodeChange("cost", 0, 2))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_with", "is_tuned"), [(4, False), (5, True), (55, True), (56, False)])
def test_weights_are_tuned_with_five_answers_of_both_kinds_or_more(n_with, is_tuned):
    labels = (np.arange(60) < n_with).astype(float)[:, None]
    asked = np.clip(labels + np.linspace(-0.4, 0.4, 60)[:, None], 0, 1)
    likeness = np.tile([0.2, 0.5, 0.7], 20)[:, None]
    result = join_sources(likeness, asked, labels, stand_in=asked.mean(axis=0))
    # Likeness says nothing about the code, what the model says nearly all.
    assert (result.weights[0, 1] > result.weights[0, 0]) == is_tuned
    assert np.isnan(result.held_out).all() != is_tuned


def test_without_40_labels_both_count_alike():
    likeness, asked = np.array([[0.2], [0.6], [np.nan]]), np.array([[1.0], [0.0], [1.0]])
    nobody = np.full((0, 1), np.nan)
    sources = join_sources(nobody, nobody, nobody, stand_in=mean_asked(asked))
    result = sources.combine(likeness, asked, np.full(3, -1))
    assert result[:2, 0] == pytest.approx([0.6, 0.3])
    assert np.isnan(result[2, 0])


def test_with_labels_the_better_source_weighs_more():
    rng = np.random.default_rng(4)
    truth = (rng.uniform(size=200) < 0.5).astype(float)
    good, noise = truth + rng.normal(0, 0.3, 200), rng.uniform(size=200)
    likeness, asked = noise[:, None], good[:, None]
    sources = join_sources(likeness[:100], asked[:100], truth[:100, None], stand_in=mean_asked(asked))
    result = sources.combine(likeness[100:], asked[100:], np.full(100, -1))[:, 0]
    assert np.corrcoef(result, good[100:])[0, 1] > 0.95 > abs(np.corrcoef(result, noise[100:])[0, 1])


def test_an_answer_without_a_reply_counts_as_the_mean_of_the_replies():
    asked = np.array([[1.0], [0.5], [np.nan]])
    assert mean_asked(asked).tolist() == [0.75]
    nobody = np.full((0, 1), np.nan)
    sources = join_sources(nobody, nobody, nobody, stand_in=mean_asked(asked))
    # half of .25 and .75
    assert sources.combine(np.array([[0.25]]), asked[2:], np.array([-1])).tolist() == [[0.5]]


def test_a_cap_ends_the_run(book):
    model = Scripted(_say)
    with pytest.raises(InterruptedRunError):
        ask_about_codes(
            model, book, ["a", "b"], method="prose", running=plain_running(budget=Budget(calls=1))
        )


CHAT_CODES = ChatCodes(
    "m",
    "prose",
    np.array([[0.5, np.nan], [np.nan, np.nan], [1.0, 0.0]]),
    np.array([["a", None], [None, None], ["c", None]], dtype=object),
    np.array([Status.FAILED, Status.REFUSED, Status.SCORED], dtype=object),
    (LostReply(Status.FAILED, 1, "", "no reply came"), LostReply(Status.REFUSED, 2, "No.", "declined")),
    Spent(3, Usage(30, 6), None, 3),
    Signature.of("chat-codes"),
)


def test_rows_are_those_of_the_table_and_the_rest_were_not_asked_about():
    placed = CHAT_CODES.spread_over(np.array([1, 2, 4]), 5)
    assert placed.status.tolist() == [None, Status.FAILED, Status.REFUSED, None, Status.SCORED]
    assert np.isnan(placed.probability[[0, 2, 3]]).all()
    assert placed.probability[4].tolist() == [1.0, 0.0]
    assert placed.units[:, 0].tolist() == [None, "a", None, None, "c"]
    assert [reply.row for reply in placed.lost] == [2, 3]


def test_the_sentence_of_the_chat_model_decides_where_its_part_is_larger():
    sources = JoinedSources(np.zeros(2), np.array([[1.0, 2.0], [1.0, 1.0]]), np.zeros((0, 2)))
    # .5 counts twice and is above .9; there is no probability; 1 is above .9, and 0 below .1
    assert sources.model_leads(np.array([[0.9, 0.1]] * 3), CHAT_CODES).tolist() == [
        [True, False], [False, False], [True, False]
    ]  # fmt: skip
    # without likeness of its own, a code that the model does not find has no sentence of the model
    rare = replace(CHAT_CODES, probability=CHAT_CODES.probability / 2.5)
    assert sources.model_leads(np.zeros((3, 2)), rare).tolist() == [[False, False]] * 3


def test_evidence_and_reason_are_of_the_same_source(book):
    status = np.array([Status.SCORED] * 2, dtype=object)
    clauses, words = np.full((2, 3), "a clause", dtype=object), np.full((2, 3), "keyword", dtype=object)
    likeness = np.array([[0.9, 0.1, 0.1], [0.2, 0.1, 0.1]])
    scores = CodeScores(book, likeness, status, Signature.of("code"), clauses, words)
    sentences = np.array([["a sentence", None, None]] * 2, dtype=object)
    asked = replace(
        CHAT_CODES, probability=np.array([[0.8, 0.2, 0.2]] * 2), units=sentences, status=status, lost=()
    )
    coding = code_answers(scores, asked=asked)
    assert coding.evidence[:, 0].tolist() == ["a clause", "a sentence"]
    assert coding.reasons[:, 0].tolist() == ["keyword", "chat model"]
    assert set(coding.reasons[:, 1:].ravel()) == {"keyword"}


def test_answers_are_counted_by_status_those_in_part_apart():
    placed = CHAT_CODES.spread_over(np.array([1, 2, 4]), 5)
    assert placed.n_asked == CHAT_CODES.n_asked == 3
    assert placed.counts == {"failed": 1, "refused": 1, "scored": 1}
    assert placed.n_partly == CHAT_CODES.n_partly == 1
