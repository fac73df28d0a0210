"""Waves in the order of time."""

import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.tabulation.asked.wave_order import order_waves


@pytest.mark.parametrize(
    "ordered",
    [
        ["2", "10"],
        ["1.5", "1.25e1"],
        ["W1", "W2", "W10"],
        ["Wave 9", "Wave 10"],
        ["Wave 2 (2025)", "Wave 1 (2026)"],
        ["Dec 2025", "Jan 2026", "February 2026"],
        ["Dec '24", "Sept '25"],
        ["May 3, 2026", "Apr 1, 2027"],
        ["30 April 2026", "1 May 2026"],
        ["2024-Q4", "2025-Q1", "2025-Q3"],
        ["Q4 24", "Q1 25"],
        ["Q4 2024", "Q1 2025"],
        ["H2 2024", "H1 2025"],
        ["2025-12-31", "2026-01-02"],
        ["2025-9", "2025-10"],
        ["12/2025", "01/2026"],
        ["31.12.2025", "1.2.2026"],
        ["12/31/2025", "02/01/2026"],
        ["31/12/2025", "01/02/2026"],
    ],
)
def test_names_that_tell_the_time_are_read(ordered):
    for rows in (ordered, ordered[::-1]):
        found = order_waves(rows)
        assert (list(found.names), found.reason) == (ordered, "by their names")


@pytest.mark.parametrize(
    "rows",
    [
        ["before", "after"],
        ["Nov", "Dec", "Jan"],  # of which years?
        ["Wave 2", "pilot 1"],
        ["02/01/2026", "01/03/2026"],  # day or month first?
        ["Mar 2026", "Mar 3 2026"],
        ["W1", "w01"],  # one number twice
        ["Q2 2025", "H1 2025"],
    ],
)
def test_other_names_stand_in_the_order_of_the_rows(rows):
    for given in (rows, rows[::-1]):
        found = order_waves(given)
        assert (list(found.names), found.reason) == (given, "by the first row of each")


def test_labelled_values_stand_in_the_order_of_the_file():
    labels = {"1": "spring", "2": "autumn", "3": "never"}
    assert order_waves(["2", "1"], labels).names == ("1", "2")
    assert order_waves(["2", "1", "9"], labels).names == ("1", "2", "9")


def test_an_order_is_taken_by_values_or_labels():
    labels = {"1": "spring", "2": "autumn"}
    assert order_waves(["1", "2"], labels, ["autumn", "1"]).names == ("2", "1")
    assert order_waves(["1", "2"], given=["2", "1"]).reason == "as given"


def test_an_order_names_all_waves_once():
    with pytest.raises(UnknownNameError, match="wave_order.*'aftr'"):
        order_waves(["before", "after"], given=["before", "aftr"])
    with pytest.raises(InputError, match="wave_order: 'before' is named twice"):
        order_waves(["before", "after"], given=["before", "before"])
    with pytest.raises(InputError, match="wave_order lacks 'after': name all waves"):
        order_waves(["before", "after"], given=["before"])
