"""Measures and shares without a plain number; the values were derived by hand."""

import pytest

from semscale.guards.quantities import single_units, spoken_measures
from semscale.guards.words import TextWords


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
    (found,) = spoken_measures(TextWords(text))[:1]
    assert (found.value, found.unit) == (pytest.approx(value), unit)
    assert text[found.start : found.end] == text.removesuffix(" of them")


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
    assert not [found for found in spoken_measures(TextWords(text)) if found.replaces]


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
    (found,) = single_units(TextWords(text))
    assert (found.value, found.unit, found.weak, found.replaces) == (1, unit, True, replaces)
