"""Models that read texts once: memoized entailment, and texts of several sentences."""

import numpy as np
import pytest
from tests.conftest import ToyEmbedder

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.samples import MemoizedEntailment
from semscale.matching.entailment import Entailments, SentenceEntailment
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


class Table:
    """Gives probabilities by pairs of sentences; equal ones entail each other, and all else is neutral."""

    signature = Signature.of("nli", model="table")

    def __init__(self, known=None, unread=()):
        self.known, self.unread, self.asked = known or {}, unread, []

    def entailments(self, premises, hypotheses):
        pairs = list(zip(premises, hypotheses, strict=True))
        self.asked += pairs
        equal = {True: (1.0, 0.0, 0.0), False: (0.0, 1.0, 0.0)}
        values = np.array([self.known.get(pair, equal[pair[0] == pair[1]]) for pair in pairs])
        unread = np.array([bool({*pair} & {*self.unread}) for pair in pairs])
        return Entailments(values, np.array(["long" in pair[0] for pair in pairs]), unread)

    def probabilities(self, premises, hypotheses):
        return self.entailments(premises, hypotheses).values


FOUR_RIGHT = "Ann came. Bob left. Cy slept. Di sang."
ONE_WRONG = "Ann came. Bob left. Cy slept. Di wept."
WEPT = {("Di sang.", "Di wept."): (0.0, 0.1, 0.9)}


def test_a_text_has_the_mean_of_its_sentences_and_its_worst_contradiction():
    model = SentenceEntailment(Table(WEPT))
    # Three sentences of the hypothesis are entailed; the fourth is contradicted with .9.
    np.testing.assert_allclose(model.probabilities([FOUR_RIGHT], [ONE_WRONG]), [[0.75, 0.025, 0.225]])
    np.testing.assert_allclose(model.contradictions([FOUR_RIGHT], [ONE_WRONG]), [0.9])
    np.testing.assert_allclose(model.contradictions([ONE_WRONG], [FOUR_RIGHT]), [0.0])


def test_texts_of_one_sentence_are_asked_about_as_they_are():
    inner = Table()
    assert SentenceEntailment(inner).probabilities(["It broke"], ["It works"]).tolist() == [[0.0, 1.0, 0.0]]
    assert inner.asked == [("It broke", "It works")]


def test_what_is_cut_or_not_read_is_said():
    model = SentenceEntailment(Table(unread=["??"]))
    found = model.entailments(["a long tale. b.", "a."], ["b.", "??"])
    assert found.truncated.tolist() == [True, False]
    assert found.unread.tolist() == [False, True]
    assert model.entailments([], []).values.shape == (0, 3)


@pytest.mark.parametrize(("by_sentence", "contradicted"), [(True, 1), (False, 0)])
def test_one_wrong_sentence_of_four_contradicts_an_answer(by_sentence, contradicted):
    tool = Consistency(
        measures=["uncontradicted", "noncontradiction"], guards=(), embedder=ToyEmbedder(),
        nli=Table(WEPT), by_sentence=by_sentence,
    )  # fmt: skip
    found = tool.measure([FOUR_RIGHT], [[ONE_WRONG]])
    assert found.n_contradicting.tolist() == [contradicted]
    reads = dict(found.signature.fields)["entailment_sentences"]
    assert reads == ("max/mean" if by_sentence else "whole")
    # By sentences 1 - (.225 + 0) / 2, read whole all is neutral.
    expected = 1 - 0.225 / 2 if by_sentence else 1.0
    assert found.measures["noncontradiction"].tolist() == [pytest.approx(expected)]
