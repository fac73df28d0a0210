"""Labels: letters and numerals that tell things of one kind apart."""

import pytest

from semscale.guards.figures import read_labels
from semscale.guards.words import TextWords


def labels(text, numbers=()):
    return [(one.noun, one.values) for one in read_labels(TextWords(text), set(numbers), set())]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("bulb A", [("bulb", ("a",))]),
        ("bulbs A, B and C", [("bulb", ("a",)), ("bulb", ("b",)), ("bulb", ("c",))]),
        ("stage IV", [("stage", (4.0,))]),
        ("type V", [("type", ("v", 5.0))]),  # a letter, or a Roman five
        ("A and C are lit", [("?", ("a",)), ("?", ("c",))]),
    ],
)
def test_letters_that_label(text, found):
    assert labels(text) == found


@pytest.mark.parametrize(
    "text",
    ["A bulb is lit", "I think so", "John F. Kennedy spoke", "it is 5° C/F", "THE LAMP IS ON A WIRE"],
)
def test_letters_that_do_not(text):
    assert labels(text) == []


def test_a_number_labels_after_a_noun_only():
    text = "terminal 4 of 7"
    assert labels(text, numbers=[text.index("4"), text.index("7")]) == [("terminal", ())]


@pytest.mark.parametrize(
    ("text", "weak"),
    [
        ("A precedes B", [True, False]),
        ("A bulb is next to B", [True, False]),
        ("A and C are lit", [False, False]),
    ],
)
def test_an_a_that_begins_a_sentence_may_be_the_article(text, weak):
    assert [one.weak for one in read_labels(TextWords(text), set(), set())] == weak
