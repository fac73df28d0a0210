"""Terms of weighted prediction-powered means."""

import numpy as np
import pytest

from semscale.stats.calibration.linearized_terms import (
    best_tuning,
    linearized_terms,
    padded_items,
    variance_of,
    weighted_items,
)
from semscale.stats.calibration.sample_design import SampleDesign


def test_the_variance_of_a_plain_mean_is_that_of_the_textbook():
    labels = np.array([0.1, 0.4, 0.4, 0.9])
    terms = linearized_terms(weighted_items(np.full(4, 0.5), labels, SampleDesign()))
    assert best_tuning(terms) == 0
    assert variance_of(terms, 0.0) == pytest.approx(labels.var(ddof=1) / 4)


def test_a_weighted_stratified_variance_is_the_sum_over_strata():
    # two strata of two, labels 0, 2 and 5, 5, weights alike; changes are -(y - 3) / 4 / (3 / 4) = 1, 1/3,
    # -2/3, -2/3. Within strata: 2 ((1/3)^2 + (1/3)^2) = 4/9 and 0.
    design = SampleDesign(weights=np.ones(4), strata=np.array([0, 0, 1, 1]))
    terms = linearized_terms(weighted_items(np.full(4, 1.0), np.array([0.0, 2, 5, 5]), design))
    assert variance_of(terms, 0.0) == pytest.approx(4 / 9)


def test_added_labels_weigh_as_told():
    items = weighted_items(np.array([0.1, 0.2, 0.9]), np.array([0.0, 0, 1]), SampleDesign())
    added = padded_items(items, (0, 1), part=0.5)
    assert added.expanded.tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    assert added.labels.tolist() == [0, 0, 1, 0, 1, 0, 1]
