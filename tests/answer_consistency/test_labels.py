import numpy as np
import pytest

from semscale.answer_consistency.labels import FewestLabels, LabelCounts, read_labels, rows_with_value
from semscale.errors import InputError


def test_labels_as_files_have_them():
    cells = ["TRUE", "correct", 1, 1.0, "0", "Wrong", False, "", None, float("nan")]
    np.testing.assert_array_equal(read_labels(cells), [1, 1, 1, 1, 0, 0, 0, np.nan, np.nan, np.nan])


def test_a_label_that_says_neither_is_named_with_its_place_in_the_table():
    with pytest.raises(InputError, match="got 'perhaps' in row 102"):
        read_labels([1, "perhaps"], 100)


@pytest.mark.parametrize(
    ("ensemble", "right", "wrong", "are_met"),
    [
        ("none", 19, 1, True),
        ("none", 18, 1, False),
        ("none", 20, 0, True),
        ("mean", 1, 19, True),
        ("tuned", 70, 10, True),
        ("tuned", 69, 10, False),
        ("tuned", 100, 9, False),
        ("tuned", 9, 100, False),
    ],
)
def test_how_many_labels_an_ensemble_needs(ensemble, right, wrong, are_met):
    assert FewestLabels.for_ensemble(ensemble).are_met(LabelCounts(right, wrong)) is are_met


def test_an_ensemble_counts_items_that_have_any_measure():
    measures = {"a": np.array([0.1, np.nan, np.nan]), "b": np.array([np.nan, 0.2, np.nan])}
    assert rows_with_value(measures, "none").tolist() == [True, False, False]
    assert rows_with_value(measures, "tuned").tolist() == [True, True, False]
