"""Figures equal those of R's survey package on its examples: api and nhanes (bench/reference/survey.R).

The data are the package's, under the GPL, and are not copied: where R and the package are installed, they
write them for these tests. test_reference.py holds the same figures on data of our own, and needs no R.
"""

import numpy as np
import pytest
from tests.support.reference_figures import (
    check_association,
    check_difference,
    check_estimates,
    check_groups,
    check_paired,
    check_shares,
    codes,
    figures,
    jackknife_replicates,
    six_digits,
    table,
    write_examples,
)

from semscale.stats.raking import rake, raked_design
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import indicators, survey_means, survey_ratios, survey_totals

APIS = ("apistrat", "apiclus1", "apiclus2", "apiclus1_jk1")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """R's example data, in a folder."""
    return write_examples(tmp_path_factory.mktemp("survey"))


def api(data, name):
    """One of the samples of California's schools, and its design."""
    sample = table(data / f"{name.removesuffix('_jk1')}.csv")
    if name == "apistrat":
        return sample, SurveyDesign(sample["pw"], strata=sample["stype"], fpc=sample["fpc"])
    if name == "apiclus2":
        stages = (
            np.column_stack([sample[first], sample[second]])
            for first, second in (("dnum", "snum"), ("fpc1", "fpc2"))
        )
        clusters, fpc = stages
        return sample, SurveyDesign(sample["pw"], clusters=clusters, fpc=fpc)
    design = SurveyDesign(sample["pw"], clusters=sample["dnum"], fpc=sample["fpc"])
    return sample, jackknife_replicates(design) if name.endswith("jk1") else design


@pytest.fixture(params=APIS)
def case(request, data):
    return *api(data, request.param), figures("api")[request.param]


def test_totals(case):
    sample, design, expected = case
    check_estimates(survey_totals(sample["enroll"], design), expected["total"])


def test_means(case):
    sample, design, expected = case
    check_estimates(survey_means(sample["api00"], design), expected["mean"])
    both = np.column_stack([sample["api99"], sample["api00"]])
    check_estimates(survey_means(both, design), expected["two_means"])


def test_shares(case):
    sample, design, expected = case
    check_estimates(survey_means(indicators(codes(sample["stype"]), 3), design), expected["stype"])


def test_ratios(case):
    sample, design, expected = case
    check_estimates(survey_ratios(sample["api.stu"], sample["enroll"], design), expected["ratio"])


def test_groups(case):
    sample, design, expected = case
    check_groups(survey_means(sample["api00"], design, groups=codes(sample["stype"])), expected["by_stype"])


@pytest.mark.parametrize("method", ["logit", "beta"])
def test_intervals_of_a_share(case, method):
    sample, design, expected = case
    check_shares(survey_means(sample["api00"] > 700, design), expected[f"high_{method}"], method)


def test_differences(case):
    sample, design, expected = case
    check_difference(sample["api00"], codes(sample["sch.wide"]), design, expected["difference"])
    check_paired(sample["api00"], sample["api99"], design, expected["paired"])


def test_association(case):
    sample, design, expected = case
    check_association(codes(sample["sch.wide"]), codes(sample["stype"]), design, expected["association"])


def test_the_jackknife_of_strata(data):
    sample, design = api(data, "apistrat")
    check_estimates(
        survey_means(sample["api00"], jackknife_replicates(design)), figures("api")["apistrat_jkn"]["mean"]
    )


def test_raking(data):
    sample, _ = api(data, "apiclus1")
    targets = {"stype": {"E": 4421, "H": 755, "M": 1018}, "sch.wide": {"No": 1072, "Yes": 5122}}
    raked = rake({name: sample[name] for name in targets}, targets, weights=sample["pw"], tolerance=1e-12)
    assert raked.weights == six_digits(figures("api")["apiclus1_raked"]["weights"])


@pytest.mark.parametrize("name", ["apistrat", "apiclus1"])
def test_raked_designs(data, name):
    sample, design = api(data, name)
    expected = figures("api")[f"{name}_calibrated"]
    targets = {"stype": {"E": 4421, "H": 755, "M": 1018}, "sch.wide": {"No": 1072, "Yes": 5122}}
    columns = {margin: sample[margin] for margin in targets}
    created = raked_design(design, rake(columns, targets, weights=design.weights, tolerance=1e-13))
    check_estimates(survey_means(sample["api00"], created), expected["mean"])
    check_estimates(survey_totals(sample["enroll"], created), expected["total"])
    check_estimates(survey_ratios(sample["api.stu"], sample["enroll"], created), expected["ratio"])
    check_groups(survey_means(sample["api00"], created, groups=codes(sample["stype"])), expected["by_stype"])
    check_shares(survey_means(sample["api00"] > 700, created), expected["high_logit"], "logit")
    check_difference(sample["api00"], codes(sample["sch.wide"]), created, expected["difference"])
    check_paired(sample["api00"], sample["api99"], created, expected["paired"])


def test_nhanes(data):
    sample, expected = table(data / "nhanes.csv"), figures("nhanes")
    design = SurveyDesign(
        sample["WTMEC2YR"], strata=sample["SDMVSTRA"], clusters=sample["SDMVPSU"], nested=True
    )
    cholesterol = sample["HI_CHOL"]
    shares = survey_means(cholesterol, design)
    check_estimates(shares, expected["mean"])
    check_groups(survey_means(cholesterol, design, groups=codes(sample["race"])), expected["by_race"])
    check_shares(shares, expected["logit"], "logit")
    check_shares(shares, expected["beta"], "beta")
    check_association(codes(cholesterol), codes(sample["race"]), design, expected["association"])
    check_difference(cholesterol, codes(sample["RIAGENDR"]), design, expected["difference"])
