"""Which tokens make up which words, for texts on their own and in company."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.matching.words import TokenizedTexts, find_words

TEXTS = [
    "The left lung is affected.",
    "\x01",
    "Zürich, 3 °C?",
    "?!",
    "",
    "苏黎世很大",
    "line\nbreak İstanbul ﬁne",
    "antidisestablishmentarianism",
]


def tokens_by_hand(text, offsets):
    special = np.array([True, *[False] * (len(offsets) - 2), True])
    spelled, starts, ends, _ = find_words([text], np.array(offsets), special, np.array([len(offsets)]))
    return spelled, starts.tolist(), ends.tolist()


def test_a_word_has_its_tokens_and_marks_are_none():
    offsets = [[0, 0], [0, 2], [2, 6], [7, 11], [11, 12], [0, 0]]
    shown = [("Unlike", "Un", "like"), "this"]
    assert tokens_by_hand("Unlike this.", offsets) == (shown, [1, 3], [3, 4])


def test_punctuation_counts_as_tokens_if_nothing_else_exists():
    assert tokens_by_hand("?!", [[0, 0], [0, 1], [1, 2], [0, 0]]) == (["?", "!"], [1, 2], [2, 3])


def test_a_token_belongs_to_the_word_with_its_last_character():
    # The second token has the space before it, the third one the end of one word and all of the next.
    shown = [("is", " is"), ("b", "a-b")]
    assert tokens_by_hand("x is a-b", [[0, 0], [1, 4], [5, 8], [0, 0]]) == (shown, [1, 2], [2, 3])


def test_empty_tokens_inside_a_term_belong_to_it():
    offsets = [[0, 0], [0, 1], [1, 1], [1, 2], [0, 0]]
    assert tokens_by_hand("ab", offsets) == ([("ab", "a", "", "b")], [1], [4])


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


def test_tokens_do_not_depend_on_other_texts(encoder):
    together = TokenizedTexts(TEXTS, encoder)
    for at, text in enumerate(TEXTS):
        alone = TokenizedTexts([text], encoder)
        assert together.words_of(at) == alone.words_of(0)
        left, right = together.words[at], alone.words[0]
        pieces = [
            [read.vocabulary.pieces[number] for number in words[0]]
            for read, words in ((together, left), (alone, right))
        ]
        assert pieces[0] == pieces[1]
        assert left[1:].tolist() == right[1:].tolist()


def test_tokens_are_read_on_demand_and_can_be_forgotten(encoder):
    read = TokenizedTexts(TEXTS, encoder, words=False)
    assert not read.words
    read.spell([3, 0, 3])
    assert set(read.words) == {0, 3}
    assert read.words_of(0) == ["the", "left", "lung", "is", "affected"]
    read.forget([0, 1])
    assert set(read.words) == {3}
    assert read.words_of(3) == ["?", "!"]
