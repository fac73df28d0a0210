"""From pairs of sentences to texts, with values worked out by hand."""

import numpy as np
import pytest

from semscale.matching.entailment import support

NAN = [np.nan] * 3


def test_one_sentence_beside_one_keeps_its_probabilities():
    found = support(np.array([[[0.2, 0.3, 0.5]]]))
    np.testing.assert_allclose(found.values, [[0.2, 0.3, 0.5]])
    assert found.deciding.tolist() == [0]
    assert found.worst == pytest.approx(0.5)


def test_the_best_premise_counts_and_another_one_takes_nothing_back():
    # Entailed .7 by the second premise; the first one contradicts .9, but only 1 - .7 = .3 is left.
    found = support(np.array([[[0.0, 0.1, 0.9], [0.7, 0.2, 0.1]]]))
    np.testing.assert_allclose(found.values, [[0.7, 0.0, 0.3]], atol=1e-12)
    assert found.deciding.tolist() == [0]  # .9 against .7


def test_the_mean_is_that_of_the_hypotheses():
    found = support(np.array([[[1.0, 0.0, 0.0]], [[0.5, 0.5, 0.0]], [[0.0, 0.0, 1.0]]]))
    np.testing.assert_allclose(found.mean, [0.5, 0.5 / 3, 1 / 3])
    assert found.worst == 1.0


def test_what_the_model_cannot_read_is_left_out():
    # The first hypothesis is read beside the second premise alone, the second one beside none.
    found = support(np.array([[NAN, [0.4, 0.5, 0.1]], [NAN, NAN]]))
    np.testing.assert_allclose(found.values[0], [0.4, 0.5, 0.1])
    assert np.isnan(found.values[1]).all()
    assert found.deciding.tolist() == [1, -1]
    np.testing.assert_allclose(found.mean, [0.4, 0.5, 0.1])


def test_nothing_read_is_nothing_known():
    found = support(np.array([[NAN]]))
    assert np.isnan(found.mean).all()
    assert np.isnan(found.worst)
