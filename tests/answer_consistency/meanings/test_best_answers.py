import numpy as np
import pytest

from semscale.answer_consistency.meanings.best_answers import best_text


@pytest.mark.parametrize(
    ("texts", "clusters", "weights", "best"),
    [
        (["a", "b"], [0, 1], None, 0),  # of equal meanings the first
        (["a", "bb", "ccc"], [0, 1, 1], None, 2),  # the longest
        (["a", "bb", "ccc", "bb"], [0, 1, 1, 1], None, 1),  # the most frequent
        (["a", "bb", "cc"], [0, 1, 1], None, 1),  # of equal lengths the first
        (["a", "bb", "ccc"], [0, 1, 1], [0.9, 0.4, 0.4], 0),  # the most probable
    ],
)
def test_the_text_of_the_most_probable_meaning(texts, clusters, weights, best):
    mass = None if weights is None else np.array(weights)
    assert best_text(texts, np.array(clusters), mass) == best
