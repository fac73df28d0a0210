import asyncio

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.compat.uqlm import LongTextUQ
from semscale.errors import InputError
from semscale.matching.entailment.probabilities import Entailments
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
    [{"mode": "matched_unit"}, {"claim_decomposition_llm": object()}, {"scorers": ["cosine_sim"]},
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
