import asyncio

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.compat.uqlm import SemanticDensity, WhiteBoxUQ
from semscale.errors import InputError
from semscale.signature import Signature


class MadeUpEntailment:
    """Whatever speaks of Paris is entailed, all else contradicted."""

    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.array([(1.0, 0, 0) if "Paris" in text else (0, 0, 1.0) for text in hypotheses])


def tokens(*probabilities):
    return [{"logprob": float(np.log(value))} for value in probabilities]


# The first sample's tokens have a geometric mean of (.9 * .4) ** .5 = .6, the second's of .2.
SAMPLED = [[tokens(0.9, 0.4), tokens(0.2)]]
GIVEN = (["The capital of France?"], ["Paris"], [["It is Paris.", "Rome"]])


def test_the_density_of_a_response():
    found = SemanticDensity(nli_model_name=MadeUpEntailment()).score(*GIVEN, None, SAMPLED)
    assert found.data["semantic_density_values"] == [pytest.approx(0.6 / 0.8)]
    whole = SemanticDensity(nli_model_name=MadeUpEntailment(), length_normalize=False)
    assert whole.score(*GIVEN, None, SAMPLED).data["semantic_density_values"] == [pytest.approx(0.36 / 0.56)]


def test_it_is_a_scorer_of_white_box_uq():
    uq = WhiteBoxUQ(scorers=["semantic_density", "min_probability"], nli_model_name=MadeUpEntailment())
    prompts, responses, samples = GIVEN
    found = asyncio.run(uq.score([tokens(0.7)], prompts, responses, samples, SAMPLED)).data
    assert found["semantic_density"] == [pytest.approx(0.75)]
    assert found["min_probability"] == [pytest.approx(0.7)]


def test_log_probabilities_that_are_missing_are_no_zeros():
    found = SemanticDensity(nli_model_name=MadeUpEntailment()).score(*GIVEN, None, [[tokens(0.9, 0.4), None]])
    assert found.data["semantic_density_values"] == [pytest.approx(1.0)]
    with pytest.raises(InputError, match="needs sampled_logprobs_results"):
        SemanticDensity(nli_model_name=MadeUpEntailment()).score(*GIVEN)


def test_responses_are_asked_for():
    llm = FakeListChatModel(responses=["Paris", "Paris", "Rome"])
    uq = SemanticDensity(llm, nli_model_name=MadeUpEntailment(), ledger=False)
    found = uq.generate_and_score_sync(["The capital of France?"], num_responses=2)
    # This model gives no log-probabilities, so that nothing is known.
    assert found.data["semantic_density_values"] == [None]
    assert found.data["responses"] == ["Paris"]
