import numpy as np
import pytest

from semscale.rating.readouts import ordinal, ssr
from semscale.rating.readouts.vector_ratings import best_similarities


@pytest.mark.parametrize("rate_vectors", [ssr.rate_vectors, ordinal.rate_vectors], ids=["ssr", "ordinal"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_best_similarity_is_that_of_the_readouts_to_the_last_bit(rate_vectors, kind):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((5000, 6)).astype(kind)  # more rows than a block has
    anchors = rng.standard_normal((3, 5, 6))
    np.testing.assert_array_equal(
        best_similarities(vectors, anchors), rate_vectors(vectors, anchors).best_similarity
    )
