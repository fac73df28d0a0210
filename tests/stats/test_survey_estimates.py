"""Means, shares, ratios and totals of groups in surveys."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.reference_figures import jackknife_replicates

from semscale.errors import InputError
from semscale.stats import survey_estimates as chapter
from semscale.stats.raking import rake, raked_design
from semscale.stats.significance import group_differences
from semscale.stats.survey_designs import Domains, ReplicateDesign, SurveyDesign
from semscale.stats.survey_estimates import (
    Linearized,
    Variances,
    indicators,
    kish_design_effect,
    share_interval,
    survey_means,
    survey_ratios,
    survey_totals,
)


def test_a_plain_mean_has_the_standard_error_of_a_textbook():
    y = np.array([2.0, 4, 4, 6])
    result = survey_means(y, SurveyDesign(np.ones(4)))
    # s ** 2 is 8 / 3, over n.
    assert result.standard_errors[0, 0] == pytest.approx(np.sqrt(8 / 3 / 4))
    low, high = result.interval()
    half = 3.182446305284263 * np.sqrt(8 / 3 / 4)  # t with 3 degrees of freedom
    assert [low[0, 0], high[0, 0]] == pytest.approx([4 - half, 4 + half])


def test_missing_values_leave_the_base_and_are_counted():
    y = np.array([[1.0, np.nan], [3.0, 5.0], [np.nan, 7.0]])
    result = survey_means(y, SurveyDesign(np.array([1.0, 3.0, 2.0])))
    assert result.values[:, 0].tolist() == [2.5, 5.8]
    assert result.n.tolist() == [[2], [2]]
    assert result.n_missing.tolist() == [[1], [1]]
    assert result.weight.tolist() == [[4.0], [5.0]]
    assert result.effective_n[:, 0] == pytest.approx([16 / 10, 25 / 13])


def test_rows_without_weight_are_in_no_base():
    result = survey_means([1.0, 2.0, 9.0], SurveyDesign(np.array([1.0, 1.0, 0.0])))
    assert (result.values[0, 0], result.n[0, 0], result.n_missing[0, 0]) == (1.5, 2, 0)


def test_a_group_without_rows_has_no_figures():
    result = survey_means([1.0, 2.0, 3.0], SurveyDesign(np.ones(3)), groups=[0, 0, 2], n_groups=4)
    assert np.isnan(result.values[0]).tolist() == [False, True, False, True]
    assert np.isnan(result.standard_errors[0]).tolist() == [False, True, True, True]
    assert np.isnan(result.interval()[0][0]).tolist() == [False, True, True, True]
    assert np.isnan(
        survey_totals([1.0, 2.0], SurveyDesign(np.ones(2)), groups=[-1, -1], n_groups=1).values
    ).all()


def test_blocks_of_columns_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.normal(size=(50, 7))
    y[rng.random(y.shape) < 0.2] = np.nan
    design = SurveyDesign(rng.uniform(1, 2, 50), clusters=np.arange(50) // 5)
    groups = rng.integers(0, 3, 50)
    whole = survey_means(y, design, groups=groups)
    monkeypatch.setattr(chapter, "_NUMBERS_AT_ONCE", 100)
    blocks = survey_means(y, design, groups=groups)
    for name in ("values", "covariance", "pair_df", "n", "n_missing", "weight", "effective_n"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name), atol=1e-12)


@given(st.integers(0, 10_000))
def test_order_of_rows_and_scale_of_weights_change_no_mean(seed):
    rng = np.random.default_rng(seed)
    y, weights, clusters = rng.normal(size=30), rng.uniform(1, 5, 30), np.arange(30) // 3
    groups, order = rng.integers(0, 2, 30), rng.permutation(30)
    first = survey_means(y, SurveyDesign(weights, clusters=clusters), groups=groups, n_groups=2)
    other = survey_means(
        y[order], SurveyDesign(7 * weights[order], clusters=clusters[order]), groups=groups[order], n_groups=2
    )
    np.testing.assert_allclose(first.values, other.values, atol=1e-12)
    np.testing.assert_allclose(first.covariance, other.covariance, atol=1e-12)


def test_a_ratio_of_columns_that_are_alike_is_certain():
    x = np.array([1.0, 2.0, 5.0])
    result = survey_ratios(2 * x, x, SurveyDesign(np.ones(3)))
    assert (result.values[0, 0], result.standard_errors[0, 0]) == (2.0, 0.0)


def test_replicates_without_weight_in_a_group_do_not_count():
    # Group 1 is the last cluster alone: without it there is no estimate, and the others do not differ.
    design = jackknife_replicates(SurveyDesign(np.ones(3)))
    result = survey_means([1.0, 2.0, 3.0], design, groups=[0, 0, 1])
    assert result.values.tolist() == [[1.5, 3.0]]
    assert result.covariance[0, 1, 1] == pytest.approx(0)
    assert np.isnan(result.standard_errors[0, 1])


@pytest.mark.parametrize(
    ("columns", "settings", "message"),
    [
        ([1.0, 2.0], {}, r"columns must have 3 rows as the design has, got shape \(2, 1\)"),
        (["a", "b", "c"], {}, "columns must be numbers"),
        ([1.0, np.inf, 2.0], {}, r"row 2 has an infinite value"),
        ([1.0, 2.0, 3.0], {"groups": [0, 1]}, "groups must be 3 whole numbers"),
        ([1.0, 2.0, 3.0], {"groups": [0.0, 1.0, 1.0]}, "groups must be 3 whole numbers"),
        ([1.0, 2.0, 3.0], {"groups": [0, 1, 2], "n_groups": 2}, r"got 2 in row 3"),
        ([1.0, 2.0, 3.0], {"groups": [0, 0, 1]}, r"the weights of group 1 sum to 0 over 1 rows"),
    ],
)
def test_what_does_not_fit_is_refused(columns, settings, message):
    with pytest.raises(InputError, match=message):
        survey_means(columns, SurveyDesign(np.array([1.0, 1.0, 0.0])), **settings)


def test_numerators_and_denominators_must_fit():
    with pytest.raises(InputError, match="the same shape"):
        survey_ratios(np.ones(3), np.ones((3, 2)), SurveyDesign(np.ones(3)))


def test_an_unknown_answer_is_refused():
    with pytest.raises(InputError, match="from 0 to 1, or -1 for none, got 2 in row 1"):
        indicators([2], 2)


def test_a_level_must_be_a_share():
    with pytest.raises(InputError, match="interval must lie between 0 and 1"):
        survey_means([1.0, 2.0], SurveyDesign(np.ones(2))).interval(95)


@pytest.mark.parametrize("method", ["logit", "beta"])
def test_ends_lie_around_the_share_and_within_0_to_1(method):
    rng = np.random.default_rng(0)
    hits = rng.random((40, 20)) < rng.random(20)
    hits[:, 0], hits[:, 1] = False, True
    shares = survey_means(hits, SurveyDesign(rng.uniform(1, 3, 40)))
    low, high = share_interval(shares, method=method)
    assert np.all((low >= 0) & (low <= shares.values) & (shares.values <= high) & (high <= 1))
    assert (high - low).min() > 0
    assert (low[0, 0], high[1, 0]) == (0.0, 1.0)


def test_single_respondent_has_no_interval():
    low, high = share_interval(survey_means([1.0, 0.0], SurveyDesign(np.ones(2)), groups=[0, -1]))
    assert np.isnan([low, high]).all()


def test_share_intervals_what_does_not_fit_is_refused():
    design = SurveyDesign(np.ones(2))
    with pytest.raises(InputError, match="some lie outside 0 to 1"):
        share_interval(survey_means([1.0, 5.0], design))
    with pytest.raises(InputError, match="method must be 'logit' or 'beta', got 'wald'"):
        share_interval(survey_means([0.0, 1.0], design), method="wald")


def test_equal_weights_cost_nothing_and_rows_without_weight_do_not_count():
    assert kish_design_effect(np.full(7, 3.0)) == pytest.approx(1)
    assert kish_design_effect([2.0, 2.0, 0.0]) == pytest.approx(1)
    with pytest.raises(InputError, match="weights sum to 0"):
        kish_design_effect([0.0, 0.0])


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
    monkeypatch.setattr(chapter, "_CELLS", cells)
    rng = np.random.default_rng(3)
    n = 60
    clusters = np.arange(n) // size
    strata = clusters % 3
    groups = rng.integers(-1, 4, n)
    spread = rng.normal(size=(n, 5))
    design = SurveyDesign(np.ones(n), strata=strata, clusters=clusters)
    result = Variances(design, Domains(groups, 4)).covariance(Linearized(np.zeros((5, 4)), spread))
    np.testing.assert_allclose(result, loop(spread, strata, clusters, groups, 4), atol=1e-10)


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


pytestmark = pytest.mark.filterwarnings("error")

seeds = st.integers(0, 2**32 - 1)

designs = st.sampled_from(["linearised", "replicated", "raked"])


def sample(seed, n=36):
    """Two related columns with gaps, weights, strata, clusters of three, and groups."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 2)) @ np.array([[1, 0.6], [0, 0.8]])
    table[rng.random((n, 2)) < 0.1] = np.nan
    return table, rng.uniform(0.5, 2, n), rng.integers(0, 2, n)


