"""Signatures, results and warnings that all classes share."""

import asyncio
import inspect
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from semscale.chat.messages import TokenLogprob
from semscale.compat import uqlm
from semscale.compat.uqlm import SemanticDensity, SemanticEntropy, UQResult
from semscale.compat.uqlm.base import synchronous
from semscale.signature import Signature

# Parameters by position in uqlm 0.6.7.
ARGUMENTS = {
    "BlackBoxUQ": "llm scorers device use_best nli_model_name sentence_transformer postprocessor "
    "structured_response output_extractor system_prompt max_calls_per_min sampling_temperature "
    "return_responses use_n_param max_length verbose nli_batch_size",
    "BlackBoxUQ.generate_and_score": "prompts num_responses show_progress_bars",
    "BlackBoxUQ.generate_original_responses": "prompts top_k_logprobs progress_bar",
    "BlackBoxUQ.generate_candidate_responses": "prompts num_responses progress_bar",
    "BlackBoxUQ.score": "responses sampled_responses show_progress_bars",
    "LLMJudge": "llm max_calls_per_min scoring_template additional_context keywords_to_scores_dict",
    "LLMJudge.judge_responses": "prompts responses retries progress_bar explanations",
    "LLMPanel": "judges llm system_prompt max_calls_per_min scoring_templates explanations "
    "additional_context",
    "LLMPanel.score": "prompts responses show_progress_bars",
    "SemanticDensity": "llm postprocessor device system_prompt max_calls_per_min use_n_param "
    "sampling_temperature verbose nli_model_name max_length return_responses length_normalize nli "
    "nli_batch_size",
    "SemanticDensity.score": "prompts responses sampled_responses logprobs_results "
    "sampled_logprobs_results show_progress_bars",
    "SemanticEntropy": "llm postprocessor device use_best best_response_selection system_prompt "
    "max_calls_per_min use_n_param sampling_temperature verbose nli_model_name max_length return_responses "
    "length_normalize prompts_in_nli nli nli_batch_size",
    "SemanticEntropy.score": "prompts responses sampled_responses logprobs_results "
    "sampled_logprobs_results show_progress_bars",
    "WhiteBoxUQ": "llm system_prompt max_calls_per_min scorers sampling_temperature top_k_logprobs "
    "use_n_param length_normalize prompts_in_nli device max_length sentence_transformer nli_model_name",
    "WhiteBoxUQ.score": "logprobs_results prompts responses sampled_responses sampled_logprobs_results "
    "show_progress_bars",
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_have_the_positions_of_uqlm(name):
    kind, _, method = name.partition(".")
    called = getattr(uqlm, kind)
    parameters = inspect.signature(getattr(called, method) if method else called).parameters.values()
    by_position = [
        parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    assert [name for name in by_position if name != "self"] == ARGUMENTS[name].split()


class Adder:
    async def add(self, left, *, right=2):
        """Add."""
        await asyncio.sleep(0)
        return left + right

    add_sync = synchronous(add)


def test_a_synchronous_method_returns_the_awaited_result_inside_an_event_loop_too():
    async def within():
        return Adder().add_sync(1, right=5)

    assert Adder().add_sync(1) == 3
    assert asyncio.run(within()) == 6
    assert Adder.add_sync.__name__ == "add_sync"
    assert inspect.getdoc(Adder.add_sync).startswith("Like ``add``")


@pytest.mark.parametrize("kind", [getattr(uqlm, name) for name in uqlm.__all__ if name != "UQResult"])
def test_classes_have_synchronous_methods_with_the_same_parameters(kind):
    names = [name for name in dir(kind) if name.endswith("_sync")]
    assert names
    for name in names:
        awaited = inspect.signature(getattr(kind, name.removesuffix("_sync")))
        assert inspect.signature(getattr(kind, name)) == awaited


def test_results_are_plain_values_that_json_can_hold():
    message = SimpleNamespace(type="human", content="Why?")
    token = TokenLogprob("Yes", -0.5, (("Yes", -0.5), ("No", -1.0)))
    data = {"score": np.array([1.5, np.nan, np.inf]), "prompts": [[message], ValueError("no"), None]}
    result = UQResult({"data": data, "metadata": {"n": np.int64(1), "logprobs": [(token,)], 2: 0.5}})
    likeliest = [{"token": "Yes", "logprob": -0.5}, {"token": "No", "logprob": -1.0}]
    assert result.to_dict() == {
        "data": {
            "prompts": [[{"type": "human", "content": "Why?"}], "no", None],
            "score": [1.5, None, None],
        },
        "metadata": {
            "n": 1,
            "logprobs": [[{"token": "Yes", "logprob": -0.5, "top_logprobs": likeliest}]],
            "2": 0.5,
        },
    }
    assert json.loads(json.dumps(result.result_dict)) == result.to_dict()
    assert list(result.to_df().columns) == list(result.data) == ["prompts", "score"]
    assert list(data) == ["score", "prompts"]  # the caller's columns stay as they are


def test_a_result_needs_no_metadata():
    assert UQResult({"data": {"judge_1": [0.5]}}).to_dict() == {"data": {"judge_1": [0.5]}, "metadata": {}}


class Unasked:
    """An entailment model that is only named."""

    signature = Signature.of("nli", model="unasked")

    def probabilities(self, premises, hypotheses):
        pytest.fail("the model was asked")


@pytest.mark.parametrize(
    ("kind", "settings", "name"),
    [
        (SemanticEntropy, {"nli": True}, "nli"),
        (SemanticDensity, {"nli": True, "nli_model_name": Unasked()}, "nli"),
    ],
)
def test_ignored_settings_that_matter_warn_at_the_line_of_the_caller(kind, settings, name):
    with pytest.warns(UserWarning, match=f"{name} is not applied: ") as caught:
        kind(**settings)
    assert caught[0].filename == __file__


def test_ignored_settings_without_effect_do_not_warn():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SemanticEntropy(device="cpu", nli=False, verbose=True)
    assert caught == []
