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
    pairing = pair_samples(["a", "b", "c"], [["a", "x"], ["b"], ["y", "y", "c"]])
    texts = pairing.pairs.texts
    paired = [
        (int(item), texts[answer], texts[sample])
        for item, answer, sample in zip(
            pairing.pairs.item, pairing.pairs.prediction, pairing.pairs.reference, strict=True
        )
    ]
    assert paired == [
        (0, "a", "a"), (0, "a", "x"), (1, "b", "b"), (2, "c", "y"), (2, "c", "y"), (2, "c", "c"),
    ]  # fmt: skip
    assert sorted(texts) == ["a", "b", "c", "x", "y"]  # each once


def test_every_item_says_why_it_has_no_pairs():
    pairing = pair_samples(
        ["a", None, "", 7, "b", "c", "d"], [["a"], ["x", "y"], ["x"], ["x"], [], None, [None, " ", 3, "d"]]
    )
    assert list(pairing.status) == [
        Status.SCORED, Status.MISSING, Status.EMPTY, Status.NOT_TEXT, Status.TOO_FEW_SAMPLES,
        Status.TOO_FEW_SAMPLES, Status.SCORED,
    ]  # fmt: skip
    assert pairing.n_samples.tolist() == [1, 2, 1, 1, 0, 0, 1]
    assert pairing.n_left_out.tolist() == [0, 0, 0, 0, 0, 0, 3]
    assert pairing.pairs.item.tolist() == [0, 6]
    assert pairing.pairs.place.tolist() == [0, 3]  # which sample it was, as given


def test_items_below_the_fewest_samples_have_no_pairs():
    pairing = pair_samples(["a", "b"], [["x"], ["x", "y"]], fewest=2)
    assert list(pairing.status) == [Status.TOO_FEW_SAMPLES, Status.SCORED]
    assert set(pairing.pairs.item.tolist()) == {1}


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
def test_samples_that_are_no_list_are_refused_with_their_row(answers, samples, message):
    with pytest.raises(InputError, match=message):
        pair_samples(answers, samples)


def test_nothing_gives_nothing():
    pairing = pair_samples([], [])
    assert len(pairing.status) == len(pairing.pairs.item) == 0


def test_an_answer_that_declines_is_refused_and_such_samples_are_left_out():
    no, sorry = "N/A", "I'm sorry, but I can't help with that."
    pairing = pair_samples(
        [no, "Paris", "Paris", "Rome", None],
        [[no, no], ["Paris", sorry, "Lyon"], [sorry, no], [no, None, "Rome"], [no]],
        fewest=2,
    )
    assert [str(status) for status in pairing.status] == [
        "refused", "scored", "too-few-samples", "too-few-samples", "missing",
    ]  # fmt: skip
    assert pairing.n_samples.tolist() == [0, 2, 0, 1, 0]
    assert pairing.n_left_out.tolist() == [2, 1, 2, 2, 1]
    assert pairing.n_declined.tolist() == [2, 1, 2, 1, 1]
    assert pairing.pairs.item.tolist() == [1, 1]
    assert pairing.pairs.place.tolist() == [0, 2]


def test_an_answer_that_is_not_known_is_refused_and_such_a_sample_counts_against_an_answer():
    pairing = pair_samples(["I don't know.", "Paris"], [["I don't know."], ["Paris", "I don't know."]])
    assert [str(status) for status in pairing.status] == ["refused", "scored"]
    assert (pairing.n_samples.tolist(), pairing.n_declined.tolist()) == ([1, 2], [0, 0])
    assert pairing.pairs.place.tolist() == [0, 1]


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
def test_guards_check_english_texts_and_unclear_texts_among_english_texts(answer, samples, looked):
    assert guards_read_samples(answer, samples) == looked


@pytest.mark.exhaustive
def test_a_short_answer_does_not_contradict_a_sample_in_another_language():
    # Without the German sentence nothing says that "Katze" is no English, and two short answers differ.
    result = Consistency(floor=0.1, embedder="e5-small").measure(["dog", "dog"], [["Katze"], ["Katze", HUND]])
    assert [
        [outcome.finding.guard for outcome in contradictions] for contradictions in result.contradictions
    ] == [["answer"], []]
    assert np.isnan(result.measures["uncontradicted"]).tolist() == [False, True]


THUMBS = ["👍", "👎"]


