import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.matching.pairs import best_pairs, pair_up
from semscale.types import Status


def test_pairs_refer_to_unique_texts():
    pairs = pair_up(["a", "b", "a"], ["b", ["c", "a"], "b"])
    assert pairs.texts == ["a", "b", "c"]
    assert pairs.prediction.tolist() == [0, 1, 1, 0]
    assert pairs.reference.tolist() == [1, 2, 0, 1]
    assert pairs.item.tolist() == [0, 1, 1, 2]
    assert pairs.place.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("prediction", "reference", "status"),
    [
        ("a", "b", Status.SCORED),
        ("?", "!", Status.SCORED),  # punctuation can be compared
        (None, "b", Status.MISSING),
        (float("nan"), "b", Status.MISSING),
        (12, "b", Status.NOT_TEXT),
        ("", "b", Status.EMPTY),
        (" \n", "b", Status.EMPTY),
        ("a", None, Status.NO_REFERENCE),
        ("a", "", Status.NO_REFERENCE),
        ("a", 3, Status.NO_REFERENCE),
        ("a", [], Status.NO_REFERENCE),
        ("a", ["", None], Status.NO_REFERENCE),
        (None, None, Status.MISSING),  # the prediction's reason comes first
    ],
)
def test_every_cell_has_a_stated_outcome(prediction, reference, status):
    (stated,) = pair_up([prediction], [reference]).status
    assert stated is status  # a member, not its text, which is equal to it


def test_unusable_reference_is_skipped_and_positions_stay():
    pairs = pair_up(["a"], [[None, "b", "", "c"]])
    assert pairs.place.tolist() == [1, 3]


@pytest.mark.parametrize(
    "column",
    [pl.Series(["a", None]), np.array(["a", None], object), ("a", None)],
    ids=["polars", "numpy", "tuple"],
)
def test_columns_of_any_type_are_accepted(column):
    assert pair_up(column, ["b", "b"]).status.tolist() == [Status.SCORED, Status.MISSING]


def test_lists_in_a_polars_column_are_several_references():
    assert pair_up(["a"], pl.Series([["b", "c"]])).place.tolist() == [0, 1]


def test_unequal_lengths_are_both_named():
    with pytest.raises(InputError, match="got 1 predictions and 2 references"):
        pair_up(["a"], ["b", "c"])


def test_a_single_string_is_no_list():
    with pytest.raises(InputError, match="predictions must be a list"):
        pair_up("a", ["b"])


def test_nothing_gives_no_pairs():
    pairs = pair_up([], [])
    assert pairs.n_items == len(pairs.item) == len(pairs.texts) == 0


def test_the_first_of_equally_good_pairs_is_the_best():
    score = np.array([0.5, 0.5, 0.1, 0.3])
    assert best_pairs(score, np.array([1, 1, 4, 4])).tolist() == [0, 3]
