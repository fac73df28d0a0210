"""Sentences for comparison; how texts are split is tested beside damage, which joins them again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching.entailment import sentences_of, sentences_with_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("1. Rinse it.\n2) Dry it.", ["1. Rinse it.", "2) Dry it."]),
        ("Use it, e.g. at home.\n\nThen stop", ["Use it, e.g. at home.", "Then stop"]),
        ("3.5 mg a day.", ["3.5 mg a day."]),
        ("良い。悪い！", ["良い。", "悪い！"]),
        ("Good. 👍 !", ["Good."]),
        ("👍", ["👍"]),
        ("See plan\nB.", ["See plan", "B."]),
    ],
)
def test_worded_sentences_lists_sentences_with_letters(text, expected):
    assert sentences_with_text(text) == expected


@given(st.text(alphabet="aB .!?\n'1。", max_size=60))
def test_no_letter_is_lost(text):
    joined = "".join(sentences_with_text(text))
    assert [letter for letter in joined if letter.isalpha()] == [
        letter for letter in text if letter.isalpha()
    ]
    assert "".join(sentences_of(text)) == text
