import asyncio

import numpy as np
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from semscale.compat.uqlm import UQEnsemble
from semscale.compat.uqlm.entropy import SemanticEntropy
from semscale.errors import InputError
from semscale.signature import Signature


class MadeUpEntailment:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.5, 0.3, 0.2], (len(premises), 1))


def run(awaited):
    return asyncio.run(awaited)


def test_the_off_the_shelf_ensemble_of_the_readme():
    llm = FakeListChatModel(responses=["Paris", "Paris", "Rome", "Score: Correct", "Correct", "Correct"])
    judge = FakeListChatModel(responses=["Correct"])
    uqe = UQEnsemble(
        llm, ["noncontradiction", "exact_match", judge], weights=[0.56, 0.14, 0.3],
        nli_model_name=MadeUpEntailment(), ledger=False,
    )  # fmt: skip
    result = run(uqe.generate_and_score(["The capital of France?"], num_responses=2))
    # Paris and Rome: noncontradiction (1 + .8) / 2, exact match 1/2; the judge says 1.
    assert result.data["noncontradiction"] == [pytest.approx(0.9)]
    assert result.data["judge_1"] == [1.0]
    assert result.data["ensemble_scores"] == [pytest.approx(0.56 * 0.9 + 0.14 * 0.5 + 0.3)]


def test_judges_have_the_ledger_and_the_limit_of_the_ensemble(tmp_path):
    models = [FakeListChatModel(responses=["Correct"]) for _ in range(2)]
    uqe = UQEnsemble(scorers=models, ledger=tmp_path / "replies", max_calls_per_min=600)
    given = ["The capital of France?"], ["Paris"]
    assert run(uqe.score(*given)).data["ensemble_scores"] == [1.0]
    assert (tmp_path / "replies").exists()
    assert {judge.running.limits.requests_per_minute for judge in uqe._panel.judges} == {600}
    apart = UQEnsemble(scorers=models, ledger=False, max_calls_per_min=7)
    assert {judge.running.ledger for judge in apart._panel.judges} == {False}


def scored(n=100, seed=0):
    """Exact match tells right answers from wrong ones; token probabilities say nothing."""
    rng = np.random.default_rng(seed)
    correct = rng.permutation(np.arange(n) % 2 == 0)
    equal = np.clip(rng.binomial(10, np.where(correct, 0.8, 0.3)), 0, 10)
    samples = [["a"] * k + ["b"] * (10 - k) for k in equal.tolist()]
    logprobs = [[{"logprob": float(value)}] for value in np.log(rng.uniform(0.01, 1, n))]
    uqe = UQEnsemble(scorers=["exact_match", "min_probability"])
    run(uqe.score(["q"] * n, ["a"] * n, samples, logprobs))
    return uqe, correct.tolist()


def test_tuned_weights_go_to_what_tells_and_the_nested_area_stands_beside_the_plain_mean():
    uqe, correct = scored()
    result = uqe.tune_from_graded(correct)
    assert result.metadata["weights"]["exact_match"] > 0.7
    assert sum(uqe.weights) == pytest.approx(1)
    tuning = result.metadata["tuning"]
    assert tuning["roc_auc_nested"] > tuning["roc_auc_plain_mean"]
    accepted = np.array(result.data["ensemble_scores"]) > uqe.thresh
    assert (accepted == correct).mean() > 0.85


def test_tuning_asks_and_grades_by_words_unless_a_function_does():
    n = 60
    llm = FakeListChatModel(responses=["red"])
    uqe = UQEnsemble(llm, ["exact_match"], ledger=False)
    truths = ["It is red." if at % 2 else "blue" for at in range(n)]
    result = run(uqe.tune([f"colour {at}?" for at in range(n)], truths, num_responses=1))
    assert result.metadata["tuning"]["n"] == n
    with pytest.raises(InputError, match="5 or more wrong, got 60 right and 0 wrong"):
        run(uqe.tune([f"colour {at}?" for at in range(n)], truths, lambda response, answer: True, 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scorers": ["bleurt"]}, "got 'bleurt'"),
        ({"scorers": ["exact_match"], "weights": [1, 2]}, "weights must be 1 numbers"),
        ({"nli_model_name": MadeUpEntailment()}, "got none, or no llm"),
    ],
)
def test_components_and_weights_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        UQEnsemble(**settings)


def test_a_refused_tuning_leaves_the_ensemble_as_it_was():
    uqe, correct = scored()
    with pytest.raises(InputError, match="at least 40 labels"):
        uqe.tune_from_graded([*correct[:36], *[None] * 64])
    assert (uqe.weights, uqe.thresh) == ([0.5, 0.5], 0.5)


def test_arguments_that_would_change_the_result_warn_that_they_are_not_applied():
    uqe = UQEnsemble(scorers=["exact_match"], use_best=True, device="cpu")
    with (
        pytest.warns(UserWarning, match="grader_llm is not applied: without grader_function"),
        pytest.raises(InputError),
    ):
        run(uqe.tune(["a?"], [], grader_llm=object()))
    with pytest.warns(UserWarning, match="nli is not applied: nli_model_name takes"):
        SemanticEntropy(nli=object())
