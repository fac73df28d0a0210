"""Levels beside boxes, of which one is ticked."""

import pytest

from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.replies.tick_boxes import ticked_level
from semscale.judging.templates import load_template

READER = LevelReader(load_template("likert"))


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("[ ] 3\n[x] 4", 4), ("3 [ ] 4 [x] 5 [ ]", 4), ("☐ 3 ☒ 4 ☐ 5", 4), ("( ) 3 (•) 4", 4),
        ("[x] Mostly correct", 4), ("1 2 3 [4] 5", 4), ("1 - 2 - (3) - 4 - 5", 3),
    ],
)  # fmt: skip
def test_the_ticked_level_is_stated(reply, level):
    text, statement = ticked_level(reply, READER)
    assert statement.level.score == (level - 1) / 4
    assert len(text) == len(reply)


@pytest.mark.parametrize("reply", ["[x] 3 [x] 4", "[ ] 3 [ ] 4", "☐ 4"])
def test_no_box_or_several_leave_it_open(reply):
    assert ticked_level(reply, READER)[1].role is Role.DOUBTFUL


@pytest.mark.parametrize("reply", ["- [x] names the date\nScore: 3", "[x] 4 facts named", "Score: 4 (fine)"])
def test_boxes_beside_other_things_say_nothing(reply):
    assert ticked_level(reply, READER) == (reply, None)
