"""Phrases with classes: the longest one at a place counts, and what it covers is not read again."""

import itertools

import pytest

from semscale.guards.phrases import (
    PHRASE_GUARDS,
    Cue,
    PhraseReader,
    phrase_reader,
)
from semscale.guards.words import TextWords, read_lexicon

BOOK = {
    "hedged": ["may, <be> said to, so _ says"],
    "only": ["no .. but"],
    "harmless": ["may day, said so"],
    "groups": {"be": "is was"},
}


@pytest.mark.parametrize(
    ("text", "cues"),
    [
        ("It may rain.", [Cue("hedged", 1, 1)]),
        ("It rains on May Day.", []),
        ("It is said to rain, and was said to snow.", [Cue("hedged", 1, 3), Cue("hedged", 7, 9)]),
        ("It is said that it rains.", []),
        ("It rains, so Ann says.", [Cue("hedged", 3, 5)]),
        ("No one but Ann came.", [Cue("only", 0, 2)]),
        ("No one of us here all but Ann came.", []),  # five words between
        ("No one, but Ann came.", []),  # a mark between
        ("", []),
    ],
)
def test_phrases_are_found_with_their_class_and_places(text, cues):
    assert PhraseReader({"book": BOOK}).read(TextWords(text)) == {"book": cues}


@pytest.mark.parametrize("guard", PHRASE_GUARDS)
def test_no_phrase_of_a_guard_has_two_classes(guard):
    entries = {
        kind: [" ".join(phrase.split()) for line in lines for phrase in line.split(",")]
        for kind, lines in read_lexicon(guard).items()
        if kind != "groups"
    }
    phrases = list(itertools.chain.from_iterable(entries.values()))
    assert "" not in phrases
    assert {one for one in phrases if sum(one in listed for listed in entries.values()) > 1} == set()


def test_books_read_together_find_what_each_finds_alone():
    text = TextWords("Perhaps only Ann says daily if most tests passed before the others.")
    alone = {guard: PhraseReader({guard: read_lexicon(guard)}).read(text)[guard] for guard in PHRASE_GUARDS}
    assert phrase_reader().read(text) == alone
    assert all(alone.values())
