"""The two parts of a sentence with "before" and the like, their negations, and parts that have crossed."""

import pytest

from semscale.guards.phrases import Wording
from semscale.guards.reading import crossing, denials, denied_otherwise, is_denied, parts_at
from semscale.guards.words import TextWords


def read(text):
    return Wording(TextWords(text))


@pytest.mark.parametrize(
    ("text", "main", "sub"),
    [
        ("Wash the dish before you dry it.", "wash the dish", "you dry it"),
        ("Before you dry it, wash the dish.", "wash the dish", "you dry it"),
        ("Two days before the talk, Ann fell ill.", "ann fell ill", "the talk"),
        ("We met. Ann left before the talk, as planned.", "ann left", "the talk"),
        ("Before the talk Ann left.", "", "the talk ann left"),  # no comma shows where the main clause begins
    ],
)
def test_a_sentence_falls_into_two_parts(text, main, sub):
    wording = read(text)
    (cue,) = wording.cues("order")
    parts = parts_at(wording, cue)
    shown = [" ".join(wording.words.texts[at] for at in part) for part in parts]
    assert shown == [main, sub]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ann came.", 0),
        ("Ann did not come.", 1),
        ("Nobody failed to come.", 2),
        ("Nobody but Ann came.", 0),  # says that Ann came
        ("Ann came without a coat.", 0),  # a condition, no negation of the sentence
        ("No more than two came.", 0),  # a bound
        ("Bob was not left out.", 2),
    ],
)
def test_negations_are_counted(text, count):
    wording = read(text)
    places = range(len(wording.words.texts))
    assert denials(wording, places) == count
    assert is_denied(wording, places) == (count % 2 == 1)


def test_texts_may_have_not_the_same_number_of_negations():
    assert denied_otherwise(read("Nobody came."), read("Ann came."))
    assert not denied_otherwise(read("Nobody came."), read("Ann did not come."))


def test_parts_cross_only_if_both_have_moved():
    assert crossing(({"wash"}, {"dry"}), ({"dry"}, {"wash"}))
    assert not crossing(({"wash"}, {"dry"}), ({"wash"}, {"dry"}))
    assert not crossing(({"wash"}, {"dry"}), ({"dry"}, {"iron"}))
    assert not crossing((set(), {"dry"}), ({"dry"}, set()))
