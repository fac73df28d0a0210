"""Options that stand together in one cell."""

import pytest

from semscale.store.column_profile import listed_options


def test_a_comma_before_a_blank_belongs_to_an_option():
    found = listed_options(["Alpha", "Gamma, Inc.", "Alpha,Gamma, Inc."])
    assert found == {
        "Alpha": ("Alpha",),
        "Gamma, Inc.": ("Gamma, Inc.",),
        "Alpha,Gamma, Inc.": ("Alpha", "Gamma, Inc."),
    }


def test_semicolons_separate_options_too():
    assert listed_options(["Tea;", "Coffee;", "Tea;Coffee;"])["Tea;Coffee;"] == ("Tea", "Coffee")


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["Tea", "Coffee"],
        ["Paris,FR", "Rome,IT", "Bonn,DE"],  # six options in three values
        ["red,S", "red,M", "red,L", "blue,S", "blue,M", "blue,L"],  # none stands alone
        ["Good, but dear", "Good", "Dear"],
    ],
)
def test_other_values_list_nothing(values):
    assert listed_options(values) == {}
