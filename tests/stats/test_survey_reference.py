"""Figures equal those of R's survey package to six digits on a small survey (bench/reference/survey.R)."""

import numpy as np
import pytest
from tests.support.reference_figures import (
    DESIGNS,
    REPLICATED,
    SAMPLE_COLUMNS,
    check_association,
    check_difference,
    check_estimates,
    check_groups,
    check_paired,
    check_shares,
    codes,
    design,
    figures,
    replicated,
    six_digits,
)

from semscale.stats.raking import rake
from semscale.stats.survey_designs import ReplicateDesign, SurveyDesign, replicate_design
from semscale.stats.survey_estimates import indicators, survey_means, survey_ratios, survey_totals


@pytest.fixture(params=DESIGNS + REPLICATED)
def case(request):
    """A design, its rows of the sample, and R's figures."""
    if request.param in DESIGNS:
        return design(request.param), SAMPLE_COLUMNS, figures("sample_designs")[request.param]
    survey_design, rows = replicated(request.param)
    return (
        survey_design,
        {key: values[rows] for key, values in SAMPLE_COLUMNS.items()},
        figures("sample_replicates")[request.param],
    )


def test_totals(case):
    survey_design, sample, expected = case
    check_estimates(survey_totals(sample["x"], survey_design), expected["total_x"])


def test_means(case):
    survey_design, sample, expected = case
    check_estimates(survey_means(sample["y"], survey_design), expected["mean_y"])


def test_ratios(case):
    survey_design, sample, expected = case
    check_estimates(survey_ratios(sample["y"], sample["x"], survey_design), expected["ratio"])


def test_shares_of_answers(case):
    survey_design, sample, expected = case
    answers = indicators(codes(sample["rating"]), 5)
    check_estimates(survey_means(answers, survey_design), expected["shares"])


def test_means_of_groups_and_their_covariance(case):
    survey_design, sample, expected = case
    check_groups(
        survey_means(sample["y"], survey_design, groups=codes(sample["group"])), expected["by_group"]
    )


def test_a_domain(case):
    survey_design, sample, expected = case
    in_b = np.where(sample["group"] == "b", 0, -1)
    check_estimates(survey_means(sample["y"], survey_design, groups=in_b), expected["domain"])


@pytest.mark.parametrize("method", ["logit", "beta"])
def test_intervals_of_a_share(case, method):
    survey_design, sample, expected = case
    top = np.where(np.isnan(sample["rating"]), np.nan, sample["rating"] >= 4)
    check_shares(survey_means(top, survey_design), expected[f"top_{method}"], method)


def test_a_difference_between_groups(case):
    survey_design, sample, expected = case
    groups = np.select([sample["group"] == "a", sample["group"] == "b"], [0, 1], -1)
    check_difference(sample["y"], groups, survey_design, expected["difference"])


def test_a_difference_seen_by_the_same_people(case):
    survey_design, sample, expected = case
    check_paired(sample["rating"], sample["second"], survey_design, expected["paired"])


def test_association(case):
    survey_design, sample, expected = case
    check_association(codes(sample["rating"]), codes(sample["group"]), survey_design, expected["association"])


@pytest.mark.parametrize("lonely", ["certainty", "average", "adjust"])
def test_a_stratum_with_a_single_cluster(lonely):
    expected = figures("sample_lonely")[lonely]
    mask = (SAMPLE_COLUMNS["stratum"] != 2) | (SAMPLE_COLUMNS["cluster"] == 7)
    survey_design = SurveyDesign(
        SAMPLE_COLUMNS["weight"][mask],
        strata=SAMPLE_COLUMNS["stratum"][mask],
        clusters=SAMPLE_COLUMNS["cluster"][mask],
        lonely=lonely,
    )
    assert survey_design.n == expected["rows"]
    x = SAMPLE_COLUMNS["x"][mask]
    assert survey_totals(x, survey_design).standard_errors[0, 0] == six_digits(expected["total_x"])
    assert survey_means(x, survey_design).standard_errors[0, 0] == six_digits(expected["mean_x"])


def test_raking():
    targets = {
        "group": {"a": 2000, "b": 1500, "c": 2500},
        "sex": {"f": 3200, "m": 2800},
        "stratum": {1.0: 1000, 2.0: 2500, 3.0: 1200, 4.0: 1300},
    }
    raked = rake(
        {name: SAMPLE_COLUMNS[name] for name in targets},
        targets,
        weights=SAMPLE_COLUMNS["weight"],
        tolerance=1e-12,
    )
    assert raked.weights == six_digits(figures("sample_raking")["weights"])


def test_sudden_cardiac_deaths():
    expected = figures("scd")
    scd = {name: np.array([row[name] for row in expected["data"]]) for name in ("alive", "arrests")}
    survey_design = replicate_design(np.ones(6), np.array(expected["replicates"]), "brr")
    check_estimates(survey_ratios(scd["alive"], scd["arrests"], survey_design), expected["ratio"])
    check_estimates(survey_means(scd["alive"], survey_design), expected["mean"])
    check_estimates(
        survey_totals(np.column_stack([scd["alive"], scd["arrests"]]), survey_design), expected["total"]
    )


def test_scales_of_replicates_equal_r():
    for name in REPLICATED:
        expected, (survey_design, _) = figures("sample_replicates")[name], replicated(name)
        scales = np.broadcast_to(expected["rscales"], np.shape(survey_design.rscales))
        assert survey_design.scale * np.asarray(survey_design.rscales) == six_digits(
            expected["scale"] * scales
        )
        assert isinstance(survey_design, ReplicateDesign)
