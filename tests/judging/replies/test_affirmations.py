"""Level names used as questions, with their answers."""

import pytest

from semscale.judging.replies.affirmations import answered
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.mentions import find_mentions
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.templates import load_template

READER = LevelReader(load_template("true_false"))


def first(reply):
    mention = find_mentions(reply, READER).mentions[0]
    return answered(reply, mention, READER)


@pytest.mark.parametrize(
    ("reply", "score"),
    [("Correct: no", 0.0), ("Correct: yes", 1.0), ("Correct answer: no", 0.0), ("Incorrect: yes", 0.0),
     ("Correct: ✗", 0.0), ("Correct (yes/no): no", 0.0), ("Correct? No.", 0.0)],
)  # fmt: skip
def test_the_answer_is_the_verdict(reply, score):
    assert first(reply).level.score == score


@pytest.mark.parametrize("reply", ["Correct: partly", "Correct ❌", "Correct: hard to say", "Incorrect: no"])
def test_another_answer_leaves_it_open(reply):
    assert first(reply).role is Role.DOUBTFUL


@pytest.mark.parametrize("reply", ["Correct answer: Lyon", "Correct answer: 1", "The correct answer is no."])
def test_the_correct_answer_is_no_verdict(reply):
    assert first(reply).role is Role.CONTENT


def test_a_plain_verdict_is_read_as_all_others():
    assert first("Correct") is None
