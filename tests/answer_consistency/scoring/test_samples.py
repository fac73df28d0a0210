import numpy as np
import polars as pl
import pytest

from semscale.answer_consistency.scoring.samples import split_first, take_samples
from semscale.errors import InputError
from semscale.types import Status


def test_answers_and_ragged_samples_become_pairs():
    taken = take_samples(["a", "b", "c"], [["a", "x"], ["b"], ["y", "y", "c"]])
    texts = taken.pairs.texts
    paired = [
        (int(item), texts[answer], texts[sample])
        for item, answer, sample in zip(
            taken.pairs.item, taken.pairs.prediction, taken.pairs.reference, strict=True
        )
    ]
    assert paired == [
        (0, "a", "a"), (0, "a", "x"), (1, "b", "b"), (2, "c", "y"), (2, "c", "y"), (2, "c", "c"),
    ]  # fmt: skip
    assert sorted(texts) == ["a", "b", "c", "x", "y"]  # each once


def test_every_item_says_why_it_has_no_pairs():
    taken = take_samples(
        ["a", None, "", 7, "b", "c", "d"], [["a"], ["x", "y"], ["x"], ["x"], [], None, [None, " ", 3, "d"]]
    )
    assert list(taken.status) == [
        Status.SCORED, Status.MISSING, Status.EMPTY, Status.NOT_TEXT, Status.TOO_FEW_SAMPLES,
        Status.TOO_FEW_SAMPLES, Status.SCORED,
    ]  # fmt: skip
    assert taken.n_samples.tolist() == [1, 2, 1, 1, 0, 0, 1]
    assert taken.n_left_out.tolist() == [0, 0, 0, 0, 0, 0, 3]
    assert taken.pairs.item.tolist() == [0, 6]
    assert taken.pairs.place.tolist() == [0, 3]  # which sample it was, as given


def test_items_below_the_fewest_samples_have_no_pairs():
    taken = take_samples(["a", "b"], [["x"], ["x", "y"]], fewest=2)
    assert list(taken.status) == [Status.TOO_FEW_SAMPLES, Status.SCORED]
    assert set(taken.pairs.item.tolist()) == {1}


@pytest.mark.parametrize(
    "lists",
    [
        [["a", "x"], ["b", "y"]],
        np.array([["a", "x"], ["b", "y"]]),
        pl.Series([["a", "x"], ["b", "y"]]),
        (("a", "x"), ("b", "y")),
    ],
)
def test_lists_alone_begin_with_the_answer(lists):
    assert split_first(lists) == (["a", "b"], [["x"], ["y"]])


def test_unequal_lengths_are_refused_with_both():
    with pytest.raises(InputError, match=r"got 2 answers and 1 lists of samples"):
        take_samples(["a", "b"], [["x"]])


@pytest.mark.parametrize(
    ("answers", "samples", "message"),
    [
        (["a"], ["x"], "samples must hold a list of texts for each prompt, got 'x' in row 1"),
        (["a", "b"], [["x"], 3], "samples must hold a list of texts for each prompt, got '3' in row 2"),
        (["a", "b"], None, "answers must hold a list of an answer and its samples"),
        ("ab", [["x"], ["y"]], "answers must be a list"),
    ],
)
def test_what_is_no_list_is_refused_with_its_place(answers, samples, message):
    with pytest.raises(InputError, match=message):
        take_samples(answers, samples)


def test_nothing_gives_nothing():
    taken = take_samples([], [])
    assert len(taken.status) == len(taken.pairs.item) == 0


def test_an_answer_that_declines_is_refused_and_such_samples_are_left_out():
    no, sorry = "N/A", "I'm sorry, but I can't help with that."
    taken = take_samples(
        [no, "Paris", "Paris", "Rome", None],
        [[no, no], ["Paris", sorry, "Lyon"], [sorry, no], [no, None, "Rome"], [no]],
        fewest=2,
    )
    assert [str(status) for status in taken.status] == [
        "refused", "scored", "too-few-samples", "too-few-samples", "missing",
    ]  # fmt: skip
    assert taken.n_samples.tolist() == [0, 2, 0, 1, 0]
    assert taken.n_left_out.tolist() == [2, 1, 2, 2, 1]
    assert taken.n_declined.tolist() == [2, 1, 2, 1, 1]
    assert taken.pairs.item.tolist() == [1, 1]
    assert taken.pairs.place.tolist() == [0, 2]


def test_an_answer_that_is_not_known_is_refused_and_such_a_sample_counts_against_an_answer():
    taken = take_samples(["I don't know.", "Paris"], [["I don't know."], ["Paris", "I don't know."]])
    assert [str(status) for status in taken.status] == ["refused", "scored"]
    assert (taken.n_samples.tolist(), taken.n_declined.tolist()) == ([1, 2], [0, 0])
    assert taken.pairs.place.tolist() == [0, 1]
