"""The quantity guard: words for how many that exclude each other."""

import pytest

from semscale.guards.claim_guards import QuantityGuard


@pytest.mark.parametrize(
    ("one", "other", "spans"),
    [
        ("All doors were locked.", "Some doors were locked.", ("All", "Some")),
        ("Most guests stayed late.", "A few guests stayed late.", ("Most", "A few")),
        ("Few guests liked it.", "Many of the guests liked it.", ("Few", "Many of")),
        ("Everyone signed the card.", "Hardly anyone signed the card.", ("Everyone", "Hardly anyone")),
        ("Half of the rooms are free.", "Nearly all of the rooms are free.", ("Half of", "Nearly all of")),
        ("Not every lamp works.", "Every lamp works.", ("Not every", "Every")),
        ("None of the keys fit.", "All of the keys fit.", ("None of", "All of")),
        ("None of the guides were rude.", "All of the guides were rude.", ("None of", "All of")),
        ("Bring at least three pens.", "Bring at most three pens.", ("at least", "at most")),
        (
            "Bring no more than three pens.",
            "Bring no fewer than three pens.",
            ("no more than", "no fewer than"),
        ),
        ("Half the parcels arrived wet.", "The parcels arrived wet.", ("Half the", None)),
    ],
)
def test_shares_that_exclude_each_other_are_found(one, other, spans):
    (found,) = QuantityGuard().check(one, other)
    assert found.kind == "other-quantity"
    assert tuple(span and span.text for span in (found.prediction, found.reference)) == spans
    assert len(QuantityGuard().check(other, one)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("All doors were locked.", "Every door was locked."),
        ("Most guests stayed.", "The majority of guests stayed."),
        ("Only a few guests stayed.", "Hardly any guests stayed."),
        ("Few guests stayed.", "No guests stayed."),  # small amounts decide nothing
        ("All members agreed.", "Nobody failed to agree."),  # two negations
        ("All guides were polite.", "None of the guides were rude."),  # a negation and an opposite
        ("No guide was excluded.", "All guides were included."),  # which counts once
        ("Few guides were polite.", "Most guides were rude."),
        ("Few guides knew it.", "Most guides did not know it."),
        ("There weren't many chairs left.", "Few chairs were left."),
        ("Some of the lamps could not be mended.", "We could not mend all of the lamps."),
        ("After all, doors were locked.", "Some doors were locked."),  # "after all" counts nothing
        ("All lamps work.", "All lamps work, but some flicker."),  # the same of the same things
        ("At least three pens, please.", "Three pens or more, please."),
        ("All staff were kind.", "The pool is cold, and some towels were torn."),  # of other things
    ],
)
def test_shares_that_agree_or_count_other_things_give_nothing(one, other):
    assert QuantityGuard().check(one, other) == QuantityGuard().check(other, one) == []
