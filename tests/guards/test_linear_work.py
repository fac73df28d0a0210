"""Work grows with the length of the texts, and no faster; steps are counted, not timed."""

import sys

import pytest

from semscale.guards.registry import Guards

SIZE = 8_000
ORDINARY = (
    "The nurse gave the patient 5 mg of aspirin at 10:30 because the fever was not gone. Ann Smith was told "
    "by the WHO that few trains leave before noon. If the pump of terminal 4 is off, only the left valve "
    "opens.",
    "The patient got 7 mg of aspirin from the nurse at noon, and the fever was gone. Bob Brown told the UN "
    "that most trains leave after noon. Unless the pump of terminal 5 is on, even the right valve closes.",
)
ODD = {
    "negations": ("no", "not"),
    "names of many words": ("Abc", "Abd"),
    "converses": ("Ann gave Bob a key to Paul", "Bob gave Ann a key to Paul"),
    "changes": ("from 5 to 7,", "from 7 to 5,"),
    "passives": ("was hired by Ann", "hired by Bob was"),
    "labels": ("terminal 4 and bulb C,", "terminal 5 and bulb B,"),
    "exceptions": ("not until it is done", "until not it is done"),
    "orders": ("wash it before you cut it and then", "cut it before you wash it and then"),
    "conditions": ("only if unless", "if only without"),
    "quantities": ("few of them most of us", "most of them few of us"),
    "marks": (",", ";"),
    "units": ("5 mg 7 per cent per day", "5 g 8 per cent an hour"),
}


def filled(piece, size):
    """Repeat a piece up to a size."""
    return f"{piece} " * (size // len(piece))


def steps(first, second):
    """Count the lines of Python that run while the guards check a pair."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        Guards().check(first, second)
    finally:
        sys.settrace(before)
    return count


def assert_linear(pieces):
    Guards().check(*(f"x {filled(piece, SIZE)}" for piece in pieces))  # stems of words are computed once
    once, twice = (steps(*(filled(piece, size) for piece in pieces)) for size in (SIZE, 2 * SIZE))
    assert twice <= 2.2 * once  # some leeway, as comparisons grow faster up to their limits


def test_twice_the_text_is_twice_the_work():
    assert_linear(ORDINARY)


@pytest.mark.exhaustive
@pytest.mark.parametrize("pieces", ODD.values(), ids=ODD)
def test_no_odd_text_is_worse(pieces):
    assert_linear(pieces)
