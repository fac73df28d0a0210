"""Runs and approvals: what is refused, what makes runs comparable, and how ids are shown."""

from datetime import timedelta

import pytest
from stored_runs import START, a_run, an_approval

from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import hashed, named, new_id, short_id


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"dataset": " "}, "dataset must not be empty"),
        ({"model": ""}, "model must not be empty"),
        ({"items": ()}, "a run must have at least one item"),
        ({"items": (Item("1", ()), Item("1", ()))}, "item ids must occur once in a run, got '1'"),
    ],
)
def test_runs_that_cannot_be(settings, words):
    with pytest.raises(InputError, match=words):
        a_run(**settings)


def test_fields_and_kinds_of_groups_are_sorted():
    items = (
        Item("1", (Output("a", {"x": 1.0}), Output("b", {"b": 1.0})), groups={"topic": "cells"}),
        Item("2", (), groups={"exercise": "7"}),
    )
    run = a_run(items=items)
    assert (run.fields, run.group_kinds) == (("b", "x"), ("exercise", "topic"))


def test_runs_of_the_same_items_in_any_order_share_a_signature():
    one, other = Item("1", (Output("a"),), "Why?"), Item("2", (), "How?", {"topic": "cells"})
    said_otherwise = Item("1", (Output("b"),), "Why?")
    run = a_run(items=(one, other))
    assert run.signature == a_run(items=(other, said_otherwise), model="model-b").signature
    for changed in (Item("1", (), "When?"), Item("3", (), "Why?"), Item("1", (), "Why?", {"topic": "cells"})):
        assert run.signature != a_run(items=(changed, other)).signature


def test_a_dataset_with_a_signatures_own_signs_is_hashed():
    fields = dict(a_run(dataset="a|b:c").signature.fields)
    assert fields["dataset"] == hashed("a|b:c")


def test_an_approval_ends_at_its_expiry():
    approval = an_approval(a_run(), expires=START + timedelta(days=1))
    assert not approval.is_stale(START)
    assert approval.is_stale(START + timedelta(days=1))
    assert not an_approval(a_run()).is_stale(START + timedelta(days=10_000))


def test_ids_are_random_and_shown_short():
    assert len({new_id() for _ in range(100)}) == 100
    assert len(new_id()) == 32
    assert short_id("0123456789") == "01234567"


def test_many_names_are_counted():
    assert named("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert named("abcdefgh") == "'a', 'b', 'c', 'd', 'e' and 3 more"
