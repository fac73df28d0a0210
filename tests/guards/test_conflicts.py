"""Contradictions between the signs of two texts, and their causes."""

import pytest

from semscale.guards.polarity import find_conflicts, read_polarity
from semscale.guards.words import TextWords


def conflicts(prediction, reference):
    polarities = (read_polarity(TextWords(text)) for text in (prediction, reference))
    return find_conflicts(*polarities)


@pytest.mark.parametrize(
    ("prediction", "reference", "cause"),
    [
        ("the lamp is not lit", "the lamp is lit", "negation"),
        ("it is unsafe", "it is safe", "negation"),
        ("the left lung", "the right lung", "opposite"),
        ("Bob sold it to Ann", "Ann did not buy it from Bob", "negation"),
    ],
)
def test_causes(prediction, reference, cause):
    for found in (conflicts(prediction, reference), conflicts(reference, prediction)):
        assert [conflict.cause for conflict in found] == [cause]


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("not connected to the positive", "connected to the negative"),
        ("a positive and a negative terminal", "the positive terminal"),
        ("a large dog and a small ball", "a small ball and a large dog"),
        ("it is not unsafe", "it is safe"),
        ("no fever", "no fever and no cough"),
        ("Bob sold it to Ann", "Ann bought it from Bob"),
        ("Bob did not sell it to Ann", "Ann did not buy it from Bob"),
    ],
)
def test_texts_that_do_not_contradict_each_other(prediction, reference):
    assert conflicts(prediction, reference) == ()


def test_one_negation_is_reported_once():
    found = conflicts("it does not burn or smoke", "it burns and smokes")
    assert len(found) == 1
