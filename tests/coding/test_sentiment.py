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
    rater.__dict__["_rater"] = FixedRatings({"a": 5.0, "a, b": 3.0, "c": 1.0, "odd": np.nan})
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


def test_the_model_of_ratings_is_used_once_if_it_codes_as_well():
    embedder = load_embedder("e5-small")
    assert sentiment_rater("quality", embedder)._rater.embedder is embedder
    other = load_embedder("all-MiniLM-L6-v2")
    assert "e5-small" in str(sentiment_rater("quality", other)._rater.embedder.signature)


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
