"""Each rule of damaging texts, on sentences whose damaged form was written by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.damage.lists import truncated
from semscale.damage.negation import negated
from semscale.damage.numbers import renumbered
from semscale.damage.paraphrase import paraphrased
from semscale.damage.sentences import cased_as, sentences_of

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

RENUMBERED = {
    "It takes 20 ms.": "It takes 43 ms.",  # 2 * 20 + 3
    "Only 0.1 s.": "Only 3.2 s.",  # 2 * .1 + 3
    "Of 1,000 users": "Of 2,003 users",
    "In 2004, 2nd place": "In 1987, 7th place",  # 17 years earlier; 2 * 2 + 3
    "About 90% or 10 %": "About 30% or 23 %",  # 183 would pass 100: 90 / 3; 2 * 10 + 3
    "Lines 7-10, 30fps": "Lines 17-23, 63fps",
    "Two players, three cars": "Five players, seven cars",
    "Focus on one category.": "Focus on four categories.",
    "1. Take 5": "1. Take 13",  # the list's own number stays
    "Pros:  1) 3 buttons": "Pros:  1) 9 buttons",
}


@pytest.mark.parametrize(("text", "expected"), NEGATED.items())
def test_a_sentence_says_the_opposite(text, expected):
    assert negated(text) == expected


@pytest.mark.parametrize(
    "text", ["Great phone.", "Is it good?", "A good start", "The technology changes", "no doubt", "", "12"]
)
def test_a_text_without_a_verb_that_is_known_stays(text):
    assert negated(text) is None


def test_each_sentence_of_a_text_is_reversed_by_itself():
    text = "It is hot. Is it?  Great!\nIt does not smell."
    assert negated(text) == "It is not hot. Is it?  Great!\nIt does smell."


@pytest.mark.parametrize(("text", "expected"), RENUMBERED.items())
def test_numbers_become_others(text, expected):
    assert renumbered(text) == expected


@pytest.mark.parametrize(
    "text", ["mp3 in 3D", "no one knows", "this one is", "one of them", "", "B2B 1.2.3 &#38;"]
)
def test_what_is_no_number_stays(text):
    assert renumbered(text) is None


@given(st.lists(st.integers(0, 10**7), min_size=1))
def test_every_number_is_another_one(numbers):
    text = " and ".join(map(str, numbers))
    changed = renumbered(text)
    assert changed is not None
    assert all(old != new for old, new in zip(text.split(" and "), changed.split(" and "), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("one two three four", "one two"), ("a b c", "a"), ("a b", "a"), ("  a\nb c d e f", "  a\nb")],
)
def test_a_third_of_the_words_is_kept(text, expected):  # ceil(4 / 3) = 2, ceil(3 / 3) = 1, ceil(6 / 3) = 2
    assert truncated(text) == expected


@pytest.mark.parametrize("text", ["", "  ", "word"])
def test_one_word_cannot_be_truncated(text):
    assert truncated(text) is None


class Always:
    """A generator that lets every rule act."""

    def random(self):
        return 0.0


PARAPHRASED = {
    "It isn't clear.": "It is not clear.",
    "It is clear.": "It’s clear.",
    "For example, add an issue.": "For instance, add a problem.",
    "A problem!": "An issue!",
    "The colour of movies": "The color of films",
    "Next time, provide reasons.": "Provide reasons next time.",
    "It is a clear and concise text.": "It’s a concise and clear text.",
    'See the "large" one': "See the “big” one",
    "- See movies": "* See films",
    "It's been fixed, however, today.": "It’s been fixed, nevertheless, today.",
}


@pytest.mark.parametrize(("text", "expected"), PARAPHRASED.items())
def test_the_same_is_said_in_other_words(text, expected):
    assert paraphrased(text, Always()) == expected


@pytest.mark.parametrize("text", ["Fine.", "He knows what it is.", "a lack of time", 'only "marks" differ'])
def test_a_text_that_no_rule_covers_stays(text):
    assert paraphrased(text, Always()) is None


def test_another_seed_gives_another_version():
    text = "For example, it is very good, however, the issue often occurs. " * 3
    versions = {paraphrased(text, np.random.default_rng(seed)) for seed in range(8)}
    assert len(versions) > 4
    assert None not in versions


@given(st.text(alphabet="aB .!?\n'1e.g", max_size=60))
def test_sentences_join_to_the_text(text):
    assert "".join(sentences_of(text)) == text


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text):
    for change in (negated, renumbered, truncated, lambda text: paraphrased(text, Always())):
        changed = change(text)
        assert changed is None or changed != text


@pytest.mark.parametrize("text", [" " * 50_000, "\n" * 50_000, "1.\t" * 20_000, "e.g. " * 10_000])
def test_long_odd_texts_end_soon(
    text,
):  # with a search that starts over at each character, this takes a minute
    for change in (negated, renumbered, truncated, lambda text: paraphrased(text, Always())):
        assert change(text) != text


def test_abbreviations_end_no_sentence():
    assert sentences_of("Use units, e.g. ms. Done") == ["Use units, e.g. ms.", " Done"]


def test_capitals_are_carried_over():
    assert [cased_as("film", model) for model in ("movie", "Movie", "MOVIE")] == ["film", "Film", "FILM"]
