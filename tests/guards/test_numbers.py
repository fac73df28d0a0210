"""Numbers that differ, are missing or were added, with their units, bounds, times and labels."""

import pytest

from semscale.guards.quantities import (
    UnitConversion,
    _spellings,
    conversion_of,
    measure_the_same,
    read_quantities,
    unit_name,
)
from semscale.guards.registry import GUARDS
from semscale.guards.text import Text, read_text

OTHER = [
    ("0.5 mg daily", "50 mg daily", "other-value", "0.5 mg", "50 mg"),
    ("It rose from 5 to 7.", "It rose from 7 to 5.", "other-value", "5 to 7", "7 to 5"),
    (
        "It went from 5 mg to 1 g.",
        "It went from 1000 mg to 5 mg.",
        "other-value",
        "5 mg to 1 g",
        "1000 mg to 5 mg",
    ),
    ("There are 12 pairs.", "There are 13 pairs.", "other-value", "12", "13"),
    ("There are twelve pairs.", "There are 13 pairs.", "other-value", "twelve", "13"),
    ("It weighs 1 g.", "It weighs 100 mg.", "other-value", "1 g", "100 mg"),
    ("5 mg/dL", "5 g/dL", "other-value", "5 mg/dL", "5 g/dL"),
    ("4 degrees Celsius", "8 °C", "other-value", "4 degrees Celsius", "8 °C"),
    ("4 degrees Celsius", "4 degrees Fahrenheit", "other-value", "4 degrees Celsius", "4 degrees Fahrenheit"),
    ("10 km", "6.5 miles", "other-value", "10 km", "6.5 miles"),
    ("5 days or more", "at most 5 days", "other-bound", "5 days", "5 days"),
    ("for 3 days", "for 3 weeks", "other-value", "3 days", "3 weeks"),
    ("in 3 working days", "in 3 weeks", "other-value", "3 working days", "3 weeks"),
    ("in three business days", "in three hours", "other-value", "three business days", "three hours"),
    ("in 10 working days", "in 14 business days", "other-value", "10 working days", "14 business days"),
    ("for two full weeks", "for two calendar months", "other-value", "two full weeks", "two calendar months"),
    ("5 mg of it", "5 mL of it", "other-unit", "5 mg", "5 mL"),
    ("in 2003", "in 2004", "other-value", "2003", "2004"),
    ("30% of cases", "3% of cases", "other-value", "30%", "3%"),
    ("1,000 people", "10,000 people", "other-value", "1,000", "10,000"),
    ("10^3 cells", "10^4 cells", "other-value", "10^3", "10^4"),
    ("1.5 × 10⁹ cells", "1.5 × 10⁸ cells", "other-value", "1.5 × 10⁹", "1.5 × 10⁸"),
    ("$5 million", "$5 billion", "other-value", "$5 million", "$5 billion"),
    ("½ tablet", "¼ tablet", "other-value", "½", "¼"),
    ("at 5 pm", "at 6 pm", "other-value", "5 pm", "6 pm"),
    ("a fall of -5 °C", "a fall of 5 °C", "other-value", "-5 °C", "5 °C"),
    # 98.6 °F are 37 °C, 1.52 m are 4.99 ft
    ("38 °C", "98.6 °F", "other-value", "38 °C", "98.6 °F"),
    ("1.52 m", "5.2 ft", "other-value", "1.52 m", "5.2 ft"),
    ("38 °C", "38 °F", "other-value", "38 °C", "38 °F"),
    ("5 per cent each case", "6 per cent each case", "other-value", "5 per cent", "6 per cent"),
    ("5 mm Hg a foo", "5 cm a foo", "other-unit", "5 mm Hg", "5 cm"),
    ("terminal 1 is connected", "terminal 4 is connected", "other-label", "1", "4"),
    ("bulb A is lit", "bulb C is lit", "other-label", "A", "C"),
    ("bulb a is lit", "bulb c is lit", "other-label", "a", "c"),
    ("type 2 diabetes", "type 1 diabetes", "other-label", "2", "1"),
    ("stage IV cancer", "stage II cancer", "other-label", "IV", "II"),
    ("stage 4 cancer", "stage II cancer", "other-label", "4", "II"),
    ("vitamin D deficiency", "vitamin K deficiency", "other-label", "D", "K"),
    ("terminals 1 and 6 are linked", "terminals 1 and 5 are linked", "other-label", "6", "5"),
    ("take at least 5", "take at most 5", "other-bound", "5", "5"),
    ("p < 0.05", "p > 0.05", "other-bound", "0.05", "0.05"),
    ("B", "C", "other-label", "B", "C"),
    ("twenty-one men", "twenty-two men", "other-value", "twenty-one", "twenty-two"),
    # the letter case of a unit tells: molar and metre, bit and byte, mega and milli
    ("5 mM", "5 mm", "other-unit", "5 mM", "5 mm"),
    ("Add 5 mM of it.", "Add 5 mm of it.", "other-unit", "5 mM", "5 mm"),
    ("It runs at 100 Mb/s.", "It runs at 100 MB/s.", "other-value", "100 Mb/s", "100 MB/s"),
    ("It gives 3 MW.", "It gives 3 mW.", "other-value", "3 MW", "3 mW"),
    ("a fortnight", "three weeks", "other-value", "a fortnight", "three weeks"),
    ("It lasted a decade.", "It lasted twenty years.", "other-value", "a decade", "twenty years"),
    ("They waited half an hour.", "They waited two hours.", "other-value", "half an hour", "two hours"),
    ("They stayed for a week.", "They stayed for ten days.", "other-value", "a week", "ten days"),
    ("two thirds of them", "one third of them", "other-value", "two thirds", "one third"),
    # 5 miles are 8.05 km, 10 kg are 22 lb, 100 kW are 134 hp
    ("5 km", "about five miles", "other-value", "5 km", "five miles"),
    ("10 kg", "about 30 lb", "other-value", "10 kg", "30 lb"),
    ("100 kW", "about 100 horsepower", "other-value", "100 kW", "100 horsepower"),
    ("The server is 192.168.0.1.", "The server is 192.168.0.2.", "other-label", "192.168.0.1", "192.168.0.2"),
    ("Henry VIII reigned.", "Henry VII reigned.", "other-label", "VIII", "VII"),
    ("version 3.10", "version 3.1", "other-label", "3.10", "3.1"),
    ("It needs v2.10.1.", "It needs v2.1.10.", "other-label", "2.10.1", "2.1.10"),
    (
        "Write to anna@example.org.",
        "Write to anne@example.org.",
        "other-label",
        "anna@example.org",
        "anne@example.org",
    ),
    ("It is report_v1.pdf.", "It is report_v2.pdf.", "other-label", "report_v1.pdf", "report_v2.pdf"),
    ("Call 555-0142.", "Call 555-0124.", "other-label", "555-0142", "555-0124"),
    ("order 12345678", "order 12345679", "other-value", "12345678", "12345679"),
]

