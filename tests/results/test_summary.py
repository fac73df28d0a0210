"""The rows that a report shows are the same whatever the parts."""

import numpy as np
import pytest

from semscale.results.summary import ForemostRows, LeftOutRows
from semscale.types import Status

KEYS = np.array([0.5, 0.1, np.nan, 0.1, 0.9, 0.1, 0.3, np.nan, 0.0, 0.5])
STATUS = np.array(
    [Status.EMPTY, Status.SCORED, Status.EMPTY, Status.MISSING, Status.EMPTY, Status.EMPTY, Status.EMPTY],
    dtype=object,
)
TEXTS = ["first", "scored", " ", None, "second", "third", "fourth"]


@pytest.mark.parametrize("size", [1, 3, 10])
def test_smallest_keys_come_first_and_ties_keep_the_first_row(size):
    rows, asked = ForemostRows[int](4), []

    def shown(start):
        def row(index):
            asked.append(start + index)
            return start + index

        return row

    for start in range(0, len(KEYS), size):
        rows.add(KEYS[start : start + size], start, shown(start))
    assert rows.items == (8, 1, 3, 5)
    assert 9 not in asked  # four better ones are there
    assert not {2, 7} & set(asked)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_first_rows_of_every_status_are_stored_as_examples(size):
    rows = LeftOutRows()
    for start in range(0, len(STATUS), size):
        rows.add(STATUS[start : start + size], start, lambda index, start=start: TEXTS[start + index])
    assert rows.examples == {"empty": ((0, "first"), (4, "second"), (5, "third")), "missing": ()}
