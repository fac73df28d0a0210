"""Texts that decline to answer, and answers that merely contain such words."""

import pytest

from semscale.chat.declining import declines_to_answer, declines_to_score, says_not_known

DECLINED = (
    "N/A", "n/a.", "Answer: N/A", "NA", "[no answer]", "Not applicable.", "Unable to determine.",
    "I can't help with that.", "I\u2019m sorry, but I can\u2019t assist with that request.",
    "As an AI language model, I cannot provide medical advice.", "I'm unable to answer that.",
    "I must respectfully decline to answer.", "We are not able to discuss this.",
    "I cannot help with that. However, I can explain how locks work.", "I won't do that.",
    "Sorry, that is against my guidelines.", "I'm not comfortable discussing this.",
)  # fmt: skip
ANSWERED = (
    "Na", "None", "None of the planets is larger.", "Null", "I don't know.", "I cannot swim.",
    "I can't give enough praise to this book.", "I am able to confirm that it is Paris.",
    "Not applicable to cats, but dogs need it.", "She said: I can't help with that.",
    "I can't provide medical advice. However, the usual dose is 500 mg.",
    "The right to refuse to answer is in the Fifth Amendment.", "Unable to determine guilt, the jury left.",
    "Unfortunately, that is not possible: a triangle has 180 degrees.", "I am comfortable with 20 degrees.",
    "The form says N/A in box 3.", "Sorry seems to be the hardest word.", "",
    "I cannot answer this in one word: " + "it has many parts. " * 40,
)  # fmt: skip


@pytest.mark.parametrize("text", DECLINED)
def test_declining_replies_are_recognised(text):
    assert declines_to_answer(text)
    assert declines_to_score(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_answers_that_contain_declining_phrases_are_answers(text):
    assert not declines_to_answer(text)


@pytest.mark.parametrize("text", ["Score: none", "I cannot say.", "Score: null"])
def test_a_judge_declines_in_shorter_phrases(text):
    assert declines_to_score(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.", "I don\u2019t know", "I do not know the answer to that question.", "dunno",
        "Don't know", "Sorry, I don't know the answer.", "I have no idea.", "No idea!",
        "I'm not sure about that.", "Not sure", "Answer: I don't know", "IDK",
        "I really don't know.", "Unfortunately, I do not know.",
    ],
)  # fmt: skip
def test_replies_that_do_not_know_the_answer_are_recognised(text):
    assert says_not_known(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unknown", "None", "I don't know, but probably Paris.", "I don't know anybody who would buy it.",
        "I'm not sure it is Paris.", "He says: I don't know.", "No idea is new.", "I know.", "", "N/A",
    ],
)  # fmt: skip
def test_answers_about_knowing(text):
    assert not says_not_known(text)
