"""Described draws and replicate weights."""

import numpy as np
import pytest
from tests.support.reference_figures import SAMPLE_COLUMNS, codes, design, figures, jackknife_replicates

from semscale.errors import InputError
from semscale.stats.survey_designs import (
    Domains,
    ReplicateDegrees,
    ReplicateDesign,
    SurveyDesign,
    replicate_design,
)
from semscale.stats.survey_estimates import survey_means, survey_totals


def test_names_and_numbers_of_strata_and_clusters_are_alike():
    y, weights = np.arange(8.0), np.arange(1.0, 9)
    numbers = SurveyDesign(weights, strata=np.repeat([0, 1], 4), clusters=np.repeat(np.arange(4), 2))
    names = SurveyDesign(weights, strata=list("nnnnssss"), clusters=["a", "a", "b", "b", "c", "c", "d", "d"])
    assert survey_means(y, numbers).covariance == survey_means(y, names).covariance


def test_clusters_can_be_numbered_within_strata():
    y, strata = np.arange(8.0), np.repeat([0, 1], 4)
    within = SurveyDesign(np.ones(8), strata=strata, clusters=np.tile(np.repeat([0, 1], 2), 2), nested=True)
    unique = SurveyDesign(np.ones(8), strata=strata, clusters=np.repeat(np.arange(4), 2))
    assert survey_totals(y, within).covariance == survey_totals(y, unique).covariance


def test_a_population_may_be_a_number_or_a_share():
    y = np.array([1.0, 2, 4, 9])
    number = survey_totals(y, SurveyDesign(np.full(4, 2.5), fpc=np.full(4, 10)))
    share = survey_totals(y, SurveyDesign(np.full(4, 2.5), fpc=np.full(4, 0.4)))
    # N ** 2 (1 - n / N) s ** 2 / n with N 10, n 4 and s ** 2 38 / 3.
    assert number.covariance[0, 0, 0] == pytest.approx(100 * 0.6 * (38 / 3) / 4)
    assert share.covariance[0, 0, 0] == pytest.approx(number.covariance[0, 0, 0])


