"""From pairs of sentences to texts, with values worked out by hand."""

import numpy as np
import pytest

from semscale.matching.entailment import Entailments, SentenceEntailment, support
from semscale.signature import Signature

NAN = [np.nan] * 3


def test_one_sentence_beside_one_keeps_its_probabilities():
    found = support(np.array([[[0.2, 0.3, 0.5]]]))
    np.testing.assert_allclose(found.values, [[0.2, 0.3, 0.5]])
    assert found.deciding.tolist() == [0]
    assert found.worst == pytest.approx(0.5)


def test_the_best_premise_counts_and_another_one_takes_nothing_back():
    # Entailed .7 by the second premise; the first one contradicts .9, but only 1 - .7 = .3 is left.
    found = support(np.array([[[0.0, 0.1, 0.9], [0.7, 0.2, 0.1]]]))
    np.testing.assert_allclose(found.values, [[0.7, 0.0, 0.3]], atol=1e-12)
    assert found.deciding.tolist() == [0]  # .9 against .7


def test_the_mean_is_that_of_the_hypotheses():
    found = support(np.array([[[1.0, 0.0, 0.0]], [[0.5, 0.5, 0.0]], [[0.0, 0.0, 1.0]]]))
    np.testing.assert_allclose(found.mean, [0.5, 0.5 / 3, 1 / 3])
    assert found.worst == 1.0


def test_what_the_model_cannot_read_is_left_out():
    # The first hypothesis is read beside the second premise alone, the second one beside none.
    found = support(np.array([[NAN, [0.4, 0.5, 0.1]], [NAN, NAN]]))
    np.testing.assert_allclose(found.values[0], [0.4, 0.5, 0.1])
    assert np.isnan(found.values[1]).all()
    assert found.deciding.tolist() == [1, -1]
    np.testing.assert_allclose(found.mean, [0.4, 0.5, 0.1])


def test_nothing_read_is_nothing_known():
    found = support(np.array([[NAN]]))
    assert np.isnan(found.mean).all()
    assert np.isnan(found.worst)


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
