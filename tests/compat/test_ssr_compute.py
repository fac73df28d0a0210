"""The guide's two functions: its own algorithm, and its edge cases."""

import numpy as np
import pytest

from semscale.compat.ssr import response_embeddings_to_pmf, scale_pmf
from semscale.errors import InputError


class TestResponseEmbeddingsToPmf:
    def test_follows_the_guides_algorithm(self):
        rng = np.random.default_rng(0)
        responses, sentences = rng.normal(size=(20, 384)), rng.normal(size=(384, 5))
        for epsilon in (0.0, 0.01):
            left = responses / np.linalg.norm(responses, axis=1, keepdims=True)
            right = sentences / np.linalg.norm(sentences, axis=0)
            cos = (1 + left @ right) / 2
            least = cos.min(axis=1, keepdims=True)
            top = cos - least + epsilon * (cos == least)
            expected = top / (cos.sum(axis=1, keepdims=True) - 5 * least + epsilon)
            pmfs = response_embeddings_to_pmf(responses, sentences, epsilon)
            np.testing.assert_allclose(pmfs, expected, atol=1e-12)

    def test_no_responses_give_no_rows(self):
        pmfs = response_embeddings_to_pmf(np.empty((0, 384)), np.ones((384, 5)))
        assert pmfs.shape == (0, 5)

    @pytest.mark.parametrize("epsilon", [0.0, 0.01])
    def test_identical_embeddings_are_uniform(self, epsilon):
        sentences = np.repeat(np.random.default_rng(1).normal(size=(384, 1)), 5, axis=1)
        pmfs = response_embeddings_to_pmf(np.ones((3, 384)), sentences, epsilon)
        np.testing.assert_allclose(pmfs, 0.2)

    def test_untransposed_sentences_are_recognized(self):
        with pytest.raises(InputError, match="transpose it"):
            response_embeddings_to_pmf(np.ones((2, 384)), np.ones((5, 384)))
        with pytest.raises(InputError, match=r"\(dimensions, points\)"):
            response_embeddings_to_pmf(np.ones((2, 384)), np.ones(384))


class TestScalePmf:
    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({"temperature": 1.0}, [0.2, 0.3, 0.5]),
            ({"temperature": 0.0}, [0, 0, 1]),
            # Squares .04 .09 .25 over .38
            ({"temperature": 0.5}, [0.04 / 0.38, 0.09 / 0.38, 0.25 / 0.38]),
            # The ceiling decides.
            ({"temperature": 9.0, "max_temp": 0.5}, [0.04 / 0.38, 0.09 / 0.38, 0.25 / 0.38]),
            ({"temperature": 9.0, "max_temp": 0}, [0, 0, 1]),
            ({"temperature": np.inf}, [1 / 3, 1 / 3, 1 / 3]),
        ],
    )
    def test_by_hand(self, settings, expected):
        np.testing.assert_allclose(scale_pmf(np.array([0.2, 0.3, 0.5]), **settings), expected)

    def test_zero_with_a_tie_leaves_the_pmf(self):
        assert scale_pmf(np.array([0.4, 0.4, 0.2]), temperature=0).tolist() == [0.4, 0.4, 0.2]

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"temperature": -1},
                r"^temperature must be 0 or more, got -1 \(1 leaves ratings as they are\)$",
            ),
            ({"temperature": 1, "max_temp": -1}, "^max_temp must be 0 or more, got -1$"),
        ],
    )
    def test_negative_is_refused(self, settings, message):
        with pytest.raises(ValueError, match=message):
            scale_pmf([0.5, 0.5], **settings)