def test_a_population_that_was_drawn_whole_leaves_no_variance_and_needs_no_second_cluster():
    design = SurveyDesign(np.ones(3), strata=[0, 0, 1], fpc=[2, 2, 1])
    assert survey_totals([1.0, 5.0, 7.0], design).standard_errors.tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"weights": np.array([1.0, -1, 1, 1])},
            r"weights must be finite and >= 0, got -1 in row 2",
        ),
        ({"weights": np.array([1.0, np.nan, 1, 1])}, "got nan in row 2"),
        ({"weights": np.zeros(4)}, "weights sum to 0"),
        ({"weights": np.ones((2, 2))}, r"got shape \(2, 2\)"),
        ({"strata": [0, 1]}, "strata must have 4 rows as weights has, got 2"),
        ({"strata": [0, 0, 0, 1]}, r"the stratum of row 4 has a single cluster at stage 1"),
        ({"strata": [0.0, 0.0, np.nan, 1]}, "strata must have a value in every row"),
        ({"clusters": ["a", "a", None, "b"]}, "clusters must have a value in every row"),
        ({"strata": [0, 0, 1, 1], "clusters": [0, 1, 1, 2]}, "row 2 lies in more than one stratum"),
        ({"fpc": [3, 3, 3, 3]}, "row 1 has 4 of 3"),
        (
            {"fpc": [9, 9, 9, 8]},
            r"within a stratum, but row (1 has 9 and .* stratum 8|4 has 8 and .* stratum 9);",
        ),
        ({"fpc": [9, np.nan, 9, 9]}, "fpc must have a value in every row"),
        ({"fpc": np.full((4, 2), 9)}, "fpc has 2 stages, but clusters has 1"),
        ({"lonely": "ignore"}, "lonely must be fail or certainty or average or adjust, got 'ignore'"),
        ({"strata": [0, 1, 2, 3], "lonely": "average"}, "needs a stratum with two clusters"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SurveyDesign(**{"weights": np.ones(4), **settings})


def test_the_centre_is_the_estimate_or_the_mean_of_replicates():
    replicates = np.array([[2.0, 0.0], [0.0, 2.0]])
    y = np.array([1.0, 4.0])
    # Totals 2 and 8 lie around 5, and the mean of both is 5 as well.
    for mse in (False, True):
        design = replicate_design(np.ones(2), replicates, "brr", mse=mse)
        assert survey_totals(y, design).covariance[0, 0, 0] == pytest.approx(9)
    # With weights 2 the estimate is 10: (8 ** 2 + 2 ** 2) / 2.
    shifted = replicate_design(np.full(2, 2.0), replicates, "brr", mse=True)
    assert survey_totals(y, shifted).covariance[0, 0, 0] == pytest.approx(34)


@pytest.mark.parametrize(
    ("kind", "settings", "scale"),
    [
        ("bootstrap", {}, 1 / 3),
        ("jk1", {}, 3 / 4),
        ("jkn", {"rscales": np.full(4, 0.5)}, 1.0),
        ("brr", {}, 1 / 4),
        ("fay", {"rho": 0.5}, 1.0),
    ],
)
def test_replicate_kinds_have_their_scale(kind, settings, scale):
    assert replicate_design(np.ones(5), np.ones((5, 4)), kind, **settings).scale == pytest.approx(scale)


def test_degrees_of_freedom_are_those_of_the_rows_that_a_group_has():
    design = jackknife_replicates(SurveyDesign(np.ones(6)))
    result = survey_means(np.arange(6.0), design, groups=[0, 0, 0, 0, 1, 1])
    assert result.pair_df[0].tolist() == [[3, 5], [5, 1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replicate_design(np.ones(2), np.ones((2, 2)), "jkn"), "jkn needs rscales"),
        (lambda: replicate_design(np.ones(2), np.ones((2, 2)), "fay"), "rho must be above 0 and below 1"),
        (lambda: replicate_design(np.ones(2), np.ones((2, 2)), "brr", rho=0.5), "rho must be above 0"),
        (lambda: replicate_design(np.ones(2), np.ones((2, 2)), "halves"), "kind must be bootstrap"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((3, 2)), 1.0), "replicates must have 2 rows"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 1)), 1.0), "at least 2 columns"),
        (lambda: ReplicateDesign(np.ones(2), np.full((2, 2), np.nan), 1.0), "replicates must be finite"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 2)), 0.0), "scale must be > 0, got 0.0"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 2)), 1.0, np.ones(3)), "rscales must be 2 numbers"),
    ],
)
def test_replication_what_does_not_fit_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_missing_values_lower_the_degrees_of_240_replicates_as_r_has_it():
    expected, jackknife = figures("sample_degrees"), jackknife_replicates(design("plain"))
    both = survey_means(
        np.column_stack([SAMPLE_COLUMNS["y"], SAMPLE_COLUMNS["second"], SAMPLE_COLUMNS["x"]]), jackknife
    )
    assert both.df[:, 0].tolist() == [expected["y"], expected["second"], expected["everyone"]]
    groups = survey_means(SAMPLE_COLUMNS["y"], jackknife, groups=codes(SAMPLE_COLUMNS["group"]))
    assert groups.df[0].tolist() == expected["y_of_group"]


def test_ranks_beyond_200_replicates_are_counted():
    jackknife = jackknife_replicates(SurveyDesign(np.ones(400)))
    explicit = replicate_design(np.ones(400), jackknife.replicates, "jk1")
    result = survey_means(np.arange(400.0), explicit, groups=np.repeat([0, 1], [150, 250]))
    assert result.pair_df[0].tolist() == [[149, 399], [399, 249]]


def test_cluster_counts_while_any_of_its_rows_has_a_value():
    jackknife = jackknife_replicates(SurveyDesign(np.ones(8), clusters=np.repeat([0, 1, 2, 3], 2)))
    some, none = np.arange(8.0), np.arange(8.0)
    some[[0, 2, 4]] = np.nan
    none[[0, 1]] = np.nan
    assert survey_means(np.column_stack([some, none]), jackknife).df.tolist() == [[3], [2]]


@pytest.mark.parametrize("rank", [3, 12])
def test_ranks_equal_those_of_a_decomposition(rank):
    rng = np.random.default_rng(rank)
    replicates = rng.normal(size=(60, rank)) @ rng.normal(size=(rank, 20))
    replicates[7] = 0
    groups, valid = rng.integers(-1, 3, 60), rng.random((60, 4)) < 0.3
    result = ReplicateDegrees(replicates).ranks(Domains(groups, 3), valid)
    for column in range(4):
        for first in range(3):
            for second in range(3):
                rows = valid[:, column] & ((groups == first) | (groups == second))
                assert result[column, first, second] == np.linalg.matrix_rank(replicates[rows])
