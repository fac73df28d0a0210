"""Published examples of ``uqlm.judges`` and ``uqlm.scorers`` with one changed word; candidates alone."""

import asyncio

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.chat.runner import Running
from semscale.compat import uqlm
from semscale.compat.uqlm.judges import LLMJudge
from semscale.compat.uqlm.scorers import BlackBoxUQ, LLMPanel
from semscale.errors import InputError

PROMPTS, RESPONSES = ["When was Hastings?", "Is 7 prime?"], ["In 1066.", "No."]


def test_the_published_judge_runs():
    judge_llm = FakeListChatModel(responses=["Score: 5", "Score: 1"])

    async def example():
        judge = LLMJudge(llm=judge_llm, scoring_template="likert", running=Running(ledger=False))
        return await judge.judge_responses(prompts=PROMPTS, responses=RESPONSES)

    assert sorted(asyncio.run(example())["scores"]) == [0, 1]


def test_the_published_panel_runs():
    judges = [FakeListChatModel(responses=["Score: 4"]), FakeListChatModel(responses=["Score: 2"])]
    panel = LLMPanel(
        llm=FakeListChatModel(responses=["In 1066."]),
        judges=judges,
        scoring_templates=["likert"] * 2,
        running=Running(ledger=False),
    )
    results = asyncio.run(panel.generate_and_score(prompts=PROMPTS))
    assert results.data["judge_1"] == [0.75, 0.75]
    assert results.data["judge_2"] == [0.25, 0.25]


def test_responses_and_candidates_are_those_of_generate_and_score(tmp_path):
    def scorer():
        # One reply follows the other, so only a stored reply is the same twice.
        llm = FakeListChatModel(responses=[f"reply {number}" for number in range(8)])
        return BlackBoxUQ(llm, ["exact_match"], ledger=tmp_path / "ledger.sqlite")

    async def example():
        uq = scorer()
        responses = await uq.generate_original_responses(PROMPTS)
        candidates = await uq.generate_candidate_responses(prompts=PROMPTS, num_responses=3)
        return uq.score(responses=responses, sampled_responses=candidates)

    apart = asyncio.run(example()).data
    assert [len(row) for row in apart["sampled_responses"]] == [3, 3]
    together = scorer().generate_and_score_sync(PROMPTS, num_responses=3).data
    assert {name: together[name] for name in apart} == apart


def test_a_prompt_of_the_wrong_type_is_refused():
    uq = BlackBoxUQ(FakeListChatModel(responses=["Paris"]), ["exact_match"], ledger=False)
    with pytest.raises(InputError, match="prompts must be texts or lists of messages from .* got int"):
        uq.generate_original_responses_sync([5])


def test_a_prompt_that_is_missing_has_no_response():
    uq = BlackBoxUQ(FakeListChatModel(responses=["Paris"]), ["exact_match"], ledger=False)
    assert uq.generate_original_responses_sync([None, "Where?"]) == [None, "Paris"]
    candidates = uq.generate_candidate_responses_sync(["Where?", None], 2)
    assert candidates == [["Paris", "Paris"], [None, None]]
    assert uq.multiple_logprobs == [[None, None], [None, None]]


def test_candidates_need_a_number_and_a_model():
    with pytest.raises(InputError, match="num_responses must be at least 1, got 0"):
        BlackBoxUQ(FakeListChatModel(responses=["a"]), ["exact_match"]).generate_candidate_responses_sync(
            PROMPTS, 0
        )
    with pytest.raises(InputError, match="llm must be a chat model"):
        BlackBoxUQ(scorers=["exact_match"]).generate_original_responses_sync(PROMPTS)


@pytest.mark.parametrize("module", ["judges", "scorers"])
def test_modules_have_the_classes_of_the_package(module):
    names = __import__(f"semscale.compat.uqlm.{module}", fromlist=["x"]).__all__
    assert all(getattr(uqlm, name).__name__ == name for name in names)
