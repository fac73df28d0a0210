"""Phrases of which a statement has one: rates, seasons, too much and too little, since and until."""

import pytest

from semscale.guards.registry import Guards


@pytest.mark.parametrize(
    ("one", "other", "here", "there"),
    [
        ("Take two tablets per day.", "Take two tablets per week.", "per day", "per week"),
        ("The bus runs twice a day.", "The bus runs twice a week.", "a day", "a week"),
        ("The bus comes every hour.", "The bus comes every day.", "every hour", "every day"),
        ("There was too much salt in it.", "There was too little salt in it.", "too much", "too little"),
        ("The museum opens in autumn.", "The museum opens in summer.", "autumn", "summer"),
        ("The museum opens in the fall.", "The museum opens in spring.", "in the fall", "spring"),
        (
            "The lake is full in autumn and dry in summer.",
            "The lake is full in summer and dry in autumn.",
            "autumn",
            "summer",
        ),
    ],
)
def test_another_phrase_of_a_group_is_found_either_way_round(one, other, here, there):
    (finding,) = Guards().check(one, other)
    assert (finding.guard, finding.kind) == ("opposite", "opposed")
    assert (finding.prediction.text, finding.reference.text) == (here, there)
    (turned,) = Guards().check(other, one)
    assert (turned.prediction.text, turned.reference.text) == (there, here)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Four trains leave every hour.", "Four trains leave per hour."),
        ("Take one tablet daily.", "Take one tablet per day."),
        ("He takes 50 mg per day.", "He takes 350 mg per week."),
        ("The museum opens in autumn.", "The museum opens in the fall."),
        ("It is open in summer and autumn.", "It is open in autumn and summer."),
        ("There was too little salt in it.", "There was not enough salt in it."),
        ("The road was closed until May.", "The road has been open since May."),
    ],
)
def test_the_same_in_other_words_gives_nothing(one, other):
    assert Guards().check(one, other) == Guards().check(other, one) == []


def test_since_and_until_put_a_span_on_either_side_of_its_limit():
    texts = "She worked there since 2010.", "She worked there until 2010."
    for one, other in (texts, texts[::-1]):
        (finding,) = Guards().check(one, other)
        assert (finding.guard, finding.kind) == ("order", "other-order")
