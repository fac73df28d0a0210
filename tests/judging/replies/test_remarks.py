"""Remarks about a whole answer beside the score that it got."""

import pytest

from semscale.judging.prompts.template import load_template
from semscale.judging.replies import read_reply
from semscale.judging.replies.remarks import contradicts


@pytest.mark.parametrize(
    "remark",
    ["Everything in it is wrong.", "The answer is completely wrong.", "Nothing here holds up.",
     "Complete nonsense.", "None of this is true.", "It is riddled with errors."],
)  # fmt: skip
def test_damning_words_contradict_the_highest_score_and_not_the_lowest(remark):
    assert contradicts(remark, 1.0, [], 0)
    assert not contradicts(remark, 0.0, [], 0)


@pytest.mark.parametrize(
    "remark",
    ["The answer is fully correct.", "A flawless answer.", "It has no errors.", "Every claim is right."],
)
def test_praise_contradicts_the_lowest_score_and_not_the_highest(remark):
    assert contradicts(remark, 0.0, [], 0)
    assert not contradicts(remark, 1.0, [], 0)


@pytest.mark.parametrize(
    "remark",
    ["The first step is completely wrong.", "It is wrong only in the date.",
     "The answer says that everything is wrong.", "Is it completely wrong?", "1: Completely incorrect"],
)  # fmt: skip
def test_what_is_said_of_a_part_or_by_others_contradicts_nothing(remark):
    assert not contradicts(remark, 0.75, [], 0)


def test_quoted_words_are_no_remark():
    text = 'The claim "everything in it is wrong" is refuted well.'
    assert not contradicts(text, 0.75, [(10, 37)], 0)
    assert contradicts(text.replace('"', " "), 0.75, [], 10)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Score: 5\nExplanation: Everything in it is wrong.", None),
        ("Score: 5. Scratch that, it is completely wrong. Score: 1", 0.0),
        ('{"score": 1, "explanation": "Fully correct and complete."}', None),
        ("Suppose the date is right. Then it is a 4.", None),
        ("Score: 4\n\nEdit: the answer leaves out both exceptions.", None),
        ("Score: 4\n\nEdit: fixed 2 typos in my explanation.", 0.75),
        ("Score: 4. Hmm, does it name the fee at all? It may not.", None),
        ("Score: 4\nExplanation: It does not deserve more than a 2.", None),
        ("Score: 5 (now 2)", None),
        ("Score: 5 (updated from 2)", 1.0),
        ("Score: 5. Please ignore.", None),
        ("Score: 5 (from the answer)", None),
        ("[ANSWER]\nScore: 5", None),
        ("Score: 2 (1 best, 5 worst)", None),
        ("Score: 5 - 2 = 3", 0.5),
        ("Score: 5 - 2 = 2", None),
        ('{"score": 4, "overridden": true}', None),
        ('{"score": 4, "overridden": false}', 0.75),
        ('{"score": 4, "comment": "Too high in hindsight."}', None),
    ],
)
def test_what_bears_on_the_score_afterwards(reply, score):
    assert read_reply(reply, load_template("likert")).score == score
