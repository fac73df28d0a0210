"""Comparisons of two things, restated or reversed by another text."""

import pytest

from semscale.guards.relations import may_compare, read_relations, restated, reversals
from semscale.guards.words import TextWords, stem


def relations(text):
    return read_relations(TextWords(text))


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Iron is heavier than cork", "iron", "cork"),
        ("The cough came before the fever", "cough", "fever"),
        ("Oslo lies north of Rome", "oslo", "rome"),
    ],
)
def test_two_things_and_the_word_between_them(text, first, second):
    (found,) = relations(text)
    assert stem(first) in found.first
    assert stem(second) in found.second


@pytest.mark.parametrize("text", ["Iron is heavy", "more than ever", "It is other than that", "north wind"])
def test_texts_that_compare_nothing(text):
    assert relations(text) == []


def test_a_text_without_a_comparing_word_is_told_at_once():
    assert not may_compare(TextWords("Iron is heavy"))
    assert may_compare(TextWords("heavier than"))


def test_the_same_things_in_reverse_order():
    heavier = "Iron is heavier than cork"
    assert reversals(relations(heavier), relations("Cork is heavier than iron")) == [(2, 2)]
    assert reversals(relations(heavier), relations(heavier)) == []
    assert reversals(relations(heavier), relations("Cork is heavier than lead")) == []


def test_word_and_order_reversed_agree():
    assert restated(relations("Iron is heavier than cork"), relations("Cork is lighter than iron"))
    assert not restated(relations("Iron is heavier than cork"), relations("Iron is lighter than cork"))
