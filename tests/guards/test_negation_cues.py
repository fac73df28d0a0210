"""Which words negate, and in which direction; the sentences were read by hand."""

import pytest

from semscale.guards.phrases import denies_before, denies_next, weakens_next


@pytest.mark.parametrize(
    ("text", "forward", "backward"),
    [
        ("the class lacks a label", {2}, {}),
        ("the label is missing here", set(), {3: 3}),
        ("the class is missing a label", {3}, {}),
        ("you omitted the label", {1}, {}),
        ("the label was simply omitted", set(), {4: 4}),
        ("you left out the label", {1}, {}),
        ("the label was left out", set(), {4: 3}),
        ("turn left at noon", set(), {}),
        ("a fracture was not ruled out", {3}, {5: 4}),
        ("keep the loop from running", {3}, {}),
        ("prevent the loop from running", {3}, {}),
        ("prevent errors", {0}, {}),
        ("quotes from running text", set(), {}),
        ("not only safe", set(), {}),
    ],
)
def test_directions_of_negations(text, forward, backward):
    texts = text.split()
    assert {at for at in range(len(texts)) if denies_next(texts, at)} == forward
    found = {at: denies_before(texts, at) for at in range(len(texts))}
    assert {at: first for at, first in found.items() if first is not None} == backward


@pytest.mark.parametrize(
    ("text", "weakens"),
    [
        ("few tests", {0}),
        ("a few tests", set()),
        ("only a few tests", {2}),
        ("the little girl", set()),
        ("hard to read", {0}),
        ("a hard stone", set()),
        ("it needs more detail", {2}),
        ("it should be more precise", {3}),
        ("it has more detail", set()),
    ],
)
def test_words_that_leave_open_whether_there_is_any(text, weakens):
    texts = text.split()
    assert {at for at in range(len(texts)) if weakens_next(texts, at)} == weakens
