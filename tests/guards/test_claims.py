"""Claims of another quantity, certainty or exclusivity, and rewordings that make up for each other."""

import pytest

from semscale.guards.claims import are_counterparts, are_turned, make_up, orders_agree
from semscale.guards.registry import GUARDS, Guards
from semscale.guards.text import read_text


@pytest.mark.parametrize(
    ("first", "second", "spans"),
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
def test_mutually_exclusive_shares_are_reported(first, second, spans):
    (finding,) = GUARDS["quantity"].check(first, second)
    assert finding.kind == "other-quantity"
    assert tuple(span and span.text for span in (finding.prediction, finding.reference)) == spans
    assert len(GUARDS["quantity"].check(second, first)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_shares_that_agree_or_count_other_things_give_nothing(first, second):
    assert GUARDS["quantity"].check(first, second) == GUARDS["quantity"].check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_different_certainty_is_reported_in_both_directions(first, second):
    for texts in ((first, second), (second, first)):
        (finding,) = GUARDS["certainty"].check(*texts)
        assert (finding.guard, finding.kind) == ("certainty", "other-certainty")


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_the_same_certainty_gives_nothing(first, second):
    assert GUARDS["certainty"].check(first, second) == GUARDS["certainty"].check(second, first) == []


def test_the_reason_says_which_text_hedges():
    (finding,) = GUARDS["certainty"].check("The seal may be worn.", "The seal is worn.")
    assert finding.reference is None
    assert finding.reason.endswith('the prediction says "may", the reference does not.')


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_exclusion_in_a_single_text_is_reported(first, second):
    for texts in ((first, second), (second, first)):
        (finding,) = GUARDS["exclusivity"].check(*texts)
        assert (finding.guard, finding.kind) == ("exclusivity", "other-exclusivity")


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_the_same_choice_gives_nothing(first, second):
    assert GUARDS["exclusivity"].check(first, second) == GUARDS["exclusivity"].check(second, first) == []


@pytest.mark.parametrize(
    ("guard", "first", "second", "expected"),
    [
        ("quantity", "none", "all", True),
        ("quantity", "half", "half", True),  # half are open where half are shut
        ("quantity", "all", "all", False),
        ("exclusivity", "except", "only", True),
        ("certainty", "doubted", "hedged", True),
        ("certainty", "doubted", "certain", False),
    ],
)
def test_counterparts_are_the_same_either_way_round(guard, first, second, expected):
    assert are_counterparts(guard, first, second) is expected
    assert are_counterparts(guard, second, first) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Few guests came.", "Most guests did not come.", True),  # one negation
        ("Few guests came.", "Most guests came.", False),
        ("None of the doors were open.", "All of the doors were shut.", True),  # one opposite
        ("Nobody left the doors unlocked.", "Everybody left the doors locked.", True),
        ("Nobody came.", "Everybody came.", False),  # "nobody" is the phrase itself
        ("Every lamp works but one.", "Only one lamp is without light.", True),
    ],
)
def test_an_odd_number_of_negations_and_opposites_turns_a_statement(first, second, expected):
    for texts in ((first, second), (second, first)):
        assert are_turned(*map(read_text, texts)) is expected


def test_only_counterparts_make_up_for_a_negation():
    turned = "Few guests came.", "Most guests did not come."
    alike = "Most guests came.", "Most guests did not come."
    assert make_up(*map(read_text, turned))
    assert not make_up(*map(read_text, alike))
    assert GUARDS["negation"].check(*alike)


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_counterpart_wording_of_the_same_claim_has_no_finding(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Few pilots knew the route.", "Most pilots knew the route."),
        ("Only members can book a court.", "Everyone but members can book a court."),
        ("The fee shall not exceed ten euros.", "The fee shall not be less than ten euros."),
        ("Dry the plate before you paint it.", "Do not dry the plate before you paint it."),
        ("It is certain that the roof is dry.", "It is not certain that the roof is dry."),
        ("Give the drops by mouth and not by needle.", "Give the drops by needle and not by mouth."),
    ],
)
def test_without_the_turn_they_still_contradict(first, second):
    assert Guards().check(first, second)
    assert Guards().check(second, first)


def test_an_order_turned_with_its_events_is_no_opposite():
    before, after = "She was born an hour before dinner.", "An hour after she was born, dinner came."
    assert orders_agree(read_text(before), read_text(after))
    assert GUARDS["opposite"].check(before, after) == []
    assert not orders_agree(read_text(before), read_text("She slept."))


def findings(first, second):
    guards = Guards()
    return {finding.guard for finding in (*guards.check(first, second), *guards.check(second, first))}


@pytest.mark.parametrize(
    ("first", "second"),
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
def test_rewording_gives_nothing(first, second):
    assert findings(first, second) == set()


@pytest.mark.parametrize(
    ("first", "second", "guard"),
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
def test_different_claim_is_reported(first, second, guard):
    assert guard in findings(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Water expands when it is heated.", "Water expands because it is heated."),
        ("There are three options.", "There are only three options."),
        ("Three people sit outside of the red house.", "Three people sit at the red house."),
        ("The clerk said the shop would close.", "The clerk said he would close the shop."),
        ("Water is less dense than corn syrup.", "Corn syrup is denser than water."),
        ("Box cutters were the weapons.", "Box cutters have since been the weapons."),
    ],
)
def test_a_detail_is_no_other_claim(first, second):
    claims = "roles", "quantity", "certainty", "exclusivity", "order", "condition"
    for texts in ((first, second), (second, first)):
        assert [name for name in claims if GUARDS[name].check(*texts)] == []
