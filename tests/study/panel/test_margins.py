"""Stated shares, and raking to them."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.study.panel.margins import checked_shares, joint_shares, raked

ROWS = [
    {"sex": "f", "age": "young", "share": 0.4},
    {"sex": "f", "age": "old", "share": 0.1},
    {"sex": "m", "age": "young", "share": 0.2},
    {"sex": "m", "age": "old", "share": 0.3},
]


def test_percentages_and_shares_are_the_same():
    assert checked_shares("age", {"a": 25, "b": 75}) == checked_shares("age", {"a": 0.25, "b": 0.75})


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({}, "margin 'age' has no levels"),
        ({"a": -0.1, "b": 1.1}, "share of 'a' must be >= 0, got -0.1"),
        ({"a": float("nan"), "b": 1}, "share of 'a' must be >= 0, got nan"),
        ({"a": 0.5, "b": 0.4}, "margin 'age' must sum to 1, or to 100, got 0.9"),
    ],
)
def test_shares_that_are_none(levels, message):
    with pytest.raises(InputError, match=message):
        checked_shares("age", levels)


def test_raking_keeps_odds_ratios_and_meets_both_margins():
    found = raked(joint_shares(ROWS), {"sex": {"f": 0.5, "m": 0.5}, "age": {"young": 0.3, "old": 0.7}})
    np.testing.assert_allclose(found.margin("sex"), [0.5, 0.5], atol=1e-8)
    np.testing.assert_allclose(found.margin("age"), [0.3, 0.7], atol=1e-8)
    # Multiplying rows and columns leaves the odds ratio, 0.4 * 0.3 / (0.1 * 0.2) = 6, as it is.
    cells = found.shares
    assert cells[0, 0] * cells[1, 1] / (cells[0, 1] * cells[1, 0]) == pytest.approx(6)


def test_a_level_that_the_joint_distribution_lacks_is_named():
    with pytest.raises(InputError, match="margin 'age' cannot be met: 'ancient' is to have 0.2 of the panel"):
        raked(joint_shares(ROWS), {"age": {"young": 0.4, "old": 0.4, "ancient": 0.2}})


def test_margins_that_exclude_each_other_are_named():
    # Without young women and old men, as many women as old people are needed, and 0.5 is not 0.7.
    rows = [{"sex": "f", "age": "old", "share": 0.5}, {"sex": "m", "age": "young", "share": 0.5}]
    with pytest.raises(InputError, match="margin '(sex|age)' cannot be met beside the other margins: "):
        raked(joint_shares(rows), {"sex": {"f": 0.5, "m": 0.5}, "age": {"old": 0.7, "young": 0.3}})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"share": 1}], "needs attributes beside its share"),
        ([*ROWS, {"sex": "f", "share": 0}], "row 5 of joint must have sex, age and share"),
        ([*ROWS, ROWS[0]], "row 5 of joint repeats f, young"),
        ([{"sex": "f", "share": "half"}], "the share in row 1 of joint must be a number >= 0, got 'half'"),
        ([*ROWS[:1], {**ROWS[1], "share": -1}], "the share in row 2 of joint must be a number >= 0, got -1"),
        ([{"sex": "f", "share": float("nan")}], "the share in row 1 of joint must be a number >= 0, got nan"),
        ([{"sex": "f", "age": 30, "share": 1}], "age in row 1 of joint must be text, in quotes .* got 30"),
        ([{"sex": None, "share": 1}], "sex in row 1 of joint must be text, .* got None"),
    ],
)
def test_rows_that_are_no_joint_distribution(rows, message):
    with pytest.raises(InputError, match=message):
        joint_shares(rows)
