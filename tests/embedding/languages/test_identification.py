import pytest

from semscale.embedding.languages import has_enough_letters, identified_languages


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich würde es sofort kaufen.", "de"),
        ("Lo compraría mañana mismo.", "es"),
        ("Je l'achèterais tout de suite.", "fr"),
        ("这个产品很好", "zh"),
        ("とても良い製品です", "ja"),
        ("สินค้านี้ดีมาก", "th"),
        ("I would buy it tomorrow.", "en"),
    ],
)
def test_whole_sentences_are_told_apart(text, code):
    assert identified_languages([text]) == [code]


@pytest.mark.parametrize("text", ["schlecht", "schlechter Service", "schlechte Qualität"])
def test_short_german_is_not_taken_for_luxembourgish(text):
    assert identified_languages([text]) == ["de"]


@pytest.mark.parametrize(
    ("text", "code"),
    [  # The beginning of article 1 of the Universal Declaration of Human Rights.
        ("All Mënsch kënnt fräi a mat deer selwechter Dignitéit op d'Welt.", "lb"),
        ("Alle menslike wesens word vry, met gelyke waardigheid en regte, gebore.", "af"),
        ("Tódolos seres humanos nacen libres e iguais en dignidade e dereitos.", "gl"),
        ("Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau.", "cy"),
    ],
)
def test_a_sentence_in_a_rare_language_is_known(text, code):
    assert identified_languages([text]) == [code]


@pytest.mark.parametrize("text", ["ok", "good!", "John Smith", "Coca Cola", "lol", "Maria Gonzalez", "42"])
def test_words_and_names_say_nothing(text):
    assert identified_languages([text]) == [None]


def test_letters_are_counted_in_bytes_as_a_chinese_sign_says_more_than_a_letter():
    # Twelve bytes: twelve letters of English, six of Russian, four Chinese signs; digits and marks are none.
    assert [has_enough_letters(text) for text in ("abcdefghijkl", "приват", "太贵了吧")] == [True] * 3
    assert [has_enough_letters(text) for text in ("abcdefghijk1", "прива", "太贵了!", "")] == [False] * 4


def test_half_of_a_surrogate_pair_is_no_reason_to_stop():
    assert has_enough_letters("abcdefghijkl\ud83d")
    assert identified_languages(["Ich würde es sofort kaufen. \ud83d"]) == ["de"]
