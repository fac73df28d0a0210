import math

import pytest

from semscale.compat.uqlm import SemanticEntropy
from semscale.errors import InputError


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


@pytest.mark.parametrize(
    ("own", "sampled", "told"),
    [
        ([None], [[None]], r"sampled_logprobs_results\[0\] must have 2 entries"),
        ([None], [], "sampled_logprobs_results must have 1 entries"),
        ([], [[None, None]], "logprobs_results must have 1 entries"),
    ],
)
def test_lists_of_other_lengths_are_refused(own, sampled, told):
    with pytest.raises(InputError, match=told):
        SemanticEntropy().score(None, ["red"], [["red", "blue"]], own, sampled)
