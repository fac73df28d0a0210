from dataclasses import replace

from made_up import comparison

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.next_step import limit_words, next_step
from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.signature import Signature

PLAIN = GateSettings(replicates=200, metrics=("match",))
SILENT = LimitCheck("silenced", 0, 24, ("a", "b"))


def decision(**settings):
    plain = GateDecision(Outcome.FAIL, (), (), (), (), Signature.of("gate"))
    return replace(plain, **settings)


def test_a_failed_gate_names_the_gravest_finding_and_its_items():
    found = comparison({"match": [0.0] * 12})
    assert next_step(found, decision(limits=(SILENT,))) == (
        "2 of 24 items with outputs have lost all outputs: look at 'a', 'b'; approve the run only if that is "
        "meant"
    )
    must = (MustPassCheck("c", ("lost all outputs",)),)
    assert next_step(found, decision(limits=(SILENT,), must_pass=must)).startswith(
        "2 of 24 items with outputs have lost all outputs, and 1 must-pass item became worse: "
        "look at 'a', 'b'"
    )
    assert next_step(found, decision(must_pass=must)).startswith("1 must-pass item became worse: look at 'c'")


def test_a_must_pass_item_is_named_beside_other_findings():
    other = LimitCheck("lost_fields", 0, 24, ("d",))
    must = (MustPassCheck("c", ("lost all outputs",)),)
    said = next_step(comparison({"match": [0.0] * 12}), decision(limits=(SILENT, other), must_pass=must))
    assert said.startswith(
        "2 of 24 items with outputs have lost all outputs, 1 must-pass item became worse, and 1 more "
        "finding: "
    )


def test_a_limit_outside_slices_names_them():
    apart = LimitCheck("changed_numbers", 0.25, 8, ("a",), outside=(("exercise", "history"),))
    assert (
        limit_words(apart) == "1 of 8 items with numbers outside exercise history has other numbers or none"
    )


def test_one_item_has_lost():
    check = LimitCheck("changed_numbers", 0, 1, ("a",), group=("exercise", "6715"))
    assert limit_words(check) == "1 of 1 items with numbers in exercise 6715 has other numbers or none"


def test_drift_names_the_items_that_changed_most():
    losses = [0.9, 0.8] + [0.5, 0.6] * 9
    found = comparison({"match": losses}, reruns=[{"match": [0.1] * 20}])
    said = next_step(found, decide(found, PLAIN))
    assert said == (
        "match drifted beyond chance and margin: look at 'item-0', 'item-1', 'item-3'; approve the run only "
        "if that is meant"
    )


def test_a_passed_gate_needs_nothing():
    found = comparison({"match": [0.0] * 12}, reruns=[{"match": [0.0] * 12}])
    assert next_step(found, decide(found, PLAIN)).startswith("Nothing to do: ")


def test_an_undecided_gate_without_a_rerun_asks_for_one():
    found = comparison({"match": [0.0] * 5})
    assert "record a rerun of the baseline (--rerun-of baseline)" in next_step(found, decide(found, PLAIN))


def test_too_few_items_come_before_reruns():
    # A test needs 10 items: 3 lack 7. A rerun alone does not help, and with one nothing else is to be said.
    few = {"match": [0.0] * 3}
    alone, with_rerun = comparison(few), comparison(few, reruns=[few])
    said = "A test needs at least 10 items to pass, and here are 3: add 7 or more"
    assert next_step(alone, decide(alone, PLAIN)).startswith(f"{said}, and record a rerun of the baseline")
    assert next_step(with_rerun, decide(with_rerun, PLAIN)) == said


def test_too_few_items_of_groups_are_said():
    losses = [1.0, 1.0] + [0.0] * 18
    found = comparison({"match": losses}, reruns=[{"match": [0.0] * 20}])
    made = decide(found, PLAIN)
    (test,) = made.tests
    in_group = replace(test, group=("exercise", "6715"), drift=replace(test.drift, n=4))
    assert next_step(found, replace(made, tests=(in_group,))) == (
        "A group needs at least 10 items to pass, and one has 4: add items there, or leave its kind out of "
        "--by"
    )


def test_an_undecided_gate_names_items_to_gather_only_if_they_can_be_had():
    # 2 of 20 items lose everything: the mean drift, .1, exceeds the margin, and may be chance.
    losses = [1.0, 1.0] + [0.0] * 18
    found = comparison({"match": losses}, reruns=[{"match": [0.0] * 20}])
    made = decide(found, PLAIN)
    assert made.outcome is Outcome.UNDECIDED
    tests = tuple(replace(test, n_needed=133) for test in made.tests)
    assert "gather about 133 items (there are 20)" in next_step(found, replace(made, tests=tests))
    tests = tuple(replace(test, n_needed=751_349) for test in made.tests)
    assert "751,349" not in next_step(found, replace(made, tests=tests))
