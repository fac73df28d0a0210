"""Similarities of an answer and its samples, the floor, nulls, and models that read texts once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.answer_consistency.pairs import (
    above_floor,
    estimate_floor,
    normalise_answer,
    null_values,
    rescale_cosine,
)
from semscale.answer_consistency.samples import MemoizedEmbedder, MemoizedEntailment, item_means
from semscale.embedding import ArrayEmbedder
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import Entailments
from semscale.matching.pairs import pair_up
from semscale.signature import Signature


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_ncs_of_the_mean_is_the_mean_of_ncs(cosines):
    # The seed normalises the mean, uqlm takes the mean of what is normalised: the same up to rounding.
    column = np.array(cosines)
    assert (column.mean() + 1) / 2 == pytest.approx(rescale_cosine(column).mean(), abs=1e-12)


@given(st.floats(-1, 1), st.floats(-1, 0.99))
def test_similarity_above_the_floor_is_between_0_and_1(cosine, floor):
    value = above_floor(np.array([cosine]), floor)[0]
    assert 0 <= value <= 1
    assert (value > 0) == (cosine > floor) or cosine == pytest.approx(floor)


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("8", "8 emails", False),
        ("Paris", " paris. ", True),
        ("It's  fine!", "it's fine", True),
        ("3.5", "35", False),
        ("1,000", "1000", False),
        ("-5", "5", False),
        ("5 %", "5", False),
        ("(a)", "a", True),
        ("ＡＢ", "ab", True),
        ("?", "!", False),
        ("", "", True),
    ],
)
def test_answers_are_compared_without_punctuation(text, other, same):
    assert (normalise_answer(text) == normalise_answer(other)) is same


def test_means_of_items_leave_out_pairs_without_a_value():
    means = item_means(np.array([1.0, np.nan, 0.5, np.nan]), np.array([0, 0, 1, 3]), 4)
    np.testing.assert_array_equal(means, [1.0, 0.5, np.nan, np.nan])


TEXTS = [f"word{number}" for number in range(12)]


def crowd(angle_cosine):
    """Twelve vectors, any two of which have the same cosine: one shared axis and one of their own."""
    shared, separate = np.sqrt(angle_cosine), np.sqrt(1 - angle_cosine)
    return ArrayEmbedder(TEXTS, np.column_stack([np.full(12, shared), separate * np.eye(12)]))


def test_the_floor_is_the_mean_cosine_of_unrelated_answers():
    floor = estimate_floor(TEXTS, Cosines(crowd(0.3)), seed=0)
    assert floor.value == 0.3
    assert floor.origin.startswith("66-pairs#")  # 12 * 11 / 2
    assert floor.known


def test_the_order_of_answers_changes_nothing():
    embedder = crowd(0.3)
    assert estimate_floor(TEXTS, Cosines(embedder), seed=1) == estimate_floor(
        TEXTS[::-1], Cosines(embedder), seed=1
    )


def test_too_few_answers_correct_nothing_and_say_so():
    floor = estimate_floor(TEXTS[:9], Cosines(crowd(0.3)), seed=0)
    assert (floor.value, floor.known) == (0.0, False)


def test_stored_texts_are_not_embedded_again(toy_embedder):
    memoized = MemoizedEmbedder(toy_embedder, capacity=2)
    first = memoized.embed(["a b", "c"])
    again = memoized.embed(["c", "d e", "a b"])
    assert toy_embedder.embedded == ["a b", "c", "d e"]
    np.testing.assert_array_equal(again.vectors[[2, 0]], first.vectors)
    memoized.embed(["d e"])  # came when there was no room left
    assert toy_embedder.embedded == ["a b", "c", "d e", "d e"]
    assert memoized.signature == toy_embedder.signature


class Lengths:
    """Gives the length of the premise as a probability of contradiction in percent; it cannot read "?"."""

    signature = Signature.of("nli", model="lengths")

    def __init__(self):
        self.calls = []

    def entailments(self, premises, hypotheses):
        self.calls.append(list(zip(premises, hypotheses, strict=True)))
        shares = np.array([len(text) / 100 for text in premises])
        values = np.stack([1 - shares, np.zeros_like(shares), shares], axis=1)
        return Entailments(values, np.zeros(len(shares), bool), np.array([text == "?" for text in premises]))


def test_repeated_pairs_are_sent_once_and_stay_in_order():
    model = Lengths()
    asked = MemoizedEntailment(model)
    first = asked.entailments(["a", "bb", "a"], ["x", "x", "x"])
    second = asked.entailments(["?", "bb", "ccc"], ["x", "x", "x"])
    assert model.calls == [[("a", "x"), ("bb", "x")], [("?", "x"), ("ccc", "x")]]
    np.testing.assert_allclose(first.values[:, 2], [0.01, 0.02, 0.01])
    np.testing.assert_allclose(second.values[:, 2], [0.01, 0.02, 0.03])
    assert second.unread.tolist() == [True, False, False]
    assert asked.signature == model.signature


def test_no_pairs_cost_no_call():
    model = Lengths()
    assert MemoizedEntailment(model).probabilities([], []).shape == (0, 3)
    assert model.calls == []


PAIRS = pair_up(["Paris", None, "3.5"], [["paris!", "Rome"], ["x"], ["35", "3.5", "3.5 "]])


def test_exact_match_ignores_case_white_space_and_punctuation():
    # One of two; no answer; two of three, as a point between digits counts.
    np.testing.assert_allclose(null_values(PAIRS)["exact_match_normalised"], [1 / 2, np.nan, 2 / 3])


def test_lengths_are_those_without_white_space_around():
    nulls = null_values(PAIRS)
    # (5/6 + 4/5) / 2; (2/3 + 1 + 1) / 3
    np.testing.assert_allclose(nulls["equal_lengths"], [49 / 60, np.nan, 8 / 9])
    np.testing.assert_allclose(nulls["brevity"], [1 / 6, np.nan, 1 / 4])
