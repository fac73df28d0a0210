"""Clusters of answers."""

import numpy as np
import pytest

from semscale.coding.suggesting.answer_clusters import cluster_answers

WORDS = ("battery", "price")
ANSWERS = [f"{word} number {n}" + " screen" * (n % 4 == 0) for word in WORDS for n in range(15)]


@pytest.fixture
def found(key_words):
    vectors = key_words.embed(ANSWERS).vectors.astype(np.float64)
    return cluster_answers(ANSWERS, vectors, codes=2, most=15, seed=0)


def test_nearness_is_the_cosine_with_the_mean_of_the_cluster(found, key_words):
    vectors = key_words.embed(ANSWERS).vectors.astype(np.float64)
    mean = vectors[found.labels == found.labels[0]].mean(axis=0)
    cosine = vectors[0] @ mean / (np.linalg.norm(vectors[0]) * np.linalg.norm(mean))
    assert found.nearness[0] == pytest.approx(cosine)


def test_new_answers_take_the_nearest_cluster_and_known_ones_their_own(found, key_words):
    labels, nearness = found.of(["price of all", ANSWERS[0], None, "price of all"], key_words)
    assert labels.tolist() == [found.labels[15], found.labels[0], -1, found.labels[15]]
    assert nearness[1] == found.nearness[0]
    assert np.isnan(nearness[2])
    # An answer that was clustered has the same place and nearness when it is taken for a new one.
    new = found._nearest(key_words.embed(ANSWERS).vectors.astype(np.float64))
    assert new[0].tolist() == found.labels.tolist()
    assert new[1] == pytest.approx(found.nearness)
