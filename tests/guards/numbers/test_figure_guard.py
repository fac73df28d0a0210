"""Changed digits in languages that the guards do not read; each case was decided by hand."""

import pytest

from semscale.guards.number_guard import figure_findings

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
    for ours, theirs in ((before, after), (after, before)):
        assert figure_findings(ours, theirs, languages=(language, language)) == []


@pytest.mark.parametrize(("language", "before", "after", "places"), OTHER)
def test_another_number_in_the_place_of_one_is_found(language, before, after, places):
    found = figure_findings(after, before, languages=(language, language))
    assert [(one.prediction.text, one.reference.text) for one in found] == places
    assert {(one.guard, one.kind) for one in found} == {("number", "other-value")}
    for one in found:
        assert after[one.prediction.start : one.prediction.end] == one.prediction.text


def test_an_unclear_language_is_that_of_the_other_text_and_else_either_mark_may_be_decimal():
    assert figure_findings("1.000", "1,000", languages=("de", None))
    assert not figure_findings("1.000", "1,000")
