"""What words may do in a sentence: yes and no as answers, bounds and switches as content."""

import pytest

from semscale.guards.words import CONTENT, CUE, END, is_answer, is_content, role_of


@pytest.mark.parametrize(
    ("text", "role"),
    [("lamp", CONTENT), (",", END), ("isn't", CUE), ("7", END), ("because", END), ("the", 0)],
)
def test_roles_of_words(text, role):
    assert role_of(text) == role


@pytest.mark.parametrize(
    ("texts", "at", "answers"),
    [
        (["no"], 0, True),
        (["no", ",", "it", "is"], 0, True),
        (["no", "it", "is"], 0, True),
        (["yes", "it", "is"], 0, True),
        (["safe", "?", "no", "it", "is"], 2, True),
        (["no", "drug", "is", "safe"], 0, False),
        (["room", "no", ".", "5"], 1, False),
    ],
)
def test_a_yes_or_no_answers_where_a_sentence_begins_and_no_noun_follows(texts, at, answers):
    assert is_answer(texts, at) == answers


@pytest.mark.parametrize(
    ("texts", "at", "counts"),
    [
        (["the", "lamp", "is", "on"], 3, True),
        (["on", "the", "road"], 0, False),
        (["at", "least", "5"], 1, False),
        (["the", "least"], 1, True),
        (["an", "even", "number"], 1, True),
        (["even", "a", "child"], 0, False),
        (["most", "of", "the", "day"], 0, False),
        (["the", "most", "expensive"], 1, True),
    ],
)
def test_switches_and_bounds_are_content_only_in_their_place(texts, at, counts):
    assert is_content(texts, at) == counts
