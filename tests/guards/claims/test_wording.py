"""Content words of a text, and how many of them two texts have in common."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.guards.phrases import Wording, alignment, coverage, similarity
from semscale.guards.words import TextWords


def wordings(*texts):
    return [Wording(TextWords(text)) for text in texts]


@pytest.mark.parametrize(
    ("one", "other", "guard", "shared"),
    [
        ("Dogs chase cats.", "Cats chase dogs.", "order", 1.0),
        ("Dogs chase cats.", "Dogs chase birds.", "order", 2 / 3),  # 2 of 3 words each
        ("He paid the rent.", "He pays the rent.", "order", 1.0),  # an irregular verb
        ("Perhaps dogs bark.", "Dogs bark.", "certainty", 1.0),  # the cue is left out
        ("Perhaps dogs bark.", "Dogs bark.", "order", 4 / 5),
        ("It is.", "", "order", 0.0),
    ],
)
def test_similarity_is_the_share_of_common_words_without_cues(one, other, guard, shared):
    assert similarity(*wordings(one, other), guard) == pytest.approx(shared)
    assert similarity(*wordings(other, one), guard) == pytest.approx(shared)


def test_coverage_is_the_share_of_the_shorter_text():
    short, long = wordings("Dogs bark.", "Dogs bark at cats in gardens.")
    assert coverage(short, long, "order") == coverage(long, short, "order") == 1.0
    assert coverage(*wordings("Dogs sleep.", "Dogs bark at cats."), "order") == 0.5
    assert coverage(*wordings("", "Dogs bark."), "order") == 0.0


@pytest.mark.parametrize(
    ("one", "other", "guard", "aligned"),
    [
        ("Dogs chase cats.", "Dogs often chase cats.", "order", 6 / 7),  # 3 of 3 and of 4 in order
        ("Dogs chase cats.", "Cats chase dogs.", "order", 2 / 6),  # only one of three keeps its place
        ("Dogs chase dogs.", "Dogs chase dogs.", "order", 1.0),
        ("Perhaps dogs bark.", "Dogs bark.", "certainty", 1.0),
        ("", "Dogs bark.", "order", 0.0),
        ("", "", "order", 0.0),
    ],
)
def test_alignment_counts_common_words_in_the_same_order(one, other, guard, aligned):
    assert alignment(*wordings(one, other), guard) == pytest.approx(aligned)
    assert alignment(*wordings(other, one), guard) == pytest.approx(aligned)


words = st.lists(st.sampled_from(["dog", "cat", "bird", "fish"]), max_size=12)


@given(words, words)
def test_alignment_is_twice_the_longest_common_subsequence_over_all_words(one, other):
    expected = 2 * longest_by_recursion(tuple(one), tuple(other)) / (len(one) + len(other) or 1)
    assert alignment(*wordings(" ".join(one), " ".join(other)), "order") == pytest.approx(expected)


@cache
def longest_by_recursion(one, other):
    if not (one and other):
        return 0
    if one[0] == other[0]:
        return 1 + longest_by_recursion(one[1:], other[1:])
    return max(longest_by_recursion(one[1:], other), longest_by_recursion(one, other[1:]))
