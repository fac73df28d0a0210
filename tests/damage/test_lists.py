"""Damage to lists of outputs and to their length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.damage import drop_output, shuffle_and_drop, shuffle_outputs, silence, swap_outputs
from semscale.damage.rewriting import truncate
from semscale.history.items import Item, Output


def item(*texts, id_="1"):
    return Item(id_, tuple(Output(text) for text in texts))


def texts(outputs):
    return None if outputs is None else [output.text for output in outputs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("one two three four", "one two"), ("a b c", "a"), ("a b", "a"), ("  a\nb c d e f", "  a\nb")],
)
def test_a_third_of_a_text_is_truncated(text, expected):  # ceil(4 / 3) = 2, ceil(3 / 3) = 1, ceil(6 / 3) = 2
    assert truncate(text) == expected


@pytest.mark.parametrize("text", ["", "  ", "word"])
def test_a_single_term_cannot_be_truncated(text):
    assert truncate(text) is None


@given(st.integers(0, 50))
def test_shuffling_changes_only_the_order(seed):
    order = texts(shuffle_outputs(item("a", "b", "c"), np.random.default_rng(seed)))
    assert order != ["a", "b", "c"]
    assert sorted(order) == ["a", "b", "c"]


@pytest.mark.parametrize("same", [(), ("a",), ("a", "a")])
def test_equal_outputs_cannot_be_shuffled(same):
    assert shuffle_outputs(item(*same), np.random.default_rng(0)) is None


@given(st.integers(0, 50))
def test_dropping_never_drops_an_empty_output(seed):
    assert "" in texts(drop_output(item("a", "", "b"), np.random.default_rng(seed)))


def test_a_single_output_loses_half_its_sentences_or_cannot_be_dropped():
    rng = np.random.default_rng(0)
    assert texts(drop_output(item("One. Two. Three. Four."), rng)) == ["One. Two."]
    assert drop_output(item("Only one."), rng) is None
    assert shuffle_and_drop(item("Only one."), rng) is None


def test_dropping_and_shuffling_two_outputs_leaves_a_single_output():
    assert len(shuffle_and_drop(item("a", "b"), np.random.default_rng(0))) == 1


def test_silence_leaves_nothing():
    assert silence(item("a"), np.random.default_rng(0)) == ()


def test_swapping_leaves_empty_items_out():
    items = [item("a", id_="1"), item(id_="2"), item("b", id_="3"), item("a", id_="4")]
    given = [texts(outputs) for outputs in swap_outputs(items, np.random.default_rng(0))]
    assert given[1] is None
    # One cycle through the other three: one "a" gets "b", "b" gets an "a", and the other "a" its like.
    assert given[2] == ["a"]
    assert [["b"], None] in ([given[0], given[3]], [given[3], given[0]])
