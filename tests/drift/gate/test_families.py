"""Correction within families."""

import numpy as np
import pytest

from semscale.drift.gate.families import adjusted_in_families
from semscale.stats.drift_tests import ExchangeTest

GROUPS = [("topic", "a"), ("topic", "b"), ("topic", "c")]


def found_of(*p_values, least=0.0):
    return [ExchangeTest(p, least) for p in p_values]


def test_groups_cost_the_tests_over_all_items_nothing():
    overall = [("match", None), ("silence", None)]
    grouped = [(name, group) for group in GROUPS for name, _ in overall]
    found = adjusted_in_families(overall + grouped, found_of(0.02, 0.6, *[0.3] * 6), "holm", 0.05)
    assert found[:2].tolist() == [0.04, 0.6]


def test_a_group_is_never_more_certain_than_its_metric_over_all_items():
    asked = [("match", None), *(("match", group) for group in GROUPS)]
    found = adjusted_in_families(asked, found_of(0.2, 0.001, 0.3, 0.9), "holm", 0.05)
    # In its family of three: .003, .6, .9; over all items .2.
    assert found.tolist() == pytest.approx([0.2, 0.2, 0.6, 0.9])


def test_kinds_of_groups_are_families_of_their_own():
    asked = [("match", None), ("match", ("topic", "a")), ("match", ("language", "de"))]
    assert adjusted_in_families(asked, found_of(0.01, 0.02, 0.03), "holm", 0.05).tolist() == [
        0.01,
        0.02,
        0.03,
    ]


def test_a_group_of_a_metric_that_cannot_be_tested_has_no_p_value():
    asked = [("match", None), ("match", ("topic", "a"))]
    assert np.isnan(adjusted_in_families(asked, found_of(np.nan, 0.01), "holm", 0.05)).all()
