"""The lexicon of opposites: axes, inflections and prefixes."""

import pytest

from semscale.guards.words import bare_word, is_listed, regular_forms, sides, stem


def opposed(one, other):
    """Whether two words are on the two sides of one axis."""
    theirs = {place.key: place.side for place in sides(other)}
    return any(theirs.get(place.key) == -place.side for place in sides(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("left", "right"),
        ("increases", "decrease"),
        ("higher", "lower"),
        ("hypertension", "hypotension"),  # by opposed prefixes
        ("safe", "unsafe"),
        ("connected", "disconnected"),
    ],
)
def test_opposites(one, other):
    assert opposed(one, other)
    assert not opposed(one, one)


def test_a_word_of_no_axis_has_its_stem():
    (place,) = sides("table")
    assert (place.key, place.side) == (stem("table"), 1)
    assert not is_listed("table")


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("unsafe", "safe"),
        ("dislike", "like"),
        ("nonsmoker", "smoker"),
        ("uncle", ""),
        ("disk", ""),
        ("safe", ""),
    ],
)
def test_negating_prefixes(word, bare):
    assert bare_word(word) == bare


def test_regular_inflections():
    assert {"close", "closes", "closed", "closing", "closer", "closest"} <= regular_forms("close")
    assert {"dry", "dries", "dried", "drier"} <= regular_forms("dry")
