"""Numbers in other languages than English, and those that differ."""

from decimal import Decimal

import pytest

from semscale.guards.number_guard import figure_findings, read_numbers


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
def test_number_terms_have_values_in_supported_languages(text, language, words):
    result = read_numbers(text, language)
    assert result.words == words
    assert result.knows_words == (language != "pl")


def test_german_article_is_no_number_but_a_compound_is():
    assert read_numbers("ein Hund", "de").n == 0
    assert read_numbers("fünfundzwanzig Hunde und 3 Katzen", "de").n == 2


SAME = [
    ("de", "Nehmen Sie 3 Tabletten.", "Drei Tabletten sind zu nehmen."),
    ("de", "Es kostet 1.000 Euro.", "Der Preis ist 1000 Euro."),
    ("de", "Am 3.4.2024 um 14.30 Uhr.", "Am 3. April 2024 um 14:30 Uhr."),
    ("de", "25 Leute kamen.", "Es kamen fünfundzwanzig Leute."),
    ("de", "Etwa 1,2 Mio. Menschen.", "Rund 1.200.000 Menschen."),
    ("de", "Von 5 auf 3 gesunken.", "Gesunken auf 3."),
    ("fr", "Prenez 2,5 ml en 1 000 jours.", "En 1000 jours, prenez 2.5 ml."),
    ("fr", "Il a 10 ans.", "Il a dix ans, et pas 3."),
    ("es", "Cuesta 1.000 pesos.", "El precio es 1,000 pesos."),
    ("es", "Toma 3 pastillas.", "Toma tres pastillas."),
    ("ja", "12,000円です。", "1万2000円かかります。"),
    ("ja", "薬を3錠飲みます。", "三錠の薬を飲みます。"),
    ("ar", "خذ ٣ حبات", "خذ 3 حبات"),
    ("ar", "السعر ١٬٠٠٠ ريال", "السعر 1000 ريال"),
    ("de", "Etwa 1,2 Milliarden.", "Rund 1200 Millionen."),
    ("de", "2 Mio. Euro.", "Zwei Millionen Euro."),
    ("nl", "3 miljoen euro", "3.000.000 euro"),
    ("pt", "5 milhões", "5.000.000"),
    ("ru", "3 тысячи", "3000"),
    ("pl", "Weź 3 tabletki.", "Weź trzy tabletki."),  # unknown words, but no other number in the place
]
OTHER = [
    ("de", "Nehmen Sie 3 Tabletten.", "Nehmen Sie 5 Tabletten.", [("5", "3")]),
    ("de", "Es kostet 1.000 Euro.", "Es kostet 1,000 Euro.", [("1,000", "1.000")]),
    ("de", "Am 3.4.2024.", "Am 5.4.2024.", [("5.4.2024", "3.4.2024")]),
    ("fr", "Prenez 2,5 ml.", "Prenez 25 ml.", [("25", "2,5")]),
    ("es", "De 3 a 7 días.", "De 4 a 9 días.", [("4", "3"), ("9", "7")]),
    ("ja", "薬を3錠飲みます。", "薬を5錠飲みます。", [("5", "3")]),
    ("ja", "1万2000円です。", "1万3000円です。", [("1万3000", "1万2000")]),
    ("ar", "خذ ٣ حبات", "خذ ٥ حبات", [("٥", "٣")]),
    ("pl", "Weź 3 tabletki.", "Weź 5 tabletek.", [("5", "3")]),
    ("de", "Nimm 5 Milligramm.", "Nimm 50 Milligramm.", [("50", "5")]),  # no millions
    ("fr", "3 millilitres", "30 millilitres", [("30", "3")]),
    ("it", "12 mila euro", "120 mila euro", [("120", "12")]),
    ("de", "1,2 Mio. Euro", "12 Mio. Euro", [("12", "1,2")]),
    ("zh", "30千", "300千", [("300", "30")]),
    (
        "zh",
        "2024.12.30万科发布公告",
        "2024.12.31万科发布公告",
        [("2024.12.31", "2024.12.30")],
    ),  # a company's name
    ("de", "20 Euro, sagt einundzwanzig.", "90 Euro, sagt einundzwanzig.", [("90", "20")]),
]


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_honest_rewordings_change_no_number(language, before, after):
    for left, right in ((before, after), (after, before)):
        assert figure_findings(left, right, languages=(language, language)) == []


@pytest.mark.parametrize(("language", "before", "after", "spans"), OTHER)
def test_changed_number_is_reported_in_every_language(language, before, after, spans):
    result = figure_findings(after, before, languages=(language, language))
    assert [(finding.prediction.text, finding.reference.text) for finding in result] == spans
    assert {(finding.guard, finding.kind) for finding in result} == {("number", "other-value")}
    for finding in result:
        assert after[finding.prediction.start : finding.prediction.end] == finding.prediction.text


def test_an_unclear_language_is_that_of_the_other_text_and_else_either_mark_may_be_decimal():
    assert figure_findings("1.000", "1,000", languages=("de", None))
    assert not figure_findings("1.000", "1,000")
