"""Contradictions by a model of entailment: made-up probabilities, and random checkpoints with forced ones."""

import numpy as np
import pytest
from random_classifier import forced_classifier
from tests.conftest import ToyEmbedder

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.scoring.entailed_contradictions import contradiction_probabilities
from semscale.embedding import ArrayEmbedder
from semscale.errors import InputError
from semscale.matching.entailment.nli_model import load_nli
from semscale.matching.pairs import pair_up
from semscale.signature import Signature

TRADES = [
    "Die Frau arbeitet als Bäckerin in der Stadt.",
    "Die Frau arbeitet als Tischlerin in der Stadt.",
    "Die Frau backt Brot in der Stadt.",
]


class MadeUpEntailment:
    """Gives probabilities of contradiction from a table of pairs; all else is neutral."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self, known=None):
        self.known, self.calls = known or {}, []

    def probabilities(self, premises, hypotheses):
        pairs = list(zip(premises, hypotheses, strict=True))
        self.calls.append(pairs)
        shares = np.array([self.known.get(pair, 0.0) for pair in pairs]).reshape(-1)
        return np.stack([np.zeros_like(shares), 1 - shares, shares], axis=1)


def measured(model, answers, samples, **settings):
    embedder = ArrayEmbedder(TRADES, [(1, 0), (0.6, 0.8), (0.6, 0.8)])
    settings = {"measures": ["consistency", "uncontradicted"], "floor": 0.2, "embedder": embedder} | settings
    return Consistency(nli=model, **settings).measure(answers, samples)


def test_the_greater_of_both_directions_counts_and_equal_texts_do_not_contradict():
    pairs = pair_up(["a", "b"], [["b", "a"], ["c"]])
    model = MadeUpEntailment({("a", "b"): 0.2, ("b", "a"): 0.7, ("a", "a"): 1.0})
    np.testing.assert_allclose(contradiction_probabilities(pairs, model), [0.7, 0.0, 0.0])
    assert model.calls == [[("a", "b"), ("b", "c"), ("b", "a"), ("c", "b")]]


def test_a_contradiction_in_one_direction_counts_a_tenth_in_a_language_that_guards_do_not_read():
    answer, other, baking = TRADES
    model = MadeUpEntailment({(other, answer): 0.51, (answer, baking): 0.5, (baking, answer): 0.5})
    found = measured(model, [answer], [[other, baking]])
    # Both samples lie (.6 - .2) / .8 = .5 above the floor; the first counts a tenth, .5 is not above .5.
    np.testing.assert_allclose(found.score, [(0.05 + 0.5) / 2], atol=1e-6)
    assert found.measures["uncontradicted"].tolist() == [0.5]
    assert found.n_contradicting.tolist() == [1]
    ((one,),) = found.contradictions
    assert (one.sample, one.finding.guard) == (0, "entailment")
    assert one.finding.reason == "The model of entailment gives a contradiction a probability of 0.51."
    assert (one.finding.prediction.text, one.finding.reference.text) == (answer, other)
    summary = found.summarize(answers=[answer], samples=[[other, baking]])
    assert (summary.n_contradicted, summary.guards, summary.n_unguarded) == (1, {"entailment": 1}, 0)
    signed = dict(found.signature.fields)
    assert (signed["contradiction_above"], signed["entailment_model"]) == ("0.5", "made-up")


def test_without_a_model_german_answers_have_no_value_of_uncontradicted():
    found = measured(None, TRADES[:1], [TRADES[1:]])
    assert np.isnan(found.measures["uncontradicted"]).all()
    assert "contradiction_above" not in dict(found.signature.fields)


@pytest.mark.parametrize(("share", "left"), [(0.6, 0.0), (0.4, 1.0)])
def test_a_random_checkpoint_whose_contradiction_is_forced_decides(tmp_path, share, left):
    folder = forced_classifier(tmp_path / "nli", contradiction=share)
    tool = Consistency(
        measures=["uncontradicted"], guards=(), embedder=ToyEmbedder(), nli=load_nli(folder, cache=False)
    )
    found = tool.measure(["w1 w2"], [["w3", "w1 w2", "w4"]])
    # Every pair of different texts contradicts with the forced probability; one sample of three is equal.
    assert found.score.tolist() == [pytest.approx((1 + 2 * left) / 3)]
    assert found.n_contradicting.tolist() == [2 - 2 * left]


def test_a_text_that_the_model_cannot_read_is_neither_contradicted_nor_free_of_it(tmp_path):
    folder = forced_classifier(tmp_path / "nli", contradiction=0.9)
    texts = ["w1 w2", "Das ist nicht sicher, und alle wissen es."]
    tool = Consistency(measures=["uncontradicted"], embedder=ToyEmbedder(), nli=load_nli(folder, cache=False))
    found = tool.measure(texts[:1], [texts[1:]])
    assert found.contradictions == ((),)
    assert np.isnan(found.score).all()


def test_all_pairs_of_a_call_cost_one_batch_with_measures_of_meanings_too():
    answers = [f"answer {item}" for item in range(7)]
    samples = [[f"sample {item} {sample}" for sample in range(5)] for item in range(7)]
    for measures, n in ((["consistency"], 5), (["consistency", "semantic_negentropy"], 15)):
        model = MadeUpEntailment()
        Consistency(measures=measures, nli=model, embedder=ToyEmbedder()).measure(answers, samples)
        # Five samples a prompt, or all pairs of six texts, in both directions.
        assert list(map(len, model.calls)) == [7 * n * 2]


def test_a_model_that_no_measure_uses_is_refused():
    with pytest.raises(InputError, match=r"nli is not used by cosine_sim, exact_match: leave it out"):
        Consistency(measures=["cosine_sim", "exact_match"], nli="nowhere")
    with pytest.raises(InputError, match="nli is not used by snne where texts mean the same by exact words"):
        Consistency(measures=["snne"], same_by="exact", nli="nowhere")
