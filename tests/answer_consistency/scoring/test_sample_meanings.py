import numpy as np
from tests.conftest import ToyEmbedder

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.meanings.relations import Ground
from semscale.answer_consistency.scoring.floor import NO_FLOOR
from semscale.answer_consistency.scoring.sample_meanings import RelationGrounds
from semscale.matching.cosines import Cosines
from semscale.matching.pairs import pair_up
from semscale.signature import Signature

LONG = "the pool in the old town is open on every sunny weekday morning"
PAIRS = pair_up(["red", LONG, "x"], [["Red"], [LONG, "not " + LONG], []])


def grounds(same_by, **settings):
    related = RelationGrounds(same_by, None, ("negation",)).relate(
        PAIRS, NO_FLOOR, Cosines(ToyEmbedder()), **settings
    )
    return {item: one.ground for item, one in related.items()}


def test_each_item_has_the_ground_that_its_texts_allow():
    assert grounds("auto") == {0: Ground.EXACT, 1: Ground.COSINE}
    assert grounds("cosine") == {0: Ground.COSINE, 1: Ground.COSINE}
    assert grounds("exact") == {0: Ground.EXACT, 1: Ground.EXACT}


def test_a_text_that_a_guard_contradicts_does_not_mean_the_same():
    related = RelationGrounds("cosine", None, ("negation",)).relate(PAIRS, NO_FLOOR, Cosines(ToyEmbedder()))
    np.testing.assert_array_equal(related[1].same, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    unguarded = RelationGrounds("cosine", None, ()).relate(PAIRS, NO_FLOOR, Cosines(ToyEmbedder()))
    assert unguarded[1].similarity[0, 2] > related[1].similarity[0, 2]


class Counting:
    """A model of entailment that finds every pair neutral, and counts the pairs of each call."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.calls = []

    def probabilities(self, premises, hypotheses):
        self.calls.append(len(premises))
        return np.tile([0.0, 1.0, 0.0], (len(premises), 1))


def test_pairs_of_all_samples_of_all_prompts_are_read_in_one_call_whatever_is_measured():
    model = Counting()
    measures = ["semantic_negentropy", "entailment", "noncontradiction"]
    answers = [f"answer {item}" for item in range(7)]
    samples = [[f"sample {item} {sample}" for sample in range(5)] for item in range(7)]
    Consistency(measures=measures, nli=model).measure(answers, samples)
    # Six texts a prompt make 15 pairs, each read in both directions.
    assert model.calls == [7 * 15 * 2]
