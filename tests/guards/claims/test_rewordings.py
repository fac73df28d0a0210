"""Classes of rewording that looked like another claim, and claims that looked like rewording."""

import pytest

from semscale.guards.registry import Guards


def findings(one, other):
    guards = Guards()
    return {found.guard for found in (*guards.check(one, other), *guards.check(other, one))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # "Only" before a small amount says how small it is.
        ("Only a handful of users reported the bug.", "Few users reported the bug."),
        ("The seat is fine, only a bit hard.", "The seat is fine but a bit hard."),
        # "Just" restricts as "all I" does, and what requires a thing takes nothing else.
        ("I just wanted a refund.", "All I wanted was a refund."),
        ("Refunds require a receipt.", "You get a refund only with a receipt."),
        ("Ann is the only one of us who speaks French.", "None of us but Ann speaks French."),
        # What is denied of others is no contradiction of what is only of this.
        ("The bus runs on weekdays only.", "The bus does not run at weekends."),
        ("The party won seats only in the east.", "Outside the east the party did not win any seats."),
        # A bound makes "may" a permission.
        ("The form must have no more than 200 words.", "The form may have 200 words at most."),
        # A span of time is no event.
        (
            "I bought the phone last year and it broke two months later.",
            "The phone that I bought last year broke after two months.",
        ),
        # The condition in other words.
        ("The app works if you restart the phone.", "The app works after a restart of the phone."),
        (
            "The warranty holds as long as the seal is intact.",
            "The warranty holds while the seal is intact.",
        ),
        # Several shares in another order.
        ("Some tests are flaky, most are stable.", "Most tests are stable, but some are flaky."),
        ("There is no shortage of parking.", "There is plenty of parking."),
        (
            "The update fixed many but not all of the bugs.",
            "A lot of bugs were fixed by the update, though some remain.",
        ),
    ],
)
def test_rewording_gives_nothing(one, other):
    assert findings(one, other) == set()


@pytest.mark.parametrize(
    ("one", "other", "guard"),
    [
        ("The bus runs on weekdays only.", "The bus does not run on weekdays.", "negation"),
        ("Only members may enter.", "Members may enter.", "exclusivity"),
        ("The door opens after the bell.", "The bell rings after the door opens.", "order"),
        ("You can pay later.", "You can pay later on condition that you register.", "condition"),
        ("He will need surgery.", "He will need surgery if the bleeding does not stop.", "condition"),
        ("The patch fixed the crash.", "The patch was meant to fix the crash.", "certainty"),
        ("He stole the money.", "He was accused of stealing the money.", "certainty"),
        ("The suspect was at home.", "The suspect says he was at home.", "certainty"),
        ("The actor is ill.", "The actor pretends to be ill.", "certainty"),
        ("The tests prove that the alloy is safe.", "The tests hint that the alloy is safe.", "certainty"),
        ("The lift is always broken.", "The lift is sometimes broken.", "quantity"),
        ("Not all of the tests passed.", "All of the tests passed.", "quantity"),
        ("Some tests are flaky, most are stable.", "Most tests are flaky, some are stable.", "quantity"),
    ],
)
def test_another_claim_is_found(one, other, guard):
    assert guard in findings(one, other)
