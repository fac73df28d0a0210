"""Whatever a text holds, the guards look at it, and point at what stands there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.guards import polarity
from semscale.guards.dates import Day, read_dates
from semscale.guards.quantities import find_spelt_numbers
from semscale.guards.registry import GUARDS, Guards
from semscale.guards.text import Text
from semscale.guards.words import stem

BLANKS = ("", " ", "\u00a0", "\u202f", "\u2009", "\n", "\x1c", "\u2028", "\u200b", "\x00", "-", "\u2011", "–")
# Divided by bars; a blank stands for any of those above.
PHRASES = (
    f"5 × 10⁻³ g|½ x 10 ^ −3|1,5 * 10²|2 e-3|9^99999 %|{'9' * 400} / 7 km|10⁻ K|2 .5 m|0/0|1/2/3|120/80|1.2.3"
    "|$ 12,000 million|12 000 €|\u0661\u0662 kg|\U0001d7d3 mg / dL|− 4 ° C|4 –5 mm Hg a day"
    "|at least 5 per cent|up to ¾|≤ = 3|7 or more|3rd|5 's"
    "|10 : 30 p.m.|half past nıne|FİVE past ten|twenty ſix minutes to one|noon|three o’clock"
    "|twenty \ud800 five|one \udfff hundred|half a million|dozen trillion trillion|second to none"
    "|bulb A|stage IV and \u2160|London ’s|CYP3A4 \u0301|U.S. \ufeff|“Ann \u202e”|“ ” ' \" `"
    "|May 5|3 HAZİRAN|ſept 4|second of ſept|9 a.m. Eaſtern time"
    "|is not on|\ud800 on|isn’t out|colder than|שלום \u200f|😀 no|unſafe|ﬁ ² ⅷ|İ"
).split("|")
PARTS = st.sampled_from(PHRASES) | st.characters()
TEXTS = st.builds(
    lambda parts, blank, gap: gap.join(parts).replace(" ", blank),
    st.lists(PARTS, max_size=8),
    st.sampled_from(BLANKS),
    st.sampled_from(BLANKS),
)


@pytest.mark.exhaustive
@given(TEXTS, TEXTS)
def test_no_text_is_too_odd(prediction, reference):
    for finding in Guards().check(prediction, reference):
        for span, text in ((finding.prediction, prediction), (finding.reference, reference)):
            assert span is None or text[span.start : span.end] == span.text


@pytest.mark.parametrize("surrogate", [chr(0xD800), chr(0xDFFF)])
def test_a_surrogate_that_stands_alone_parts_numbers_as_a_mark_does(surrogate):
    words = Text(f"twenty {surrogate} five {surrogate}{surrogate} g and six")
    numbers = [(number.values, number.shown.split()[0]) for number in find_spelt_numbers(words)]
    assert numbers == [((20.0,), "twenty"), ((5.0,), "five"), ((6.0,), "six")]
    (finding,) = Guards().check(f"it takes five {surrogate} g", "it takes two g")
    assert (finding.kind, finding.prediction.text, finding.reference.text) == ("other-value", "five", "two g")


def test_a_surrogate_before_a_switch_is_not_stemmed(monkeypatch):
    # PyStemmer, which takes the place of Snowball's own code where it is installed, refuses what UTF-8 does.
    monkeypatch.setattr(polarity, "stem", lambda word: stem(word.encode().decode()))
    words = Text(f"the lamp {chr(0xD800)} on it is lit")
    assert [words.words[mention.at] for mention in polarity.read_polarity(words).mentions()] == [
        "lamp",
        "lit",
    ]


def test_letters_that_only_pass_for_those_of_a_month_or_zone_are_read_as_these():
    # İ and ı are capital and small letters of Turkish months; ſ is an s in old prints.
    dates = read_dates("5 Mayıs - 3 HAZİRAN 2025, 7 KASIM, May the first of ſept, ſecond of May")
    assert [date.readings[0] for date in dates] == [
        Day(None, 5, 5), Day(2025, 6, 3), Day(None, 11, 7), Day(None, 9, 1), Day(None, 5, 2),
    ]  # fmt: skip
    times = "The call is at 9 a.m. Eaſtern time.", "The call is at 9 a.m. Eastern time."
    assert GUARDS["number"].check(*times) == []
    (finding,) = GUARDS["number"].check("Due on 3 HAZİRAN 2025.", "Due on 4 Haziran 2025.")
    assert finding.kind == "other-value"
