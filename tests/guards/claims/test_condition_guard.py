"""The condition guard: conditions that exclude each other, are turned round, or stand in one text alone."""

import pytest

from semscale.guards.claim_guards import ConditionGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Call us if the pain returns.", "Call us unless the pain returns."),
        ("Call us if the pain returns.", "Call us even if the pain returns."),
        ("We pay if the goods arrive.", "We pay only if the goods arrive."),
        ("We pay if the goods arrive.", "We paid because the goods arrived."),
        ("If the lamp glows, the pump runs.", "If the pump runs, the lamp glows."),
        ("The shop will open a second branch.", "The shop will open a second branch if rents fall."),
        ("The valve closes as long as pressure falls.", "The valve closes whether or not pressure falls."),
    ],
)
def test_another_condition_is_found_either_way_round(one, other):
    for texts in ((one, other), (other, one)):
        (found,) = ConditionGuard().check(*texts)
        assert (found.guard, found.kind) == ("condition", "other-condition")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Call us if the pain returns.", "If the pain returns, call us."),
        ("Call us when the pain returns.", "Call us if the pain returns."),
        ("We do not pay unless the goods arrive.", "We pay only if the goods arrive."),
        ("We pay only if the goods arrive.", "We pay provided that the goods arrive."),
        ("Stay here unless it stops.", "Stay here if it does not stop."),
        ("Bread keeps longer if it is kept dry.", "Kept dry, bread keeps longer."),  # another order
        ("Do not give the pill if the dog is ill.", "The pill must not be given to ill dogs."),
        ("A bulb affects the lamp if it is on its path.", "The bulb must be on the path to affect the lamp."),
        ("If you ask me, the soup was cold.", "The soup was cold."),
        ("If I may, the soup was cold.", "The soup was cold."),
        ("It fails if the disk is full.", "The garden is lovely, because they water it."),
    ],
)
def test_the_same_condition_gives_nothing(one, other):
    assert ConditionGuard().check(one, other) == ConditionGuard().check(other, one) == []
