import numpy as np

from semscale.answer_consistency.scoring.pair_readers import MemoizedEntailment
from semscale.matching.entailment.probabilities import Entailments
from semscale.signature import Signature


class Lengths:
    """Gives the length of the premise as a probability of contradiction in percent; it cannot read "?"."""

    signature = Signature.of("nli", model="lengths")

    def __init__(self):
        self.calls = []

    def entailments(self, premises, hypotheses):
        self.calls.append(list(zip(premises, hypotheses, strict=True)))
        shares = np.array([len(text) / 100 for text in premises])
        values = np.stack([1 - shares, np.zeros_like(shares), shares], axis=1)
        return Entailments(values, np.zeros(len(shares), bool), np.array([text == "?" for text in premises]))


def test_each_pair_is_asked_for_once_and_keeps_its_place():
    model = Lengths()
    asked = MemoizedEntailment(model)
    first = asked.entailments(["a", "bb", "a"], ["x", "x", "x"])
    second = asked.entailments(["?", "bb", "ccc"], ["x", "x", "x"])
    assert model.calls == [[("a", "x"), ("bb", "x")], [("?", "x"), ("ccc", "x")]]
    np.testing.assert_allclose(first.values[:, 2], [0.01, 0.02, 0.01])
    np.testing.assert_allclose(second.values[:, 2], [0.01, 0.02, 0.03])
    assert second.unread.tolist() == [True, False, False]
    assert asked.signature == model.signature


def test_no_pairs_cost_no_call():
    model = Lengths()
    assert MemoizedEntailment(model).probabilities([], []).shape == (0, 3)
    assert model.calls == []
