import numpy as np
import pytest

from semscale.errors import InputError
from semscale.matching.pair_entailment import pair_probabilities
from semscale.signature import Signature


class Counting:
    """Says that a premise entails a hypothesis by the share of its letters, and keeps what it was asked."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.asked = []

    def probabilities(self, premises, hypotheses):
        self.asked.append(list(zip(premises, hypotheses, strict=True)))
        entailed = [len(premise) / 10 for premise in premises]
        return np.array([(share, 1 - share, 0.0) for share in entailed])


class Broken:
    signature = Signature.of("nli", model="broken")

    def __init__(self, answer):
        self.answer = answer

    def probabilities(self, premises, hypotheses):
        return self.answer


def test_equal_pairs_are_asked_for_once_and_given_for_each():
    model = Counting()
    found = pair_probabilities(model, ["ab", "abcd", "ab"], ["x", "x", "x"])
    assert found[:, 0].tolist() == [0.2, 0.4, 0.2]
    assert model.asked == [[("ab", "x"), ("abcd", "x")]]


def test_no_pairs_are_no_rows():
    assert pair_probabilities(Broken(np.zeros((0, 3))), [], []).shape == (0, 3)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([[0.5, 0.5]]), "3 probabilities for each of 1 pairs, got shape"),
        (np.array([[0.9, 0.5, 0.1]]), "probabilities that sum to 1"),
        (np.array([[1.5, -0.5, 0.0]]), "probabilities that sum to 1"),
        (np.array([[np.nan, 0.5, 0.5]]), "probabilities that sum to 1"),
    ],
)
def test_what_is_no_probability_is_refused(answer, message):
    with pytest.raises(InputError, match=message):
        pair_probabilities(Broken(answer), ["a"], ["b"])
