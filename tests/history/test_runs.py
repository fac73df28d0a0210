"""Runs, their items with the JSON form in the database, and lookup by a part of an id."""

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.stored_runs import START, a_run, an_approval

from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output, dump_item, has_surrogates, load_item
from semscale.history.runs import find_id, list_names, near, near_id, new_id, short_hash, short_id


@pytest.mark.parametrize(("text", "silent"), [(None, True), ("", True), (" \n", True), ("0", False)])
def test_blank_outputs_are_silent(text, silent):
    assert Output(text, {"credits": 1.0}).is_silent is silent


def test_outputs_with_a_text_keep_their_order():
    item = Item("1", (Output("b"), Output(None), Output("a")))
    assert item.outputs_with_text == (Output("b"), Output("a"))


TEXTS = st.text(st.characters(codec=None, exclude_categories=[]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OUTPUTS = st.builds(Output, st.none() | TEXTS, st.dictionaries(TEXTS, NUMBERS, max_size=2))
ITEMS = st.builds(
    Item,
    TEXTS,
    st.lists(OUTPUTS, max_size=3).map(tuple),
    st.none() | TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=2),
)


@given(ITEMS)
def test_every_item_comes_back_equal_and_its_text_can_be_stored(item):
    text = dump_item(item)
    assert load_item(text) == item
    assert "\0" not in text
    assert "\n" not in text
    assert not has_surrogates(text)


def test_a_missing_number_comes_back_as_nan():
    item = load_item(dump_item(Item("a", (Output("x", {"credits": math.nan}),))))
    assert math.isnan(item.outputs[0].fields["credits"])


def test_an_infinite_number_is_refused():
    with pytest.raises(InputError, match="credits of item 'a' must be finite, got inf"):
        dump_item(Item("a", (Output("x", {"credits": math.inf}),)))


def test_what_is_not_there_takes_no_room():
    assert dump_item(Item("a", (Output(None),))) == '{"id": "a", "outputs": [{"text": null}]}'


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dataset": " "}, "dataset must not be empty"),
        ({"model": ""}, "model must not be empty"),
        ({"items": ()}, "a run must have at least one item"),
        ({"items": (Item("1", ()), Item("1", ()))}, "item ids must occur once in a run, got '1'"),
    ],
)
def test_runs_that_cannot_be(settings, message):
    with pytest.raises(InputError, match=message):
        a_run(**settings)


def test_fields_and_kinds_of_groups_are_sorted():
    items = (
        Item("1", (Output("a", {"x": 1.0}), Output("b", {"b": 1.0})), groups={"topic": "cells"}),
        Item("2", (), groups={"exercise": "7"}),
    )
    run = a_run(items=items)
    assert (run.fields, run.group_kinds) == (("b", "x"), ("exercise", "topic"))


def test_runs_of_the_same_items_in_any_order_share_a_signature():
    first, second = Item("1", (Output("a"),), "Why?"), Item("2", (), "How?", {"topic": "cells"})
    reworded = Item("1", (Output("b"),), "Why?")
    run = a_run(items=(first, second))
    assert run.signature == a_run(items=(second, reworded), model="model-b").signature
    for changed in (Item("1", (), "When?"), Item("3", (), "Why?"), Item("1", (), "Why?", {"topic": "cells"})):
        assert run.signature != a_run(items=(changed, second)).signature


def test_dataset_with_signature_delimiters_is_hashed():
    fields = dict(a_run(dataset="a|b:c").signature.fields)
    assert fields["dataset"] == short_hash("a|b:c")


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
    assert list_names("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert list_names("abcdefgh") == "'a', 'b', 'c', 'd', 'e' and 3 more"


IDS = ["5a1f0c33aa", "5a1f0c77bb", "77aa210990"]


@pytest.mark.parametrize(("name", "expected"), [("77aa", "77aa210990"), ("5a1f0c3", "5a1f0c33aa")])
def test_unique_prefix_matches_an_id(name, expected):
    assert find_id(name, IDS, "run") == expected


def test_a_whole_id_counts_even_if_another_begins_with_it():
    assert find_id("5a1f", ["5a1f", "5a1f0c"], "run") == "5a1f"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("5a1f", "run '5a1f' is ambiguous: '5a1f0c33', '5a1f0c77' begin with it"),
        ("77a", "run must be an id or at least its first 4 characters, got '77a'"),
        ("77ab", "unknown run '77ab': did you mean '77aa2109'"),
        ("zzzz", "unknown run 'zzzz' (known: '5a1f0c33', '5a1f0c77', '77aa2109')"),
    ],
)
def test_names_that_fit_no_id_or_several(name, message):
    with pytest.raises(UnknownNameError) as caught:
        find_id(name, IDS, "run")
    assert message in str(caught.value)


def test_ids_are_shown_as_long_as_they_must_be_to_differ():
    # The two first differ at their ninth character only.
    assert near_id("zzzz", ["aaaaaaaa1x", "aaaaaaaa2x"]) == " (known: 'aaaaaaaa1', 'aaaaaaaa2')"


def test_an_empty_history_has_nothing_to_suggest():
    assert near("feedback", []) == ": the history has none"


@pytest.mark.parametrize("body", ["[" * 20_000, '{"id": ', "[]", '{"a": ' + "[" * 200 + "]" * 200 + "}"])
def test_an_item_that_is_no_json_object_is_named(body):
    with pytest.raises(InputError, match="an item of the history cannot be read .* somebody changed"):
        load_item(body)
