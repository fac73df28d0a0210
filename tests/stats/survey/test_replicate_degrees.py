"""Degrees of freedom that replicate weights leave to groups of rows."""

import numpy as np
import pytest
from reference_figures import codes, figures
from test_reference import OURS, design

from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.replicate_degrees import ReplicateDegrees
from semscale.stats.survey.replicate_design import given_replicates
from semscale.stats.survey.replication import jackknife_replicates


def test_missing_values_lower_the_degrees_of_240_replicates_as_r_has_it():
    expected, made = figures("sample_degrees"), jackknife_replicates(design("plain"))
    both = survey_means(np.column_stack([OURS["y"], OURS["second"], OURS["x"]]), made)
    assert both.df[:, 0].tolist() == [expected["y"], expected["second"], expected["everyone"]]
    groups = survey_means(OURS["y"], made, groups=codes(OURS["group"]))
    assert groups.df[0].tolist() == expected["y_of_group"]


def test_ranks_beyond_200_replicates_are_counted():
    made = jackknife_replicates(SurveyDesign(np.ones(400)))
    given = given_replicates(np.ones(400), made.replicates, "jk1")
    found = survey_means(np.arange(400.0), given, groups=np.repeat([0, 1], [150, 250]))
    assert found.pair_df[0].tolist() == [[149, 399], [399, 249]]


def test_a_cluster_counts_while_one_of_its_rows_has_a_value():
    made = jackknife_replicates(SurveyDesign(np.ones(8), clusters=np.repeat([0, 1, 2, 3], 2)))
    some, none = np.arange(8.0), np.arange(8.0)
    some[[0, 2, 4]] = np.nan
    none[[0, 1]] = np.nan
    assert survey_means(np.column_stack([some, none]), made).df.tolist() == [[3], [2]]


@pytest.mark.parametrize("rank", [3, 12])
def test_ranks_equal_those_of_a_decomposition(rank):
    rng = np.random.default_rng(rank)
    replicates = rng.normal(size=(60, rank)) @ rng.normal(size=(rank, 20))
    replicates[7] = 0
    groups, valid = rng.integers(-1, 3, 60), rng.random((60, 4)) < 0.3
    found = ReplicateDegrees(replicates).ranks(Domains(groups, 3), valid)
    for column in range(4):
        for first in range(3):
            for second in range(3):
                rows = valid[:, column] & ((groups == first) | (groups == second))
                assert found[column, first, second] == np.linalg.matrix_rank(replicates[rows])
