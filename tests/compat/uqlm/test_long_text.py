"""``LongTextUQ``: scores of long responses, claim by claim."""

import asyncio

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.compat.uqlm import LongTextUQ
from semscale.errors import InputError
from semscale.matching.entailment import Entailments
from semscale.signature import Signature

TEXT = "It was built in 1889. It is made of wood."


class MadeUpEntailment:
    """Samples entail what was built and contradict wood."""

    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.array([(0.1, 0.5, 0.4) if "wood" in text else (0.9, 0.1, 0.0) for text in hypotheses])


def score(responses, samples, **settings):
    uq = LongTextUQ(nli_model_name=MadeUpEntailment(), **settings)
    return asyncio.run(uq.score(responses, samples)).data


def test_the_example_of_the_readme_runs_after_changing_the_import():
    llm = FakeListChatModel(responses=[TEXT])
    luq = LongTextUQ(
        llm=llm,
        scorers=["entailment"],
        response_refinement=True,
        nli_model_name=MadeUpEntailment(),
        ledger=False,
    )
    results = asyncio.run(luq.generate_and_score(prompts=["What is it?"], num_responses=5))
    assert results.data["entailment"] == [pytest.approx((0.9 + 0.1) / 2)]
    assert results.data["claims_data"][0][1] == {
        "claim": "It is made of wood.", "removed": True, "entailment": pytest.approx(0.1),
    }  # fmt: skip
    assert results.data["refined_responses"] == ["It was built in 1889."]
    assert results.data["refined_entailment"] == [pytest.approx(0.9)]


def test_other_scorers_and_the_least_claim():
    names = ["noncontradiction", "contrasted_entailment"]
    found = score([TEXT], [["a sample", "another"]], scorers=names, aggregation="min")
    assert found["noncontradiction"] == [pytest.approx(1 - 0.4)]
    assert found["contrasted_entailment"] == [pytest.approx(0.1 / 0.5)]


def test_what_has_no_samples_or_no_text_has_no_score():
    found = score([TEXT, None, ""], [["", None], ["a"], ["a"]])
    assert found["entailment"] == [None, None, None]
    assert [len(each) for each in found["claims_data"]] == [2, 0, 0]


@pytest.mark.parametrize(
    "settings",
    [{"mode": "graph"}, {"nli_llm": object()}, {"scorers": ["cosine_sim"]}, {"granularity": "word"},
     {"claim_decomposition_prompt": "zhang_2025"}, {"scorers": ["bleu"], "mode": "matched_unit"},
     {"aggregation": "max"}, {"response_refinement": True, "claim_filtering_scorer": "noncontradiction"}],
)  # fmt: skip
def test_what_is_not_offered_is_refused(settings):
    with pytest.raises(InputError):
        LongTextUQ(nli_model_name=MadeUpEntailment(), **settings)


class UnreadGerman(MadeUpEntailment):
    def entailments(self, premises, hypotheses):
        unread = np.array([" ist " in text for text in premises])
        return Entailments(self.probabilities(premises, hypotheses), np.zeros(len(unread), bool), unread)


def test_samples_that_the_model_cannot_read_do_not_count():
    names = ["entailment", "noncontradiction", "contrasted_entailment"]
    uq = LongTextUQ(nli_model_name=UnreadGerman(), scorers=names)
    samples = [["Das ist es.", "a sample"], ["Das ist es."]]
    found = asyncio.run(uq.score([TEXT, TEXT], samples)).data
    assert found["entailment"] == [pytest.approx((0.9 + 0.1) / 2), None]
    assert found["noncontradiction"] == [pytest.approx((1 + 0.6) / 2), None]
    assert found["contrasted_entailment"] == [pytest.approx((1 + 0.2) / 2), None]


class BySentence(MadeUpEntailment):
    """A unit entails a claim by the share of its words that stand in the claim."""

    def probabilities(self, premises, hypotheses):
        shares = [
            len(set(one.split()) & set(other.split())) / len(set(other.split()))
            for one, other in zip(premises, hypotheses, strict=True)
        ]
        return np.array([(share, 1 - share, 0.0) for share in shares])


def test_matched_units_are_the_sentences_of_samples_of_which_the_best_counts():
    uq = LongTextUQ(nli_model_name=BySentence(), mode="matched_unit")
    # "a b" beside "a b" and "c d": 1 and 0, so 1; beside "a d": 1/2. Mean .75.
    found = asyncio.run(uq.score(["A b."], [["A b. C d.", "A d."]])).data
    assert found["entailment"] == [pytest.approx(0.75)]


def test_cosines_and_bert_scores_of_matched_units_need_no_model_of_entailment():
    uq = LongTextUQ(mode="matched_unit", scorers=["cosine_sim", "bert_score"])
    found = asyncio.run(
        uq.score(["The tower is tall."], [["The tower is tall. It rains.", "It is a tower."]])
    )
    # The first sample has the claim itself, 1; the second has less, 0 or more: the mean is at least 1/2.
    assert 0.5 < found.data["cosine_sim"][0] < 1
    assert 0.5 < found.data["bert_score"][0] < 1
    same = asyncio.run(uq.score(["The tower is tall."], [["It rains. The tower is tall."]])).data
    assert same["cosine_sim"] == [pytest.approx(1, abs=1e-6)]


def test_a_model_gives_the_claims_of_responses():
    splitter = FakeListChatModel(responses=["- It was built in 1889.\n- It is wood.", "Sorry, no."])
    uq = LongTextUQ(nli_model_name=MadeUpEntailment(), claim_decomposition_llm=splitter, ledger=False)
    result = asyncio.run(uq.score([TEXT, "It is old."], [["a sample"], ["a sample"]]))
    assert [claim["claim"] for claim in result.data["claims_data"][0]] == [
        "It was built in 1889.", "It is wood.",
    ]  # fmt: skip
    assert result.data["entailment"] == [pytest.approx((0.9 + 0.1) / 2), None]
    assert result.metadata["without_claims"] == 1


def test_a_prompt_of_ones_own_is_asked():
    class Echo(FakeListChatModel):
        def _call(self, messages, *args, **settings):
            return f"- {messages[-1].content}"

    uq = LongTextUQ(
        nli_model_name=MadeUpEntailment(), claim_decomposition_llm=Echo(responses=[""]), ledger=False,
        claim_decomposition_prompt=lambda text: f"split {text}",
    )  # fmt: skip
    result = asyncio.run(uq.score(["It is old."], [["a sample"]]))
    assert result.data["claims_data"][0][0]["claim"] == "split It is old."


def test_sentences_ask_nobody():
    uq = LongTextUQ(
        nli_model_name=MadeUpEntailment(), granularity="sentence", claim_decomposition_llm="no such model"
    )
    assert len(asyncio.run(uq.score([TEXT], [["a sample"]])).data["claims_data"][0]) == 2
