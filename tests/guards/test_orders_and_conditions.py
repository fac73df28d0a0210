"""Events in another order, and conditions that exclude each other."""

import pytest

from semscale.guards.claims import (
    crossing,
    differ_in_negations,
    find_reversed_orders,
    is_denied,
    parts_at,
    read_orders,
)
from semscale.guards.registry import GUARDS, Guards
from semscale.guards.text import Text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Lock the gate before you feed the dog.", "Feed the dog before you lock the gate."),
        ("The alarm rang before the fire started.", "The alarm rang after the fire started."),
        ("The gate was shut until noon.", "The gate has been shut since noon."),
        ("The rash followed the cough.", "The rash preceded the cough."),
        ("Before you feed the dog, lock the gate.", "After you feed the dog, lock the gate."),
        ("Nobody left before the speech ended.", "Everybody left before the speech ended."),
    ],
)
def test_different_order_is_reported_in_both_directions(first, second):
    for texts in ((first, second), (second, first)):
        (finding,) = GUARDS["order"].check(*texts)
        assert (finding.guard, finding.kind) == ("order", "other-order")


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_the_same_order_gives_nothing(first, second):
    assert GUARDS["order"].check(first, second) == GUARDS["order"].check(second, first) == []


def wording(text):
    return Text(text)


@pytest.mark.parametrize(
    ("text", "earlier", "later"),
    [
        ("Wash before you cut.", {"wash"}, {"cut"}),
        ("Before you cut, wash.", {"wash"}, {"cut"}),
        ("Cut after you wash.", {"wash"}, {"cut"}),
        ("Do not cut before you wash.", {"wash"}, {"cut"}),  # "not before" is after
        ("Wash and cut afterwards.", {"wash"}, {"cut"}),
        ("Wash, then cut.", {"wash"}, {"cut"}),
        ("First wash and then cut.", {"wash"}, {"cut"}),
        ("Wash. Then cut.", {"wash"}, {"cut"}),
        ("Anna had painted by the time Bob arrived.", {"anna", "paint"}, {"bob", "arriv"}),
        # "Nobody but" denies nothing.
        ("Nobody but Anna painted before Bob.", {"nobodi", "anna", "paint"}, {"bob"}),
    ],
)
def test_earlier_and_later_events_are_distinguished(text, earlier, later):
    (finding,) = read_orders(wording(text))
    assert (finding.earlier, finding.later) == (earlier, later)


@pytest.mark.parametrize("text", ["Afterwards.", "Wash it.", "Before noon.", "", "and then"])
def test_without_two_events_there_is_no_order(text):
    assert read_orders(wording(text)) == []


def test_orders_are_turned_agree_or_are_not_there():
    first, same, turned = "Wash before you cut.", "Cut after you wash.", "Cut before you wash."
    assert len(find_reversed_orders(wording(first), wording(turned))) == 1
    assert find_reversed_orders(wording(first), wording(same)) == []
    assert find_reversed_orders(wording(first), wording("Wash and cut.")) is None


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_different_condition_is_reported_in_both_directions(first, second):
    for texts in ((first, second), (second, first)):
        (finding,) = GUARDS["condition"].check(*texts)
        assert (finding.guard, finding.kind) == ("condition", "other-condition")


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_the_same_condition_gives_nothing(first, second):
    assert GUARDS["condition"].check(first, second) == GUARDS["condition"].check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Without a key you can open the door.", "Without a key you cannot open the door."),
        ("You can park here without a permit.", "You cannot park here without a permit."),
        ("Unless you have a ticket, you can enter.", "Unless you have a ticket, you cannot enter."),
        ("If it rains, we can play outside.", "If it rains, we cannot play outside."),
        ("In case of fire you can use the lift.", "In case of fire you cannot use the lift."),
    ],
)
def test_denied_possibility_under_a_condition_is_reported_in_both_directions(first, second):
    assert Guards().check(first, second)
    assert Guards().check(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Without a permit you cannot park here.", "You cannot park here without a permit."),
        ("Without a permit you cannot park here.", "You can park here only with a permit."),
        ("If it rains, we cannot play outside.", "We can't play outside if it rains."),
    ],
)
def test_the_same_denial_under_a_condition_gives_nothing(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


def read(text):
    return Text(text)


@pytest.mark.parametrize(
    ("text", "main", "sub"),
    [
        ("Wash the dish before you dry it.", "wash the dish", "you dry it"),
        ("Before you dry it, wash the dish.", "wash the dish", "you dry it"),
        ("Two days before the talk, Ann fell ill.", "ann fell ill", "the talk"),
        ("We met. Ann left before the talk, as planned.", "ann left", "the talk"),
        ("Before the talk Ann left.", "", "the talk ann left"),  # no comma shows where the main clause begins
    ],
)
def test_a_sentence_falls_into_two_parts(text, main, sub):
    sentence = Text(text)
    (cue,) = sentence.cues["order"]
    shown = [" ".join(sentence.words[at] for at in part) for part in parts_at(sentence, cue)]
    assert shown == [main, sub]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ann came.", 0),
        ("Ann did not come.", 1),
        ("Nobody failed to come.", 2),
        ("Nobody but Ann came.", 0),  # says that Ann came
        ("Ann came without a coat.", 0),  # a condition, no negation of the sentence
        ("No more than two came.", 0),  # a bound
        ("Bob was not left out.", 2),
    ],
)
def test_negations_are_counted(text, count):
    sentence = Text(text)
    assert len(sentence.denials) == count
    assert is_denied(sentence, range(len(sentence.words))) == (count % 2 == 1)


def test_texts_may_have_not_the_same_number_of_negations():
    assert differ_in_negations(read("Nobody came."), read("Ann came."))
    assert not differ_in_negations(read("Nobody came."), read("Ann did not come."))


def test_parts_cross_only_if_both_have_moved():
    assert crossing(({"wash"}, {"dry"}), ({"dry"}, {"wash"}))
    assert not crossing(({"wash"}, {"dry"}), ({"wash"}, {"dry"}))
    assert not crossing(({"wash"}, {"dry"}), ({"dry"}, {"iron"}))
    assert not crossing((set(), {"dry"}), ({"dry"}, set()))
