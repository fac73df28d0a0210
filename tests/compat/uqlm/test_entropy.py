import math

import pytest

from semscale.compat.uqlm import SemanticEntropy


def logprobs(*probabilities):
    return [{"token": "t", "logprob": math.log(p)} for p in probabilities]


def test_entropy_of_counts_and_of_token_probabilities():
    responses, samples = ["red"], [["Red", "blue"]]
    tokens, sampled = [logprobs(0.5)], [[logprobs(0.3), logprobs(0.2)]]
    data = SemanticEntropy().score(["colour?"], responses, samples, tokens, sampled).data
    # Red has two of three texts, and .8 of the probability.
    counted = math.log(3) - 2 / 3 * math.log(2)
    weighed = -(0.8 * math.log(0.8) + 0.2 * math.log(0.2))
    assert data["discrete_entropy_values"] == [pytest.approx(counted)]
    assert data["discrete_confidence_scores"] == [pytest.approx(1 - counted / math.log(3))]
    assert data["num_semantic_sets"] == [2.0]
    assert data["tokenprob_entropy_values"] == [pytest.approx(weighed)]


def test_a_response_without_samples_or_log_probabilities_has_no_score():
    responses, samples = ["red", "red"], [[], ["red", "blue"]]
    data = SemanticEntropy().score(None, responses, samples, [None, None], [[], [None, None]]).data
    assert data["discrete_confidence_scores"][0] is None
    assert data["discrete_confidence_scores"][1] is not None
    assert data["tokenprob_confidence_scores"] == [None, None]
