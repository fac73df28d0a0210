"""``WhiteBoxUQ``, ``SemanticDensity`` and ``SemanticEntropy``: scores by the probabilities of tokens."""

import asyncio
import math

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage

from semscale.compat.uqlm import SemanticDensity, SemanticEntropy, WhiteBoxUQ
from semscale.errors import InputError
from semscale.signature import Signature


def logprobs(*tokens):
    """Tokens with the probabilities of the likeliest ones at their places, their own first."""
    return [
        {
            "token": text,
            "logprob": math.log(shares[0]),
            "top_logprobs": [{"token": str(at), "logprob": math.log(p)} for at, p in enumerate(shares)],
        }
        for text, *shares in tokens
    ]


def reply(text, *tokens):
    return AIMessage(text, response_metadata={"logprobs": {"content": logprobs(*tokens)}})


def score(scorers, *arguments, **settings):
    return asyncio.run(WhiteBoxUQ(scorers=scorers, **settings).score(*arguments)).data


def test_the_example_of_the_readme_runs_after_changing_the_import():
    llm = GenericFakeChatModel(messages=iter([reply("Paris", ("Pa", 0.9), ("ris", 0.6))]))
    wbuq = WhiteBoxUQ(llm=llm, scorers=["min_probability"], ledger=False)
    results = asyncio.run(wbuq.generate_and_score(prompts=["The capital of France?"]))
    assert results.to_df()["min_probability"][0] == pytest.approx(0.6)


def test_single_scorers_and_a_response_without_log_probabilities():
    arguments = [logprobs(("a", 0.8, 0.2), ("b", 0.5, 0.5)), None]
    data = score(["min_probability", "sequence_probability", "probability_margin"], arguments)
    assert data["min_probability"] == [pytest.approx(0.5), None]
    assert data["sequence_probability"] == [pytest.approx(math.sqrt(0.4)), None]
    assert data["probability_margin"] == [pytest.approx((0.6 + 0) / 2), None]
    whole = score(["sequence_probability"], arguments, length_normalize=False)
    assert whole["sequence_probability"] == [pytest.approx(0.4), None]


def test_scorers_that_need_samples():
    arguments = [logprobs(("red", 0.5))], ["q"], ["red"], [["red", "blue"]]
    sampled = [[logprobs(("red", 0.3)), logprobs(("blue", 0.2))]]
    names = ["monte_carlo_probability", "consistency_and_confidence", "semantic_negentropy"]
    data = score(names, *arguments, sampled)
    assert data["monte_carlo_probability"] == [pytest.approx(1 / 3)]
    entropy = -(0.8 * math.log(0.8) + 0.2 * math.log(0.2))
    assert data["semantic_negentropy"] == [pytest.approx(1 - entropy / math.log(3))]
    assert 0.25 < data["consistency_and_confidence"][0] < 0.5  # half of a similarity of .5 to 1
    with pytest.raises(InputError, match="needs responses and sampled_responses"):
        score(names, arguments[0])


def test_a_monte_carlo_probability_needs_those_of_the_samples():
    arguments = [logprobs(("red", 0.5))] * 2, ["q"] * 2, ["red"] * 2, [["red", "blue"]] * 2
    with pytest.raises(InputError, match="needs sampled_logprobs_results"):
        score(["monte_carlo_probability"], *arguments)
    data = score(["monte_carlo_probability"], *arguments, [[None, None], [None, logprobs(("blue", 0.3))]])
    assert data["monte_carlo_probability"] == [None, pytest.approx(0.4)]


def test_p_true_asks_the_model():
    llm = GenericFakeChatModel(messages=iter([reply("True", ("True", 0.6))]))
    uq = WhiteBoxUQ(llm=llm, scorers=["p_true"], ledger=False)
    data = asyncio.run(uq.score([None], ["The capital of France?"], ["Paris"])).data
    assert data["p_true"] == [pytest.approx(0.6)]


