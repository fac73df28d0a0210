"""Items wait in the order of their turns, and each ticket gets a slice in its turn."""

import pytest

from semscale.errors import ModelError
from semscale.serving.batching import ticket_line
from semscale.serving.batching.ticket_line import Ticket, TicketLine


def ticket(*sizes):
    """A ticket whose items are their own sizes in tokens."""
    return Ticket(list(sizes), list(sizes), lambda _: None)


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(ticket_line, "SLICE_TOKENS", 6)


# A slice of 6 tokens has two items of 3.
def test_a_large_ticket_does_not_hold_up_a_small_one(small_slices):
    waiting = TicketLine()
    large, small = ticket(*[3] * 10), ticket(3)
    waiting.add(large)
    waiting.add(small)
    first = waiting.take(9)
    assert [(share.ticket, share.start, share.stop) for share in first] == [(large, 0, 2), (small, 0, 1)]
    assert [list(share.items) for share in first] == [[3, 3], [3]]
    assert len(waiting) == 1
    assert waiting.tokens == 8 * 3


def test_many_small_tickets_have_a_slice_each_where_a_large_one_keeps_to_the_budget(small_slices):
    waiting = TicketLine()
    large, *small = every = [ticket(*[3] * 10), *(ticket(3, 3, 3) for _ in range(4))]
    for each in every:
        waiting.add(each)
    # Budget 9, at most 27: 6 tokens of each of the first four are 24, and 3 of the fifth; no second turns.
    first = waiting.take(9, 27)
    assert [(share.ticket, share.stop) for share in first] == [
        *((each, 2) for each in every[:4]),
        (small[3], 1),
    ]
    # The turns go on with the large one: 6 + 3 + 3 + 3 + 6 tokens, and no second turn above the budget.
    second = waiting.take(9, 27)
    assert [(share.ticket, share.start, share.stop) for share in second] == [
        (large, 2, 4),
        *((each, 2, 3) for each in small[:3]),
        (small[3], 1, 3),
    ]
    # Now the large one is alone: a slice of 6 tokens, and 3 of the next one, up to the budget.
    assert [(share.start, share.stop) for share in waiting.take(9, 27)] == [(4, 7)]


def test_slices_of_one_ticket_in_a_batch_are_one_share(small_slices):
    waiting = TicketLine()
    waiting.add(ticket(*[3] * 5))
    assert [(share.start, share.stop) for share in waiting.take(1000)] == [(0, 5)]
    assert waiting.take(1000) == []


def test_an_item_above_the_budget_is_a_batch_of_its_own():
    waiting = TicketLine()
    waiting.add(ticket(500, 3))
    assert [share.stop for share in waiting.take(10)] == [1]
    assert [(share.start, share.stop) for share in waiting.take(10)] == [(1, 2)]


def test_a_dropped_ticket_leaves_the_line():
    waiting = TicketLine()
    gone, other = ticket(3, 3), ticket(3)
    waiting.add(gone)
    waiting.add(other)
    waiting.drop(gone)
    assert (waiting.tokens, waiting.n_items) == (3, 1)
    assert [share.ticket for share in waiting.take(100)] == [other]
    waiting.drop(other)  # it was taken: nothing of it waits
    assert waiting.tokens == 0


def test_results_are_in_the_order_of_the_items():
    all_three = ticket(1, 1, 1)
    all_three.put(2, 1, "third")
    assert all_three.missing == 2
    all_three.put(0, 2, "first and second")
    assert (all_three.missing, all_three.parts()) == (0, ["first and second", "third"])


def test_the_error_of_the_model_is_raised_where_results_are_asked_for():
    failed = ticket(1)
    failed.error = ModelError("the weights are damaged")
    with pytest.raises(ModelError, match="damaged"):
        failed.parts()
