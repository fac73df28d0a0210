"""Codes by a chat model, joined with likeness."""

import numpy as np
import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.settings import Budget
from semscale.coding.coder import ChatCodes, LostReply, ask_about_codes, code_rubric
from semscale.coding.coding import join_sources, mean_asked
from semscale.errors import InterruptedRunError
from semscale.signature import Signature
from semscale.types import Status


def test_codes_are_questions_with_their_definition_and_examples(book):
    rubric = code_rubric(book)
    assert [criterion.name for criterion in rubric.criteria] == list(book.names)
    task = rubric.criteria[0].template.task
    assert "how long the battery lasts" in task
    assert '"the battery died"' in task
    assert [level.label for level in rubric.criteria[0].template.levels] == ["no", "yes"]


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


def test_a_chat_model_answers_yes_or_no_per_code_in_prose(book):
    def say(request):
        text = request.messages[-1].text
        asked_for, answer = text, text.partition("BEGIN ANSWER")[2]
        level = 2 if "battery lasts" in asked_for and "battery" in answer.partition("END ANSWER")[0] else 1
        return f'{{"score": {level}, "explanation": "so"}}'

    model = Scripted(say, takes_logprobs=False)
    result = ask_about_codes(
        model, book, ["my battery is flat", "nothing"], method="prose", running=plain_running()
    )
    assert result.probability.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert len(model.requests) == 6
    assert (result.counts, result.n_partly, result.lost) == ({"scored": 2}, 0, ())
    assert "model:scripted" in str(result.signature)


def test_refusals_and_unreadable_replies_are_counted_and_stored(book):
    def say(request):
        text, answer = "".join(entry.text for entry in request.messages), material(request)
        if answer == "rude":
            return "I cannot help with that."
        if answer == "odd" and "battery lasts" in text:
            return "Perhaps, perhaps not."
        return '{"score": 1, "explanation": "so"}'

    result = ask_about_codes(
        Scripted(say, takes_logprobs=False), book, ["fine", "rude", "odd"], method="prose",
        running=plain_running(),
    )  # fmt: skip
    # of "odd" two of three codes were answered; nothing was said about any code of "rude"
    assert np.isnan(result.probability).tolist() == [[False] * 3, [True] * 3, [True, False, False]]
    assert [str(entry) for entry in result.status] == ["scored", "refused", "unparsable"]
    assert (result.n_asked, result.n_partly) == (3, 1)
    assert [(str(reply.status), reply.row, reply.reply) for reply in result.lost] == [
        ("refused", 2, "I cannot help with that."),
        ("unparsable", 3, "Perhaps, perhaps not."),
    ]


def test_a_cap_ends_the_run(book):
    model = Scripted(lambda _: '{"score": 1}', takes_logprobs=False)
    with pytest.raises(InterruptedRunError):
        ask_about_codes(
            model, book, ["a", "b"], method="prose", running=plain_running(budget=Budget(calls=2))
        )


CHAT_CODES = ChatCodes(
    "m",
    np.array([[0.5, np.nan], [np.nan, np.nan], [1.0, 0.0]]),
    np.array([Status.FAILED, Status.REFUSED, Status.SCORED], dtype=object),
    (LostReply(Status.FAILED, 1, "", "no reply came"), LostReply(Status.REFUSED, 2, "No.", "declined")),
    Signature.of("judge"),
)


def test_rows_are_those_of_the_table_and_the_rest_were_not_asked_about():
    placed = CHAT_CODES.spread_over(np.array([1, 2, 4]), 5)
    assert placed.status.tolist() == [None, Status.FAILED, Status.REFUSED, None, Status.SCORED]
    assert np.isnan(placed.probability[[0, 2, 3]]).all()
    assert placed.probability[4].tolist() == [1.0, 0.0]
    assert [reply.row for reply in placed.lost] == [2, 3]


def test_answers_are_counted_by_status_those_in_part_apart():
    placed = CHAT_CODES.spread_over(np.array([1, 2, 4]), 5)
    assert placed.n_asked == CHAT_CODES.n_asked == 3
    assert placed.counts == {"failed": 1, "refused": 1, "scored": 1}
    assert placed.n_partly == CHAT_CODES.n_partly == 1
