import pytest

from semscale.embedding.languages import is_plainly_english


@pytest.mark.parametrize(
    ("text", "is_english"),
    [
        ("The battery is not good", True),
        ("the THE", True),
        ("Das ist the best", False),  # one English word is a quotation as easily
        ("Der Mann will die Information", False),
        ("", False),
        ("x" * 600 + " the and", False),  # beyond what is looked at
    ],
)
def test_two_english_words_show_that_a_text_is_english(text, is_english):
    assert is_plainly_english(text) is is_english
