"""The order guard: two events in another order."""

import pytest

from semscale.guards.claim_guards import OrderGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lock the gate before you feed the dog.", "Feed the dog before you lock the gate."),
        ("The alarm rang before the fire started.", "The alarm rang after the fire started."),
        ("The gate was shut until noon.", "The gate has been shut since noon."),
        ("The rash followed the cough.", "The rash preceded the cough."),
        ("Before you feed the dog, lock the gate.", "After you feed the dog, lock the gate."),
        ("Nobody left before the speech ended.", "Everybody left before the speech ended."),
    ],
)
def test_another_order_is_found_either_way_round(one, other):
    for texts in ((one, other), (other, one)):
        (found,) = OrderGuard().check(*texts)
        assert (found.guard, found.kind) == ("order", "other-order")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lock the gate before you feed the dog.", "Feed the dog after you lock the gate."),
        ("Lock the gate before you feed the dog.", "Before you feed the dog, lock the gate."),
        ("Lock the gate, then feed the dog.", "Feed the dog after you lock the gate."),
        ("Do not feed the dog until you lock the gate.", "Feed the dog after you lock the gate."),
        ("The rash came before the cough.", "The cough followed the rash."),
        ("After all, lock the gate and feed the dog.", "Feed the dog before you lock the gate."),
        ("Lock the gate before noon.", "The dog slept after its meal."),
    ],
)
def test_the_same_order_gives_nothing(one, other):
    assert OrderGuard().check(one, other) == OrderGuard().check(other, one) == []
