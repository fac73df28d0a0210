"""Damage done to whole runs: which items, how many, and what stays."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.damage import DAMAGES, damage_run
from semscale.errors import InputError, UnknownNameError
from semscale.history.items import Item, Output
from semscale.history.runs import Run


def item(name, *texts, **fields):
    return Item(
        name, tuple(Output(text, fields) for text in texts), input=f"asked {name}", groups={"half": "a"}
    )


def run_of(*items):
    return Run("faq", "model-a", items, revision="abc")


FAQ = run_of(
    item(
        "1", "It is hot. It takes 5 minutes.", "You should wait.", "However, the issue is clear.", credits=1.0
    ),
    item("2", "The lamp shows two colours. It isn't new."),
    item("3"),
    item("4", None, " "),
    item("5", "Yes", "No"),
    item("6", "For example, it needs 12 volts.", "It is very good."),
)

# By hand: items 3 and 4 say nothing. Item 2 has a single output, of two sentences. Item 5 has no verb, no
# number, one word an output, and nothing to paraphrase.
ELIGIBLE = {
    "shuffle": "156",
    "drop": "1256",
    "shuffle-drop": "1256",
    "swap": "1256",
    "negate": "126",
    "numbers": "126",
    "truncate": "126",
    "paraphrase": "126",
    "silence": "1256",
}


def texts(item):
    return [output.text for output in item.outputs]


def names(run, which):
    return "".join(item.id for item, hit in zip(run.items, which, strict=True) if hit)


def test_every_kind_is_tested():
    assert set(ELIGIBLE) == set(DAMAGES)


def test_only_order_and_wording_are_harmless():
    assert {name for name, kind in DAMAGES.items() if not kind.is_harmful} == {"shuffle", "paraphrase"}


@pytest.mark.parametrize(("kind", "expected"), ELIGIBLE.items())
def test_items_that_can_be_damaged_are_damaged_and_no_more(kind, expected):
    worse, which = damage_run(FAQ, kind)
    assert names(FAQ, which) == expected
    for old, new, hit in zip(FAQ.items, worse.items, which, strict=True):
        assert (old.outputs != new.outputs) == hit
        assert (old.id, old.input, old.groups) == (new.id, new.input, new.groups)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_seed_says_it_all(kind):
    again = [damage_run(FAQ, kind, seed=3, share=0.5) for _ in range(2)]
    assert again[0][0].items == again[1][0].items
    assert (again[0][1] == again[1][1]).all()


def test_the_run_stays_unchanged_and_the_copy_notes_the_damage():
    before = FAQ.items
    worse, _ = damage_run(FAQ, "negate", seed=7)
    assert FAQ.items is before
    assert worse.id != FAQ.id
    assert worse.note == f"damaged on purpose: negate, 3 of 6 items, seed 7, from {FAQ.id}"
    assert (worse.dataset, worse.model, worse.rerun_of) == ("faq", "model-a", None)


@given(st.floats(0, 1), st.integers(0, 99))
def test_a_greater_share_damages_a_superset_of_items(share, seed):
    run = run_of(*(item(str(at), f"It is {at}.", "Yes") for at in range(20)))
    fewer, more = (damage_run(run, "drop", share=part, seed=seed)[1] for part in (share / 2, share))
    assert abs(more.sum() - 20 * share) <= 0.5
    assert not (fewer & ~more).any()


@given(st.integers(0, 999))
def test_shuffling_permutes_outputs_and_dropping_removes_a_single_output(seed):
    shuffled, dropped, both = (
        damage_run(FAQ, kind, seed=seed)[0] for kind in ("shuffle", "drop", "shuffle-drop")
    )
    first = texts(FAQ.items[0])
    assert Counter(texts(shuffled.items[0])) == Counter(first)
    assert texts(shuffled.items[0]) != first
    left = texts(dropped.items[0])
    assert left in [first[1:], first[:1] + first[2:], first[:2]]
    assert sorted(texts(both.items[0])) in [sorted(first[:at] + first[at + 1 :]) for at in range(3)]
    assert texts(both.items[0]) not in [first[1:], first[:1] + first[2:], first[:2]]


def test_a_single_output_loses_the_last_half_of_its_sentences():
    dropped, _ = damage_run(FAQ, "drop")
    assert texts(dropped.items[1]) == ["The lamp shows two colours."]


def test_numbers_that_came_with_an_output_stay_with_it():
    swapped, _ = damage_run(FAQ, "swap")
    bearer = next(item for item in swapped.items if texts(item) == texts(FAQ.items[0]))
    assert bearer.outputs == FAQ.items[0].outputs
    assert bearer.id != "1"


@given(st.integers(2, 9), st.integers(0, 999))
def test_swapping_leaves_no_item_with_its_original_text(n, seed):
    run = run_of(*(item(str(at), f"text {at}") for at in range(n)))
    swapped, which = damage_run(run, "swap", seed=seed)
    assert which.all()
    assert {texts(item)[0] for item in swapped.items} == {f"text {at}" for at in range(n)}


def test_swapping_equal_outputs_is_no_damage():
    run = run_of(item("1", "Yes", "No"), item("2", "No", "Yes"))
    assert not damage_run(run, "swap")[1].any()


def test_silence_leaves_nothing():
    silent, which = damage_run(FAQ, "silence")
    assert all(item.outputs == () for item, hit in zip(silent.items, which, strict=True) if hit)


@pytest.mark.parametrize(
    ("kind", "share", "error"), [("scramble", 1, UnknownNameError), ("drop", 1.5, InputError)]
)
def test_bad_input_is_named(kind, share, error):
    with pytest.raises(error, match="scramble" if kind == "scramble" else "share must lie between 0 and 1"):
        damage_run(FAQ, kind, share=share)


def test_half_of_three_rounds_up():
    assert np.count_nonzero(damage_run(FAQ, "negate", share=0.5)[1]) == 2
