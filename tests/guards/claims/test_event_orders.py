"""Two events in an order of time."""

import pytest

from semscale.guards.phrases import Wording
from semscale.guards.reading import read_orders, turned_orders
from semscale.guards.words import TextWords


def wording(text):
    return Wording(TextWords(text))


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
def test_the_earlier_event_and_the_later_one_are_told_apart(text, earlier, later):
    (found,) = read_orders(wording(text))
    assert (found.earlier, found.later) == (earlier, later)


@pytest.mark.parametrize("text", ["Afterwards.", "Wash it.", "Before noon.", "", "and then"])
def test_without_two_events_there_is_no_order(text):
    assert read_orders(wording(text)) == []


def test_orders_are_turned_agree_or_are_not_there():
    one, same, turned = "Wash before you cut.", "Cut after you wash.", "Cut before you wash."
    assert len(turned_orders(wording(one), wording(turned))) == 1
    assert turned_orders(wording(one), wording(same)) == []
    assert turned_orders(wording(one), wording("Wash and cut.")) is None
