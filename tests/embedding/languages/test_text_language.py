"""The language of single texts, by sentences written by hand."""

import pytest
from tests.language_sentences import SENTENCES

from semscale.embedding.languages import language_of


@pytest.mark.parametrize("code", SENTENCES)
def test_the_language_of_a_sentence_is_found(code):
    assert language_of(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["Paris", "12 km", "", "👍", "OK, Mr Smith", "Ω"])
def test_a_text_that_says_too_little_has_no_language(text):
    assert language_of(text) is None
