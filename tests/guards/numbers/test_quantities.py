"""Quantities: numbers with units, bounds, times, years, counted things and labels."""

import pytest

from semscale.guards.quantities import read_quantities
from semscale.guards.words import TextWords


def read(text):
    return read_quantities(TextWords(text))


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
    (found,) = read(text)
    assert (tuple(sorted(found.values)), found.unit) == (values, unit)


@pytest.mark.parametrize(("text", "bound"), [("at least 5", 1), ("≤ 5", -1), ("5 or more", 1), ("5", 0)])
def test_bounds(text, bound):
    assert [found.bound for found in read(text)] == [bound]


@pytest.mark.parametrize(
    ("text", "hours"), [("at 5 p.m.", (17.0,)), ("at 17:30", (17.5,)), ("half past ten", (10.5, 22.5))]
)
def test_times_of_day_are_hours(text, hours):
    (found,) = read(text)
    assert found.values == hours
    assert found.sort == read("at 5:00")[0].sort


def test_sorts_keep_labels_times_years_and_other_numbers_apart():
    texts = ("terminal 4", "at 17:30", "in 1999", "4 users")
    assert len({read(text)[0].sort for text in texts}) == 4


def test_labels_have_their_noun_and_counted_things_theirs():
    label, counted = read("terminal 4 has 3 lamps")
    assert (label.label, label.values) == ("terminal", (4.0,))
    assert (counted.label, counted.noun) == ("", "lamp")


def test_quantities_are_in_order_and_overlap_nowhere():
    found = read("At 17:30 take two tablets of 5 mg, at least 3 times, in May 2020, on ward B.")
    places = [(one.start, one.end) for one in found]
    assert places == sorted(places)
    assert all(end <= start for (_, end), (start, _) in zip(places, places[1:], strict=False))
