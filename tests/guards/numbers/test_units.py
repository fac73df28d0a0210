"""Units in their spellings, and their conversion."""

import pytest

from semscale.guards.quantities import (
    UnitConversion,
    _spellings,
    conversion_of,
    measure_the_same,
    unit_name,
)


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


def test_units_of_one_dimension_convert():
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
    ("one", "other", "same"),
    [
        ("gram", "kilogram", True),
        ("gram", "second", False),
        ("dollar", "dollar", True),
        ("dollar", "euro", False),
    ],
)
def test_units_that_measure_the_same(one, other, same):
    assert measure_the_same(one, other) is same


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
    exact, words = _spellings()
    assert {
        name for name in (*exact.values(), *words.values()) if conversion_of(name).dimension == name
    } == no_size
