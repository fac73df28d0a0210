"""Phrases that a negation turns into each other, and what other guards leave to the guards of claims."""

import pytest

from semscale.guards.meaning_guards import NegationGuard, OppositeGuard
from semscale.guards.reading import analyse, are_counterparts, are_turned, make_up, orders_agree
from semscale.guards.registry import Guards


@pytest.mark.parametrize(
    ("guard", "one", "other", "expected"),
    [
        ("quantity", "none", "all", True),
        ("quantity", "half", "half", True),  # half are open where half are shut
        ("quantity", "all", "all", False),
        ("exclusivity", "except", "only", True),
        ("certainty", "doubted", "hedged", True),
        ("certainty", "doubted", "certain", False),
    ],
)
def test_counterparts_are_the_same_either_way_round(guard, one, other, expected):
    assert are_counterparts(guard, one, other) is expected
    assert are_counterparts(guard, other, one) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Few guests came.", "Most guests did not come.", True),  # one negation
        ("Few guests came.", "Most guests came.", False),
        ("None of the doors were open.", "All of the doors were shut.", True),  # one opposite
        ("Nobody left the doors unlocked.", "Everybody left the doors locked.", True),
        ("Nobody came.", "Everybody came.", False),  # "nobody" is the phrase itself
        ("Every lamp works but one.", "Only one lamp is without light.", True),
    ],
)
def test_an_odd_number_of_negations_and_opposites_turns_a_statement(one, other, expected):
    for texts in ((one, other), (other, one)):
        assert are_turned(*map(analyse, texts)) is expected


def test_only_counterparts_make_up_for_a_negation():
    turned = "Few guests came.", "Most guests did not come."
    alike = "Most guests came.", "Most guests did not come."
    assert make_up(*map(analyse, turned))
    assert not make_up(*map(analyse, alike))
    assert NegationGuard().check(*alike)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Few pilots knew the route.", "Most pilots did not know the route."),
        ("Nearly all of the pipes were dirty.", "Few of the pipes were clean."),
        (
            "The lift stops on every floor save the fifth.",
            "The fifth is the only floor where the lift does not stop.",
        ),
        ("He can open anything except the safe.", "The safe is the one thing he cannot open."),
        ("Only members can book a court.", "A court cannot be booked by anyone but members."),
        ("All the boats except the ferry sailed.", "All the boats sailed, but not the ferry."),
        ("She alone knew the password.", "No one else knew the password."),
        ("There is no doubt that the beam bends.", "The beam undoubtedly bends."),
        ("It is not certain that the roof is dry.", "It is doubtful that the roof is dry."),
        ("It cannot be ruled out that the seal leaks.", "The seal may leak."),
        ("The fee shall not exceed ten euros.", "The fee is at most ten euros."),
        ("Dry the plate before you paint it.", "Do not paint the plate before you have dried it."),
        ("The pump ran until the storm.", "After the storm the pump did not run."),
        ("Each boat carries at most one dog.", "No boat carries more than one dog."),
        ("Some of the rooms have no windows.", "Not all of the rooms have windows."),
        ("There is little doubt that the lake froze.", "The lake almost certainly froze."),
        ("All they wanted was a rest.", "They wanted nothing more than a rest."),
        ("No fine is due if the book is late.", "A fine is due only if the book is not late."),
        ("The boat is unlikely to sink.", "The boat will probably not sink."),
    ],
)
def test_the_same_in_the_words_of_a_counterpart_gives_nothing(one, other):
    assert Guards().check(one, other) == Guards().check(other, one) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Few pilots knew the route.", "Most pilots knew the route."),
        ("Only members can book a court.", "Everyone but members can book a court."),
        ("The fee shall not exceed ten euros.", "The fee shall not be less than ten euros."),
        ("Dry the plate before you paint it.", "Do not dry the plate before you paint it."),
        ("It is certain that the roof is dry.", "It is not certain that the roof is dry."),
        ("Give the drops by mouth and not by needle.", "Give the drops by needle and not by mouth."),
    ],
)
def test_without_the_turn_they_still_contradict(one, other):
    assert Guards().check(one, other)
    assert Guards().check(other, one)


def test_an_order_turned_with_its_events_is_no_opposite():
    before, after = "She was born an hour before dinner.", "An hour after she was born, dinner came."
    assert orders_agree(analyse(before), analyse(after))
    assert OppositeGuard().check(before, after) == []
    assert not orders_agree(analyse(before), analyse("She slept."))
