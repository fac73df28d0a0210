"""Hard limits in the gate's decision: the cases that statistics leaves undecided."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.next_step import next_step
from semscale.drift.gate.settings import GateSettings
from semscale.drift.runs import ItemMatching
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output

FEW = {"replicates": 200}


def saying(n, *, silent=(), outputs=2, fields=None):
    """What a run gives for n items: outputs with a number each, nothing for the silent ones."""
    said = tuple(Output(f"Divide it by {at + 2}.", fields or {}) for at in range(outputs))
    return tuple(Item(f"item-{place}", () if place in silent else said) for place in range(n))


def made(baseline, candidate, *reruns, numbers=0.0, groups=None):
    """A comparison of these items; ``numbers``: loss of changed numbers in every item of the candidate.

    Silent items lose everything; nothing else is lost.
    """
    n = len(baseline)

    def losses(items, changed):
        is_silent = np.array([not item.outputs for item in items])
        return {
            "match": is_silent.astype(float),
            "silence": is_silent.astype(float),
            "changed_numbers": np.where(is_silent, 1.0, changed),
        }

    found = comparison(losses(candidate, numbers), reruns=[losses(rerun, 0.0) for rerun in reruns])
    kinds = groups or ["all"] * n
    grouped = [
        tuple(replace(item, groups={"exercise": kinds[at]}) for at, item in enumerate(items))
        for items in (baseline, candidate)
    ]
    return replace(
        found,
        baseline=replace(found.baseline, items=grouped[0]),
        candidate=replace(found.candidate, items=grouped[1]),
        rerun_items=reruns,
    )


def decided(found, **settings):
    return decide(found, GateSettings(**FEW, metrics=("match", "silence"), **settings))


def broken(decision):
    return {check.name: check.items for check in decision.broken_limits}


def test_two_of_24_items_without_any_output_fail():
    decision = decided(made(saying(24), saying(24, silent=(3, 7)), saying(24)))
    assert all(test.outcome is not Outcome.FAIL for test in decision.tests)  # statistics says nothing
    assert decision.outcome is Outcome.FAIL
    assert broken(decision) == {"silenced": ("item-3", "item-7")}


def test_five_of_30_silent_items_with_a_rerun_fail():
    decision = decided(made(saying(30), saying(30, silent=range(5)), saying(30)))
    assert decision.outcome is Outcome.FAIL
    assert len(broken(decision)["silenced"]) == 5


def test_items_that_a_rerun_is_silent_on_do_not_count_and_are_said():
    decision = decided(made(saying(30), saying(30, silent=(2,)), saying(30, silent=(2,)), saying(30)))
    assert not decision.broken_limits
    assert any(
        "limit silenced: 'item-2' would break it, but a rerun of the baseline does, too" in caution
        for caution in decision.cautions
    )


def test_dropped_lists_fail():
    decision = decided(made(saying(24, outputs=4), saying(24, outputs=1), saying(24, outputs=4)))
    # Three of four outputs, each with a number, are gone in all 24 items: so are totals.
    assert broken(decision).keys() == {"lost_outputs", "fewer_outputs", "fewer_numbers"}
    assert decision.outcome is Outcome.FAIL


def test_one_output_of_four_dropped_in_a_third_of_the_items_fails():
    fewer = (*saying(24, outputs=4)[:16], *saying(24, outputs=3)[16:])
    decision = decided(made(saying(24, outputs=4), fewer, saying(24, outputs=4)))
    (check,) = decision.broken_limits
    assert (check.name, check.n, check.n_broken) == ("fewer_outputs", 96, 8)
    assert check.items == tuple(f"item-{place}" for place in range(16, 24))
    assert check.p_value == pytest.approx(1 / 3**8 / 2)  # the lowest exchange of eight items that differ
    assert decision.outcome is Outcome.FAIL


def test_a_total_that_chance_may_explain_is_said_and_does_not_fail():
    fewer = (*saying(10)[:8], *saying(10, outputs=1)[8:])
    decision = decided(made(saying(10), fewer, saying(10)))
    assert not decision.broken_limits  # 2 of 20 outputs, but 1 / 3**2 / 2 = .056
    assert any("2 of 20 outputs have been lost" in caution for caution in decision.cautions)
    assert any("(p = 0.056)" in caution for caution in decision.cautions)


def test_a_total_of_which_nothing_is_lost_names_no_item():
    # The first item has an output less than in the baseline, and the second one more.
    moved = (*saying(1, outputs=1), *saying(2, outputs=3)[1:], *saying(10)[2:])
    decision = decided(made(saying(10), moved))
    (check,) = [check for check in decision.limits if check.name == "fewer_outputs"]
    assert (check.n_broken, check.items) == (0, ())


@pytest.mark.parametrize("with_rerun", [True, False])
def test_digits_that_vanish_from_all_outputs_fail(with_rerun):
    without = tuple(replace(item, outputs=(Output("Divide it."),) * 2) for item in saying(8))
    decision = decided(made(saying(8), without, *[saying(8)] * with_rerun))
    numbers = next(check for check in decision.broken_limits if check.name == "fewer_numbers")
    assert (numbers.n, numbers.n_broken) == (16, 16)


def test_a_slice_has_its_own_limit_of_a_total():
    fewer = (*saying(24, outputs=4)[:16], *saying(24, outputs=3)[16:])
    groups = ["a"] * 16 + ["b"] * 8
    found = made(saying(24, outputs=4), fewer, saying(24, outputs=4), groups=groups)
    assert not decided(found, slices={"exercise": {"b": {"limits": {"fewer_outputs": 0.3}}}}).broken_limits
    strict = decided(found, slices={"exercise": {"b": {"limits": {"fewer_outputs": 7}}}})
    (check,) = strict.broken_limits
    assert (check.group, check.n, check.n_broken) == (("exercise", "b"), 32, 8)


def test_a_rerun_that_breaks_a_total_itself_is_said():
    decision = decided(made(saying(24), saying(24), saying(24, outputs=1), saying(24)))
    said = next(caution for caution in decision.cautions if caution.startswith("limit fewer_outputs=0.05"))
    # The rerun's 24 beside 48 outputs of the baseline and 48 of the other rerun.
    assert "broken by a rerun of the baseline itself, in 24 of 48 outputs" in said


def test_a_must_pass_item_does_not_fail_for_a_total():
    fewer = (*saying(24, outputs=4)[:16], *saying(24, outputs=3)[16:])
    decision = decided(made(saying(24, outputs=4), fewer, saying(24, outputs=4)), must_pass=("item-20",))
    assert not decision.failed_items


def test_a_field_that_vanished_fails():
    before = saying(24, fields={"credits": 1.0})
    decision = decided(made(before, saying(24), before))
    assert broken(decision).keys() == {"lost_fields"}


def test_numbers_changed_in_all_items_fail_and_in_a_quarter_do_not():
    same = saying(24)
    assert broken(decided(made(same, same, same, numbers=1.0))).keys() == {"changed_numbers"}
    in_some = np.array([1.0] * 6 + [0.0] * 18)  # 6 of 24 is a quarter, which is allowed
    assert not decided(made(same, same, same, numbers=in_some)).broken_limits
    in_some[6] = 1.0
    assert decided(made(same, same, same, numbers=in_some)).outcome is Outcome.FAIL


def test_one_of_three_items_with_other_numbers_may_be_chance():
    # 1 of 3 is more than a quarter, but of two runs of one model beside a third each is as likely to be it.
    same = saying(3) + tuple(Item(f"item-{at}", (Output("Divide it."),)) for at in range(3, 12))
    numbers = np.array([1.0] + [0.0] * 11)
    made_up = made(same, same, same, numbers=numbers)
    (check,) = (one for one in decided(made_up).limits if one.name == "changed_numbers")
    assert (check.n, check.n_broken, check.passed) == (3, 1, True)
    assert check.p_value == pytest.approx(1 / 4)  # losses 1 and 0 of candidate and rerun: half of one in two
    assert any("(p = 0.250), so this does not count" in caution for caution in decided(made_up).cautions)
    allowed = {check.name: check for check in decided(made_up, limits={"changed_numbers": 0}).limits}
    assert not allowed["changed_numbers"].passed  # where none may, none may by chance
    assert decided(made(same, same, numbers=numbers)).broken_limits  # nothing is known of chance


def test_numbers_are_not_judged_where_their_guard_is_off():
    found = made(saying(24), saying(24), saying(24), numbers=1.0)
    signature = type(found.signature).of("drift", guards="negation=weigh+name=weigh")
    off = replace(found, measured=replace(found.measured, signature=signature))
    assert "changed_numbers" not in {check.name for check in decided(off).limits}


def test_an_unchanged_candidate_breaks_nothing():
    decision = decided(made(saying(24), saying(24), saying(24)))
    assert [check.name for check in decision.limits] == [
        "missing",
        "silenced",
        "refused",
        "lost_outputs",
        "lost_fields",
        "changed_numbers",
        "fewer_outputs",
        "fewer_numbers",
    ]
    assert decision.outcome is not Outcome.FAIL


@pytest.mark.parametrize(("allowed", "outcome"), [("off", False), (2, False), (0.1, False), (1, True)])
def test_limits_can_be_set(allowed, outcome):
    one = saying(24, outputs=1)
    found = made(one, saying(24, outputs=1, silent=(3, 7)), one)
    decision = decided(found, limits={"silenced": allowed})
    assert (decision.outcome is Outcome.FAIL) is outcome


def test_a_limit_that_a_rerun_breaks_itself_is_said_first():
    decision = decided(made(saying(24), saying(24), saying(24, silent=(1, 2)), saying(24)))
    assert decision.cautions[0].startswith(
        "limit silenced=0 is broken by a rerun of the baseline itself, in 2 of 24 items with outputs "
        "('item-1', 'item-2')"
    )


def test_a_must_pass_item_fails_alone_where_a_limit_would_allow_it():
    found = made(saying(24), saying(24, silent=(3,)), saying(24))
    assert decided(found, limits={"silenced": 2}, must_pass=["item-4"]).outcome is not Outcome.FAIL
    decision = decided(found, limits={"silenced": 2}, must_pass=["item-4", "item-3"])
    assert decision.outcome is Outcome.FAIL
    (failed,) = decision.failed_items
    assert failed.id == "item-3"
    assert failed.reasons[0] == "lost all outputs"


def test_an_emptied_list_is_lost_where_silence_is_not_checked():
    found = made(saying(24), saying(24, silent=(3, 7)), saying(24))
    off = decided(found, limits={"silenced": "off"})
    assert broken(off) == {"lost_outputs": ("item-3", "item-7")}
    allowed = decided(found, limits={"silenced": 2})  # counted there, and out of the 24 elsewhere
    assert not allowed.broken_limits
    assert {check.name: check.n for check in allowed.limits if check.name != "lost_fields"} == {
        "missing": 24,
        "silenced": 24,
        "refused": 24,
        "lost_outputs": 22,
        "changed_numbers": 22,
        "fewer_outputs": 44,
        "fewer_numbers": 44,
    }


def test_a_slice_has_its_own_limit_and_the_others_keep_theirs():
    kinds = ["a"] * 12 + ["b"] * 12
    one = saying(24, outputs=1)
    found = made(one, saying(24, outputs=1, silent=(3,)), one, groups=kinds)
    spared = decided(found, slices={"exercise": {"a": {"limits": {"silenced": 1}}}})
    assert spared.outcome is not Outcome.FAIL
    assert [(check.group, check.n) for check in spared.limits if check.name == "silenced"] == [
        (None, 12),
        (("exercise", "a"), 12),
    ]
    strict = decided(found, limits={"silenced": 5}, slices={"exercise": {"a": {"limits": {"silenced": 0}}}})
    (check,) = strict.broken_limits
    assert (check.group, check.items) == (("exercise", "a"), ("item-3",))
    off = {"exercise": {"a": {"limits": {"silenced": "off"}}}}
    assert decided(found, slices=off).outcome is not Outcome.FAIL


def test_a_slice_has_its_own_margin_and_is_tested_for_it():
    kinds = ["a"] * 12 + ["b"] * 12
    found = made(saying(24), saying(24), saying(24), groups=kinds)
    decision = decided(found, slices={"exercise": {"a": {"material": {"match": 0.3}}}})
    margins = {(test.metric, test.group): test.margin for test in decision.tests}
    assert margins["match", ("exercise", "a")] == 0.3
    assert margins["match", None] == 0.05
    assert ("match", ("exercise", "b")) not in margins


def test_a_slice_has_its_own_threshold():
    kinds = ["a"] * 12 + ["b"] * 12
    found = made(saying(24), saying(24, silent=range(6)), saying(24), groups=kinds)
    slices = {"exercise": {name: {"thresholds": {"min_match": 0.6}} for name in "ab"}}
    checks = decided(found, slices=slices).thresholds
    # Of the 12 items of a, 6 are silent and lose 1: their mean similarity is .5; those of b lose nothing.
    assert [(check.group, check.value, check.passed) for check in checks] == [
        (("exercise", "a"), 0.5, False),
        (("exercise", "b"), 1.0, True),
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"must_pass": ["item-33"]}, "must_pass names 'item-33', .*did you mean 'item-3'"),
        ({"slices": {"exercise": {"c": {}}}}, "exercise in slices 'c'"),
    ],
)
def test_what_does_not_exist_is_refused(settings, said):
    with pytest.raises(UnknownNameError, match=said):
        decided(made(saying(4), saying(4), saying(4)), **settings)


def test_a_share_of_all_outputs_cannot_be_lost():
    with pytest.raises(InputError, match="lost_share must be at least 0 and below 1"):
        GateSettings(lost_share=1.0)


def lacking(n, *ids):
    """A comparison in which nothing changed, but for items of the baseline that the candidate lacks."""
    found = made(saying(n), saying(n), saying(n))
    common = tuple(item.id for item in found.baseline.items)
    return replace(found, matching=ItemMatching(common=common, lost=ids, positions=tuple(range(n))))


def test_items_that_the_candidate_lacks_fail_the_gate():
    # 24 items of which nothing changed pass; with three that were left out there are 27.
    found = lacking(24, "a", "b", "c")
    decision = decided(found)
    assert decision.outcome is Outcome.FAIL
    (check,) = decision.broken_limits
    assert (check.name, check.n, check.items) == ("missing", 27, ("a", "b", "c"))
    assert next_step(found, decision) == (
        "3 of 27 items of the baseline have not been recorded: record the 3 missing items, without outputs "
        "where the model gave nothing ('a', 'b', 'c')"
    )
    one = lacking(24, "a")
    assert next_step(one, decided(one)).startswith("1 of 25 items of the baseline has not been recorded: ")


def test_missing_items_may_be_allowed():
    for allowed in (3, 0.2, "off"):
        decision = decided(lacking(24, "a", "b", "c"), limits={"missing": allowed})
        assert decision.outcome is Outcome.PASS
    assert decided(lacking(24, "a", "b", "c"), limits={"missing": 2}).outcome is Outcome.FAIL


def test_missing_items_belong_to_no_slice():
    with pytest.raises(InputError, match="missing counts the whole baseline's items"):
        GateSettings(slices={"exercise": {"a": {"limits": {"missing": 2}}}})


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("-", "silenced"),
        ("...", "silenced"),
        ("null", "silenced"),
        ("\u200b", "silenced"),
        ("I'm sorry, but I can't help with that.", "refused"),
        ("N/A", "refused"),
    ],
)
def test_outputs_without_content_and_refusals_fail_the_gate(text, limit):
    # The losses are those of an unchanged run, so that no test can fail.
    now = list(saying(24))
    now[5] = replace(now[5], outputs=(Output(text), Output(text)))
    decision = decided(made(saying(24), tuple(now), saying(24)))
    assert broken(decision)[limit] == ("item-5",)
    excused = decided(made(saying(24), tuple(now), tuple(now)))
    assert limit not in broken(excused)


def test_must_pass_items_are_not_judged_by_a_rerun_that_lost_outputs_and_it_is_said():
    # The candidate loses .5 of match at the first item, and the rerun everything at the last.
    said = saying(12)
    found = made(said, said, saying(12, silent=(11,)))
    losses = found.measured.losses | {"match": np.where(np.arange(12) == 0, 0.5, 0.0)}
    found = replace(found, measured=replace(found.measured, losses=losses))
    decision = decided(found, must_pass=("item-0",))
    assert [check.id for check in decision.failed_items] == ["item-0"]
    assert any(one.startswith("must_pass: at 'item-11' a rerun") for one in decision.cautions)
    assert not any(one.startswith("must_pass") for one in decided(found).cautions)