AGREE = [
    ("It takes 3 working days.", "It takes three business days."),
    ("It takes ten working days.", "It takes 2 weeks."),
    ("It is kept for 20 more minutes.", "It is kept for another 20 minutes."),
    ("It takes 24 consecutive hours.", "It takes one day."),
    ("Water freezes at 0 °C.", "Water freezes at 0 degrees Celsius."),
    ("Bake at 350 degrees Fahrenheit.", "Bake at 350 °F."),
    ("Water boils at 100 degrees Celsius.", "Water boils at 212 degrees F."),
    ("It was 20 degrees outside.", "It was 20 °C outside."),
    ("Two out of every three lamps work.", "Two thirds of the lamps work."),
    ("We stayed one week more.", "We stayed on for another week."),
    ("The red ones are ripe.", "The red apples are ripe."),
    ("It rose from 5 to 7.", "From 5 it rose to 7."),
    ("It rose from 5 to 7, and fell from 7 to 5.", "It fell from 7 to 5 after it rose from 5 to 7."),
    ("A precedes B.", "B follows A."),
    ("A bulb is next to B.", "The bulb is next to B."),
    ("It weighs 1 g.", "It weighs 1000 mg."),
    ("0.5 mg", "500 mcg"),
    ("twelve eggs", "12 eggs"),
    ("twenty-one days", "3 weeks"),
    ("one hundred and five men", "105 men"),
    ("1,000 men", "1000 men"),
    ("1.000 men", "1,000 men"),
    ("10^3", "1000"),
    ("1e3 cells", "10³ cells"),
    ("½ tablet", "0.5 tablet"),
    ("1/2 tablet", "half a tablet"),
    ("50 %", "50 percent"),
    ("50 per cent", "0.5"),
    ("1,5 V", "1.5 volts"),
    ("3-5 days", "3 to 5 days"),
    ("3% - 30%", "between 3 and 30 percent"),
    ("37 °C", "98.6 °F"),
    # 150 lb are 68.04 kg; 5.5 ft are 1.676 m
    ("150 lb", "68 kg"),
    ("5.5 ft", "1.68 m"),
    # 10 km are 6.21 miles, 60 miles an hour 96.6 km/h
    ("10 km", "6.2 miles"),
    ("60 mph", "97 km/h"),
    ("at least 5 days", "5 days or more"),
    ("at 5 p.m.", "at 17:00"),
    ("twenty\u2010one or twenty\u2011two men", "21 or 22 men"),
    ("25\u2009°\u00a0C each bulb", "25 °C each bulb"),
    ("five to ten people", "5-10 people"),
    ("the 3rd of May", "May 3"),
    ("$1.5 billion", "1.5 billion dollars"),
    ("$200 million", "200 million USD"),
    ("1.49 billion", "1.5 billion"),
    ("terminal one is connected", "terminal 1 is connected"),
    ("Type II diabetes", "type 2 diabetes"),
    ("bulbs A and C are lit", "A and C are lit"),
    ("terminals 1, 2 and 3", "terminals 3, 2 and 1"),
    ("One of the men left.", "A man left."),
    ("the first sign", "the sign"),
    ("120/80 mmHg", "120 / 80 mm Hg"),
    ("2020-05-03", "May 3, 2020"),
    ("no one came", "nobody came"),
    ("They are in the same path.", "Bulbs A and C are in the same path."),
    ("He has COVID-19.", "He has Covid."),
    ("12 months", "1 year"),
    ("half a million men", "500,000 men"),
    ("a fortnight", "two weeks"),
    ("It lasted a decade.", "It lasted ten years."),
    ("a century", "a hundred years"),
    ("They stayed a week.", "They stayed seven days."),
    ("half an hour", "30 minutes"),
    ("a quarter of an hour", "fifteen minutes"),
    ("an hour and a half", "90 minutes"),
    ("two and a half hours", "150 minutes"),
    ("for a quarter", "for three months"),
    ("one in four men", "25 % of the men"),
    ("three out of four", "three quarters"),
    ("two thirds of them", "2/3 of them"),
    # 3 miles are 4.83 km, 6 m are 19.7 feet, 8 inches are 20.3 cm, one foot is 30.5 cm
    ("5 km", "about three miles"),
    ("20 feet", "about six metres"),
    ("8 inches", "20 cm"),
    ("30 cm deep", "about a foot deep"),
    ("500 g", "about a pound"),
    ("roughly 50 people", "49 people"),
    ("TAKE 5 MG OF THE MEDICINE", "take 5 mg of the medicine"),
    ("THE POOL IS 25 M LONG", "the pool is 25 m long"),
    ("in the 1920s", "in the twenties"),
    ("Henry VIII reigned.", "Henry the Eighth reigned."),
    ("6 days a week", "six days a week"),
    ("It was fixed in v2.0.", "It was fixed in version 2."),
    ("It was fixed in version two.", "It was fixed in v2.0."),
    ("Call 555-0142.", "Call 555 0142."),
    ("See https://Example.org/a/.", "It is at https://example.org/a"),
    ("It is on port 8080 of 10.0.0.1.", "It is on 10.0.0.1:8080."),
    ("5 millimolar", "5 mM"),
    ("100 Mbit/s", "100 Mb/s"),
    ("20 Mbps", "20 megabits per second"),
]


