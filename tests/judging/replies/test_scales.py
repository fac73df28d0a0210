"""Scales that a reply names, its own or another one."""

import pytest

from semscale.judging.replies.scales import blank_own_scales, named_scales
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.templates import load_template

READER = LevelReader(load_template("likert"))


@pytest.mark.parametrize(
    ("text", "own"),
    [("on a scale of 1 to 5", [True]), ("on a 1-10 scale", [False]), ("out of 10", [False]),
     ("from 3 to 4", []),
     ("(max 5)", [True]), ("in percentage scale", [False]), ("pages 3 to 7", [])],
)  # fmt: skip
def test_whose_scale_it_is(text, own):
    assert [scale.own for scale in named_scales(text, READER)] == own


def test_the_own_scale_becomes_blank_and_its_key_stays():
    text = "Score (1-5): 4"
    assert blank_own_scales(text, list(named_scales(text, READER))) == "Score      : 4"
