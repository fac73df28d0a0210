"""The exclusivity guard: only this, this too, and all but this."""

import pytest

from semscale.guards.claim_guards import ExclusivityGuard


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Only nurses may open the cupboard.", "Nurses may open the cupboard."),
        ("Only nurses may open the cupboard.", "Nurses may only open the cupboard."),
        ("Only the cellar was flooded.", "Even the cellar was flooded."),
        ("Only the cellar was flooded.", "Not only the cellar was flooded."),
        ("Only the cellar was flooded.", "All rooms except the cellar were flooded."),
        ("The fee covers breakfast alone.", "The fee covers breakfast, among other things."),
        ("Everyone except Carl was paid.", "Everyone was paid, Carl too."),
        ("All guests except Carl paid for the boat.", "All guests paid for the boat, Carl included."),
        ("All the guests, even Carl, sang.", "All the guests, bar Carl, sang."),
        ("Only nurses may open the cupboard.", "Anyone, not only nurses, may open the cupboard."),
    ],
)
def test_what_one_text_alone_excludes_is_found(one, other):
    for texts in ((one, other), (other, one)):
        (found,) = ExclusivityGuard().check(*texts)
        assert (found.guard, found.kind) == ("exclusivity", "other-exclusivity")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Only nurses may open it.", "Nobody but nurses may open it."),
        ("Only nurses may open it.", "Nobody except nurses may open it."),
        ("It holds only water.", "It holds nothing other than water."),
        ("I only drank water.", "I drank only water."),
        ("Ida was just about to leave.", "Ida was about to leave."),
        ("I just wanted to say thanks.", "I wanted to say thanks."),
        ("It opens only with a key.", "It does not open without a key."),
        ("Besides Ida, nobody came.", "Only Ida came."),
        ("The one place where you can pay is the desk.", "You can pay only at the desk."),
        ("Every lamp works but one.", "Only one lamp does not work."),
        ("Even if it rains, we go.", "We go if it rains."),  # a matter of conditions
    ],
)
def test_the_same_choice_gives_nothing(one, other):
    assert ExclusivityGuard().check(one, other) == ExclusivityGuard().check(other, one) == []
