"""The certainty guard: plain statements beside suspicions, hearsay and doubts."""

import pytest

from semscale.guards.claims.certainty_guard import CertaintyGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The leak may come from the roof.", "The leak comes from the roof."),
        ("Allegedly the cook left in June.", "The cook left in June."),
        ("The cook is said to have left in June.", "The cook left in June."),
        ("I think that the seal is broken.", "The seal is broken."),
        ("The seal is unlikely to hold for long.", "The seal will hold for long."),
        ("The seal will probably hold.", "The seal will definitely hold."),
        ("We suspect the seal is worn.", "The seal is worn."),
    ],
)
def test_another_certainty_is_found_either_way_round(one, other):
    for texts in ((one, other), (other, one)):
        (found,) = CertaintyGuard().check(*texts)
        assert (found.guard, found.kind) == ("certainty", "other-certainty")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The leak may come from the roof.", "Perhaps the leak comes from the roof."),
        ("It is believed that the seal is worn.", "The seal is said to be worn."),
        ("The seal is certainly worn.", "The seal is worn."),
        ("You may leave your bags here.", "Leave your bags here."),  # permission
        ("Could you mend the seal?", "Mend the seal."),  # a request
        ("We met in May 2021.", "We met in 2021."),  # a month
        ("The leak should come from the roof.", "Maybe the leak comes from the roof."),  # left open
        ("The soup may be cold.", "Our train was late, and nobody told us."),  # of something else
    ],
)
def test_the_same_certainty_gives_nothing(one, other):
    assert CertaintyGuard().check(one, other) == CertaintyGuard().check(other, one) == []


def test_the_reason_says_which_text_hedges():
    (found,) = CertaintyGuard().check("The seal may be worn.", "The seal is worn.")
    assert found.reference is None
    assert found.reason.endswith('the prediction says "may", the reference does not.')
