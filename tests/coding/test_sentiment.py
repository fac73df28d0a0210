"""Sentiment by topic: ratings of the units with a code."""

from dataclasses import dataclass

import numpy as np
import pytest

import semscale
from semscale import load_embedder
from semscale.coding import Code, Codebook
from semscale.coding.evidence import FEATURES, SentenceEvidence
from semscale.coding.reasons import Reason, ReasonNames, find_sources
from semscale.coding.sentiment import SentimentRater, are_positive, sentiment_rater
from semscale.coding.units import CodedUnit
from semscale.errors import InputError

BOOK = Codebook(
    "restaurants",
    (
        Code("food", "The food and its taste.", ("the pasta was delicious", "the fish was overcooked")),
        Code(
            "staff", "Waiters and service.", ("the waiter was rude", "friendly waiters"), keywords=("tips",)
        ),
    ),
)
ANSWERS = ["The waiters were terribly rude, but I loved the delicious pasta.", "The pasta was awful.", None]


@pytest.fixture(scope="module")
def coding():
    return semscale.code(ANSWERS, BOOK)


def test_a_sentence_that_praises_one_thing_and_blames_another_has_two_sentiments(coding):
    food, staff = coding.sentiment.T
    assert staff[0] < 3 < food[0]
    assert food[1] < 3
    assert np.isnan([staff[1], food[2], staff[2]]).all()
    np.testing.assert_array_equal(coding.positive, [[1, 0], [0, np.nan], [np.nan, np.nan]])


def test_codes_of_an_answer_without_punctuation_have_their_own_sentiment():
    coding = semscale.code(
        ["waiters terribly rude pasta delicious", "delicious pasta terribly rude waiters"], BOOK
    )
    assert coding.evidence.tolist() == [
        ["pasta delicious", "waiters terribly rude"],
        ["delicious pasta", "terribly rude waiters"],
    ]
    np.testing.assert_array_equal(coding.positive, [[1, 0], [1, 0]])


def test_the_table_has_sentiment_and_reason_of_assigned_codes(coding):
    row = coding.to_frame().row(0, named=True)
    assert row["food_sentiment"] == coding.sentiment[0, 0]
    assert row["staff_reason"] == "codebook word"
    assert coding.to_frame()["staff_reason"][1] is None
    share = coding.shares()[0]
    assert (share.sentiment.n, share.sentiment.n_positive) == (2, 1)


def test_the_signature_names_scale_and_model_of_sentiment(coding):
    assert "|sentiment_scale:quality#" in str(coding.signature)
    assert "|sentiment_model:e5-small#" in str(coding.signature)


def test_nothing_is_rated_if_it_is_not_asked_for():
    coding = semscale.code(ANSWERS, BOOK, sentiment="none")
    assert coding.sentiment is None
    assert "sentiment" not in str(coding.signature)
    assert not [name for name in coding.to_frame().columns if name.endswith("_sentiment")]
    assert coding.shares()[0].sentiment is None


def test_scales_without_a_good_end_are_refused():
    with pytest.raises(InputError, match="sentiment: scale 'frequency' has no good end"):
        semscale.code(ANSWERS, BOOK, sentiment="frequency")


def test_the_good_half_of_a_scale_may_be_the_lower_one():
    scale = semscale.load_scale("quality").model_copy(update={"polarity": "ascending-bad"})
    assert are_positive(np.array([1.0, 3.0, 3.1]), scale).tolist() == [1, 0, 0]


@dataclass
class FixedRatings:
    """Rates texts by a table."""

    means: dict[str, float]

    def rate_prepared(self, texts, *, progress=None):
        return type("Ratings", (), {"mean": np.array([self.means[text] for text in texts])})


def test_ratings_of_clause_and_sentence_and_then_of_units_are_averaged():
    rater = SentimentRater("quality")
    rater.__dict__["_rater"] = FixedRatings({"a": 5.0, "a, b": 3.0, "c": 1.0, "odd": np.nan, "a b": 5.0})
    rater.__dict__["_usual_ratings"] = np.array([2.9, 3.1])
    first, second, unrated = CodedUnit("a", "a, b"), CodedUnit("c", "c"), CodedUnit("odd", "odd")
    units = np.full((2, 2), None, dtype=object)
    units[0, 0], units[0, 1], units[1, 0], units[1, 1] = (
        (first, second),
        (first,),
        (second, unrated),
        (unrated,),
    )
    sentiment = rater.rate(units, np.array([[True, False], [True, True]]))
    # (5 + 3) / 2 = 4 and 1 have the mean 2.5; a unit without a rating is left out.
    np.testing.assert_array_equal(sentiment, [[2.5, np.nan], [1.0, np.nan]])


