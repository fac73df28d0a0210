"""Tokens of a reply, each with one class."""

import pytest

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Final score: 4.", "final score_word colon number stop"),
        ("It isn't a 4!", "this be not a number stop"),
        ("4 -> 3", "number amend number"),
        ("p. 4 in May 1931", "numbered number for word number"),
        ("4.5 (max 5)", "number open maximum number close"),
    ],
)
def test_the_classes_of_a_text(text, kinds):
    assert [token.kind for token in tokenize(text)] == kinds.split()


def test_tokens_know_their_places():
    text = "The score is 4"
    assert [text[token.start : token.end] for token in tokenize(text)] == ["The", "score", "is", "4"]


def test_patterns_of_classes_match_whole_classes():
    pattern = class_pattern("^ a? score_word any{0,1} number $")
    assert pattern.search(sequence(["a", "score_word", "colon", "number"]))
    assert not pattern.search(sequence(["a", "score_word", "colon", "be", "number"]))
    assert not class_pattern("number").search(sequence(["numbered"]))
