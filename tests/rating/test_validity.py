"""Discriminant check and validity of a scale."""

import numpy as np
import pytest

from semscale.rating.lint import DiscriminantCheck
from semscale.rating.rater import Rater
from semscale.rating.validity import validate
from semscale.scales import Scale, load_scale

TEXTS = [f"{word} number {n}" for n in range(12) for word in ("great", "awful", "plain", "poor")]
HUMAN = [4.0, 1.0, 3.0, 2.0] * 12


def mood():
    anchors = load_scale("quality").for_model("e5-small").anchor_sets
    return Scale(
        name="mood",
        title="Mood",
        question="How are you?",
        provenance="a test",
        points=[{"value": value, "label": f"point {value}"} for value in range(1, 6)],
        anchor_sets=anchors,
    )


def test_a_scale_with_the_anchors_of_sentiment_is_sentiment(toy_embedder):
    check = Rater(mood(), embedder=toy_embedder, floor=None).rate(TEXTS).summarize(TEXTS).discriminant
    assert check.n == len(TEXTS)
    assert check.sentiment > 0.9
    assert list(check.same_as) == ["sentiment"]


def test_the_scale_of_sentiment_is_not_compared_with_itself(toy_embedder):
    ratings = Rater("quality", embedder=toy_embedder, floor=None).rate(TEXTS)
    assert np.isnan(ratings.sentiment).all()
    assert np.isnan(ratings.summarize(TEXTS).discriminant.sentiment)


def test_length_is_the_correlation_with_the_number_of_characters(toy_embedder):
    ratings = Rater(mood(), embedder=toy_embedder, floor=None).rate([*TEXTS, None])
    lengths = [len(text) for text in TEXTS]
    check = ratings.summarize([*TEXTS, None]).discriminant
    assert check.length == pytest.approx(np.corrcoef(ratings.mean[:-1], lengths)[0, 1])
    assert np.isnan(ratings.summarize().discriminant.length)


def test_few_texts_say_nothing():
    assert DiscriminantCheck(19, 0.99, 0.0).same_as == {}
    assert DiscriminantCheck(20, 0.99, -0.95).same_as == {"sentiment": 0.99, "length": -0.95}


def test_validity_compares_with_people_sentiment_and_length(toy_embedder):
    rater = Rater(mood(), embedder=toy_embedder, floor=None)
    validity = validate(rater, [*TEXTS, "not labelled"], [*HUMAN, None])
    ratings = rater.rate(TEXTS)
    assert (validity.n, validity.comparison.n) == (48, 48)
    assert validity.comparison.pearson.value == pytest.approx(np.corrcoef(ratings.mean, HUMAN)[0, 1])
    assert validity.sentiment.value == pytest.approx(np.corrcoef(ratings.sentiment, HUMAN)[0, 1])
    lengths = [len(text) for text in TEXTS]
    assert validity.comparison.null_length.value == pytest.approx(np.corrcoef(lengths, HUMAN)[0, 1])
    assert validity.record()["sentiment"] is validity.sentiment
    assert "plain sentiment" in str(validity.document().sentences("warning"))


def test_values_outside_the_scale_are_reported_with_their_range(toy_embedder):
    rater = Rater(mood(), embedder=toy_embedder, floor=None)
    validity = validate(rater, TEXTS, [10 * value for value in HUMAN])
    cautions = validity.document().sentences("caution")
    # The values are 10, 20, 30 and 40.
    assert any("48 of 48 human values lie outside the scale's 1 to 5" in caution for caution in cautions)