@pytest.mark.parametrize(
    ("text", "plain", "rating", "expected"),
    [
        ("NOISE!!!", "noise", 3.2, np.nan),  # 3 ± 2.5 * .1 is the range of everyday words
        ("NOISE!!!", "noise", 2.7, 4.0),  # outside of it
        ("The price, the parking", "the price the parking", 3.2, np.nan),
        ("great parking", "great parking", 3.2, 4.0),  # praises
        ("The bed was heavenly", "the bed was heavenly", 3.2, 4.0),  # has a verb
        ("price, parking, noise, lifts", "price parking noise lifts", 3.2, 4.0),  # four words
        ("👍", "👍", 3.2, 4.0),  # no word
    ],
)
def test_text_that_only_names_topics_has_no_rating(text, plain, rating, expected):
    rater = SentimentRater("quality")
    rater.__dict__["_rater"] = FixedRatings({text: 4.0, plain: rating} if text != plain else {text: 4.0})
    rater.__dict__["_usual_ratings"] = np.array([2.9, 3.1])
    units = np.full((1, 1), None, dtype=object)
    units[0, 0] = (CodedUnit(text, text),)
    np.testing.assert_array_equal(rater.rate(units, np.array([[True]])), [[expected]])


def test_clause_that_only_names_its_topic_has_the_rating_of_its_sentence():
    rater = SentimentRater("quality")
    rater.__dict__["_rater"] = FixedRatings({"the staff": 3.0, "the staff and food were great": 4.5})
    rater.__dict__["_usual_ratings"] = np.array([2.9, 3.1])
    units = np.full((1, 1), None, dtype=object)
    units[0, 0] = (CodedUnit("the staff", "the staff and food were great"),)
    assert rater.rate(units, np.array([[True]])).tolist() == [[4.5]]


def test_answer_that_only_names_a_topic_counts_in_no_share_of_positive_ones():
    coding = semscale.code(["Waiters!!!", "The waiters were rude."], BOOK)
    assert coding.assigned[:, 1].tolist() == [1, 1]
    assert np.isnan(coding.sentiment[0, 1])
    share = coding.shares()[1]
    assert (share.n_assigned, share.sentiment.n, share.sentiment.n_positive) == (2, 1, 0)


def test_the_model_of_ratings_is_used_once_if_it_codes_as_well():
    embedder = load_embedder("e5-small")
    assert sentiment_rater("quality", embedder, "en")._rater.embedder is embedder
    other = load_embedder("all-MiniLM-L6-v2")
    assert "e5-small" in str(sentiment_rater("quality", other, "en")._rater.embedder.signature)


def test_reasons_tell_apart_which_words_decided():
    names, staff, words = ReasonNames(BOOK.codes, "en"), 1, 1
    assert names.name(words, staff, "We left big tips") is Reason.KEYWORD
    assert names.name(words, staff, "a waiter came") is Reason.CODEBOOK_WORD
    assert names.name(words, staff, "the barkeeper") is Reason.SIMILAR_WORD


def test_the_source_with_the_largest_part_decides():
    # One sentence, five codes: similarity 5, words 5, or neither, and what is learned.
    features = np.zeros((1, 5, len(FEATURES)))
    features[0, 0, FEATURES.index("similarity")] = features[0, 1, FEATURES.index("words")] = 5.0
    nothing = np.zeros((1, 0))
    evidence = SentenceEvidence(features, nothing, nothing, nothing, nothing)
    adapted = evidence.logits + np.array([0.0, 0, 1, 0, 3])
    learned = adapted + np.array([0.0, 0, 0, 1, 2])
    assert find_sources(evidence, adapted, learned).tolist() == [[0, 1, 2, 3, 2]]
