import asyncio
import math

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from semscale.compat.uqlm import WhiteBoxUQ
from semscale.errors import InputError


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


def score(scorers, *given, **settings):
    return asyncio.run(WhiteBoxUQ(scorers=scorers, **settings).score(*given)).data


def test_the_example_of_the_readme_runs_after_changing_the_import():
    llm = GenericFakeChatModel(messages=iter([reply("Paris", ("Pa", 0.9), ("ris", 0.6))]))
    wbuq = WhiteBoxUQ(llm=llm, scorers=["min_probability"], ledger=False)
    results = asyncio.run(wbuq.generate_and_score(prompts=["The capital of France?"]))
    assert results.to_df()["min_probability"][0] == pytest.approx(0.6)


def test_single_scorers_and_a_response_without_log_probabilities():
    given = [logprobs(("a", 0.8, 0.2), ("b", 0.5, 0.5)), None]
    found = score(["min_probability", "sequence_probability", "probability_margin"], given)
    assert found["min_probability"] == [pytest.approx(0.5), None]
    assert found["sequence_probability"] == [pytest.approx(math.sqrt(0.4)), None]
    assert found["probability_margin"] == [pytest.approx((0.6 + 0) / 2), None]
    whole = score(["sequence_probability"], given, length_normalize=False)
    assert whole["sequence_probability"] == [pytest.approx(0.4), None]


def test_scorers_that_need_samples():
    given = [logprobs(("red", 0.5))], ["q"], ["red"], [["red", "blue"]]
    sampled = [[logprobs(("red", 0.3)), logprobs(("blue", 0.2))]]
    names = ["monte_carlo_probability", "consistency_and_confidence", "semantic_negentropy"]
    found = score(names, *given, sampled)
    assert found["monte_carlo_probability"] == [pytest.approx(1 / 3)]
    entropy = -(0.8 * math.log(0.8) + 0.2 * math.log(0.2))
    assert found["semantic_negentropy"] == [pytest.approx(1 - entropy / math.log(3))]
    assert 0.25 < found["consistency_and_confidence"][0] < 0.5  # half of a similarity of .5 to 1
    with pytest.raises(InputError, match="need responses and sampled_responses"):
        score(names, given[0])


def test_a_monte_carlo_probability_needs_those_of_the_samples():
    given = [logprobs(("red", 0.5))] * 2, ["q"] * 2, ["red"] * 2, [["red", "blue"]] * 2
    with pytest.raises(InputError, match="needs sampled_logprobs_results"):
        score(["monte_carlo_probability"], *given)
    found = score(["monte_carlo_probability"], *given, [[None, None], [None, logprobs(("blue", 0.3))]])
    assert found["monte_carlo_probability"] == [None, pytest.approx(0.4)]


def test_p_true_asks_the_model():
    llm = GenericFakeChatModel(messages=iter([reply("True", ("True", 0.6))]))
    uq = WhiteBoxUQ(llm=llm, scorers=["p_true"], ledger=False)
    data = asyncio.run(uq.score([None], ["The capital of France?"], ["Paris"])).data
    assert data["p_true"] == [pytest.approx(0.6)]


def test_an_unknown_scorer_is_refused():
    with pytest.raises(InputError, match="scorers must be among min_probability, .*, got 'semantic_energy'"):
        WhiteBoxUQ(scorers=["semantic_energy"])
