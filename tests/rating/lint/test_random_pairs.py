import numpy as np
import pytest

from semscale.rating.anchors.floor import unrelated_probes
from semscale.rating.lint.random_pairs import cosine_at, random_pair_cosine, unrelated_sentences


def test_unrelated_sentences_are_the_everyday_and_the_factual_ones():
    groups = unrelated_probes()
    assert unrelated_sentences() == (*groups["everyday"], *groups["factual"])


def test_they_are_in_the_language_that_is_asked_for_where_they_are_translated():
    assert unrelated_sentences("fr") == tuple(
        sentence for group in ("everyday", "factual") for sentence in unrelated_probes("fr")[group]
    )
    assert not set(unrelated_sentences("fr")) & set(unrelated_sentences())
    assert unrelated_sentences("fi") == unrelated_sentences()


def test_the_mean_of_all_pairs():
    # Cosines of three vectors: 0, .6, .8; their mean is 1.4 / 3. A vector with itself is no pair.
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    assert random_pair_cosine(vectors) == pytest.approx(1.4 / 3)


def test_a_negative_mean_counts_as_none():
    assert random_pair_cosine(np.array([[1.0, 0.0], [-1.0, 0.0]])) == 0


@pytest.mark.parametrize(("share", "cosine"), [(0.0, 0.8), (0.5, 0.9), (1.0, 1.0)])
def test_between_random_pairs_and_equal_texts(share, cosine):
    assert cosine_at(share, 0.8) == pytest.approx(cosine)
