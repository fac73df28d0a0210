"""Krippendorff's alpha of codes."""

import numpy as np
import pytest

from semscale.coding.summary.coding_agreement import agreement_between, agreement_with_people


def test_alpha_of_four_answers_by_hand():
    # pairs 11 10 00 00: values 1 1 1 0 0 0 0 0, one of four pairs differs: Do = 1/4
    # De = 2 * 3 * 5 / (8 * 7) = 30/56; alpha = 1 - (1/4) / (30/56) = 1 - 56/120
    given = np.array([[1.0], [1.0], [0.0], [0.0]])
    hand = np.array([[[1.0], [0.0], [0.0], [0.0]]])
    (found,) = agreement_with_people(given, hand, ["price"])
    assert found.alpha.value == pytest.approx(1 - 56 / 120)
    (between,) = agreement_between(np.stack([given, hand[0]]), ["price"])
    assert between.alpha.value == found.alpha.value


def test_most_people_count_and_a_tie_counts_for_nothing():
    given = np.array([[1.0], [0.0], [1.0], [0.0]])
    hand = np.array([[[1.0], [0.0], [1.0], [0.0]], [[1.0], [0.0], [0.0], [0.0]]])
    (found,) = agreement_with_people(given, hand, ["price"])
    assert (found.alpha.value, found.alpha.n) == (1.0, 3)


def test_answers_that_nobody_coded_or_decided_are_left_out():
    given = np.array([[1.0], [np.nan], [0.0]])
    hand = np.array([[[1.0], [1.0], [np.nan]]])
    (found,) = agreement_with_people(given, hand, ["price"])
    assert (found.alpha.n, found.alpha.n_left_out) == (1, 2)
    assert np.isnan(found.alpha.value)


def test_one_person_alone_agrees_with_nobody():
    assert agreement_between(np.ones((1, 3, 2)), ["a", "b"]) == ()
