"""Covariances of groups beside a slow loop over strata, clusters and groups."""

import numpy as np
import pytest

from semscale.stats.survey import domain_products
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.variances import Variances


def loop(spread, strata, clusters, groups, n_groups):
    """Covariance of groups' totals: sum over strata of m / (m - 1) sum of products of deviations."""
    covariance = np.zeros((spread.shape[1], n_groups, n_groups))
    for stratum in np.unique(strata):
        inside = np.unique(clusters[strata == stratum])
        totals = np.array(
            [
                [spread[(clusters == cluster) & (groups == group)].sum(axis=0) for group in range(n_groups)]
                for cluster in inside
            ]
        )
        apart = totals - totals.mean(axis=0)
        factor = len(inside) / (len(inside) - 1)
        covariance += factor * np.einsum("cgv,chv->vgh", apart, apart)
    return covariance


@pytest.mark.parametrize("cells", [4_000_000, 1])
@pytest.mark.parametrize("size", [1, 3])
def test_covariances_equal_a_slow_loop(size, cells, monkeypatch):
    monkeypatch.setattr(domain_products, "_CELLS", cells)
    rng = np.random.default_rng(3)
    n = 60
    clusters = np.arange(n) // size
    strata = clusters % 3
    groups = rng.integers(-1, 4, n)
    spread = rng.normal(size=(n, 5))
    design = SurveyDesign(np.ones(n), strata=strata, clusters=clusters)
    found = Variances(design, Domains(groups, 4)).covariance(np.zeros((5, 4)), spread)
    np.testing.assert_allclose(found, loop(spread, strata, clusters, groups, 4), atol=1e-10)


def test_degrees_of_freedom_count_clusters_and_strata_with_a_row_that_counts():
    # Stratum 0 has clusters 0, 1 and 2, stratum 1 has 3 and 4.
    # Group 0 is in clusters 0, 1 and 3, group 1 in 1, 2 and 4.
    clusters, groups = np.array([0, 1, 1, 2, 3, 4]), np.array([0, 0, 1, 1, 0, 1])
    design = SurveyDesign(np.ones(6), strata=[0, 0, 0, 0, 1, 1], clusters=clusters)
    everyone = np.ones((6, 1), dtype=bool)
    degrees = Variances(design, Domains(groups, 2)).pair_degrees(everyone)
    assert degrees[0].tolist() == [[1, 3], [3, 1]]
    without = everyone.copy()
    without[4] = False  # group 0 is in stratum 0 alone then: clusters 0 and 1
    both = np.hstack([everyone, without])
    assert Variances(design, Domains(groups, 2)).pair_degrees(both)[1].tolist() == [[1, 2], [2, 1]]
