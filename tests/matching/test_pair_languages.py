"""Which languages the texts of a pair are in, by pairs written by hand."""

from importlib.metadata import version

import pytest

from semscale.guards.registry import Guards
from semscale.matching.pair_languages import (
    are_across,
    guards_read,
    with_guards,
    with_identifier,
)
from semscale.signature import Signature

SAME = {
    "en": "The battery lasts two days.",
    "de": "Der Akku hält zwei Tage, und das Gerät ist sehr leise.",
    "fr": "La batterie tient deux jours et l'appareil est très silencieux.",
    "es": "La batería dura dos días y el aparato es muy silencioso.",
    "zh": "电池可以用两天，而且非常安静。",
    "ar": "تدوم البطارية يومين والجهاز هادئ جدا.",
    "hi": "बैटरी दो दिन चलती है और उपकरण बहुत शांत है।",
}
BOTH = frozenset({"de", "en", "zh"})


@pytest.mark.parametrize(
    ("prediction", "reference", "read"),
    [
        (SAME["en"], SAME["en"], True),
        ("Paris", SAME["en"], True),
        ("12 km", "13 km", True),
        (SAME["de"], SAME["en"], False),
        (SAME["en"], SAME["zh"], False),
        (SAME["de"], SAME["de"], False),
    ],
)
def test_guards_read_english_and_what_is_not_clear(prediction, reference, read):
    assert guards_read(prediction, reference) is read


@pytest.mark.parametrize(
    ("prediction", "reference", "across"),
    [
        (SAME["de"], SAME["en"], True),
        (SAME["zh"], SAME["de"], True),
        (SAME["de"], SAME["de"], False),
        ("Paris", SAME["de"], False),
        (SAME["fr"], SAME["en"], False),  # not among the languages that are read
    ],
)
def test_words_are_not_compared_across_languages_that_the_model_reads(prediction, reference, across):
    assert are_across(prediction, reference, BOTH) is across


def test_nothing_is_said_where_it_is_not_known_what_the_model_reads():
    assert not are_across(SAME["de"], SAME["en"], frozenset())


def test_what_identifies_languages_is_named_where_guards_look():
    # Of texts in other languages than English, guards say nothing: another identifier gives other findings.
    fields = dict(with_guards(Signature.of("match"), Guards({"name": "off"})).fields)
    assert fields == {
        "findings": "negation+opposite+number",
        "language": f"any+py3langid-{version('py3langid')}/rare-0.1",
    }
    once = with_guards(with_identifier(Signature.of("match")), Guards())
    assert [name for name, _ in once.fields] == ["language", "findings"]
