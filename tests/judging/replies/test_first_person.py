"""What a judge says of himself after a score."""

import pytest

from semscale.judging.replies.first_person import is_uneasy


@pytest.mark.parametrize(
    "sentence",
    ["I fear I was swayed by the style.", "I can't rule out that it is worse.", "My gut says less.",
     "I am not convinced.", "Not that I'm convinced.", "Let me double-check that.", "We may be too kind.",
     "A stricter grader would give 2, and so should I."],
)  # fmt: skip
def test_what_leaves_the_score_in_doubt(sentence):
    assert is_uneasy(sentence, 0, [])


@pytest.mark.parametrize(
    "sentence",
    ["I checked the dates.", "I have double-checked it.", "I can't find the law.", "I'm sure of it.",
     "I did not penalise the spelling.", "My explanation is short.", "Let me know if you need more.",
     "It is more than I would normally see.", "I.e. it is short.", "I had overlooked the footnote."],
)  # fmt: skip
def test_what_judges_do_who_keep_their_score(sentence):
    assert not is_uneasy(sentence, 0, [])


def test_words_before_the_score_and_words_of_others_do_not_count():
    assert not is_uneasy("I fear it. Score: 4", 11, [])
    assert not is_uneasy('Score: 4. It says "I fear it".', 8, [(18, 29)])
