"""The point that a reply picks."""

import pytest

from semscale.chat.replies import Reply
from semscale.scales import load_scale
from semscale.study.measuring.picked_points import picked_point
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
    assert picked_point(Reply(text), load_scale("purchase-intent")) == (status, point)


def test_values_need_not_begin_at_1():
    # 0 to 10: the number 7 is the eighth point.
    assert picked_point(Reply("7"), load_scale("recommendation"))[1] == 7
