"""Bands of numbers: their names, their bounds, and what is refused."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.deriving.bands import Bands


def test_a_bound_belongs_to_the_band_above_it():
    cells = pl.Series(["17.9", "18", "34", "35", "99", "x", " "])
    assert Bands.read("age=18,35").of(cells).to_list() == [
        "under 18", "18 to 34", "18 to 34", "35 and over", "35 and over", None, None,
    ]  # fmt: skip


def test_bands_are_named_by_whole_numbers_where_all_bounds_are():
    assert Bands("age", (18, 19, 35)).labels == ("under 18", "18", "19 to 34", "35 and over")
    assert Bands("x", (-0.5, 2)).labels == ("under -0.5", "-0.5 to under 2", "2 and over")


def test_one_bound_makes_two_bands_and_a_name_may_have_an_equals_sign():
    bands = Bands.read("a=b=5")
    assert (bands.column, bands.title, bands.labels) == ("a=b", "a=b_band", ("under 5", "5 and over"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age=35,18", "the bounds of 'age' must ascend, got 35, 18"),
        ("age=18,18", "must ascend"),
        ("age=18,inf", "must ascend"),
        ("age=18,x", "'age=18,x' cannot be read; write COLUMN=NUMBER,NUMBER"),
        ("age", "cannot be read"),
        ("=3", "'=3' names no column"),
    ],
)
def test_other_bands_are_refused(text, said):
    with pytest.raises(InputError, match=f"^band: .*{said}"):
        Bands.read(text)
