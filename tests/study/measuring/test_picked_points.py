"""The point that a reply picks."""

import pytest

from semscale.chat.replies import Reply
from semscale.scales import load_scale
from semscale.study.measuring.picked_points import PointReader
from semscale.types import Status


@pytest.mark.parametrize(
    ("text", "status", "point"),
    [
        ("1", Status.SCORED, 0),
        ("5", Status.SCORED, 4),
        ("Score: 3", Status.SCORED, 2),
        ("7", Status.UNPARSABLE, None),
        ("2 or 3", Status.UNPARSABLE, None),
        ("no idea, really", Status.UNPARSABLE, None),
        ("I'm sorry, but I can't help with that.", Status.REFUSED, None),
        ("  ", Status.EMPTY, None),
    ],
)
def test_only_a_stated_point_is_one(text, status, point):
    assert PointReader(load_scale("purchase-intent")).read(Reply(text)) == (status, point)


def test_values_need_not_begin_at_1():
    # 0 to 10: the number 7 is the eighth point.
    assert PointReader(load_scale("recommendation")).read(Reply("7"))[1] == 7


def test_a_number_at_the_end_of_a_cut_reply_may_begin_another():
    reader = PointReader(load_scale("recommendation"))
    assert reader.read(Reply("1"))[1] == 1
    assert reader.read(Reply("1", finish_reason="length")) == (Status.UNPARSABLE, None)
