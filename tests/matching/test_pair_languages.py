"""Which languages the texts of a pair are in, by pairs written by hand."""

from importlib.metadata import version

import pytest
from tests.language_sentences import SENTENCES

from semscale.guards.registry import GUARDS, Guards
from semscale.matching.pairs import (
    are_across,
    guards_read,
    with_guards,
    with_identifier,
)
from semscale.signature import Signature

BOTH = frozenset({"de", "en", "zh"})


@pytest.mark.parametrize(
    ("prediction", "reference", "read"),
    [
        (SENTENCES["en"], SENTENCES["en"], True),
        ("Paris", SENTENCES["en"], True),
        ("12 km", "13 km", True),
        (SENTENCES["de"], SENTENCES["en"], False),
        (SENTENCES["en"], SENTENCES["zh"], False),
        (SENTENCES["de"], SENTENCES["de"], False),
    ],
)
def test_guards_read_english_and_what_is_not_clear(prediction, reference, read):
    assert guards_read(prediction, reference) is read


@pytest.mark.parametrize(
    ("prediction", "reference", "across"),
    [
        (SENTENCES["de"], SENTENCES["en"], True),
        (SENTENCES["zh"], SENTENCES["de"], True),
        (SENTENCES["de"], SENTENCES["de"], False),
        ("Paris", SENTENCES["de"], False),
        (SENTENCES["fr"], SENTENCES["en"], False),  # not among the languages that are read
    ],
)
def test_tokens_are_not_compared_across_languages_the_model_reads(prediction, reference, across):
    assert are_across(prediction, reference, BOTH) is across


def test_unknown_model_languages_are_never_across():
    assert not are_across(SENTENCES["de"], SENTENCES["en"], frozenset())


def test_what_identifies_languages_is_named_where_guards_look():
    # Of texts in other languages than English, guards say nothing: another identifier gives other findings.
    fields = dict(with_guards(Signature.of("match"), Guards({"name": "off"})).fields)
    assert fields == {
        "findings": "+".join(name for name in GUARDS if name != "name"),
        "language": f"any+py3langid-{version('py3langid')}/rare-0.1",
    }
    once = with_guards(with_identifier(Signature.of("match")), Guards())
    assert [name for name, _ in once.fields] == ["language", "findings"]
