"""The certainty guard: plain statements beside suspicions, hearsay and doubts."""

import pytest

from semscale.guards.claim_guards import CertaintyGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The leak may come from the roof.", "The leak comes from the roof."),
        ("Allegedly the cook left in June.", "The cook left in June."),
        ("The cook is said to have left in June.", "The cook left in June."),
        ("Experts think that the seal is broken.", "The seal is broken."),
        ("I think that the seal is broken.", "The seal is certainly broken."),
        ("I think the seal may be broken.", "The seal is broken."),
        ("The seal is unlikely to hold for long.", "The seal will hold for long."),
        ("The seal will probably hold.", "The seal will definitely hold."),
        ("The seal is suspicious for wear.", "The seal confirms wear."),
        ("According to rumours, the cook left in June.", "The cook left in June."),
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
        ("I think the waiter is kind.", "The waiter is kind."),  # an opinion
        ("It seems that the lift stops a lot.", "The lift stops a lot."),
        ("It looks like the lift stops a lot.", "Perhaps the lift stops a lot."),
        ("I guess it's fine.", "It's fine."),
        ("I don't think the bed was clean.", "The bed was not clean."),
        ("We did not think the bed was clean.", "The bed was hardly clean."),
        ("Your plan could be clearer if you drew a map.", "A map would make your plan clearer."),
        ("The lid could open if you push it.", "The lid might open if you push it."),
        ("The bank is expected to close on Monday.", "Experts expect the bank to close on Monday."),
        ("Guests may leave bags at the desk in May.", "In May guests are allowed to leave bags at the desk."),
        ("We will hear any complaint that may come in.", "We will hear any complaint that comes in."),
        (
            "He died in his sleep, apparently of a stroke.",
            "He, said his wife, died of a stroke in his sleep.",
        ),
        ("The soup may be cold.", "Our train was late, and nobody told us."),  # of something else
    ],
)
def test_the_same_certainty_gives_nothing(one, other):
    assert CertaintyGuard().check(one, other) == CertaintyGuard().check(other, one) == []


def test_the_reason_says_which_text_hedges():
    (found,) = CertaintyGuard().check("The seal may be worn.", "The seal is worn.")
    assert found.reference is None
    assert found.reason.endswith('the prediction says "may", the reference does not.')
