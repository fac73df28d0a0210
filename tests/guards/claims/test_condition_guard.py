"""The condition guard: conditions that exclude each other, are turned round, or stand in one text alone."""

import pytest

from semscale.guards.claim_guards import ConditionGuard
from semscale.guards.registry import Guards


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Without a key you can open the door.", "Without a key you cannot open the door."),
        ("You can park here without a permit.", "You cannot park here without a permit."),
        ("Unless you have a ticket, you can enter.", "Unless you have a ticket, you cannot enter."),
        ("If it rains, we can play outside.", "If it rains, we cannot play outside."),
        ("In case of fire you can use the lift.", "In case of fire you cannot use the lift."),
    ],
)
def test_what_cannot_be_under_a_condition_is_found_either_way_round(one, other):
    assert Guards().check(one, other)
    assert Guards().check(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Without a permit you cannot park here.", "You cannot park here without a permit."),
        ("Without a permit you cannot park here.", "You can park here only with a permit."),
        ("If it rains, we cannot play outside.", "We can't play outside if it rains."),
    ],
)
def test_the_same_denial_under_a_condition_gives_nothing(one, other):
    assert Guards().check(one, other) == Guards().check(other, one) == []