@pytest.mark.parametrize("measure", ["consistency", "cosine_sim", "ncs_above_floor", "bert_score"])
def test_opposite_texts_that_the_model_cannot_read_do_not_agree(measure):
    result = Consistency(measures=measure, floor=0.1).measure(
        ["👍", "这个产品很好", "yes"], [["👎"], ["这个产品很差"], THUMBS]
    )
    assert result.status.tolist() == [Status.WEIGHTLESS, Status.OTHER_LANGUAGE, Status.WEIGHTLESS]
    assert np.isnan(result.score).all()
    assert result.estimate().overall.n == 0
    assert result.estimate().overall.left_out == {"weightless": 2, "other-language": 1}


def test_an_unreadable_sample_is_left_out_like_an_empty_sample():
    outcome = Consistency(floor=0.1).measure(
        ["Paris", "Paris"], [["Paris", "👍", "Rome"], ["Paris", "", "Rome"]]
    )
    assert outcome.status.tolist() == [Status.SCORED] * 2
    for name, values in outcome.measures.items():
        assert values[0] == values[1], name
    assert outcome.n_samples.tolist() == [2, 2]
    assert outcome.samples_left_out.tolist() == [1, 1]


def test_too_few_samples_may_be_left():
    result = Consistency(floor=0.1, fewest_samples=2).measure(["Paris"], [["Paris", "👍"]])
    assert result.status.tolist() == [Status.TOO_FEW_SAMPLES]
    assert np.isnan(result.score).all()


def test_measures_without_a_model_read_everything():
    result = Consistency(measures="exact_match").measure(["👍", "👍"], [["👍"], ["👎"]])
    assert result.score.tolist() == [1.0, 0.0]


def test_unread_answers_do_not_raise_the_floor():
    # Emoji are all alike to the model: their cosines of 1 would make the floor of ten answers nearly 1.
    topics = [
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
    answers = topics + emoji
    floor = Consistency(measures="ncs_above_floor").measure([*answers], [[text] for text in answers]).floor
    read = ["the sea", "one pen", *topics]
    without = Consistency(measures="ncs_above_floor").measure(read, [[text] for text in read]).floor
    assert floor == pytest.approx(without, abs=0.1)


GERMAN = "Das ist leider überhaupt nicht sicher."
ENGLISH = "It is not safe at all, and that is a pity."


@pytest.mark.parametrize("measure", ["consistency", "cosine_sim", "ncs_above_floor", "bert_score"])
def test_answers_and_samples_in_a_language_that_the_model_does_not_read_are_left_out(measure):
    answers = [GERMAN, ENGLISH, ENGLISH]
    samples = [[GERMAN, GERMAN], [GERMAN, GERMAN], [GERMAN, ENGLISH]]
    result = Consistency(measures=measure, floor=0.1).measure(answers, samples)
    assert [str(status) for status in result.status] == ["other-language", "other-language", "scored"]
    assert np.isnan(result.score).tolist() == [True, True, False]
    assert result.samples_left_out.tolist() == [0, 0, 1]
    assert result.n_samples.tolist() == [2, 2, 1]
    reason = "the answer, or every sample, is in a language that the model does not read"
    assert result.reasons == (reason, reason, None)
    assert dict(result.signature.fields)["language"].startswith("any+py3langid-")


def test_a_measure_without_a_model_reads_every_language():
    result = Consistency(measures="exact_match").measure([GERMAN], [[GERMAN]])
    assert result.score.tolist() == [1.0]
    assert "language" not in dict(result.signature.fields)


def test_items_are_counted_by_the_language_of_the_answer():
    answers, samples = [GERMAN, ENGLISH, "Paris", None], [[GERMAN], [ENGLISH], ["Paris"], ["Rome"]]
    summary = Consistency(floor=0.1).measure(answers, samples).summarize(answers=answers, samples=samples)
    assert summary.record()["languages"] == [
        {"language": "de", "rows": 1, "scored": 0, "unread": 1},
        {"language": "en", "rows": 1, "scored": 1, "unread": 0},
        {"language": None, "rows": 1, "scored": 1, "unread": 0},
    ]


def test_reasons_count_the_samples_that_are_there_and_needed():
    result = semscale.consistency(
        ["a", "a", "a", " ", 5, None],
        [["a", "a"], ["a", None], [], ["a"], ["a"], ["a"]],
        measures=["exact_match"],
        fewest_samples=2,
    )
    assert result.reasons == (
        None,
        "1 sample is usable, 2 needed",
        "no sample is usable, 2 needed",
        "the answer is empty",
        "the answer is not a text",
        "the answer is missing",
    )
    assert result[result.status == Status.EMPTY].reasons == ("the answer is empty",)
    assert result.to_frame()["reason"].to_list() == list(result.reasons)
