"""The lexicon of finite verbs and participles."""

import pytest

from semscale.damage.rewriting import Form, finite_form, is_participle, regular_past, third_person, word_class


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("show", Form("show", "do", True)),
        ("showed", Form("show", "did", False)),
        ("shows", Form("show", "does", True)),
        ("gave", Form("give", "did", False)),
        ("gives", Form("give", "does", False)),
        ("giving", None),
        ("table", None),
    ],
)
def test_finite_forms_of_regular_and_irregular_verbs(word, form):
    assert finite_form(word) == form


@pytest.mark.parametrize("word", ["been", "taken", "given", "provided", "needed"])
def test_participles(word):
    assert is_participle(word)


@pytest.mark.parametrize("word", ["took", "need", "seed", "indeed", "hundred", "speed", "give"])
def test_nouns_and_adverbs_in_ed_are_not_participles(word):
    assert not is_participle(word)


def test_spelling_of_regular_forms():
    assert [third_person(base) for base in ("fix", "wash", "go", "say", "rely")] == [
        "fixes", "washes", "goes", "says", "relies",
    ]  # fmt: skip
    assert [regular_past(base) for base in ("fix", "use", "play", "rely")] == [
        "fixed", "used", "played", "relied",
    ]  # fmt: skip


def test_classes_of_terms_are_read_from_the_lexicon():
    assert {"he", "they"} <= word_class("person")
