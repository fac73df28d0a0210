"""A heat map's cells are as wide as their columns, and its ticks stand below the middles of columns."""

import numpy as np
import pytest

from semscale.report.charts.strips import strips

NAMES = ["high", "low"]


def drawn(items, *, width=860, ticks=((0, "first"),)):
    """Two rows in which no neighbours are alike, so that each cell is a piece of its own."""
    levels = np.stack([np.arange(items) % 2, 1 - np.arange(items) % 2]).astype(float)
    return strips(levels, NAMES, ticks, width=width)


@pytest.mark.parametrize("width", [860, 348])
@pytest.mark.parametrize("items", [2, 5, 40, 400])
def test_no_cell_is_wider_than_its_column(items, width):
    chart = drawn(items, width=width)
    column = chart["width"] / items
    for piece in chart["datasets"]["rows"]:
        # Half a pixel closes the gap that would else show between two cells.
        assert column * (piece["stop"] - piece["start"]) <= column + 0.5 + 1e-9


def test_the_last_cell_ends_with_its_row():
    chart = drawn(5)
    assert {piece["stop"] for piece in chart["datasets"]["rows"] if piece["start"] == 4} == {5}


def test_ticks_stand_below_the_middles_of_their_columns():
    chart = drawn(5, ticks=[(0, "1.5"), (2, "3.0"), (4, "4.5")])
    assert chart["encoding"]["x"]["axis"]["values"] == [0.5, 2.5, 4.5]
    given = {one["name"]: one["value"] for one in chart["params"]}
    assert (given["places"], given["ticks"]) == ([0.5, 2.5, 4.5], ["1.5", "3.0", "4.5"])
