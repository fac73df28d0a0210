"""The language of single texts, by sentences written by hand."""

import pytest

from semscale.embedding.languages.text_language import language_of

SENTENCES = {
    "en": "The battery lasts two days.",
    "de": "Der Akku hält zwei Tage, und das Gerät ist sehr leise.",
    "fr": "La batterie tient deux jours et l'appareil est très silencieux.",
    "es": "La batería dura dos días y el aparato es muy silencioso.",
    "zh": "电池可以用两天，而且非常安静。",
    "ar": "تدوم البطارية يومين والجهاز هادئ جدا.",
    "hi": "बैटरी दो दिन चलती है और उपकरण बहुत शांत है।",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_the_language_of_a_sentence_is_found(code):
    assert language_of(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["Paris", "12 km", "", "👍", "OK, Mr Smith", "Ω"])
def test_a_text_that_says_too_little_has_no_language(text):
    assert language_of(text) is None
