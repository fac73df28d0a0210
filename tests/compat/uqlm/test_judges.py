"""``LLMPanel`` and ``LLMJudge``: scores by one judge and by several."""

import asyncio
import json
import math

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from tests.judging.conftest import Scripted, material

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.compat.uqlm import LLMJudge, LLMPanel
from semscale.errors import InputError, UnknownNameError

RUNNING = Running(ledger=False, retries=Retries(0))


def langchain(*replies):
    return GenericFakeChatModel(messages=iter([AIMessage(content=reply) for reply in replies]))


def test_the_documented_judge():
    judge = LLMJudge(llm=langchain("Score: 4"), scoring_template="likert", running=RUNNING)
    result = asyncio.run(judge.judge_responses(prompts=["When was it?"], responses=["1066"]))
    assert list(result) == ["judge_prompts", "judge_responses", "scores"]
    assert result["scores"] == [0.75]
    assert result["judge_responses"] == ["Score: 4"]
    assert "1066" in result["judge_prompts"][0]


def test_the_documented_panel():
    panel = LLMPanel(
        llm=Scripted(lambda _: "1066", name="original"),
        judges=[langchain("5"), langchain("Score: 2")],
        scoring_templates=["likert"] * 2,
        running=RUNNING,
    )
    results = asyncio.run(panel.generate_and_score(prompts=["When was it?"]))
    assert results.data == {
        "prompts": ["When was it?"],
        "responses": ["1066"],
        "judge_1": [1.0],
        "judge_2": [0.25],
        "avg": [0.625],
        "max": [1.0],
        "min": [0.25],
        "median": [0.625],
    }
    assert results.metadata["num_judges"] == 2
    assert json.loads(json.dumps(results.to_dict()))["data"]["judge_2"] == [0.25]
    assert list(results.to_df().columns) == list(results.data)


@pytest.mark.parametrize(
    ("template", "reply", "score"),
    [
        ("likert", "Score: 4\n1. minor omission", 0.75),
        ("likert", "On a 1-5 scale I give it a 5", 1.0),
        ("continuous", "85.5", 0.855),
        ("true_false", "not correct", 0.0),
        ("true_false_uncertain", "I am not sure", 0.5),
    ],
)
def test_its_parsers_defects_are_not_reproduced(template, reply, score):
    judge = LLMJudge(Scripted(lambda _: reply), scoring_template=template, running=RUNNING)
    assert judge.judge_responses_sync(["q"], ["a"])["scores"] == [score]


def test_after_a_retry_the_valid_reply_is_returned():
    judge = LLMJudge(langchain("4 or 5", "Score: 4"), scoring_template="likert", running=RUNNING)
    result = judge.judge_responses_sync(["q"], ["a"])
    assert (result["judge_responses"], result["scores"]) == (["Score: 4"], [0.75])


def test_retries_end():
    model = Scripted(lambda _: "1.0")
    judge = LLMJudge(model, scoring_template="continuous", running=RUNNING)
    scores = judge.judge_responses_sync(["q"], ["a"], retries=2)["scores"]
    assert math.isnan(scores[0])
    assert len(model.requests) == 3


def test_explanations():
    judge = LLMJudge(Scripted(lambda _: "Score: Correct\nExplanation: It was 1066."), running=RUNNING)
    result = judge.judge_responses_sync(["q"], ["a"], explanations=True)
    assert result["explanations"] == ["It was 1066."]


@pytest.mark.parametrize("responses", [["a"], ["a", "b", "c"]])
def test_no_response_is_dropped_silently(responses):
    judge = LLMJudge(Scripted(lambda _: "Correct"), running=RUNNING)
    message = f"got 2 questions and {len(responses)} answers"
    with pytest.raises(InputError, match=message):
        judge.judge_responses_sync(["q", "r"], responses)
    with pytest.raises(InputError, match=message):
        LLMPanel([judge, judge], running=RUNNING).score_sync(["q", "r"], responses)


def test_a_judge_without_a_score_does_not_affect_the_rest():
    unreadable = Scripted(lambda _: "hm", name="unreadable")
    result = LLMPanel([Scripted(lambda _: "Correct"), unreadable], running=RUNNING).score_sync(["q"], ["a"])
    assert (result.data["judge_1"], result.data["judge_2"], result.data["avg"]) == ([1.0], [None], [1.0])


def test_a_prompt_without_an_answer_has_no_score():
    silent = CallError("nothing came", kind=FailureKind.CONNECTION)
    panel = LLMPanel(
        [Scripted(lambda _: "Correct"), Scripted(lambda _: "Wrong", name="other")],
        llm=Scripted(lambda request: silent if request.messages[-1].text == "r" else "1066"),
        running=RUNNING,
    )
    result = panel.generate_and_score_sync(["q", "r"])
    assert (result.data["responses"], result.data["avg"]) == (["1066", None], [0.5, None])


def test_a_panel_may_have_a_single_existing_judge():
    judge = LLMJudge(
        Scripted(lambda request: f"Score: {material(request)}"), scoring_template="likert", running=RUNNING
    )
    result = LLMPanel([judge], explanations=True, running=RUNNING).score_sync(["q"], ["3"])
    assert result.data["avg"] == result.data["judge_1"] == [0.5]
    assert result.data["judge_1_explanation"] == [""]


def test_the_limit_per_minute_is_respected():
    judge = LLMJudge(Scripted(str), max_calls_per_min=30)
    assert judge.running.limits.requests_per_minute == 30


def test_wrong_settings_are_named():
    model = Scripted(str)
    with pytest.raises(UnknownNameError, match="unknown scoring_template 'lickert': did you mean 'likert'"):
        LLMJudge(model, scoring_template="lickert")
    with pytest.raises(InputError, match="keywords_to_scores_dict is not taken"):
        LLMJudge(model, keywords_to_scores_dict={0.0: ["bad"]})
    with pytest.raises(InputError, match="got 1 templates and 2 judges"):
        LLMPanel([model, model], scoring_templates=["likert"])
    with pytest.raises(InputError, match="llm must be a chat model that answers"):
        LLMPanel([model, model]).generate_and_score_sync(["q"])
    with pytest.raises(InputError, match=r"judges\[1\] must be an LLMJudge or a chat model, got 5"):
        LLMPanel([model, 5])


def test_a_judge_needs_its_model_when_it_is_asked():
    judge = LLMJudge(max_calls_per_min=3)
    with pytest.raises(InputError, match="llm must be a chat model that judges responses, got None"):
        judge.judge_responses_sync(["q"], ["a"])
