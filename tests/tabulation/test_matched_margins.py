"""Margins matched with the values of a survey."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.tabulation.matched_margins import matched_margins

FRAME = pl.DataFrame({"sex": [1.0, 2.0, 2.0]})
LABELS = {"sex": ColumnLabels(values={"1": "men", "2": "women", "9": "refused"})}


@pytest.mark.parametrize("goals", [{"men": 49, "women": 51}, {"1": 49, "2": 51}, {"men": 49, "2": 51}])
def test_categories_are_values_or_labels(goals):
    assert matched_margins({"sex": goals}, FRAME, LABELS) == {"sex": {"1": 49, "2": 51}}


def test_a_value_goes_before_a_label_of_another():
    labels = {"sex": ColumnLabels(values={"1": "2", "2": "1"})}
    assert matched_margins({"sex": {"1": 49, "2": 51}}, FRAME, labels) == {"sex": {"1": 49, "2": 51}}


def test_values_without_a_target_are_named_with_labels_and_rows():
    with pytest.raises(
        InputError, match=r"'sex' has no target for '2' \(women\) \(2 rows\); it has targets for '1' \(men\):"
    ):
        matched_margins({"sex": {"men": 1}}, FRAME, LABELS)
    with pytest.raises(InputError, match=r"'2' \(2 rows\), '1' \(1 row\); it has targets for 'm', 'f'"):
        matched_margins({"sex": {"m": 0.5, "f": 0.5}}, FRAME, {})


def test_a_category_by_value_and_label_is_refused():
    with pytest.raises(InputError, match="'sex' has the category 'men' twice"):
        matched_margins({"sex": {"1": 40, "men": 20, "2": 40}}, FRAME, LABELS)


@pytest.mark.parametrize(
    ("men", "women", "total"),
    [(0.5, 0.4, "0.9"), (0.333, 0.666, "0.999"), (50.5, 49, "99.5"), (50, 40.2, "90.2"), (33, 66, "99")],
)
def test_shares_that_sum_to_neither_1_nor_100_are_refused(men, women, total):
    with pytest.raises(InputError, match=f"shares of 'sex' sum to {total}; they must sum to 1 or 100"):
        matched_margins({"sex": {"men": men, "women": women}}, FRAME, LABELS)


@pytest.mark.parametrize(
    "goals", [{"1": 0.5, "2": 0.5}, {"1": 48.7, "2": 51.3}, {"1": 1, "2": 1}, {"1": 310, "2": 290.5}]
)
def test_shares_and_numbers_of_people_are_taken(goals):
    assert matched_margins({"sex": goals}, FRAME, LABELS) == {"sex": goals}
