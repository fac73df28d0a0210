"""Which form a model accepts: order of trials, evidence of outcomes, and refusals."""

import pytest

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.negotiation import Evidence, FormRefusal, Negotiation

ACCEPTED, NOTHING, MALFORMED = Evidence.ACCEPTED, Evidence.NOTHING, Evidence.MALFORMED
ITEM, FORM = Evidence.ITEM_OR_FORM, Evidence.FORM


def negotiate(outcomes, *groups, n_items=5):
    """Note an outcome for each trial, and return the trials and the negotiation."""
    negotiation, trials = Negotiation(*groups, n_items=n_items), []
    for evidence in outcomes:
        trials.append(negotiation.trial)
        negotiation.note(trials[-1][0], evidence, evidence.name)
    return trials, negotiation


@pytest.mark.parametrize(
    ("outcomes", "n_items", "form"),
    [
        ([ACCEPTED], 5, "a"),
        ([FORM, ACCEPTED], 5, "b"),
        ([ITEM, ACCEPTED], 5, "a"),
        ([ITEM, ITEM, ITEM, ACCEPTED], 5, "b"),
        ([ITEM, ACCEPTED], 1, "b"),  # no item is left for a
        ([NOTHING, NOTHING, NOTHING], 5, "a"),  # filtered items show nothing, so the first form is chosen
        ([NOTHING, ITEM, NOTHING, ACCEPTED], 5, "b"),
        ([MALFORMED, ACCEPTED], 5, "a"),
        ([MALFORMED, MALFORMED], 2, "a"),  # fewer than three answers may be damaged by chance
        ([MALFORMED, MALFORMED, MALFORMED, ACCEPTED], 5, "b"),
        ([ITEM, MALFORMED, MALFORMED, ACCEPTED], 5, "b"),
        ([FORM, FORM], 5, None),
    ],
)
def test_a_form_is_chosen_by_the_outcomes_of_up_to_three_items(outcomes, n_items, form):
    _, negotiation = negotiate(outcomes, ["a"], ["b"], n_items=n_items)
    assert (negotiation.trial, negotiation.form) == (None, form)


def test_groups_are_tried_in_order_and_a_group_item_by_item():
    trials, negotiation = negotiate([ITEM, ITEM, ITEM, ACCEPTED], ["a", "b"], ["c"])
    assert trials == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert negotiation.form == "b"
    trials, _ = negotiate([FORM, FORM, ITEM], ["a", "b"], ["c"])
    assert trials == [("a", 0), ("b", 0), ("c", 0)]


def test_an_item_that_shows_nothing_is_not_tried_in_other_forms_of_its_group():
    trials, negotiation = negotiate([NOTHING, ITEM, ACCEPTED], ["a", "b"])
    assert trials == [("a", 0), ("a", 1), ("b", 1)]
    assert negotiation.form == "b"


def test_an_excluded_form_is_not_tried_and_has_no_refusal():
    negotiation = Negotiation(["a", "b", "c"], n_items=1)
    negotiation.note("a", FORM, "no schemas")
    negotiation.exclude("b")
    assert negotiation.trial == ("c", 0)
    assert negotiation.refusals == (FormRefusal("a", "no schemas", 1),)


def test_outcomes_of_concurrent_calls_may_be_noted_in_any_order():
    negotiation = Negotiation(["a"], ["b"])
    for _ in range(2):
        negotiation.note("a", ITEM, "bad request")
    assert negotiation.forms == ("a", "b")
    negotiation.note("a", ITEM, "bad request")
    assert negotiation.forms == ("b",)
    negotiation.note("a", ACCEPTED)  # in flight when the third refusal came
    assert (negotiation.forms, negotiation.form) == (("a", "b"), "a")
    negotiation.note("a", FORM, "not implemented")
    assert negotiation.forms == ("b",)


def test_equal_refusals_are_counted():
    _, negotiation = negotiate([ITEM, ITEM, FORM, ACCEPTED], ["a"], ["b"])
    assert negotiation.refusals == (FormRefusal("a", "ITEM_OR_FORM", 2), FormRefusal("a", "FORM", 1))


@pytest.mark.parametrize("kind", list(FailureKind))
def test_each_kind_of_failure_is_evidence(kind):
    against = {"rejected": ITEM, "broken": ITEM, "unsupported": FORM, "malformed": MALFORMED}
    assert Evidence.from_failure(CallError("no", kind=kind)) is against.get(str(kind), NOTHING)