@pytest.mark.parametrize(("prediction", "reference", "kind", "here", "there"), OTHER)
def test_different_numbers_are_reported_in_either_order(prediction, reference, kind, here, there):
    (finding,) = GUARDS["number"].check(prediction, reference)
    assert (finding.kind, finding.prediction.text, finding.reference.text) == (kind, here, there)
    (swapped,) = GUARDS["number"].check(reference, prediction)
    assert (swapped.kind, swapped.prediction, swapped.reference) == (
        kind,
        finding.reference,
        finding.prediction,
    )


@pytest.mark.parametrize(("item", "other"), AGREE)
def test_numbers_that_agree_raise_no_alarm_in_either_order(item, other):
    assert GUARDS["number"].check(item, other) == []
    assert GUARDS["number"].check(other, item) == []


@pytest.mark.parametrize(
    ("prediction", "reference", "kinds"),
    [
        ("Take it daily.", "Take 5 mg of it daily.", ["missing-number"]),
        ("Take 5 mg of it daily.", "Take it daily.", ["added-number"]),
        ("Bulb A is lit.", "Bulbs A and C are lit.", ["missing-label"]),
        ("Bulbs A, B and C are lit.", "Bulbs A and C are lit.", ["added-label"]),
        ("4 of 10", "4", ["added-number"]),
        # 5 days against 5 dollars: the same figure, another dimension; 7 and 9 answer each other
        ("7 men in 5 days", "9 men for 5 dollars", ["other-value", "other-unit"]),
    ],
)
def test_missing_and_added_numbers_have_separate_kinds(prediction, reference, kinds):
    assert [finding.kind for finding in GUARDS["number"].check(prediction, reference)] == kinds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5mg", [((5.0,), "milligram", "")]),
        ("1.000 and 0.500", [((1.0, 1000.0), "", ""), ((0.5,), "", "")]),
        ("12 000 people", [((12000.0,), "", "")]),
        ("room no. 5", [((5.0,), "", "room")]),
        ("George W. Bush of the U.S. in S. Korea", []),
        ("CYP3A4, B-48 and v1.2.3", [(("1.2.3",), "", "version")]),
        ("A man has a dog", []),
        ("I see", []),
        ("bulb C and a battery", [(("c",), "", "bulb")]),
        ("three point five grams", [((3.5,), "gram", "")]),
        ("60 miles per hour", [((60.0,), "mile / hour", "")]),
        ("9" * 400, [((float("inf"),), "", "")]),
        ("10^999", [((10.0,), "", "")]),
        (f"10^{'9' * 5000}", [((10.0,), "", "")]),
        (f"{'9' * 5000}/5 men", [((float("inf"),), "", ""), ((5.0,), "", "")]),
    ],
)
def test_numbers_are_read_as_people_mean_them(text, expected):
    assert [(q.values, q.unit, q.label) for q in read_quantities(read_text(text))] == expected


