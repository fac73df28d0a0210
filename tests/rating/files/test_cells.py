"""Cells of a file as numbers, groups and human ratings."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.rating.files.cells import humans_in, numbers_in
from semscale.store.columns import groups_in


def test_numbers():
    assert numbers_in(pl.Series(["1", " 2.5 ", "", None, "1e3"]), "weight").to_list() == [
        1,
        2.5,
        None,
        None,
        1000,
    ]
    assert numbers_in(pl.Series([1, 2]), "weight").to_list() == [1, 2]


@pytest.mark.parametrize("cell", ["one", "1,5", "1 000", "5%"])
def test_a_cell_that_is_no_number_is_named(cell):
    with pytest.raises(
        InputError, match=f"weight: column 'w' must hold numbers, but data row 13 has '{cell}'"
    ):
        numbers_in(pl.Series("w", ["1", None, cell]), "weight", first_row=10)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a", None], ["a", None]),
        ([1, None], ["1", None]),
        ([1.0, None], ["1", None]),
        ([1.0, float("nan")], ["1", None]),
        ([1.5, 2.0, float("inf")], ["1.5", "2", "inf"]),
        ([True, None], ["true", None]),
        ([None], [None]),
        ([["a", "b"]], ["['a', 'b']"]),
    ],
)
def test_groups(cells, names):
    assert groups_in(pl.Series(cells)).to_list() == names


@pytest.mark.parametrize(
    ("cell", "rating"),
    [
        ("3", 3.0),
        (" -0.5 ", -0.5),
        ("[1, 2]", [1.0, 2.0]),
        ("[1, null]", [1.0]),
        ("[]", None),
        ("null", None),
        ("", None),
        (" ", None),
        (None, None),
        ("NaN", None),
        (4, 4.0),
        (float("nan"), None),
        ([1, 2.5], [1.0, 2.5]),
    ],
)
def test_human_ratings(cell, rating):
    assert humans_in(pl.Series([cell], strict=False)) == [rating]


@pytest.mark.parametrize(
    "cell", ["good", "[1, good]", '["1"]', '{"a": 1}', "true", "1,5", "Infinity", "[[1]]"]
)
def test_what_is_no_human_rating_is_named(cell):
    with pytest.raises(InputError, match="human: column 'h' must hold numbers or lists .* data row 4 has"):
        humans_in(pl.Series("h", ["1", cell]), first_row=2)


def test_a_rating_out_of_range_is_named_as_soon_as_it_is_read():
    assert humans_in(pl.Series(["-4", "[4, -4]", None]), 0, (-4, 4)) == [-4.0, [4.0, -4.0], None]
    with pytest.raises(
        InputError, match="human_range is -4 to 4, but data row 2 of column 'h' has '\\[0, 5\\]'"
    ):
        humans_in(pl.Series("h", ["1", "[0, 5]"]), 0, (-4, 4))
