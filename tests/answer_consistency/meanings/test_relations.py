import numpy as np
import pytest

from semscale.answer_consistency.meanings.relations import (
    Ground,
    ItemPairs,
    cosine_relations,
    entailment_relations,
    exact_relations,
)
from semscale.matching.pairs import pair_up
from semscale.signature import Signature


class MadeUpEntailment:
    """Gives probabilities from a table of pairs; others are neutral."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self, known):
        self.known, self.calls = known, []

    def probabilities(self, premises, hypotheses):
        pairs = list(zip(premises, hypotheses, strict=True))
        self.calls.append(pairs)
        return np.array([self.known.get(pair, (0.0, 1.0, 0.0)) for pair in pairs])


def paired(answers, samples):
    return ItemPairs.of(pair_up(answers, samples))


def test_all_texts_of_an_item_are_paired_the_answer_first():
    pairs = paired(["a", "x", "y"], [["b", "a"], [], ["z"]])
    named = [(pairs.texts[i], pairs.texts[j]) for i, j in zip(pairs.first, pairs.second, strict=True)]
    assert named == [("a", "b"), ("a", "a"), ("b", "a"), ("y", "z")]
    assert pairs.item.tolist() == [0, 0, 0, 2]
    assert [len(each) for each in pairs.members] == [3, 0, 2]


def test_items_with_a_longer_text_are_not_short():
    pairs = paired(["Paris", "Paris", "x"], [["Rome"], ["It is the old capital of sunny France."], []])
    assert pairs.short.tolist() == [True, False, False]


def test_short_answers_are_the_same_by_their_words():
    found = exact_relations(paired(["red"], [["Red.", "blue"]]))[0]
    assert found.ground is Ground.EXACT
    np.testing.assert_array_equal(found.similarity, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found.same, found.similarity > 0)


def test_equal_texts_are_the_same_whatever_their_cosine():
    pairs = paired(["a"], [["b", "a"]])
    found = cosine_relations(pairs, np.array([0.25, 0.5, 0.75]), np.array([False, False, False]))[0]
    np.testing.assert_array_equal(found.similarity, [[1, 0.25, 1], [0.25, 1, 0.75], [1, 0.75, 1]])
    assert found.same.sum() == 5


def test_entailment_counts_in_both_directions_and_is_asked_for_once():
    known = {
        ("a dog", "an animal"): (0.9, 0.1, 0.0),
        ("an animal", "a dog"): (0.3, 0.6, 0.1),
        ("a dog", "a hound"): (0.8, 0.1, 0.1),
        ("a hound", "a dog"): (0.6, 0.2, 0.2),
        ("an animal", "a hound"): (0.0, 0.0, 1.0),
    }
    model = MadeUpEntailment(known)
    found = entailment_relations(paired(["a dog", "a dog"], [["an animal", "a hound"], ["a hound"]]), model)
    first = found[0]
    assert first.same[0].tolist() == [True, False, True]
    assert first.similarity[0].tolist() == pytest.approx([1, (0.9 + 0.3) / 2, (0.8 + 0.6) / 2])
    assert first.noncontradiction[0].tolist() == pytest.approx([1, 1 - 0.1 / 2, 1 - 0.3 / 2])
    assert found[1].similarity[0, 1] == pytest.approx(0.7)
    assert len(model.calls) == 1
    assert len(model.calls[0]) == len(set(model.calls[0])) == 6
