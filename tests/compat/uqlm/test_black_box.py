"""``BlackBoxUQ``: scores by samples, and the response that ``use_best`` picks."""

import asyncio
import json
import math
from collections import Counter

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import HumanMessage, SystemMessage

import semscale
from semscale.compat.uqlm import BlackBoxUQ, SemanticEntropy, UQResult, WhiteBoxUQ, base
from semscale.errors import InputError, ModelError
from semscale.signature import Signature


class ScriptedEntailment:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.75, 0.25, 0.0], (len(premises), 1))


RESPONSES = ["Paris", "Yes", "12", "safe", "The cat sat on the mat.", "8"]
SAMPLES = [
    ["London", "Paris"],
    ["No"],
    ["13", "12", "twelve"],
    ["not safe"],
    ["A cat was sitting on a mat.", "Interest rates rose again in March."],
    ["8 emails", "8"],
]
# What uqlm 0.6.7 gives for them (CosineScorer and MatchScorer; torch 2.13, sentence-transformers 5).
COSINE_SIM = [0.8946739, 0.8667476, 0.9541963, 0.943773, 0.7394114, 0.8772558]
EXACT_MATCH = [0.5, 0.0, 1 / 3, 0.0, 0.0, 0.5]


def test_scores_equal_those_of_uqlm():
    result = BlackBoxUQ(scorers=["cosine_sim", "exact_match"]).score(RESPONSES, SAMPLES)
    np.testing.assert_allclose(result.data["cosine_sim"], COSINE_SIM, atol=1e-5)
    np.testing.assert_allclose(result.data["exact_match"], EXACT_MATCH, atol=1e-12)


def test_bert_score_is_the_mean_f1_of_the_response_as_candidate():
    result = BlackBoxUQ(scorers=["bert_score"]).score(RESPONSES[:2], SAMPLES[:2])
    f1 = semscale.bertscore(["Paris", "Paris", "Yes"], ["London", "Paris", "No"]).f1
    np.testing.assert_allclose(result.data["bert_score"], [f1[:2].mean(), f1[2]], atol=1e-12)


def test_the_published_example_runs_after_changing_the_import():
    llm = FakeListChatModel(responses=["Paris", "Paris", "Paris.", "London", "Paris", "Rome"])
    prompts = ["What is the capital of France?"]

    async def example():
        bbuq = BlackBoxUQ(
            llm=llm,
            scorers=["cosine_sim"],
            sentence_transformer="all-MiniLM-L6-v2",
            ledger=False,
        )
        return await bbuq.generate_and_score(prompts=prompts, num_responses=5)

    results = asyncio.run(example())
    assert 0.5 < results.to_df()["cosine_sim"][0] < 1
    assert list(results.data) == ["prompts", "responses", "sampled_responses", "cosine_sim"]
    assert len(results.data["sampled_responses"][0]) == 5
    assert results.metadata == {
        "temperature": None,
        "sampling_temperature": 1.0,
        "num_responses": 5,
        "scorers": ["cosine_sim"],
    }


def test_synchronous_calls_and_prompts_of_messages():
    llm = FakeListChatModel(responses=["8", "8", "8"])
    prompt = [SystemMessage("Be brief."), HumanMessage("How many?")]
    uq = BlackBoxUQ(llm, ["exact_match"], ledger=False, max_calls_per_min=60_000)
    result = uq.generate_and_score_sync([prompt], num_responses=2)
    assert result.data["exact_match"] == [1.0]
    assert json.loads(json.dumps(result.to_dict()))["data"]["prompts"] == [
        [{"type": "system", "content": "Be brief."}, {"type": "human", "content": "How many?"}]
    ]


def test_columns_keep_their_names_and_missing_values_are_null():
    result = BlackBoxUQ(scorers=["exact_match"]).score(["a", "b"], [["a"], []])
    assert list(result.to_df().columns) == ["responses", "sampled_responses", "exact_match"]
    assert result.data["exact_match"] == [1.0, None]
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_a_postprocessor_comes_before_the_comparison():
    both = BlackBoxUQ(scorers=["exact_match"], postprocessor=str.lower).score(["A"], [["a", "B"]])
    assert both.data == {
        "responses": ["a"],
        "sampled_responses": [["a", "b"]],
        "raw_responses": ["A"],
        "raw_sampled_responses": [["a", "B"]],
        "exact_match": [0.5],
    }
    raw = BlackBoxUQ(scorers=["exact_match"], postprocessor=str.lower, return_responses="raw")
    assert raw.score(["A"], [["a"]]).data["responses"] == ["A"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scorers": ["bleurt"]}, "scorers must be among semantic_negentropy, .*, got 'bleurt'"),
        ({"structured_response": dict}, "structured_response and output_extractor are not offered"),
        ({"return_responses": "none"}, "return_responses must be one of all, raw, postprocessed"),
        ({"sampling_temperature": 0}, "temperature must be > 0"),
    ],
)
def test_unsupported_settings_are_refused_by_name(settings, message):
    with pytest.raises(InputError, match=message):
        BlackBoxUQ(**settings)


def test_the_default_scorers_are_those_of_uqlm():
    result = BlackBoxUQ(nli_model_name=ScriptedEntailment()).score(["Monday"], [["monday", "Tuesday"]])
    # The model says .75 entailed, .25 neutral for all pairs but equal ones: one meaning.
    assert result.data["semantic_negentropy"] == [pytest.approx(1)]
    assert result.data["semantic_sets_confidence"] == [1.0]
    assert result.data["entailment"] == [pytest.approx(0.75)]
    assert result.data["noncontradiction"] == [1.0]
    assert set(result.data) >= {"exact_match", "cosine_sim"}


