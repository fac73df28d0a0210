"""Answers and samples of unknown tokens with the default model: left out in every measure."""

import numpy as np
import pytest

from semscale.self_consistency.consistency import Consistency
from semscale.types import Status

THUMBS = ["👍", "👎"]


@pytest.mark.parametrize("measure", ["consistency", "cosine_sim", "ncs_above_floor", "bert_score"])
def test_opposite_texts_that_the_model_cannot_read_do_not_agree(measure):
    found = Consistency(measures=measure, floor=0.1).measure(
        ["👍", "这个产品很好", "yes"], [["👎"], ["这个产品很差"], THUMBS]
    )
    assert found.status.tolist() == [Status.WEIGHTLESS] * 3
    assert np.isnan(found.score).all()
    assert found.estimate().overall.n == 0
    assert found.estimate().overall.left_out == {"weightless": 3}


def test_a_sample_that_is_not_read_is_left_out_like_an_empty_one():
    one = Consistency(floor=0.1).measure(["Paris", "Paris"], [["Paris", "👍", "Rome"], ["Paris", "", "Rome"]])
    assert one.status.tolist() == [Status.SCORED] * 2
    for name, values in one.measures.items():
        assert values[0] == values[1], name
    assert one.n_samples.tolist() == [2, 2]
    assert one.samples_left_out.tolist() == [1, 1]


def test_too_few_samples_may_be_left():
    found = Consistency(floor=0.1, fewest_samples=2).measure(["Paris"], [["Paris", "👍"]])
    assert found.status.tolist() == [Status.TOO_FEW_SAMPLES]
    assert np.isnan(found.score).all()


def test_measures_without_a_model_read_everything():
    found = Consistency(measures="exact_match").measure(["👍", "👍"], [["👍"], ["👎"]])
    assert found.score.tolist() == [1.0, 0.0]


def test_unread_answers_do_not_raise_the_floor():
    # Emoji are all alike to the model: their cosines of 1 would make the floor of ten answers nearly 1.
    words = [
        "the heart",
        "a red car",
        "tax law",
        "blue paint",
        "old bread",
        "five dogs",
        "a lake",
        "my shoes",
    ]
    emoji = ["😀", "😁", "😂", "🤣", "😃", "😄"]
    answers = words + emoji
    floor = Consistency(measures="ncs_above_floor").measure([*answers], [[text] for text in answers]).floor
    read = ["the sea", "one pen", *words]
    without = Consistency(measures="ncs_above_floor").measure(read, [[text] for text in read]).floor
    assert floor == pytest.approx(without, abs=0.1)
