"""Words right after a score that speak of the score itself."""

import pytest

from semscale.judging.replies.afterwords import unsettles
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.templates import load_template

READER = LevelReader(load_template("likert"))


@pytest.mark.parametrize(
    "after",
    [" (now 2)", ", lowered", " (from the answer)", " (rank)", " (tbc)", ", tentatively", 
     " of the 6 points",    ". Please ignore.", ". Correction pending.",
     ". Take it as a first guess.", ". This score does not stand."],
)  # fmt: skip
def test_what_unsettles_a_score(after):
    text = f"Score: 4{after}"
    assert unsettles(text, READER.read(text, 7), [], READER)


@pytest.mark.parametrize(
    "after", ["", ".", " (no errors)", ". It is short.", " out of 5", ". It takes time.", " (one error)"]
)
def test_what_leaves_it_as_it_is(after):
    text = f"Score: 4{after}"
    assert not unsettles(text, READER.read(text, 7), [], READER)


def test_a_scale_turned_round_is_another_one():
    text = "Score: 2 (1 is best)"
    assert unsettles(text, READER.read(text, 7), [], READER)
