"""Must-pass items, judged one by one from losses that are chosen by hand."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, measured, run

from semscale.drift.limits.broken_items import BrokenItems
from semscale.drift.limits.checks import LimitRule
from semscale.drift.limits.must_pass import check_ids, check_must_pass
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.runs import ItemMatching
from semscale.errors import UnknownNameError
from semscale.guards.findings import Finding
from semscale.history.items import Item, Output

MARGINS = {"match": np.full(3, 0.1)}


def reasons(found, margins=MARGINS):
    checks = check_must_pass(found, ("item-0", "item-1", "item-2"), margins, (), {})
    return [check.reasons for check in checks]


def test_an_item_is_held_against_its_worst_rerun():
    # The worst reruns lose .2, .3 and .3: beyond them are .2, .05, and .1, just the margin. At no item does a
    # rerun lose more than .3, so that .4 is beyond chance.
    found = comparison(
        {"match": [0.4, 0.35, 0.4]}, reruns=[{"match": [0.2, 0.1, 0.3]}, {"match": [0.0, 0.3, 0.0]}]
    )
    first, second, third = reasons(found)
    assert first == ("match lost 0.200 more than the worst rerun, margin 0.100",)
    assert second == ()
    assert third == ("match lost 0.100 more than the worst rerun, margin 0.100",)


def test_what_a_rerun_shows_at_any_item_is_chance():
    # The rerun loses .4 at the last item. The first loses .45, which is less than .4 and the margin; .5 is
    # enough.
    found = comparison({"match": [0.45, 0.5, 0.0]}, reruns=[{"match": [0.0, 0.0, 0.4]}])
    assert reasons(found) == [(), ("match lost 0.500 more than the worst rerun, margin 0.100",), ()]


def test_three_reruns_show_how_far_chance_goes():
    # At the last item a rerun loses .4, and .4 more than the two others on average. The first item loses
    # .45, and no margin is asked.
    still = {"match": [0.0, 0.0, 0.0]}
    found = comparison({"match": [0.45, 0.35, 0.0]}, reruns=[{"match": [0.0, 0.0, 0.4]}, still, still])
    assert reasons(found) == [("match lost 0.450 more than the worst rerun, margin 0.100",), (), ()]


def test_the_candidate_has_no_part_in_what_chance_does():
    # The candidate equals the baseline but for the first item. At the second the rerun lies .656 from both,
    # which says nothing of its own drift: the baseline would do as well. .998 is beyond .656 and the margin.
    found = comparison({"match": [0.998, 0.0, 0.0]}, reruns=[{"match": [0.219, 0.656, 0.3]}])
    found = replace(found, between=((measured({"match": [1.0, 0.656, 0.3]}),),))
    first, *others = reasons(found, {"match": np.full(3, 0.153)})
    assert first == ("match lost 0.779 more than the worst rerun, margin 0.153",)
    assert others == [(), ()]


def test_with_two_reruns_a_drift_counts_that_no_reference_has():
    # The reruns lie .3, 0 and .7 from the baseline, and .2, 0 and .4 from each other. So the greatest drift
    # among the three is the baseline's at the last item, .7 - .4 = .3. The candidate lies .75 from all three:
    # its drift is .75 - .8 / 3 = .483, .75, and .75 - 1.8 / 3 = .15. Its loss is less than .7 and the margin.
    rerun, candidate = {"match": [0.3, 0.0, 0.7]}, {"match": [0.75] * 3}
    made = comparison(candidate, reruns=[rerun, rerun])
    against = measured(candidate)
    made = replace(made, between=((measured({"match": [0.2, 0.0, 0.4]}), against), (against,)))
    assert reasons(made) == [
        ("match lost 0.450 more than the worst rerun, margin 0.100",),
        ("match lost 0.750 more than the worst rerun, margin 0.100",),
        (),
    ]


def rerun_with(*silent):
    """What a rerun gives for three items: nothing for the silent ones."""
    return tuple(
        Item(f"item-{place}", () if place in silent else (Output(f"Answer {place}.", {"credits": 1.0}),))
        for place in range(3)
    )


def test_an_item_at_which_a_rerun_is_silent_shows_no_chance():
    # The rerun loses all at the last item, where it is silent, and .2 at the second at most.
    found = comparison({"match": [0.5, 0.0, 0.0]}, reruns=[{"match": [0.1, 0.2, 1.0]}])
    assert reasons(found) == [(), (), ()]
    silent = replace(found, rerun_items=(rerun_with(2),))
    assert reasons(silent) == [("match lost 0.400 more than the worst rerun, margin 0.100",), (), ()]


def test_where_a_rerun_is_silent_the_item_is_judged_without_it():
    found = comparison({"match": [0.5, 0.0, 0.0]}, reruns=[{"match": [1.0, 0.2, 0.1]}])
    found = replace(found, rerun_items=(rerun_with(0),))
    assert reasons(found) == [("match lost 0.500 more than the worst rerun, margin 0.100",), (), ()]


def test_a_silent_item_fails_even_if_a_rerun_is_silent_there():
    made = comparison({"match": [1.0, 0.0, 0.0]}, reruns=[{"match": [1.0, 0.0, 0.0]}])
    made = replace(made, rerun_items=(rerun_with(0),))
    first, none = np.array([True, False, False]), np.full(3, False)
    rule = LimitRule("silenced", 0, np.full(3, True), None, 0.5)
    broken = {"silenced": BrokenItems(np.full(3, True), none, first)}
    silent, other = check_must_pass(made, ("item-0", "item-1"), MARGINS, (rule,), broken)
    assert "lost all outputs" in silent.reasons
    assert other.passed


def found_by_guards(*findings):
    """Three items with so many findings each, with a contradiction and other numbers where there are any."""
    losses = {name: [float(n > 0) for n in findings] for name in ("contradictions", "changed_numbers")}
    one = Finding("negation", "negated-prediction", "It says not.", None, None)
    pairs = tuple(AlignedPair(place, 0, 0, findings=(one,) * n) for place, n in enumerate(findings))
    return losses, replace(measured(losses), pairs=pairs)


def test_where_a_rerun_has_findings_an_item_needs_two():
    of_candidate, run_of_candidate = found_by_guards(1, 2, 0)
    of_rerun, run_of_rerun = found_by_guards(0, 0, 1)
    made = comparison(of_candidate, reruns=[of_rerun])
    made = replace(made, measured=run_of_candidate, reruns=(run_of_rerun,))
    everywhere = np.full(3, True)
    rule = LimitRule("changed_numbers", 0.25, everywhere, None, 0.5)
    broken = {"changed_numbers": BrokenItems(everywhere, np.array([True, True, False]), ~everywhere)}
    margins = {"contradictions": np.full(3, 0.1)}
    checks = check_must_pass(made, ("item-0", "item-1"), margins, (rule,), broken)
    assert [check.reasons for check in checks] == [
        (),
        ("other numbers or none", "contradictions lost 1.000 more than the worst rerun, margin 0.100"),
    ]


def test_a_silent_item_fails_whatever_reruns_show():
    made = comparison({"match": [1.0, 0.0, 0.0]}, reruns=[{"match": [0.0, 1.0, 1.0]}])
    first, none = np.array([True, False, False]), np.full(3, False)
    rule = LimitRule("silenced", 0, np.full(3, True), None, 0.5)
    broken = {"silenced": BrokenItems(np.full(3, True), first, none)}
    (check,) = check_must_pass(made, ("item-0",), MARGINS, (rule,), broken)
    assert check.reasons == ("lost all outputs",)


def test_an_item_that_the_candidate_lacks_or_was_asked_otherwise_does_not_pass():
    found = comparison({"match": [0.0, 0.0, 0.0]}, reruns=[{"match": [0.0, 0.0, 0.0]}])
    matching = ItemMatching(common=("item-0", "item-1", "item-2"), lost=("gone",), changed=("reworded",))
    checks = check_must_pass(
        replace(found, matching=matching), ("gone", "item-0", "reworded"), MARGINS, (), {}
    )
    assert [check.reasons for check in checks] == [
        ("the candidate lacks it",),
        (),
        ("the candidate was asked something else",),
    ]


def test_an_item_without_a_value_is_not_judged():
    found = comparison({"match": [np.nan, 0.0, 0.0]}, reruns=[{"match": [np.nan, 0.0, 0.0]}])
    assert reasons(found) == [(), (), ()]


def test_without_a_rerun_texts_are_not_judged_and_counts_are():
    found = comparison({"match": [0.9, 0.9, 0.9], "output_count": [0.5, 0.0, 0.0]})
    margins = MARGINS | {"output_count": np.full(3, 0.1)}
    assert reasons(found, margins) == [
        ("number of outputs lost 0.500 more than the baseline, margin 0.100",),
        (),
        (),
    ]


def test_without_a_rerun_what_guards_find_is_not_judged():
    losses = {"contradictions": [1.0, 0.0, 0.0], "changed_numbers": [1.0, 0.0, 0.0]}
    margins = {name: np.full(3, 0.1) for name in losses}
    rules = [LimitRule(name, 0.25, np.full(3, True), None, 0.5) for name in ("changed_numbers", "silenced")]
    first, others = np.array([True, False, False]), np.full(3, False)
    broken = {
        "changed_numbers": BrokenItems(np.full(3, True), first, others),
        "silenced": BrokenItems(np.full(3, True), others, others),
    }

    def reasons_of(found):
        (check,) = check_must_pass(found, ("item-0",), margins, rules, broken)
        return check.reasons

    assert reasons_of(comparison(losses)) == ()
    still = {name: [0.0, 0.0, 0.0] for name in losses}
    assert reasons_of(comparison(losses, reruns=[still])) == (
        "other numbers or none",
        "contradictions lost 1.000 more than the worst rerun, margin 0.100",
        "changed numbers lost 1.000 more than the worst rerun, margin 0.100",
    )


def test_an_unknown_id_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownNameError, match="'itme-1'.*did you mean 'item-1'"):
        check_ids(run(3), ("item-0", "itme-1"))
