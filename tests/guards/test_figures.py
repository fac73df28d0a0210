"""Figures, identifiers, labels, measures, number words and times of day, as they are read."""

import pytest

from semscale.guards.figures import (
    Quantity,
    bound_of,
    digits_of,
    find_figures,
    find_identifiers,
    find_labels,
    values_of,
)
from semscale.guards.quantities import find_spelt_numbers, find_spoken_measures, single_units
from semscale.guards.text import Text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It takes at least $ -.5 of it.", ["at least $ -.5"]),
        ("No figure at all.", []),
        ("x" * 50 + " 7 " + "y" * 50 + " ½", ["7", "½"]),
        ("A blood pressure of 120/80, and 2/3 of 5.", ["120", "80", "2/3", "5"]),
        ("CYP3A4 and B-12", []),
        ("up to 5,000 or 3 x 10^5", ["up to 5,000", "3 x 10^5"]),
    ],
)
def test_find_figures_returns_matches_in_order(text, shown):
    assert [match.group() for match in find_figures(text)] == shown


@pytest.mark.parametrize(
    ("text", "values", "digits"),
    [
        ("1.000", (1.0, 1000.0), 4),
        ("1,5", (1.5,), 2),
        ("12,000", (12_000.0,), 2),
        ("2000", (2000.0,), 4),
        ("20000", (20_000.0,), 1),
        ("1½", (1.5,), 1),
        ("-2/4", (-0.5,), 1),
        ("2.5 million", (2_500_000.0,), 2),
        ("3^2", (9.0,), 1),
        ("1e3", (1000.0,), 1),
        ("5²", (25.0,), 1),
        # White space as it is typeset, and as lines are broken; 5 * 10 ** -3 = 0.005
        *((f"5{blank}×{blank}10⁻³", (0.005,), 1) for blank in "\u00a0\u202f\u2009\n\t"),
        ("5\n×\u00a010\u2009^\u202f2", (500.0,), 1),
    ],
)
def test_a_figure_is_worth_what_belongs_to_it(text, values, digits):
    (match,) = find_figures(text)
    assert values_of(match) == values
    assert digits_of(match) == digits


@pytest.mark.parametrize(
    ("text", "bound"),
    [("≥ 5", 1), ("<=5", -1), ("up to 5", -1), ("5 or more", 1), ("5 or fewer", -1), ("5", 0)]
    + [("at\u00a0least\u202f5", 1), ("Up\nto\n5", -1), ("5\u2009or\u00a0less", -1)],
)
def test_a_bound_stands_before_or_behind(text, bound):
    (match,) = find_figures(text)
    assert bound_of(match, text, match.end()) == bound


@pytest.mark.parametrize(
    ("text", "kind", "shown", "normal"),
    [
        ("It is 192.168.0.1.", "address", "192.168.0.1", "192.168.0.1"),
        ("in 10.0.0.0/8", "address", "10.0.0.0/8", "10.0.0.0/8"),
        ("It is 2001:DB8:0::1.", "address", "2001:DB8:0::1", "2001:db8::1"),
        ("00-1A-2B-3C-4D-5E", "address", "00-1A-2B-3C-4D-5E", "00:1a:2b:3c:4d:5e"),
        ("Ask Anna@Example.org.", "address", "Anna@Example.org", "anna@example.org"),
        ("(see https://example.org/a/).", "address", "https://example.org/a/", "https://example.org/a"),
        ("Open the-report_v1.PDF, please", "file", "the-report_v1.PDF", "the-report_v1.pdf"),
        ("since v2.10", "version", "2.10", "2.10"),
        ("since version 2.0.0", "version", "2.0.0", "2"),
        ("needs 3.11.4 or so", "version", "3.11.4", "3.11.4"),
        ("ISBN 978-3-16-148410-0", "digits", "978-3-16-148410-0", "9783161484100"),
        ("Dial +44 20 7946 0958", "digits", "+44 20 7946 0958", "442079460958"),
        ("phone: 555 0142", "digits", "555 0142", "5550142"),
    ],
)
def test_identifiers_and_their_normal_forms(text, kind, shown, normal):
    (result,) = find_identifiers(Text(text))
    assert (result.label, text[result.start : result.end], result.values[0]) == (kind, shown, normal)


