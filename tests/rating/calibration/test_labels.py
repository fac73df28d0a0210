import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.calibration.labels import labelled_cells
from semscale.types import Status


def test_rows_without_a_label_are_passed_over_with_their_groups():
    labels = labelled_cells(["a", "b", "c"], [[1, 2], None, 5], {"by": ["x", "x", None]})
    assert labels.cells == ["a", "c"]
    assert labels.groups.tolist() == [0, 1]


def test_texts_without_a_rating_are_counted_by_why():
    labels = labelled_cells(
        ["good", "", "so", "?!"], [4, 3, 2, 1], {"human_range": (1, 5), "source": "a.csv"}
    )
    statuses = np.array([Status.SCORED, Status.EMPTY, Status.SCORED, Status.UNINFORMATIVE], dtype=object)
    kept = labels.with_ratings(statuses)
    assert kept.texts == ["good", "so"]
    assert kept.answers.tolist() == [[4.0], [2.0]]
    assert kept.left_out == {"empty": 1, "uninformative": 1}
    assert (kept.human_range, kept.source) == ((1, 5), "a.csv")


@pytest.mark.parametrize(
    ("texts", "ratings", "settings", "named"),
    [
        (["a"], [1, 2], {}, "ratings must have 1 rows"),
        (["a"], ["good"], {}, "human ratings must be finite numbers"),
        (["a"], [1], {"by": ["x", "y"]}, "by must have 1 rows"),
        (["a"], [1], {"interval": 95}, "interval must"),
        (["a"], [1], {"human_range": (5, 1)}, "human_range must be the lowest"),
    ],
)
def test_bad_input_is_refused(texts, ratings, settings, named):
    with pytest.raises(InputError, match=named):
        labelled_cells(texts, ratings, settings)