@pytest.mark.exhaustive
def test_of_very_many_numbers_the_first_are_reported():
    # A pasted table: without a limit, comparing each with each would take hours.
    left, right = "1 " * 50_000, "2 " * 50_000
    result = GUARDS["number"].check(left, right)
    assert {finding.kind for finding in result} == {"other-value"}
    assert len(result) == 200
    assert result[0].prediction.start == 0


def test_very_many_numbers_that_agree_are_no_finding():
    numbers = [f"{number}.5" for number in range(5000)]
    assert GUARDS["number"].check(" ".join(numbers), " ".join(reversed(numbers))) == []


def read(text):
    return read_quantities(Text(text))


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("take 0.5 mg", (0.5,), "milligram"),
        ("60 km/h", (60.0,), "kilometer / hour"),
        ("1,000 users", (1000.0,), ""),
        ("1.000 users", (1.0, 1000.0), ""),
        ("twenty-one days", (21.0,), "day"),
        ("50 %", (50.0,), "percent"),
    ],
)
def test_values_and_units(text, values, unit):
    (result,) = read(text)
    assert (tuple(sorted(result.values)), result.unit) == (values, unit)


@pytest.mark.parametrize(("text", "bound"), [("at least 5", 1), ("≤ 5", -1), ("5 or more", 1), ("5", 0)])
def test_bounds(text, bound):
    assert [result.bound for result in read(text)] == [bound]


