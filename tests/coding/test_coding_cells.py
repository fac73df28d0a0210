"""Check of the columns beside the answers, and what people coded."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.coding.coding_cells import check_coding_cells
from semscale.coding.coding_columns import CodingColumns
from semscale.errors import InputError
from semscale.store.reading import open_table

ROWS = {
    "text": ["battery", "price", "screen", "hello", "battery price"],
    "hand": [None, "cost", None, "none", "power; cost"],
    "p": [None, "0.5", None, "0.5", "1"],
    "who": ["a", "b", "b", None, None],
    "part": ["x", "y", "y", "x", "y"],
    "w": ["1", "2", "3", "4", "5"],
}
COLUMNS = CodingColumns("text", ("hand",), "p", weight="w", respondent="who", strata="part")


@pytest.fixture
def checked(book, tmp_path):
    """A function that checks the rows with some cells changed, two rows at a time."""

    def check(columns=COLUMNS, **changed):
        pl.DataFrame({**ROWS, **changed}).write_csv(tmp_path / "in.csv")
        return check_coding_cells(open_table(tmp_path / "in.csv"), columns, book, 2)

    return check


def test_hand_coded_rows_are_kept_with_their_answers_and_places(checked):
    table, hand = checked()
    assert table.n_rows == 5
    assert hand.rows.tolist() == [1, 3, 4]
    assert hand.answers == ("price", "hello", "battery price")
    # codes of the book: power, cost, display
    assert hand.codes.codes.tolist() == [[[0, 1, 0], [0, 0, 0], [1, 1, 0]]]
    assert hand.codes.inclusion.tolist() == [0.5, 0.5, 1]


def test_a_table_with_answers_alone_is_not_read(checked):
    table, hand = checked(CodingColumns("text"))
    assert table.n_rows is None
    assert (len(hand.rows), hand.codes) == (0, None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hand": [None, "cost", None, "size", None]}, "labels: column 'hand', row 4: no code 'size'"),
        ({"p": [None, "0.5", None, None, "1"]}, "row 4 has a label alone"),
        ({"p": ["x"] * 5, "hand": [None] * 5}, "inclusion: column 'p' has no number"),
        ({"w": ["1", "2", "3", "4", "-5"]}, "data row 5 has '-5'"),
        ({"part": ["x", "y", "y", None, "y"]}, "strata: column 'part' is empty in data row 4"),
        # rows 2 and 3 are of one respondent, and are read in two batches
        ({"part": ["x", "y", "x", "x", "y"]}, "respondent: 'b' lies in more than one of the strata"),
    ],
)
def test_a_wrong_cell_is_named_by_its_row_in_the_file(checked, changed, said):
    with pytest.raises(InputError, match=said):
        checked(**changed)


def test_rows_without_a_respondent_may_lie_in_any_stratum(checked):
    checked(who=[None] * 5)


def test_a_rating_needs_a_number_somewhere(checked):
    columns = replace(COLUMNS, strata=None, rating="part")
    with pytest.raises(InputError, match="rating: column 'part' has no number"):
        checked(columns)
    assert np.isfinite(checked(columns, part=["x", "x", "x", "x", "3"])[0].n_rows)
