import pytest

from semscale.embedding.languages import language_of_script


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("不安全", "zh"),
        ("安い", "ja"),  # a Chinese sign and a Japanese one
        ("좋아요", "ko"),
        ("جيد", "ar"),
        ("да", "ru"),
        ("Нокиа 3310 Plus", "ru"),  # five letters of nine
        ("Nokia да", None),
        ("Ω", None),
        ("schlecht", None),
        ("123", None),
    ],
)
def test_a_script_shows_the_language_of_a_word(text, code):
    assert language_of_script(text) == code
