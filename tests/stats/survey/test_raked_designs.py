"""Designs with raked weights: standard errors that know of the margins."""

import numpy as np
import pytest
from reference_figures import (
    check_difference,
    check_estimates,
    check_groups,
    check_paired,
    check_shares,
    codes,
    figures,
    six_digits,
)
from test_reference import OURS, design, replicated

from semscale.errors import InputError
from semscale.stats.survey.association import rao_scott
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import indicators, survey_means, survey_ratios, survey_totals
from semscale.stats.survey.raked_designs import raked_design
from semscale.stats.survey.raking import rake
from semscale.stats.survey.replication import bootstrap_replicates, jackknife_replicates

TARGETS = {
    "group": {"a": 2000, "b": 1500, "c": 2500},
    "sex": {"f": 3200, "m": 2800},
    "stratum": {1.0: 1000, 2.0: 2500, 3.0: 1200, 4.0: 1300},
}
LINEARISED = ("plain", "stratified", "clustered", "both", "finite", "two_stage", "rake_both")
REPLICATED = ("jkn", "jk1", "fay")


def raked(made, sample, **settings):
    return rake(
        {name: sample[name] for name in TARGETS}, TARGETS, weights=made.weights, tolerance=1e-13, **settings
    )


@pytest.fixture(scope="module", params=LINEARISED)
def case(request):
    """A design raked to three margins, and R's figures: calibrate() with raking, or rake()."""
    made = design(request.param.removeprefix("rake_"))
    regression = "plain" if request.param.startswith("rake_") else "weighted"
    return (
        raked_design(made, raked(made, OURS), regression=regression),
        figures("sample_raked_designs")[request.param],
    )


def test_totals_means_and_ratios(case):
    made, expected = case
    check_estimates(survey_totals(OURS["x"], made), expected["total_x"])
    check_estimates(survey_means(OURS["y"], made), expected["mean_y"])
    check_estimates(survey_ratios(OURS["y"], OURS["x"], made), expected["ratio"])


def test_a_margin_itself_is_known(case):
    made, _ = case
    found = survey_means(indicators(codes(OURS["sex"]), 2), made)
    assert found.values[:, 0] == pytest.approx([3200 / 6000, 2800 / 6000])
    assert found.standard_errors[:, 0] == pytest.approx([0, 0], abs=1e-8)


def test_groups_and_their_covariances(case):
    made, expected = case
    check_groups(survey_means(OURS["y"], made, groups=codes(OURS["group"])), expected["by_group"])
    in_b = np.where(OURS["group"] == "b", 0, -1)
    check_estimates(survey_means(OURS["y"], made, groups=in_b), expected["domain"])


def test_association(case):
    made, expected = case
    found = rao_scott(codes(OURS["rating"]), codes(OURS["group"]), made)
    # In a calibrated design R's degrees of freedom below count rows without an answer too: left out here.
    assert [found.f, found.df] == six_digits([expected["association"][name] for name in ("f", "df")])


def test_shares_and_differences(case):
    made, expected = case
    top = np.where(np.isnan(OURS["rating"]), np.nan, OURS["rating"] >= 4)
    check_shares(survey_means(top, made), expected["top_logit"], "logit")
    groups = np.select([OURS["group"] == "a", OURS["group"] == "b"], [0, 1], -1)
    check_difference(OURS["y"], groups, made, expected["difference"])
    check_paired(OURS["rating"], OURS["second"], made, expected["paired"])


@pytest.mark.parametrize("name", REPLICATED)
def test_replicates_are_raked_one_by_one(name):
    made, rows = replicated(name)
    sample = {key: values[rows] for key, values in OURS.items()}
    expected = figures("sample_raked_designs")[name]
    of_raked = raked_design(made, raked(made, sample))
    assert of_raked.df == made.df == expected["degf"]
    check_estimates(survey_totals(sample["x"], of_raked), expected["total_x"])
    # For a part of the rows R takes the rank of the raked replicates, more than the draw had: not so here.
    for found, figure in (
        (survey_means(sample["y"], of_raked), "mean_y"),
        (survey_ratios(sample["y"], sample["x"], of_raked), "ratio"),
        (survey_means(sample["y"], of_raked, groups=np.where(sample["group"] == "b", 0, -1)), "domain"),
    ):
        assert found.values[0, 0] == six_digits(expected[figure]["value"])
        assert found.standard_errors[0, 0] == six_digits(expected[figure]["se"])
        assert found.df[0, 0] <= made.df
    check_groups(survey_means(sample["y"], of_raked, groups=codes(sample["group"])), expected["by_group"])


def test_residuals_by_hand():
    # Sexes f, f, m, m with targets 2 and 2 leave the weights at 1; the residuals of 1, 3, 4, 8 within sexes
    # are -1, 1, -2, 2, so that the variance of the mean is 4 / 3 * 10 / 16 and not 4 / 3 * 26 / 16.
    made = SurveyDesign(np.ones(4))
    raking = rake({"sex": ["f", "f", "m", "m"]}, {"sex": {"f": 2, "m": 2}}, weights=made.weights)
    found = survey_means([1.0, 3, 4, 8], raked_design(made, raking))
    assert found.covariance[0, 0, 0] == pytest.approx(4 / 3 * 10 / 16)


def test_bounds_hold_in_each_replicate():
    made = bootstrap_replicates(design("both"), replicates=20, seed=3)
    raking = raked(made, OURS, bounds=(0.2, 4))
    found = raked_design(made, raking)
    low, high = raking.task.limits
    counts = made.replicates / made.weights[:, None]
    assert np.all(found.replicates <= high * counts * (1 + 1e-9))
    assert np.all(found.replicates >= low * counts * (1 - 1e-9))
    for margin in raking.task.margins:
        for replicate in found.replicates.T:
            assert margin.sums(replicate) == pytest.approx(margin.targets)


def test_what_does_not_fit_is_refused():
    made = SurveyDesign(np.ones(4))
    answers, targets = {"sex": ["f", "m", "m", "m"]}, {"sex": {"f": 0.5, "m": 0.5}}
    other = rake(answers, targets, weights=np.array([1.0, 1, 1, 2]))
    with pytest.raises(InputError, match="must start from the design's weights"):
        raked_design(made, other)
    raking = rake(answers, targets, weights=made.weights)
    with pytest.raises(InputError, match="regression must be weighted or plain, got 'none'"):
        raked_design(made, raking, regression="none")
    twice = raked_design(made, raking)
    again = rake(answers, targets, weights=twice.weights)
    with pytest.raises(InputError, match="is raked already"):
        raked_design(twice, again)
    with pytest.raises(InputError, match="before it is raked"):
        jackknife_replicates(twice)
    with pytest.raises(InputError, match=r"replicate 1 cannot meet margin 'sex'"):
        raked_design(jackknife_replicates(made), raking)
