"""The damage "negate", on sentences whose damaged form was written by hand."""

import pytest

from semscale.damage.rewriting import negate

NEGATED = {
    # a negation put in: forms of be, modals, perfect
    "The plug is hot.": "The plug is not hot.",
    "They were late!": "They were not late!",
    "You can reset it.": "You cannot reset it.",
    "It should be tested": "It should not be tested",
    "You have provided an example.": "You have not provided an example.",
    "It has already been fixed.": "It has not already been fixed.",
    # "have" as a full verb, "do" before another verb and by itself
    "It has a zoom.": "It does not have a zoom.",
    "I had a problem.": "I did not have a problem.",
    "It does have a zoom.": "It does not have a zoom.",
    "It did the job.": "It did not do the job.",
    # full verbs take "do"
    "This shows depth.": "This does not show depth.",
    "It crashes often.": "It does not crash often.",
    "You mentioned a reason.": "You did not mention a reason.",
    "We recommend it.": "We do not recommend it.",
    "These examples illustrate the point.": "These examples do not illustrate the point.",
    "works great.": "does not work great.",
    # contractions
    "It's hot.": "It is not hot.",
    "You’ve provided an example.": "You have not provided an example.",
    "I'll buy it.": "I will not buy it.",
    "It's been fixed.": "It has not been fixed.",
    # requests
    "Consider adding one.": "Do not consider adding one.",
    "However, try to add one.": "However, do not try to add one.",
    "Please ensure this.": "Please do not ensure this.",
    # a negation taken out
    "It isn't hot.": "It is hot.",
    "I can't see it.": "I can see it.",
    "It won't start.": "It will start.",
    "It does not start.": "It does start.",
    "You cannot reset it.": "You can reset it.",
    "It has no zoom.": "It has some zoom.",
    "It no longer starts.": "It still starts.",
    "It never crashed.": "It always crashed.",
    "Nothing is missing.": "Something is missing.",
    "The changes are clear. Great!": "The changes are not clear. Great!",
}


@pytest.mark.parametrize(("text", "expected"), NEGATED.items())
def test_a_sentence_says_the_opposite(text, expected):
    assert negate(text) == expected


@pytest.mark.parametrize(
    "text", ["Great phone.", "Is it good?", "A good start", "The technology changes", "no doubt", "", "12"]
)
def test_a_text_without_a_verb_that_is_known_stays(text):
    assert negate(text) is None


def test_sentences_of_a_text_are_negated_separately():
    text = "It is hot. Is it?  Great!\nIt does not smell."
    assert negate(text) == "It is not hot. Is it?  Great!\nIt does smell."
