"""Answers and samples: pairing, statuses and reasons, languages and texts that a model does not read."""

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.pairs import guards_read_samples
from semscale.answer_consistency.samples import pair_samples, read_texts
from semscale.errors import InputError
from semscale.types import Status


def test_answers_and_ragged_samples_become_pairs():
    taken = pair_samples(["a", "b", "c"], [["a", "x"], ["b"], ["y", "y", "c"]])
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
    taken = pair_samples(
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
    taken = pair_samples(["a", "b"], [["x"], ["x", "y"]], fewest=2)
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
    assert read_texts(lists) == (["a", "b"], [["x"], ["y"]])


def test_unequal_lengths_are_refused_with_both():
    with pytest.raises(InputError, match=r"got 2 answers and 1 lists of samples"):
        pair_samples(["a", "b"], [["x"]])


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
        pair_samples(answers, samples)


def test_nothing_gives_nothing():
    taken = pair_samples([], [])
    assert len(taken.status) == len(taken.pairs.item) == 0


def test_an_answer_that_declines_is_refused_and_such_samples_are_left_out():
    no, sorry = "N/A", "I'm sorry, but I can't help with that."
    taken = pair_samples(
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
    taken = pair_samples(["I don't know.", "Paris"], [["I don't know."], ["Paris", "I don't know."]])
    assert [str(status) for status in taken.status] == ["refused", "scored"]
    assert (taken.n_samples.tolist(), taken.n_declined.tolist()) == ([1, 2], [0, 0])
    assert taken.pairs.place.tolist() == [0, 1]


DOG, HUND = "It is a dog, of course.", "Das ist natürlich ein Hund."


@pytest.mark.parametrize(
    ("answer", "samples", "looked"),
    [
        ("Paris", ["London", "It is London, of course."], [True, True]),
        (DOG, [HUND, DOG], [False, True]),
        # What is not clear may be in the language that stands beside it.
        ("dog", ["Hund", HUND], [False, False]),
        (DOG, ["Hund", HUND, DOG], [False, False, True]),
        (HUND, ["Hund", "dog", DOG], [False, False, False]),
        (DOG, [], []),
    ],
)
def test_guards_look_at_english_and_at_unclear_texts_beside_english_alone(answer, samples, looked):
    assert guards_read_samples(answer, samples) == looked


@pytest.mark.exhaustive
def test_a_short_answer_does_not_contradict_a_sample_in_another_language():
    # Without the German sentence nothing says that "Katze" is no English, and two short answers differ.
    found = Consistency(floor=0.1, embedder="e5-small").measure(["dog", "dog"], [["Katze"], ["Katze", HUND]])
    assert [[one.finding.guard for one in each] for each in found.contradictions] == [["answer"], []]
    assert np.isnan(found.measures["uncontradicted"]).tolist() == [False, True]


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


def test_reasons_count_the_samples_that_are_there_and_needed():
    found = semscale.consistency(
        ["a", "a", "a", " ", 5, None],
        [["a", "a"], ["a", None], [], ["a"], ["a"], ["a"]],
        measures=["exact_match"],
        fewest_samples=2,
    )
    assert found.reasons == (
        None,
        "1 sample is usable, 2 needed",
        "no sample is usable, 2 needed",
        "the answer is empty",
        "the answer is not a text",
        "the answer is missing",
    )
    assert found[found.status == Status.EMPTY].reasons == ("the answer is empty",)
    assert found.to_frame()["reason"].to_list() == list(found.reasons)
