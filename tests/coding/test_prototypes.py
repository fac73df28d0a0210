"""Likeness of answers and codes."""

import numpy as np
import pytest

from semscale.coding.codebook import Code, CodeFrame
from semscale.coding.prototypes import (
    check_alike,
    code_scores,
    embed_codebook,
    prototypes_of,
    with_children,
)
from semscale.errors import InputError

NOTHING = np.zeros((0, 2), dtype=np.float32)
X, Y = np.array([[1.0, 0.0]], dtype=np.float32), np.array([[0.0, 1.0]], dtype=np.float32)


def test_nearness_is_the_mean_of_the_two_best_less_half_the_mean_of_all_codes():
    # cosines of (1, 0): 1, .6 and 0 with the first code, 0 with the second; nearness .8 and 0, mean .4
    first = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    assert code_scores(X, [first, Y], [NOTHING] * 2)[0] == pytest.approx([0.8 - 0.2, 0 - 0.2])


def test_a_nearer_negative_example_is_taken_off():
    # nearness .6 of the first code, its negative example at 1: .6 - .4 = .2; the second is 0; mean .1
    first = np.array([[0.6, 0.8]], dtype=np.float32)
    assert code_scores(X, [first, Y], [X, NOTHING])[0] == pytest.approx([0.2 - 0.05, -0.05])
    # a negative example that is farther away than the code changes nothing
    assert code_scores(X, [first, Y], [Y, NOTHING])[0] == pytest.approx([0.6 - 0.15, -0.15])


def test_likeness_is_0_for_strange_and_1_for_own_examples_on_average(book, key_words):
    prototypes = embed_codebook(book, key_words)
    examples = [text for code in book.codes for text in code.examples]
    likeness = prototypes.likeness(key_words.embed(examples).vectors)
    own = np.repeat(np.eye(3, dtype=bool), 2, axis=0)
    # every text of a code has the same vector, so leaving an example out changes nothing
    assert likeness[own].mean() == pytest.approx(1)
    assert likeness[~own].mean() == pytest.approx(0)


def test_an_answer_on_two_codes_is_like_both(book, key_words):
    likeness = embed_codebook(book, key_words).likeness(key_words.embed(["battery and price"]).vectors)[0]
    assert likeness[0] == pytest.approx(likeness[1])
    assert likeness[0] > 0.5 > likeness[2]


def test_two_codes_alike_are_refused_with_their_cosine():
    book = CodeFrame("b", (Code("a", "d", ("x",)), Code("b", "e", ("y",))))
    with pytest.raises(InputError, match=r"'a' and 'b' are alike \(cosine 1.000, at most 0.95\)"):
        check_alike(book, [X, X])


def test_a_code_may_be_like_the_one_above_it():
    book = CodeFrame(
        "b", (Code("a", "d", ("x",)), Code("b", "e", ("y",), parent="a"), Code("c", "f", ("z",)))
    )
    check_alike(book, [X, X, Y])


def test_examples_nearer_to_another_code_are_refused():
    # a's example is b's kind and the other way round; only definitions are right
    mixed = [np.concatenate([Y, X]), np.concatenate([X * 0.6 + Y * 0.8, Y])]
    book = CodeFrame("b", (Code("a", "d", ("x",)), Code("b", "e", ("y",))))
    with pytest.raises(InputError, match="no nearer to their own code"):
        prototypes_of(book, mixed, [NOTHING] * 2)


def test_a_code_has_at_least_the_value_of_those_below_it():
    book = CodeFrame(
        "b", (Code("a", "d", ("x",)), Code("b", "e", ("y",), parent="a"), Code("c", "f", ("z",), parent="b"))
    )
    found = with_children(np.array([[0.1, 0.2, 0.9], [0.8, np.nan, 0.3]]), book)
    assert found.tolist() == [[0.9, 0.9, 0.9], [0.8, 0.3, 0.3]]