@pytest.mark.parametrize(
    ("kind", "settings", "names", "model"),
    [
        (BlackBoxUQ, {}, "noncontradiction, entailment", "cross-encoder/nli-MiniLM2-L6-H768"),
        (
            BlackBoxUQ,
            {"scorers": ["semantic_negentropy"], "nli_model_name": "a/b"},
            "semantic_negentropy",
            "a/b",
        ),
        (
            WhiteBoxUQ,
            {"scorers": ["semantic_density", "p_true", "semantic_negentropy"], "nli_model_name": "a/b"},
            "semantic_density, semantic_negentropy",
            "a/b",
        ),
    ],
)
def test_without_an_entailment_model_the_error_names_scorers_and_remedy(
    monkeypatch, kind, settings, names, model
):
    def missing(name):
        raise ModelError(f"{name} is not here\nat all")

    monkeypatch.setattr(base, "load_entailment_model", missing)
    with pytest.raises(ModelError) as refusal:
        kind(**settings)
    assert str(refusal.value) == (
        f"scorers that cannot run without an entailment model: {names}; get it with semscale models pull "
        f"{model}, or name other scorers ({model} is not here at all)"
    )


def test_the_first_example_of_the_readme_needs_no_model_of_entailment():
    llm = FakeListChatModel(responses=["Paris", "It is Paris.", "paris", "London", "Paris", "Paris"])
    bbuq = BlackBoxUQ(llm=llm, scorers=["semantic_negentropy"], use_best=True, ledger=False)
    results = asyncio.run(bbuq.generate_and_score(prompts=["The capital of France?"], num_responses=5))
    # 5 of 6 say Paris, one London.
    entropy = -(5 / 6 * math.log(5 / 6) + 1 / 6 * math.log(1 / 6))
    assert results.to_df()["semantic_negentropy"][0] == pytest.approx(1 - entropy / math.log(6))
    assert results.metadata["same_by"] == {"exact": 1}


def test_unequal_lengths_and_no_model_are_refused():
    with pytest.raises(InputError, match="equal lengths"):
        BlackBoxUQ(scorers=["exact_match"]).score(["a"], [["a"], ["b"]])
    with pytest.raises(InputError, match="llm must be a chat model"):
        BlackBoxUQ(scorers=["exact_match"], ledger=False).generate_and_score_sync(["q"])


def test_without_pandas_a_polars_frame_comes(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    frame = UQResult({"data": {"x": np.array([1.0, np.nan])}, "metadata": {}}).to_df()
    assert frame["x"].to_list() == [1.0, None]


def test_emoji_are_compared_as_uqlm_does():
    # The model knows neither, so uqlm's cosine of the two is that of equal texts.
    result = BlackBoxUQ(scorers=["cosine_sim"]).score(["👍"], [["👎"]])
    assert result.data["cosine_sim"] == pytest.approx([1.0])


# Of five texts three say Rome, two of them in the same letters.
TEXTS = (["Oslo"], [["Rome", "Paris", "rome", "Rome"]])


def logs(probability):
    return [{"logprob": float(np.log(probability))}]


def test_the_most_frequent_response_replaces_the_first():
    scorers = ["semantic_negentropy", "exact_match"]
    data = BlackBoxUQ(scorers=scorers).score(*TEXTS).data
    assert (data["responses"], data["sampled_responses"]) == (["Rome"], [["Oslo", "Paris", "rome", "Rome"]])
    assert data["exact_match"] == [0.25]  # one of four samples is "Rome" to the letter
    unpicked = BlackBoxUQ(scorers=scorers, use_best=False).score(*TEXTS).data
    assert (unpicked["responses"], unpicked["exact_match"]) == (["Oslo"], [0.0])
    assert unpicked["semantic_negentropy"] == pytest.approx(data["semantic_negentropy"])


class CountingEntailment:
    """Says that all texts entail each other, and counts how often each pair is read."""

    signature = Signature.of("nli", model="counting")

    def __init__(self):
        self.pairs = Counter()

    def probabilities(self, premises, hypotheses):
        self.pairs.update(zip(premises, hypotheses, strict=True))
        return np.tile([1.0, 0.0, 0.0], (len(premises), 1))


@pytest.mark.parametrize("kind", ["score", "generate"])
def test_pairs_are_read_once_for_picking_and_scores_together(kind):
    nli, scorers = CountingEntailment(), ["semantic_negentropy", "noncontradiction", "entailment"]
    if kind == "score":
        BlackBoxUQ(scorers=scorers, nli_model_name=nli).score(*TEXTS)
    else:
        llm = FakeListChatModel(responses=[TEXTS[0][0], *TEXTS[1][0]])
        uq = BlackBoxUQ(llm, scorers, nli_model_name=nli, ledger=False, max_calls_per_min=60_000)
        uq.generate_and_score_sync(["Capital?"], num_responses=4)
    assert set(nli.pairs.values()) == {1}
    assert len(nli.pairs) >= 4 * 3  # four different texts, each beside the three others, both ways


def test_without_a_scorer_of_meanings_the_response_stays():
    data = BlackBoxUQ(scorers=["exact_match"], use_best=True).score(*TEXTS).data
    assert (data["responses"], data["exact_match"]) == (["Oslo"], [0.0])


def test_raw_texts_swap_with_their_processed_forms():
    scorer = BlackBoxUQ(scorers=["semantic_negentropy"], postprocessor=str.lower, return_responses="raw")
    data = scorer.score(["A"], [["b", "B", None]]).data
    assert (data["responses"], data["sampled_responses"]) == (["b"], [["A", "B", None]])


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


def test_a_refused_or_missing_response_keeps_its_position():
    data = BlackBoxUQ(scorers=["semantic_negentropy"]).score([None, "a"], [["b", "b"], []]).data
    assert (data["responses"], data["sampled_responses"]) == ([None, "a"], [["b", "b"], []])