@pytest.mark.parametrize(("text", "hours"), [("at 5 p.m.", (17.0,)), ("at 17:30", (17.5,))])
def test_times_of_day_are_hours(text, hours):
    (result,) = read(text)
    assert result.values == hours
    assert result.sort == read("at 5:00")[0].sort


def test_sorts_keep_labels_times_years_and_other_numbers_apart():
    texts = ("terminal 4", "at 17:30", "in 1999", "4 users")
    assert len({read(text)[0].sort for text in texts}) == 4


def test_labels_have_their_noun_and_counts_have_the_counted_noun():
    label, counted = read("terminal 4 has 3 lamps")
    assert (label.label, label.values) == ("terminal", (4.0,))
    assert (counted.label, counted.noun) == ("", "lamp")


def test_quantities_are_in_order_and_overlap_nowhere():
    result = read("At 17:30 take two tablets of 5 mg, at least 3 times, in May 2020, on ward B.")
    spans = [(item.start, item.end) for item in result]
    assert spans == sorted(spans)
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("mg", "milligram"),
        ("Hours", "hour"),
        ("km/h", "kilometer / hour"),
        ("mg / cats", ""),
        ("mM", "millimolar"),
        ("mHz", "millihertz"),
        ("MHz", "megahertz"),
        ("Mb/s", "megabit / second"),
        ("\u2126", "ohm"),
        ("Kilometres", "kilometer"),
        ("milliteaspoon", ""),
        # careless for mg, a title, a word
        ("Mg", ""),
        ("Ms", ""),
        ("us", ""),
        ("cats", ""),
        ("", ""),
    ],
)
def test_names_of_spellings(spelling, name):
    assert unit_name(spelling) == name


def test_units_of_the_same_dimension_convert():
    minute, hour = conversion_of("minute"), conversion_of("hour")
    assert minute.dimension == hour.dimension
    assert hour.factor / minute.factor == pytest.approx(60)
    assert minute.offset == 0


def test_temperatures_have_an_offset():
    celsius, fahrenheit = conversion_of("degC"), conversion_of("degF")
    in_kelvin = [unit.factor * value + unit.offset for unit, value in ((celsius, 37.0), (fahrenheit, 98.6))]
    assert in_kelvin == pytest.approx([310.15, 310.15])


def test_a_number_without_a_unit_and_a_unit_that_pint_lacks():
    assert conversion_of("") == UnitConversion(1.0, 0.0, "dimensionless")
    assert conversion_of("dollar").dimension == "dollar"


@pytest.mark.parametrize(
    ("item", "other", "same"),
    [
        ("gram", "kilogram", True),
        ("gram", "second", False),
        ("dollar", "dollar", True),
        ("dollar", "euro", False),
    ],
)
def test_units_that_measure_the_same(item, other, same):
    assert measure_the_same(item, other) is same


def test_pint_knows_every_unit_that_measures_something():
    # The others cannot be converted: currencies, and units of medicine whose size depends on the substance.
    no_size = {
        "dollar",
        "euro",
        "sterling",
        "yen",
        "cent",
        "international_unit",
        "biological_unit",
        "beat_per_minute",
    }
    no_size |= {"equivalent", "milliequivalent"}
    exact, phrases = _spellings()
    assert {
        name for name in (*exact.values(), *phrases.values()) if conversion_of(name).dimension == name
    } == no_size
