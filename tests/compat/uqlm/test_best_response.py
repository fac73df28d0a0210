"""``use_best`` of ``uqlm``."""

import asyncio
from collections import Counter

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.compat.uqlm import BlackBoxUQ, SemanticEntropy, UQEnsemble
from semscale.errors import InputError
from semscale.signature import Signature

# Of five texts three say Rome, two of them in the same letters.
TEXTS = (["Oslo"], [["Rome", "Paris", "rome", "Rome"]])


def logs(probability):
    return [{"logprob": float(np.log(probability))}]


def test_the_response_of_the_most_frequent_meaning_takes_the_place_of_the_first():
    scorers = ["semantic_negentropy", "exact_match"]
    found = BlackBoxUQ(scorers=scorers).score(*TEXTS).data
    assert (found["responses"], found["sampled_responses"]) == (["Rome"], [["Oslo", "Paris", "rome", "Rome"]])
    assert found["exact_match"] == [0.25]  # one of four samples is "Rome" to the letter
    kept = BlackBoxUQ(scorers=scorers, use_best=False).score(*TEXTS).data
    assert (kept["responses"], kept["exact_match"]) == (["Oslo"], [0.0])
    assert kept["semantic_negentropy"] == pytest.approx(found["semantic_negentropy"])


class CountingEntailment:
    """Says that all texts entail each other, and counts how often each pair is read."""

    signature = Signature.of("nli", model="counting")

    def __init__(self):
        self.pairs = Counter()

    def probabilities(self, premises, hypotheses):
        self.pairs.update(zip(premises, hypotheses, strict=True))
        return np.tile([1.0, 0.0, 0.0], (len(premises), 1))


@pytest.mark.parametrize("kind", ["score", "generate", "ensemble"])
def test_each_pair_is_read_once_whether_for_picking_or_for_scores(kind):
    nli, scorers = CountingEntailment(), ["semantic_negentropy", "noncontradiction", "entailment"]
    if kind == "score":
        BlackBoxUQ(scorers=scorers, nli_model_name=nli).score(*TEXTS)
    elif kind == "generate":
        llm = FakeListChatModel(responses=[TEXTS[0][0], *TEXTS[1][0]])
        uq = BlackBoxUQ(llm, scorers, nli_model_name=nli, ledger=False, max_calls_per_min=60_000)
        uq.generate_and_score_sync(["Capital?"], num_responses=4)
    else:
        asyncio.run(UQEnsemble(scorers=scorers, nli_model_name=nli).score(["q"], *TEXTS))
    assert set(nli.pairs.values()) == {1}
    assert len(nli.pairs) >= 4 * 3  # four different texts, each beside the three others, both ways


def test_without_a_scorer_of_meanings_the_response_stays():
    found = BlackBoxUQ(scorers=["exact_match"], use_best=True).score(*TEXTS).data
    assert (found["responses"], found["exact_match"]) == (["Oslo"], [0.0])


def test_raw_texts_change_places_with_what_was_made_of_them():
    scorer = BlackBoxUQ(scorers=["semantic_negentropy"], postprocessor=str.lower, return_responses="raw")
    found = scorer.score(["A"], [["b", "B", None]]).data
    assert (found["responses"], found["sampled_responses"]) == (["b"], [["A", "B", None]])


def test_the_probabilities_of_tokens_may_pick():
    tokens = ([logs(0.9)], [[logs(0.1)] * 4])
    by_count = SemanticEntropy().score(None, *TEXTS, *tokens).data
    assert by_count["responses"] == ["Rome"]
    by_tokens = SemanticEntropy(best_response_selection="token-based").score(None, *TEXTS, *tokens).data
    assert by_tokens["responses"] == ["Oslo"]  # .9 against three times .1
    # Without probabilities the count decides.
    counted = SemanticEntropy(best_response_selection="token-based").score(None, *TEXTS).data
    assert counted["responses"] == ["Rome"]
    assert SemanticEntropy(use_best=False).score(None, *TEXTS).data["responses"] == ["Oslo"]
    with pytest.raises(InputError, match="best_response_selection must be one of discrete, token-based"):
        SemanticEntropy(best_response_selection="best")


def test_all_components_of_an_ensemble_see_the_same_response():
    given = (["q"], *TEXTS, [logs(0.9)], [[logs(0.1), logs(0.2), logs(0.3), logs(0.4)]])
    ensemble = UQEnsemble(scorers=["semantic_negentropy", "min_probability"])
    found = asyncio.run(ensemble.score(*given)).data
    assert (found["responses"], found["min_probability"]) == (["Rome"], [pytest.approx(0.1)])
    alone = asyncio.run(ensemble.score(*given[:4])).data
    assert alone["min_probability"] == [None]  # the probabilities of the sample are not known
    kept = UQEnsemble(scorers=["semantic_negentropy", "min_probability"], use_best=False)
    assert asyncio.run(kept.score(*given)).data["min_probability"] == [pytest.approx(0.9)]


def test_a_refused_response_or_none_keeps_its_place():
    found = BlackBoxUQ(scorers=["semantic_negentropy"]).score([None, "a"], [["b", "b"], []]).data
    assert (found["responses"], found["sampled_responses"]) == ([None, "a"], [["b", "b"], []])
