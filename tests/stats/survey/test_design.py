"""Designs: how a draw is described, and what is refused."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means, survey_totals


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
        ({"strata": [0.0, 0.0, np.nan, 1]}, "strata must be there in every row"),
        ({"clusters": ["a", "a", None, "b"]}, "clusters must be there in every row"),
        ({"strata": [0, 0, 1, 1], "clusters": [0, 1, 1, 2]}, "row 2 lies in more than one stratum"),
        ({"fpc": [3, 3, 3, 3]}, "row 1 has 4 of 3"),
        (
            {"fpc": [9, 9, 9, 8]},
            r"within a stratum, but row (1 has 9 and .* stratum 8|4 has 8 and .* stratum 9);",
        ),
        ({"fpc": [9, np.nan, 9, 9]}, "fpc must be there in every row"),
        ({"fpc": np.full((4, 2), 9)}, "fpc has 2 stages, but clusters has 1"),
        ({"lonely": "ignore"}, "lonely must be fail or certainty or average or adjust, got 'ignore'"),
        ({"strata": [0, 1, 2, 3], "lonely": "average"}, "needs a stratum with two clusters"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SurveyDesign(**{"weights": np.ones(4), **settings})
