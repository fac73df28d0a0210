"""Groups of values."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.deriving.value_groups import ValueGroups


def test_values_have_the_group_that_lists_them():
    groups = ValueGroups.read("land = north: DK, SE ; south:IT")
    assert (groups.column, groups.title) == ("land", "land_group")
    assert groups.of(pl.Series(["SE", " IT ", "FR", None])).to_list() == ["north", "south", None, None]


def test_whole_numbers_are_named_as_they_are_written():
    assert ValueGroups.read("wave=early:1,2").of(pl.Series([1.0, 2.0, 3.0])).to_list() == [
        "early", "early", None,
    ]  # fmt: skip


def test_a_value_in_two_groups_by_its_label_is_refused():
    groups = ValueGroups.read("land=north:1;south:Denmark")
    with pytest.raises(InputError, match=r"the value '1' \('Denmark'\) is in two groups"):
        groups.by_value({"1": "Denmark"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("land=north:DK;south:DK", "the value 'DK' is in two groups"),
        ("land=north", "cannot be read; write COLUMN=NAME:VALUE"),
        ("land", "cannot be read"),
        ("=north:DK", "cannot be read"),
        ("land=north:", "cannot be read"),
    ],
)
def test_other_groups_are_refused(text, said):
    with pytest.raises(InputError, match=f"^group: .*{said}"):
        ValueGroups.read(text)
