"""Names in texts: proper names, acronyms, codes, months and quotations."""

import pytest

from semscale.guards.names import normal, read_names
from semscale.guards.words import TextWords


def names(text):
    return [(name.kind, name.shown) for name in read_names(TextWords(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She met George Bush in Iraq.", [("name", "George Bush"), ("name", "Iraq")]),
        ("It began in March.", [("month", "March")]),
        ("The WHO warned of TB.", [("acronym", "WHO"), ("acronym", "TB")]),
        ("it inhibits CYP3A4 and mate2-k", [("code", "CYP3A4"), ("code", "mate2-k")]),
        ('He called it "a disaster" again.', [("quoted", '"a disaster"')]),
        ("The eBay auction ended.", [("name", "eBay")]),
        ("Hamlet was written by William Shakespeare.", [("name", "William Shakespeare")]),
        ("Norway won.", [("name", "Norway")]),
        ("Michelangelo Buonarroti won.", [("name", "Michelangelo Buonarroti")]),
        ("It starts on Jan 5.", [("month", "Jan")]),
        ("She met Jan there.", [("name", "Jan")]),
    ],
)
def test_kinds_of_names(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "the lamp is lit",  # no capitals
        "Lamps are lit. Others are not.",  # capitals at the start of a sentence
        "under-12 team at terminal4",  # a plain word with a number
        "Stocks Fall As Markets Fear Rates",  # a headline
        "Prices rose, Reuters said.",  # the source at the end
    ],
)
def test_texts_without_names(text):
    assert names(text) == []


def test_a_headline_keeps_its_codes():
    assert names("New Study Finds CYP3A4 Drugs Interact Often") == [("code", "CYP3A4")]


def test_names_have_their_place_and_folded_parts():
    text = "It was O'Neill's idea."
    (name,) = read_names(TextWords(text))
    assert text[name.start : name.end] == name.shown
    assert name.parts[0] == normal("O'Neill")
