"""From pairs of sentences to texts, with values worked out by hand."""

import numpy as np
import pytest

from semscale.matching.entailment import Entailments, SentenceEntailment, support
from semscale.signature import Signature

NAN = [np.nan] * 3


def test_single_sentence_pair_keeps_its_probabilities():
    result = support(np.array([[[0.2, 0.3, 0.5]]]))
    np.testing.assert_allclose(result.values, [[0.2, 0.3, 0.5]])
    assert result.deciding.tolist() == [0]
    assert result.worst == pytest.approx(0.5)


def test_best_premise_counts_and_weaker_premises_do_not_lower_it():
    # Entailed .7 by the second premise; the first one contradicts .9, but only 1 - .7 = .3 is left.
    result = support(np.array([[[0.0, 0.1, 0.9], [0.7, 0.2, 0.1]]]))
    np.testing.assert_allclose(result.values, [[0.7, 0.0, 0.3]], atol=1e-12)
    assert result.deciding.tolist() == [0]  # .9 against .7


def test_the_mean_is_that_of_the_hypotheses():
    result = support(np.array([[[1.0, 0.0, 0.0]], [[0.5, 0.5, 0.0]], [[0.0, 0.0, 1.0]]]))
    np.testing.assert_allclose(result.mean, [0.5, 0.5 / 3, 1 / 3])
    assert result.worst == 1.0


def test_what_the_model_cannot_read_is_left_out():
    # The first hypothesis is read beside the second premise alone, the second one beside none.
    result = support(np.array([[NAN, [0.4, 0.5, 0.1]], [NAN, NAN]]))
    np.testing.assert_allclose(result.values[0], [0.4, 0.5, 0.1])
    assert np.isnan(result.values[1]).all()
    assert result.deciding.tolist() == [1, -1]
    np.testing.assert_allclose(result.mean, [0.4, 0.5, 0.1])


def test_nothing_read_is_nothing_known():
    result = support(np.array([[NAN]]))
    assert np.isnan(result.mean).all()
    assert np.isnan(result.worst)


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
SINGLE_ERROR = "Ann came. Bob left. Cy slept. Di wept."
WEPT = {("Di sang.", "Di wept."): (0.0, 0.1, 0.9)}


def test_a_text_has_the_mean_of_its_sentences_and_its_worst_contradiction():
    model = SentenceEntailment(Table(WEPT))
    # Three sentences of the hypothesis are entailed; the fourth is contradicted with .9.
    np.testing.assert_allclose(model.probabilities([FOUR_RIGHT], [SINGLE_ERROR]), [[0.75, 0.025, 0.225]])
    np.testing.assert_allclose(model.contradictions([FOUR_RIGHT], [SINGLE_ERROR]), [0.9])
    np.testing.assert_allclose(model.contradictions([SINGLE_ERROR], [FOUR_RIGHT]), [0.0])


def test_single_sentence_texts_are_passed_unchanged():
    inner = Table()
    assert SentenceEntailment(inner).probabilities(["It broke"], ["It works"]).tolist() == [[0.0, 1.0, 0.0]]
    assert inner.asked == [("It broke", "It works")]


def test_cut_and_unread_sentences_are_marked():
    model = SentenceEntailment(Table(unread=["??"]))
    result = model.entailments(["a long tale. b.", "a."], ["b.", "??"])
    assert result.truncated.tolist() == [True, False]
    assert result.unread.tolist() == [False, True]
    assert model.entailments([], []).values.shape == (0, 3)
