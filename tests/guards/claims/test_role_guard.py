"""The role guard: who and whom exchanged, in texts of nearly the same words."""

import pytest

from semscale.guards.claim_guards import RoleGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The nurse called the doctor at night.", "The doctor called the nurse at night."),
        ("He thanked us for the lift.", "We thanked him for the lift."),
        ("The cache asks the server for a key.", "The server asks the cache for a key."),
        ("The letter was read by the judge to the clerk.", "The letter was read by the clerk to the judge."),
        ("Trains cost more than buses in Spain.", "Buses cost more than trains in Spain."),
        ("Node A follows node B there.", "Node B follows node A there."),
        ("Aunt Ida told Carl a story.", "Carl told Aunt Ida a story."),
        ("The visitor bit the dog in the park.", "The visitor was bitten by the dog in the park."),
    ],
)
def test_exchanged_roles_are_found_either_way_round(one, other):
    for texts in ((one, other), (other, one)):
        (found,) = RoleGuard().check(*texts)
        assert (found.guard, found.kind) == ("roles", "exchanged")
        assert found.prediction is not None
        assert found.reference is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The nurse called the doctor at night.", "At night the nurse called the doctor."),
        ("The nurse called the doctor.", "The doctor was called by the nurse."),
        ("Last week Ida sent Carl a parcel.", "Ida sent a parcel to Carl last week."),
        ("Ida sells lamps, Carl buys chairs.", "Carl buys chairs, Ida sells lamps."),
        ("Terminal 3 is connected to bulb B.", "Bulb B is connected to terminal 3."),
        ("Trains cost more than buses.", "Buses cost less than trains."),
        ("Ida waltzed with Carl all night.", "Carl waltzed with Ida all night."),
        ("The pole touches the wall.", "The wall touches the pole."),
        ("A dog and a cat fought here.", "A cat and a dog fought here."),
        ("Opening the door makes the alarm ring.", "The alarm rings when the door is opened."),
        ("Cutting the wire makes the bulb burst.", "The bulb bursts if the wire is cut."),
        ("The doctor left.", "The nurse called the doctor at night, and she left."),
        ("Ida sings.", "Ida sings."),
        ("", "Ida sings."),
    ],
)
def test_other_wording_of_the_same_gives_nothing(one, other):
    assert RoleGuard().check(one, other) == RoleGuard().check(other, one) == []


def test_spans_reach_from_the_first_to_the_second_word():
    (found,) = RoleGuard().check("A fox saw a hen there.", "A hen saw a fox there.")
    assert (found.prediction.text, found.reference.text) == ("fox saw a hen", "hen saw a fox")
    assert found.reason == (
        'Who and whom are exchanged: the prediction says "fox saw a hen", the reference "hen saw a fox".'
    )


def test_long_texts_with_all_words_shuffled_are_read_in_bounded_time():
    words = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(150)]
    assert len(RoleGuard().check(" ".join(words), " ".join(reversed(words)))) <= 1
