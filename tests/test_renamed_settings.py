"""Old names of settings: taken for one version, with a warning at the caller's line."""

import numpy as np
import pytest

import semscale
from semscale.compat.athena import AnalysisSettings, QualityDriftAnalyzer, calculate_credit_drift
from semscale.drift.measure.meter import DriftMeter
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.matching.bertscore.scorer import BertScorer
from semscale.matching.matcher import Matcher
from semscale.self_consistency import correctness_probability
from semscale.self_consistency.consistency import Consistency
from semscale.signature import Signature
from semscale.snapshots.session_scorer import SnapshotMeter


class Examiner:
    """A chat model that is never asked."""

    name = "examiner"
    signature = Signature.of("chat", model="examiner")

    async def complete(self, request): ...


CALLS = {
    "Matcher": (lambda **old: Matcher("cosine", **old), "embedder"),
    "match": (lambda **old: semscale.match([], [], "cosine", **old), "embedder"),
    "Consistency": (Consistency, "embedder"),
    "consistency": (lambda **old: semscale.consistency([], [], **old), "embedder"),
    "DriftMeter": (DriftMeter, "embedder"),
    "SnapshotMeter": (SnapshotMeter, "embedder"),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_old_name_is_taken_with_a_warning(name, toy_embedder):
    call, new = CALLS[name]
    with pytest.warns(DeprecationWarning, match=f"^{name}: 'model' is called '{new}' now") as caught:
        call(model=toy_embedder)
    assert caught[0].filename == __file__


def test_a_model_of_bertscore_may_go_by_its_old_name():
    with pytest.warns(DeprecationWarning, match="BertScorer: 'model' is called 'embedder' now"):
        by_old_name = BertScorer(model="all-MiniLM-L6-v2")
    assert by_old_name.signature == BertScorer("all-MiniLM-L6-v2").signature
    with pytest.warns(DeprecationWarning, match="bertscore: 'model' is called 'embedder' now"):
        scores = semscale.bertscore(["a"], ["a"], model=by_old_name.encoder)
    np.testing.assert_allclose(scores.f1, 1.0)


def test_the_probability_of_being_right_has_its_old_names(toy_embedder):
    answers, labels = ["yes"] * 40, [1, 0] * 20
    samples = [["yes"] if right else ["no"] for right in labels]
    found = Consistency(embedder=toy_embedder).measure(answers, samples)
    with pytest.warns(
        DeprecationWarning, match="Consistencies: 'trust' is called 'correctness' now"
    ) as caught:
        known = found.trust(labels)
    assert caught[0].filename == __file__
    with pytest.warns(
        DeprecationWarning, match="Consistencies.summarize: 'trust' is called 'correctness' now"
    ):
        summary = found.summarize(trust=known)
    assert summary.correctness is known
    with pytest.warns(DeprecationWarning, match="ConsistencySummary: 'trust' is called 'correctness' now"):
        assert summary.trust is known
    with pytest.warns(
        DeprecationWarning, match="'estimate_trust' is called 'estimate_correctness' now"
    ) as caught:
        from semscale.self_consistency.correctness_probability import estimate_trust
    assert caught[0].filename == __file__
    assert estimate_trust is correctness_probability.estimate_correctness
    with pytest.raises(AttributeError, match="has no attribute 'estimate_truth'"):
        correctness_probability.estimate_truth  # noqa: B018


def test_a_judge_may_be_given_by_its_old_name():
    with pytest.warns(DeprecationWarning, match="Judge: 'model' is called 'chat_model' now"):
        judge = semscale.Judge(model=Examiner())
    assert judge.name == "examiner"
    with pytest.warns(DeprecationWarning, match="judge: 'model' is called 'chat_model' now"):
        assert semscale.judge([], [], model=Examiner()).n == 0


def test_the_second_model_of_consistency_has_a_new_name_too(toy_embedder):
    with pytest.warns(DeprecationWarning, match="'bert_model' is called 'bert_embedder' now"):
        semscale.consistency([], [], embedder=toy_embedder, bert_model="all-MiniLM-L6-v2")


def test_both_names_together_are_refused(toy_embedder):
    with pytest.raises(InputError, match="model is the old name of embedder: give embedder alone"):
        Matcher("cosine", model=toy_embedder, embedder=toy_embedder)


def test_the_embedder_of_athenas_analysis_may_go_by_its_old_name():
    said = [{"description": "Names the cause.", "credits": 1.0}]
    with pytest.warns(DeprecationWarning, match="calculate_credit_drift: 'model' is called 'embedder' now"):
        drift = calculate_credit_drift(said, said, model="all-MiniLM-L6-v2")
    assert drift["mean_drift"] == 0
    for kind in (QualityDriftAnalyzer, AnalysisSettings):
        with pytest.warns(DeprecationWarning, match=f"{kind.__name__}: 'model' is called 'embedder' now"):
            made = kind(model="bge-small-en-v1.5")
        assert made.embedder == "bge-small-en-v1.5"
        with pytest.warns(DeprecationWarning, match=f"{kind.__name__}: 'model' is called") as caught:
            assert made.model == made.embedder
        assert caught[0].filename == __file__


def test_outputs_with_a_text_may_go_by_their_old_name():
    item = Item("a", (Output("b"), Output(" ")))
    with pytest.warns(DeprecationWarning, match="Item: 'spoken' is called 'outputs_with_text' now"):
        assert item.spoken == item.outputs_with_text == (Output("b"),)
