"""What holds for any survey: scale of weights, clusters of one row, order of replicates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.stats.survey.correlations import survey_correlations
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.design_effects import mean_design_effects
from semscale.stats.survey.differences import group_differences, paired_differences
from semscale.stats.survey.means import survey_means, survey_totals
from semscale.stats.survey.raked_designs import raked_design
from semscale.stats.survey.raking import rake
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.replication import jackknife_replicates

pytestmark = pytest.mark.filterwarnings("error")
seeds = st.integers(0, 2**32 - 1)
designs = st.sampled_from(["linearised", "replicated", "raked"])


def sample(seed, n=36):
    """Two related columns with gaps, weights, strata, clusters of three, and groups."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 2)) @ np.array([[1, 0.6], [0, 0.8]])
    table[rng.random((n, 2)) < 0.1] = np.nan
    return table, rng.uniform(0.5, 2, n), rng.integers(0, 2, n)


def made(kind, weights, **draw):
    plain = SurveyDesign(weights, **draw)
    if kind == "replicated":
        return jackknife_replicates(plain)
    if kind == "linearised":
        return plain
    sex = np.arange(len(weights)) % 2
    return raked_design(
        plain, rake({"sex": sex}, {"sex": {0: 0.4, 1: 0.6}}, weights=weights, tolerance=1e-13)
    )


def figures(table, design, groups):
    """Every figure with its errors, apart from totals."""
    means = survey_means(table, design, groups=groups, n_groups=2)
    differences = group_differences(means)
    pairs = paired_differences(table[:, 0], table[:, 1], design, groups=groups, n_groups=2)
    correlations = [
        survey_correlations(table[:, 0], table[:, 1], design, kind=kind, groups=groups, n_groups=2)
        for kind in ("pearson", "spearman")
    ]
    effects = mean_design_effects(table, design, groups=groups, n_groups=2)
    found = [part for one in (means, *correlations) for part in (one.values, one.covariance, one.df)]
    found += [part for one in (differences, pairs) for part in (one.values, one.standard_errors, one.df)]
    return [*found, effects.overall, effects.weighting]


def check_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


DRAW = {"strata": np.arange(36) // 12, "clusters": np.arange(36) // 3}


@settings(max_examples=25, deadline=None)
@given(seeds, designs, st.floats(0.01, 1000))
def test_weights_scaled_by_a_constant_change_totals_alone(seed, kind, factor):
    table, weights, groups = sample(seed)
    one, scaled = (made(kind, weights * by, **DRAW) for by in (1, factor))
    check_equal(figures(table, scaled, groups), figures(table, one, groups))
    totals, more = (survey_totals(table, design) for design in (one, scaled))
    by = 1 if kind == "raked" else factor  # margins say what raked weights sum to
    check_equal([more.values, more.standard_errors], [totals.values * by, totals.standard_errors * by])


@settings(max_examples=25, deadline=None)
@given(seeds, designs)
def test_clusters_of_one_row_are_no_clusters(seed, kind):
    table, weights, groups = sample(seed)
    strata = DRAW["strata"]
    labels = np.random.default_rng(seed).permutation(len(weights))
    one, none = (made(kind, weights, strata=strata, clusters=clusters) for clusters in (labels, None))
    check_equal(figures(table, one, groups), figures(table, none, groups))


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_order_of_replicates_does_not_matter(seed):
    table, weights, groups = sample(seed)
    design = made("replicated", weights, **DRAW)
    order = np.random.default_rng(seed).permutation(design.replicates.shape[1])
    shuffled = ReplicateDesign(
        design.weights, design.replicates[:, order], design.scale, np.asarray(design.rscales)[order]
    )
    check_equal(figures(table, shuffled, groups), figures(table, design, groups))