@pytest.mark.parametrize(
    "text",
    [
        "on 2020-05-03 or 03.05.2020",
        "from 1939-1945",
        "100-2000 people",
        "at 10:30:15",
        "1.000.000 people",
        "300.1.1.1.1.1",
        "It ended. Then it began",
        "the score was 3-1",
        "a :: b",
        "\u0663.\u0663",
    ],
)
def test_dates_ranges_times_and_numbers_are_none(text):
    assert find_identifiers(Text(text)) == []


def labels(text):
    return [(label.label, label.values) for label in find_labels(Text(text), {}, set())]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("bulb A", [("bulb", ("a",))]),
        ("bulbs A, B and C", [("bulb", ("a",)), ("bulb", ("b",)), ("bulb", ("c",))]),
        ("stage IV", [("stage", (4.0,))]),
        ("type V", [("type", ("v", 5.0))]),  # a letter, or a Roman five
        ("A and C are lit", [("?", ("a",)), ("?", ("c",))]),
    ],
)
def test_letters_that_label(text, result):
    assert labels(text) == result


@pytest.mark.parametrize(
    "text",
    ["A bulb is lit", "I think so", "John F. Kennedy spoke", "it is 5° C/F", "THE LAMP IS ON A WIRE"],
)
def test_letters_that_do_not(text):
    assert labels(text) == []


def test_a_number_labels_after_a_noun_only():
    four, seven = Quantity((4.0,), 9, 10, "4"), Quantity((7.0,), 14, 15, "7")
    labels = find_labels(Text("terminal 4 of 7"), {9: four, 14: seven}, set())
    assert labels == [four._replace(label="terminal")]


@pytest.mark.parametrize(
    ("text", "weak"),
    [
        ("A precedes B", [True, False]),
        ("A bulb is next to B", [True, False]),
        ("A and C are lit", [False, False]),
    ],
)
def test_an_a_that_begins_a_sentence_may_be_the_article(text, weak):
    assert [label.weak for label in find_labels(Text(text), {}, set())] == weak


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("half an hour", 1 / 2, "hour"),
        ("three quarters of a mile", 3 / 4, "mile"),
        ("an hour and a half", 3 / 2, "hour"),
        ("2 and a half kilos", 5 / 2, "kilogram"),
        ("for a quarter", 3, "month"),
        ("two thirds", 2 / 3, ""),
        ("a quarter of them", 1 / 4, ""),
        ("One in five", 1 / 5, ""),
        ("9 out of 10", 9 / 10, ""),
    ],
)
def test_values_and_units(text, value, unit):
    (result,) = find_spoken_measures(Text(text))[:1]
    assert (result.values, result.unit) == ((pytest.approx(value),), unit)
    assert text[result.start : result.end] == text.removesuffix(" of them")


@pytest.mark.parametrize(
    "text",
    [
        "a third man came",
        "the second of May",
        "two in three days",
        "9 in 5",
        "in 2003",
        "a quarter past nine",
    ],
)
def test_ordinals_dates_and_times_are_no_shares(text):
    assert not [result for result in find_spoken_measures(Text(text)) if result.replaces]


@pytest.mark.parametrize(
    ("text", "unit", "replaces"),
    [
        ("It took a decade.", "decayear", True),
        ("for a week", "week", True),
        ("once a day", "day", False),
        ("the day", "day", False),
    ],
)
def test_a_single_unit_contradicts_numbers_only_where_it_states_how_long(text, unit, replaces):
    (result,) = single_units(Text(text))
    assert (result.values, result.unit, result.weak, result.replaces) == ((1,), unit, True, replaces)


@pytest.mark.parametrize(
    ("text", "value", "weak"),
    [
        ("twelve", 12.0, False),
        ("two hundred and five", 205.0, False),
        ("twenty-one", 21.0, False),
        ("one", 1.0, True),
        ("first", 1.0, True),
        ("both", 2.0, True),
        ("May", 5.0, True),
    ],
)
def test_values(text, value, weak):
    (result,) = find_spelt_numbers(Text(text))
    assert (result.values, result.weak) == ((value,), weak)


def test_spelled_numbers_have_their_token_positions():
    (result,) = find_spelt_numbers(Text("about two hundred users"))
    assert (result.start, result.shown) == (6, "two hundred")


def test_texts_without_numbers():
    assert find_spelt_numbers(Text("no number here, not even 12")) == []
