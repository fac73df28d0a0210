"""What a chat model said about codes, as rows of a table."""

import numpy as np

from semscale.coding.asked_codes import AskedCodes, LostReply
from semscale.signature import Signature
from semscale.types import Status

FOUND = AskedCodes(
    "m",
    np.array([[0.5, np.nan], [np.nan, np.nan], [1.0, 0.0]]),
    np.array([Status.FAILED, Status.REFUSED, Status.SCORED], dtype=object),
    (LostReply(Status.FAILED, 1, "", "no reply came"), LostReply(Status.REFUSED, 2, "No.", "declined")),
    Signature.of("judge"),
)


def test_rows_are_those_of_the_table_and_the_others_were_not_asked_about():
    placed = FOUND.placed(np.array([1, 2, 4]), 5)
    assert placed.status.tolist() == [None, Status.FAILED, Status.REFUSED, None, Status.SCORED]
    assert np.isnan(placed.probability[[0, 2, 3]]).all()
    assert placed.probability[4].tolist() == [1.0, 0.0]
    assert [one.row for one in placed.lost] == [2, 3]


def test_answers_are_counted_by_status_those_in_part_apart():
    placed = FOUND.placed(np.array([1, 2, 4]), 5)
    assert placed.n_asked == FOUND.n_asked == 3
    assert placed.counts == {"failed": 1, "refused": 1, "scored": 1}
    assert placed.n_partly == FOUND.n_partly == 1
