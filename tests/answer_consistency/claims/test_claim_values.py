import numpy as np
import pytest

from semscale.answer_consistency.claims.claim_values import claim_values, entailment_values
from semscale.signature import Signature

NAN = np.nan


def lengths(premises, hypotheses):
    """Ten premises' letters as the value; NaN for one that says nothing."""
    return {"letters": np.array([len(text) if text != "?" else NAN for text in premises], np.float64)}


def test_the_best_unit_of_a_sample_counts_and_the_mean_over_samples():
    # Samples of the first list: units of 1 and 4 letters, and of 2: (4 + 2) / 2 for either claim.
    found = claim_values(
        [["one", "two"], [], ["three"]], [[["a", "abcd"], ["ab"]], [["a"]], [["abc"]]], lengths
    )
    assert [each["letters"].tolist() for each in found] == [[3.0, 3.0], [], [3.0]]


def test_units_that_cannot_be_read_and_samples_without_units_do_not_count():
    found = claim_values([["one"], ["two"], ["three"]], [[["?", "ab"], [], ["?"]], [["?"]], []], lengths)
    np.testing.assert_array_equal([each["letters"][0] for each in found], [2.0, NAN, NAN])


def test_all_pairs_are_valued_in_one_call():
    calls = []

    def values(premises, hypotheses):
        calls.append(list(zip(premises, hypotheses, strict=True)))
        return lengths(premises, hypotheses)

    claim_values([["one", "two"]], [[["a", "b"]]], values)
    assert calls == [[("a", "one"), ("b", "one"), ("a", "two"), ("b", "two")]]


class Undecided:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.array([(0.0, 1.0, 0.0) if text == "neutral" else (0.6, 0.2, 0.2) for text in hypotheses])


def test_a_neutral_pair_is_halfway_between_entailed_and_contradicted():
    found = entailment_values(Undecided(), ["a", "a"], ["neutral", "x"])
    assert found["entailment"].tolist() == [0.0, 0.6]
    assert found["noncontradiction"].tolist() == [1.0, 0.8]
    assert found["contrasted_entailment"].tolist() == [0.5, pytest.approx(0.75)]


def test_without_pairs_no_model_is_asked():
    assert entailment_values(None, [], [])["entailment"].shape == (0,)