def test_p_true_needs_prompts_that_are_texts():
    uq = WhiteBoxUQ(scorers=["p_true"], ledger=False)
    with pytest.raises(InputError, match="scorer 'p_true' needs prompts and responses"):
        asyncio.run(uq.score([None]))
    with pytest.raises(InputError, match="scorer 'p_true' needs prompts that are texts"):
        asyncio.run(uq.score([None], [["a message"]], ["Paris"]))


def test_an_unknown_scorer_is_refused():
    with pytest.raises(InputError, match="scorers must be among min_probability, .*, got 'semantic_energy'"):
        WhiteBoxUQ(scorers=["semantic_energy"])


class ParisEntailment:
    """Whatever speaks of Paris is entailed, all else contradicted."""

    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.array([(1.0, 0, 0) if "Paris" in text else (0, 0, 1.0) for text in hypotheses])


def tokens(*probabilities):
    return [{"logprob": float(np.log(value))} for value in probabilities]


# The first sample's tokens have a geometric mean of (.9 * .4) ** .5 = .6, the second's of .2.
SAMPLED = [[tokens(0.9, 0.4), tokens(0.2)]]
ANSWERS = (["The capital of France?"], ["Paris"], [["It is Paris.", "Rome"]])


def test_the_density_of_a_response():
    data = SemanticDensity(nli_model_name=ParisEntailment()).score(*ANSWERS, None, SAMPLED)
    assert data.data["semantic_density_values"] == [pytest.approx(0.6 / 0.8)]
    whole = SemanticDensity(nli_model_name=ParisEntailment(), length_normalize=False)
    assert whole.score(*ANSWERS, None, SAMPLED).data["semantic_density_values"] == [
        pytest.approx(0.36 / 0.56)
    ]


def test_it_is_a_scorer_of_white_box_uq():
    uq = WhiteBoxUQ(scorers=["semantic_density", "min_probability"], nli_model_name=ParisEntailment())
    prompts, responses, samples = ANSWERS
    data = asyncio.run(uq.score([tokens(0.7)], prompts, responses, samples, SAMPLED)).data
    assert data["semantic_density"] == [pytest.approx(0.75)]
    assert data["min_probability"] == [pytest.approx(0.7)]


def test_log_probabilities_that_are_missing_are_no_zeros():
    data = SemanticDensity(nli_model_name=ParisEntailment()).score(*ANSWERS, None, [[tokens(0.9, 0.4), None]])
    assert data.data["semantic_density_values"] == [pytest.approx(1.0)]
    with pytest.raises(InputError, match="needs sampled_logprobs_results"):
        SemanticDensity(nli_model_name=ParisEntailment()).score(*ANSWERS)


def test_responses_are_asked_for():
    llm = FakeListChatModel(responses=["Paris", "Paris", "Rome"])
    uq = SemanticDensity(llm, nli_model_name=ParisEntailment(), ledger=False)
    data = uq.generate_and_score_sync(["The capital of France?"], num_responses=2)
    # This model gives no log-probabilities, so that nothing is known.
    assert data.data["semantic_density_values"] == [None]
    assert data.data["responses"] == ["Paris"]


def test_entropy_of_counts_and_of_token_probabilities():
    responses, samples = ["red"], [["Red", "blue"]]
    known = [tokens(0.5)], [[tokens(0.3), tokens(0.2)]]
    data = SemanticEntropy().score(["colour?"], responses, samples, *known).data
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
    ("logprobs", "sampled", "message"),
    [
        ([None], [[None]], r"sampled_logprobs_results\[0\] must have 2 entries"),
        ([None], [], "sampled_logprobs_results must have 1 entries"),
        ([], [[None, None]], "logprobs_results must have 1 entries"),
    ],
)
def test_lists_of_other_lengths_are_refused(logprobs, sampled, message):
    with pytest.raises(InputError, match=message):
        SemanticEntropy().score(None, ["red"], [["red", "blue"]], logprobs, sampled)