def draw_replicates(kind, weights, **draw):
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
    result = [means.values, means.covariance, means.df, means.effective_n]
    result += [differences.values, differences.standard_errors, differences.df]
    return result


def check_equal(result, expected):
    for first, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(first, other, rtol=1e-7, atol=1e-10)


DRAW = {"strata": np.arange(36) // 12, "clusters": np.arange(36) // 3}


@settings(max_examples=25)
@given(seeds, designs, st.floats(0.01, 1000))
def test_weights_scaled_by_a_constant_change_totals_alone(seed, kind, factor):
    table, weights, groups = sample(seed)
    first, scaled = (draw_replicates(kind, weights * by, **DRAW) for by in (1, factor))
    check_equal(figures(table, scaled, groups), figures(table, first, groups))
    totals, more = (survey_totals(table, design) for design in (first, scaled))
    by = 1 if kind == "raked" else factor  # margins say what raked weights sum to
    check_equal([more.values, more.standard_errors], [totals.values * by, totals.standard_errors * by])


@settings(max_examples=25)
@given(seeds, designs)
def test_clusters_of_a_single_row_equal_no_clusters(seed, kind):
    table, weights, groups = sample(seed)
    strata = DRAW["strata"]
    labels = np.random.default_rng(seed).permutation(len(weights))
    first, none = (
        draw_replicates(kind, weights, strata=strata, clusters=clusters) for clusters in (labels, None)
    )
    check_equal(figures(table, first, groups), figures(table, none, groups))


@settings(max_examples=25)
@given(seeds)
def test_the_order_of_replicates_does_not_matter(seed):
    table, weights, groups = sample(seed)
    design = draw_replicates("replicated", weights, **DRAW)
    order = np.random.default_rng(seed).permutation(design.replicates.shape[1])
    shuffled = ReplicateDesign(
        design.weights, design.replicates[:, order], design.scale, np.asarray(design.rscales)[order]
    )
    check_equal(figures(table, shuffled, groups), figures(table, design, groups))


PAGE = (Path(__file__).parents[2] / "docs" / "survey_statistics.md").read_text("utf-8")


def test_examples_run():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)  # the page is ours
    # Region 0 has 4, 5 and 2 with weights 1.2, .8 and 1.1: 11 / 3.1.
    assert names["means"].values[0, 0] == pytest.approx(11 / 3.1)


def test_functions_are_where_the_page_says():
    table = PAGE.split("## Functions")[1].split("## Weights")[0]
    rows = re.findall(r"^\| (.+?) \| `(\w+)` \|", table, re.MULTILINE)
    assert len(rows) == 8
    for functions, module in rows:
        for name in re.findall(r"`(\w+)", functions):
            assert hasattr(import_module(f"semscale.stats.{module}"), name), name
