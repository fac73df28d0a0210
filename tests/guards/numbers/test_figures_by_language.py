"""Numbers in any language: what each may be follows from how the language is written, by hand."""

from decimal import Decimal

import pytest

from semscale.guards.number_guard import read_numbers


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("1.000 Euro", "de", ["1000"]),
        ("1,000 Euro", "de", ["1"]),
        ("1,000 yen", "ja", ["1000"]),
        ("1.000", "es", ["1", "1000"]),  # Mexico writes 1,000 for a thousand, and Spain 1.000
        ("1,000", None, ["1", "1000"]),
        ("3,5", None, ["3.5"]),
        ("3.5", "fr", ["3.5"]),
        ("0,500", None, ["0.5"]),  # no group of thousands begins with 0
        ("1.234,56", "de", ["1234.56"]),
        ("1,234.56", "de", ["1234.56"]),  # the last of two marks is the decimal one
        ("1'000.50", "de", ["1000.5"]),
        ("1 234 567,8 habitants", "fr", ["1234567.8"]),
        ("1\u202f234", "fr", ["1234"]),
        ("1,00,000", "hi", ["100000"]),
        ("1.234.567", "de", ["1234567"]),
        ("٣٫٥", "ar", ["3.5"]),
        ("١٬٠٠٠", "ar", ["1000"]),
        ("３．５", "ja", ["3.5"]),
        ("1万2000円", "ja", ["12000"]),
        ("3億5000万", "ja", ["350000000"]),
        ("約3個", "ja", ["3"]),
    ],
)
def test_a_number_has_the_values_that_its_marks_allow(text, language, values):
    (figure,) = read_numbers(text, language).figures
    assert sorted(figure.values) == sorted(map(Decimal, values))


def test_dates_and_times_have_parts_and_names_no_numbers():
    date, time = read_numbers("Am 3.4.2024 um 14.30 Uhr, mit B12 und GPT-4.", "de").figures
    assert (date.values, date.parts) == (frozenset(), (3, 4, 2024))
    assert (time.values, time.parts) == ({Decimal("14.3")}, (14, 30))


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("drei von zwölf, oder hundert", "de", (3, 12, 100)),
        ("dix-sept et septante", "fr", (17, 70)),
        ("veinte o treinta", "es", (20, 30)),
        ("三十二人", "ja", (32,)),
        ("خمسة", "ar", (5,)),
        ("trzy", "pl", ()),
    ],
)
def test_number_words_have_values_where_they_are_known(text, language, words):
    found = read_numbers(text, language)
    assert found.words == words
    assert found.knows_words == (language != "pl")


def test_an_article_is_no_number_to_lose_and_a_compound_is_one():
    assert read_numbers("ein Hund", "de").n == 0
    assert read_numbers("fünfundzwanzig Hunde und 3 Katzen", "de").n == 2
