"""The language of short texts that are read together."""

import pytest

from semscale.embedding.languages import joined_language

GERMAN = ["gut", "schlecht", "zu teuer", "geht so", "weiß nicht"]
ENGLISH = ["good", "bad", "too expensive", "so so", "don't know"]


def test_short_answers_are_read_as_one():
    assert joined_language(GERMAN) == "de"
    assert joined_language(ENGLISH) == "en"


def test_repetitions_case_and_texts_without_letters_do_not_count():
    assert joined_language(GERMAN[:4] * 20) is None  # four distinct texts
    assert joined_language([*GERMAN[:4], "GUT", " gut ", "👍", "12"]) is None
    assert joined_language([*GERMAN * 3, "👍", "4.5"]) == "de"


def test_one_odd_text_does_not_decide():
    # Names have no language; one long English text makes them English, unless it is left out.
    names = ["John", "Mbappé", "Xi", "Björk", "Zuma", "Olga"]
    odd = "This is the longest of all texts, and it is plainly in English."
    assert joined_language([*names, odd]) is None
    assert joined_language([*GERMAN, *reversed(GERMAN), odd * 50]) == "de"


@pytest.mark.parametrize("texts", [[], ["👍"] * 9, ["Nokia", "Kia", "Mazda", "Lego", "Sony", "Asus"]])
def test_nothing_is_said_without_evidence(texts):
    assert joined_language(texts) is None
