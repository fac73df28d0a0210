"""CR2 standard errors and their degrees of freedom."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.cluster_robust import cluster_robust
from semscale.stats.linear_models import robust_regression

CLUSTERS = np.repeat(np.arange(8), [1, 2, 3, 2, 5, 1, 4, 12])
MARK = np.array([1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0])
LINE = np.array(
    [
        0.37,
        0.09,
        0.66,
        0.93,
        0.21,
        0.63,
        0.3,
        0.74,
        0.72,
        0.22,
        0.83,
        0.66,
        0.68,
        0.82,
        0.43,
        0.76,
        0.88,
        0.1,
        0.85,
        0.39,
        0.48,
        0.15,
        0.7,
        0.29,
        0.87,
        0.28,
        0.56,
        0.4,
        0.61,
        0.2,
    ]
)
RESPONSE = np.array(
    [
        5.6,
        0.2,
        0.9,
        3.4,
        3.5,
        4.7,
        0.8,
        3.4,
        2.7,
        6.2,
        4.7,
        3.4,
        2,
        2.6,
        2.8,
        2.8,
        4.2,
        2.4,
        3.1,
        3.9,
        3.9,
        5.1,
        3.2,
        4.1,
        3.4,
        3.9,
        4.3,
        2.5,
        3,
        3.7,
    ]
)
WEIGHTS = np.array(
    [
        1.7,
        1.8,
        2.4,
        1.5,
        0.5,
        1.8,
        1,
        2.4,
        1.5,
        1.5,
        2.8,
        1.5,
        1.4,
        1.4,
        1.7,
        0.7,
        1.9,
        2.8,
        1.9,
        2.4,
        2.9,
        2.6,
        2.4,
        2.5,
        2.6,
        1.1,
        1.7,
        1.4,
        1.2,
        1.9,
    ]
)


@pytest.mark.parametrize(
    ("weights", "errors", "freedom"),
    [
        # clubSandwich 0.5.8, R 4.2.2: coef_test(lm(y ~ a + b), vcov = "CR2", cluster, test = "Satterthwaite")
        (
            np.ones(30),
            [1.1234135693057, 0.7248963132598, 1.3262371155871],
            [2.6133480703678, 3.3150340733505, 3.7567789005764],
        ),
        # the same with weights = w
        (
            WEIGHTS,
            [1.1087788928414, 0.6443742178929, 1.2310040915969],
            [2.0562163265833, 2.8098503611317, 2.9485549114539],
        ),
    ],
)
def test_errors_and_degrees_of_freedom_are_those_of_clubsandwich(weights, errors, freedom):
    design = np.column_stack([np.ones(30), MARK, LINE])
    weighted = weights[:, None] * design
    residuals = RESPONSE - design @ np.linalg.solve(design.T @ weighted, weighted.T @ RESPONSE)
    found, degrees = cluster_robust(design, residuals, weights, CLUSTERS)
    assert found == pytest.approx(errors, rel=1e-10)
    assert degrees == pytest.approx(freedom, rel=1e-10)


def test_rows_by_themselves_have_the_unequal_variances_of_two_groups():
    # each group has the variance 0.3, of 5 rows: the difference has 0.3 / 5 + 0.3 / 5
    # degrees of freedom: (2 a)^2 / (a^2 / 4 + a^2 / 4) = 8, where t is 2.306004
    ratings, mark = np.array([5.0, 4, 5, 4, 5, 1, 2, 1, 2, 1]), np.array([1.0] * 5 + [0.0] * 5)
    found = robust_regression(ratings, mark[:, None], clusters=np.arange(10))
    assert found.value[0] == pytest.approx(3.2)
    assert found.high[0] - found.value[0] == pytest.approx(2.306004 * np.sqrt(0.12), rel=1e-6)


def test_answers_that_a_person_gives_twice_add_nothing():
    predictors = np.column_stack([MARK, LINE])
    once = robust_regression(RESPONSE, predictors, clusters=np.arange(30))
    twice = robust_regression(
        np.repeat(RESPONSE, 2), np.repeat(predictors, 2, axis=0), clusters=np.repeat(np.arange(30), 2)
    )
    assert twice.low == pytest.approx(once.low)
    assert twice.high == pytest.approx(once.high)
    assert twice.p_value == pytest.approx(once.p_value)


def test_names_and_order_of_clusters_do_not_matter():
    predictors = np.column_stack([MARK, LINE])
    order = np.random.default_rng(1).permutation(30)
    first = robust_regression(RESPONSE, predictors, weights=WEIGHTS, clusters=CLUSTERS)
    other = robust_regression(
        RESPONSE[order], predictors[order], weights=WEIGHTS[order] * 7, clusters=90 - 5 * CLUSTERS[order]
    )
    assert other.low == pytest.approx(first.low)
    assert other.high == pytest.approx(first.high)


def test_one_cluster_alone_is_refused():
    with pytest.raises(InputError, match="clusters must be 2 or more"):
        robust_regression(RESPONSE, MARK[:, None], clusters=np.zeros(30, dtype=int))
