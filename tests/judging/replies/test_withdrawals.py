"""Where a judge takes a score back, doubts it or reopens it."""

import pytest

from semscale.judging.replies.mentions import find_mentions
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.replies.withdrawals import withdrawals
from semscale.judging.templates import load_template

READER = LevelReader(load_template("likert"))


def found(reply):
    return withdrawals(find_mentions(reply, READER).tokens)


@pytest.mark.parametrize(
    "reply", ["Score: 4. Scratch that.", "Score: 4. Hmm, no.", "Score: 4. That is too high."]
)
def test_taken_back(reply):
    assert len(found(reply).taken_back) == 1
    assert found(reply).taken_back[0] >= 10


def test_doubted():
    assert found("Score: 4. I am not sure about it.").doubted != ()


@pytest.mark.parametrize("reply", ["Score: 4. It is short.", "Score: 4. Scratch that. No change."])
def test_what_stands(reply):
    assert (found(reply).taken_back, found(reply).doubted) == ((), ())


def test_words_about_a_score_begin_after_the_last_withdrawal():
    assert found("Score: 4. Scratch that. Score: 3").last_before(31) == 10
    assert found("Score: 4").last_before(7) == 0
