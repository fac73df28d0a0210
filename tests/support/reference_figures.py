"""Figures of R's survey package, and Semscale's own in the same form."""

import csv
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from semscale.stats.significance import SurveyDifferences, group_differences, rao_scott
from semscale.stats.survey_designs import ReplicateDesign, SurveyDesign, replicate_design
from semscale.stats.survey_estimates import share_interval, survey_means

FOLDER = Path(__file__).parents[1] / "stats" / "reference"


def figures(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def table(path):
    """Read a CSV file into columns: numbers where all cells are numbers or empty, else text."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: column([row[name] for row in rows]) for name in rows[0]}


def column(cells):
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells, dtype=object)


def codes(answers):
    """Numbers of answers in sorted order; -1 where one is missing."""
    missing = np.array([str(answer) in ("", "nan") for answer in answers])
    result = np.full(len(answers), -1)
    result[~missing] = np.unique(np.asarray(answers)[~missing].astype(str), return_inverse=True)[1]
    return result


def six_digits(expected):
    return pytest.approx(np.array(expected, dtype=float), rel=1e-6, abs=1e-9, nan_ok=True)


def check_estimates(estimates, expected):
    """Hold value, standard error, degrees of freedom and t interval, of one group, against R's."""
    assert estimates.values[:, 0] == six_digits(np.atleast_1d(expected["value"]))
    assert estimates.standard_errors[:, 0] == six_digits(np.atleast_1d(expected["se"]))
    assert set(estimates.df[:, 0].tolist()) == {expected["df"]}
    low, high = estimates.interval()
    assert low[:, 0] == six_digits(np.atleast_1d(expected["low"]))
    assert high[:, 0] == six_digits(np.atleast_1d(expected["high"]))


def check_groups(estimates, expected):
    """Hold groups' means, standard errors and covariances against R's svyby."""
    assert estimates.values[0] == six_digits(expected["value"])
    assert estimates.standard_errors[0] == six_digits(expected["se"])
    assert estimates.covariance[0] == six_digits(expected["covariance"])


def check_shares(shares, expected, method):
    low, high = share_interval(shares, method=method)
    assert [shares.values[0, 0], low[0, 0], high[0, 0]] == six_digits(
        [expected[name] for name in ("value", "low", "high")]
    )


def check_test(differences, expected, sign=1):
    """Hold one difference, its t, degrees of freedom and p against R's svyttest."""
    value, error = differences.values.ravel()[0], differences.standard_errors.ravel()[0]
    assert sign * value == six_digits(expected["value"])
    assert sign * value / error == six_digits(expected["t"])
    assert differences.df.ravel()[0] == expected["df"]
    assert differences.p_values.ravel()[0] == pytest.approx(expected["p"], rel=1e-5)


def check_association(rows, columns, design, expected):
    result = rao_scott(rows, columns, design)
    assert [result.f, result.df, result.df_below] == six_digits(
        [expected[name] for name in ("f", "df", "df_below")]
    )
    assert result.p_value == pytest.approx(expected["p"], rel=1e-5)


def check_difference(values, groups, design, expected):
    """R's svyttest takes the second group minus the first."""
    check_test(group_differences(survey_means(values, design, groups=groups)), expected, sign=-1)


def check_paired(first, second, design, expected):
    """The mean of differences, of rows with both; R's svyttest has one degree of freedom less than a mean."""
    mean = survey_means(first - second, design)
    check_test(SurveyDifferences(mean.values, mean.standard_errors, mean.df - 1), expected)


def jackknife_replicates(design):
    """Leave out one cluster of the first stage at a time: JK1, or JKn with several strata."""
    stage = design.stages[0]
    sizes = np.bincount(stage.stratum)[stage.stratum]
    left_out = np.flatnonzero(sizes > 1)
    same = stage.stratum[:, None] == stage.stratum[left_out]
    factors = np.where(same, sizes[left_out] / (sizes[left_out] - 1), 1.0)
    factors[left_out, np.arange(len(left_out))] = 0
    # A stage's scale is (1 - f) m / (m - 1), and a replicate's factor (1 - f) (m - 1) / m.
    rscales = stage.scale[stage.stratum[left_out]] * ((sizes[left_out] - 1) / sizes[left_out]) ** 2
    degrees = len(left_out) - len(np.unique(stage.stratum[left_out]))
    weights = design.weights[:, None] * factors[stage.cluster]
    return ReplicateDesign(design.weights, weights, 1.0, rscales, degrees=degrees)


SAMPLE_COLUMNS = table(FOLDER / "sample.csv")
DESIGNS = ("plain", "stratified", "clustered", "both", "finite", "two_stage")
REPLICATED = ("jkn", "jk1", "brr", "fay", "fay_mse")


def design(name):
    strata, clusters = SAMPLE_COLUMNS["stratum"], SAMPLE_COLUMNS["cluster"]
    population = SAMPLE_COLUMNS["clusters_in_population"]
    settings = {
        "plain": {},
        "stratified": {"strata": strata},
        "clustered": {"clusters": clusters},
        "both": {"strata": strata, "clusters": clusters},
        "finite": {"strata": strata, "clusters": clusters, "fpc": population},
        "two_stage": {
            "strata": np.column_stack([strata, clusters]),
            "clusters": np.column_stack([clusters, SAMPLE_COLUMNS["household"]]),
            "fpc": np.column_stack([population, SAMPLE_COLUMNS["households_in_cluster"]]),
        },
    }
    return SurveyDesign(SAMPLE_COLUMNS["weight"], **settings[name])


def replicated(name):
    """The replicate design and the rows that it has."""
    everyone = np.arange(len(SAMPLE_COLUMNS["weight"]))
    if name == "jkn":
        return jackknife_replicates(design("finite")), everyone
    if name == "jk1":
        return jackknife_replicates(design("clustered")), everyone
    stored = figures("sample_replicates")[name]
    rows = np.array(stored["ids"]) - 1
    kind = "brr" if name == "brr" else "fay"
    return (
        replicate_design(
            SAMPLE_COLUMNS["weight"][rows],
            np.array(stored["replicates"]),
            kind,
            rho=0 if name == "brr" else 0.3,
            mse=name == "fay_mse",
        ),
        rows,
    )


SCRIPT = Path(__file__).parents[2] / "bench" / "reference" / "survey_data.R"


def write_examples(folder):
    """Let R write its data as CSV into a folder, and return the folder."""
    if shutil.which("Rscript") is None:
        pytest.skip("needs R with the package survey (Debian: r-cran-survey)")
    completed = subprocess.run(["Rscript", SCRIPT, folder], capture_output=True, text=True, check=False)
    if completed.returncode:
        pytest.skip(f"R has no package survey: {completed.stderr.strip().splitlines()[-1]}")
    return folder
