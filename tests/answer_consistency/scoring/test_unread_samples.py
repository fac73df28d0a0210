"""Answers and samples of unknown tokens with the default model: left out in every measure."""

import numpy as np
import pytest

from semscale.answer_consistency.consistency import Consistency
from semscale.types import Status

THUMBS = ["👍", "👎"]


@pytest.mark.parametrize("measure", ["consistency", "cosine_sim", "ncs_above_floor", "bert_score"])
def test_opposite_texts_that_the_model_cannot_read_do_not_agree(measure):
    found = Consistency(measures=measure, floor=0.1).measure(
        ["👍", "这个产品很好", "yes"], [["👎"], ["这个产品很差"], THUMBS]
    )
    assert found.status.tolist() == [Status.WEIGHTLESS, Status.OTHER_LANGUAGE, Status.WEIGHTLESS]
    assert np.isnan(found.score).all()
    assert found.estimate().overall.n == 0
    assert found.estimate().overall.left_out == {"weightless": 2, "other-language": 1}


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


GERMAN = "Das ist leider überhaupt nicht sicher."
ENGLISH = "It is not safe at all, and that is a pity."


@pytest.mark.parametrize("measure", ["consistency", "cosine_sim", "ncs_above_floor", "bert_score"])
def test_answers_and_samples_in_a_language_that_the_model_does_not_read_are_left_out(measure):
    answers = [GERMAN, ENGLISH, ENGLISH]
    samples = [[GERMAN, GERMAN], [GERMAN, GERMAN], [GERMAN, ENGLISH]]
    found = Consistency(measures=measure, floor=0.1).measure(answers, samples)
    assert [str(status) for status in found.status] == ["other-language", "other-language", "scored"]
    assert np.isnan(found.score).tolist() == [True, True, False]
    assert found.samples_left_out.tolist() == [0, 0, 1]
    assert found.n_samples.tolist() == [2, 2, 1]
    reason = "the answer, or every sample, is in a language that the model does not read"
    assert found.reasons == (reason, reason, None)
    assert dict(found.signature.fields)["language"].startswith("any+py3langid-")


def test_a_measure_without_a_model_reads_every_language():
    found = Consistency(measures="exact_match").measure([GERMAN], [[GERMAN]])
    assert found.score.tolist() == [1.0]
    assert "language" not in dict(found.signature.fields)


def test_items_are_counted_by_the_language_of_the_answer():
    answers, samples = [GERMAN, ENGLISH, "Paris", None], [[GERMAN], [ENGLISH], ["Paris"], ["Rome"]]
    summary = Consistency(floor=0.1).measure(answers, samples).summarize(answers=answers, samples=samples)
    assert summary.record()["languages"] == [
        {"language": "de", "rows": 1, "scored": 0, "unread": 1},
        {"language": "en", "rows": 1, "scored": 1, "unread": 0},
        {"language": None, "rows": 1, "scored": 1, "unread": 0},
    ]
