"""Raking, and designs with raked weights."""

import numpy as np
import pytest
from tests.support.reference_figures import (
    SAMPLE_COLUMNS,
    check_difference,
    check_estimates,
    check_groups,
    check_paired,
    check_shares,
    codes,
    design,
    figures,
    jackknife_replicates,
    replicated,
    six_digits,
)

from semscale.errors import InputError
from semscale.stats.raking import rake, raked_design
from semscale.stats.significance import rao_scott
from semscale.stats.survey_designs import Domains, MarginCalibration, SurveyDesign, replicate_design
from semscale.stats.survey_estimates import (
    Linearized,
    Variances,
    indicators,
    survey_means,
    survey_ratios,
    survey_totals,
)

SEX = ["f", "f", "f", "m", "m", "f"]

AGE = ["young", "old", "old", "young", "old", "young"]


def drawn(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 4, n) for name in ("a", "b", "c")}
    targets = {
        "a": {0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1},
        "b": {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4},
        "c": {0: 0.25, 1: 0.25, 2: 0.4, 3: 0.1},
    }
    return columns, targets, rng.uniform(0.5, 2, n)


def shares(weights, column):
    return np.bincount(column, weights) / weights.sum()


def test_weights_meet_every_margin_and_sum_to_the_rows():
    columns, targets, weights = drawn()
    result = rake(columns, targets, weights=weights)
    assert result.converged
    assert result.unmet == ()
    for name, goals in targets.items():
        assert shares(result.weights, columns[name]) == pytest.approx(list(goals.values()), abs=1e-7)
    assert result.weights.sum() == pytest.approx(2000)


def test_targets_may_be_totals_or_percentages():
    in_people = rake({"sex": SEX}, {"sex": {"f": 300, "m": 300}})
    assert in_people.weights.tolist() == [75, 75, 75, 150, 150, 75]
    in_percent = rake({"sex": SEX}, {"sex": {"f": 50, "m": 50}}, total=600)
    assert in_percent.weights.tolist() == [75, 75, 75, 150, 150, 75]


def test_bounds_hold_together_with_the_margins():
    columns, targets, weights = drawn()
    result = rake(columns, targets, weights=weights, bounds=(0.3, 3))
    assert result.weights.mean() == pytest.approx(1)
    assert result.weights.min() >= 0.3 - 1e-12
    assert result.weights.max() <= 3 + 1e-12
    assert result.n_trimmed > 0
    for name, goals in targets.items():
        assert shares(result.weights, columns[name]) == pytest.approx(list(goals.values()), abs=1e-7)
    # Within the bounds, log weights are a sum of one term for each margin, as raking has it.
    free = (result.weights > 0.3 + 1e-9) & (result.weights < 3 - 1e-9)
    terms = np.column_stack([columns[name][free, None] == np.arange(4) for name in columns]).astype(float)
    factors = np.log(result.weights[free] / weights[free])
    left = factors - terms @ np.linalg.lstsq(terms, factors, rcond=None)[0]
    assert np.abs(left).max() < 1e-6


def test_rows_without_weight_stay_without():
    result = rake({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, weights=[0, 1, 1, 1, 1, 1])
    assert result.weights[0] == 0
    assert result.weights.sum() == pytest.approx(5)


def test_unmet_margins_are_reported():
    # Everyone who is young is f, so half f and .6 young cannot both be.
    columns = {"sex": ["f", "f", "m", "m"], "age": ["young", "young", "old", "old"]}
    targets = {"sex": {"f": 0.5, "m": 0.5}, "age": {"young": 0.6, "old": 0.4}}
    with pytest.raises(InputError, match=r"margin 'sex' cannot be met together .* 'f' reaches 2.4, .* is 2"):
        rake(columns, targets)
    result = rake(columns, targets, allow_unmet=True)
    assert not result.converged
    assert (result.unmet[0].margin, result.unmet[0].category) == ("sex", "f")
    assert result.largest_gap == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("columns", "targets", "settings", "message"),
    [
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.4, "x": 0.1}}, {}, "'sex', category 'x' has no rows"),
        ({"sex": SEX}, {"sex": {"f": 1.0}}, {}, r"'sex' has no target for category 'm' in row 4"),
        (
            {"sex": [*SEX[:5], None]},
            {"sex": {"f": 0.5, "m": 0.5}},
            {},
            "no target for category None in row 6",
        ),
        ({"sex": SEX}, {"sex": {"f": 1.5, "m": -0.5}}, {}, "'m': target must be >= 0, got -0.5"),
        ({"sex": SEX, "age": AGE}, {"sex": {"f": 0.5, "m": 0.5}}, {}, "'age' is missing in targets"),
        ({"sex": SEX}, {"sex": {"f": 1, "m": 1}, "age": {"old": 2}}, {}, "'age' is missing in columns"),
        (
            {"sex": SEX, "age": AGE},
            {"sex": {"f": 50, "m": 50}, "age": {"young": 60, "old": 60}},
            {},
            "'sex' sums to 100 and 'age' to 120",
        ),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"weights": [1, 1, 1, 0, 0, 1]}, "'m' has no rows"),
        (
            {"sex": SEX},
            {"sex": {"f": 0.1, "m": 0.9}},
            {"bounds": (0.2, 2)},
            "'sex' cannot be met within the bounds: 4 rows of category 'f' reach 0.8 to 8, .* is 0.6",
        ),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"bounds": (1.5, 2)}, "bounds must be"),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"total": 0}, "total must be > 0"),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"most_rounds": 0}, "most_rounds must be >= 1"),
        (
            {"sex": SEX, "age": AGE[:3]},
            {"sex": {"f": 1, "m": 1}, "age": {"old": 2}},
            {},
            "'age' must have 6 rows",
        ),
        ({}, {"sex": {"f": 1}}, {}, "columns must name at least one variable"),
        ({"sex": SEX}, {}, {}, "targets must name at least one margin"),
    ],
)
def test_what_cannot_be_is_refused(columns, targets, settings, message):
    with pytest.raises(InputError, match=message):
        rake(columns, targets, **settings)


TARGETS = {
    "group": {"a": 2000, "b": 1500, "c": 2500},
    "sex": {"f": 3200, "m": 2800},
    "stratum": {1.0: 1000, 2.0: 2500, 3.0: 1200, 4.0: 1300},
}

LINEARISED = ("plain", "stratified", "clustered", "both", "finite", "two_stage", "rake_both")

REPLICATED = ("jkn", "jk1", "fay")


def raked(survey_design, sample, **settings):
    return rake(
        {name: sample[name] for name in TARGETS},
        TARGETS,
        weights=survey_design.weights,
        tolerance=1e-13,
        **settings,
    )


@pytest.fixture(scope="module", params=LINEARISED)
def case(request):
    """A design raked to three margins, and R's figures: calibrate() with raking, or rake()."""
    survey_design = design(request.param.removeprefix("rake_"))
    regression = "plain" if request.param.startswith("rake_") else "weighted"
    return (
        raked_design(survey_design, raked(survey_design, SAMPLE_COLUMNS), regression=regression),
        figures("sample_raked_designs")[request.param],
    )


def test_totals_means_and_ratios(case):
    survey_design, expected = case
    check_estimates(survey_totals(SAMPLE_COLUMNS["x"], survey_design), expected["total_x"])
    check_estimates(survey_means(SAMPLE_COLUMNS["y"], survey_design), expected["mean_y"])
    check_estimates(survey_ratios(SAMPLE_COLUMNS["y"], SAMPLE_COLUMNS["x"], survey_design), expected["ratio"])


def test_a_margin_itself_is_known(case):
    survey_design, _ = case
    result = survey_means(indicators(codes(SAMPLE_COLUMNS["sex"]), 2), survey_design)
    assert result.values[:, 0] == pytest.approx([3200 / 6000, 2800 / 6000])
    assert result.standard_errors[:, 0] == pytest.approx([0, 0], abs=1e-8)


def test_groups_and_their_covariances(case):
    survey_design, expected = case
    check_groups(
        survey_means(SAMPLE_COLUMNS["y"], survey_design, groups=codes(SAMPLE_COLUMNS["group"])),
        expected["by_group"],
    )
    in_b = np.where(SAMPLE_COLUMNS["group"] == "b", 0, -1)
    check_estimates(survey_means(SAMPLE_COLUMNS["y"], survey_design, groups=in_b), expected["domain"])


def test_association(case):
    survey_design, expected = case
    result = rao_scott(codes(SAMPLE_COLUMNS["rating"]), codes(SAMPLE_COLUMNS["group"]), survey_design)
    # In a calibrated design R's degrees of freedom below count rows without an answer too: left out here.
    assert [result.f, result.df] == six_digits([expected["association"][name] for name in ("f", "df")])


def test_shares_and_differences(case):
    survey_design, expected = case
    top = np.where(np.isnan(SAMPLE_COLUMNS["rating"]), np.nan, SAMPLE_COLUMNS["rating"] >= 4)
    check_shares(survey_means(top, survey_design), expected["top_logit"], "logit")
    groups = np.select([SAMPLE_COLUMNS["group"] == "a", SAMPLE_COLUMNS["group"] == "b"], [0, 1], -1)
    check_difference(SAMPLE_COLUMNS["y"], groups, survey_design, expected["difference"])
    check_paired(SAMPLE_COLUMNS["rating"], SAMPLE_COLUMNS["second"], survey_design, expected["paired"])


@pytest.mark.parametrize("name", REPLICATED)
def test_replicates_are_raked_separately(name):
    survey_design, rows = replicated(name)
    sample = {key: values[rows] for key, values in SAMPLE_COLUMNS.items()}
    expected = figures("sample_raked_designs")[name]
    of_raked = raked_design(survey_design, raked(survey_design, sample))
    assert of_raked.df == survey_design.df == expected["degf"]
    check_estimates(survey_totals(sample["x"], of_raked), expected["total_x"])
    # For a part of the rows R takes the rank of the raked replicates, more than the draw had: not so here.
    for result, figure in (
        (survey_means(sample["y"], of_raked), "mean_y"),
        (survey_ratios(sample["y"], sample["x"], of_raked), "ratio"),
        (survey_means(sample["y"], of_raked, groups=np.where(sample["group"] == "b", 0, -1)), "domain"),
    ):
        assert result.values[0, 0] == six_digits(expected[figure]["value"])
        assert result.standard_errors[0, 0] == six_digits(expected[figure]["se"])
        assert result.df[0, 0] <= survey_design.df
    check_groups(survey_means(sample["y"], of_raked, groups=codes(sample["group"])), expected["by_group"])


def test_residuals_by_hand():
    # Sexes f, f, m, m with targets 2 and 2 leave the weights at 1; the residuals of 1, 3, 4, 8 within sexes
    # are -1, 1, -2, 2, so that the variance of the mean is 4 / 3 * 10 / 16 and not 4 / 3 * 26 / 16.
    survey_design = SurveyDesign(np.ones(4))
    raking = rake({"sex": ["f", "f", "m", "m"]}, {"sex": {"f": 2, "m": 2}}, weights=survey_design.weights)
    result = survey_means([1.0, 3, 4, 8], raked_design(survey_design, raking))
    assert result.covariance[0, 0, 0] == pytest.approx(4 / 3 * 10 / 16)


def test_bounds_hold_in_every_replicate():
    plain = design("both")
    factors = np.random.default_rng(3).integers(1, 4, (len(plain.stages[0].stratum), 20))
    survey_design = replicate_design(
        plain.weights, plain.weights[:, None] * factors[plain.stages[0].cluster], "bootstrap"
    )
    raking = raked(survey_design, SAMPLE_COLUMNS, bounds=(0.2, 4))
    result = raked_design(survey_design, raking)
    low, high = raking.task.limits
    counts = survey_design.replicates / survey_design.weights[:, None]
    assert np.all(result.replicates <= high * counts * (1 + 1e-9))
    assert np.all(result.replicates >= low * counts * (1 - 1e-9))
    for margin in raking.task.margins:
        for replicate in result.replicates.T:
            assert margin.sums(replicate) == pytest.approx(margin.targets)


def test_what_does_not_fit_is_refused():
    survey_design = SurveyDesign(np.ones(4))
    answers, targets = {"sex": ["f", "m", "m", "m"]}, {"sex": {"f": 0.5, "m": 0.5}}
    other = rake(answers, targets, weights=np.array([1.0, 1, 1, 2]))
    with pytest.raises(InputError, match="must start from the design's weights"):
        raked_design(survey_design, other)
    raking = rake(answers, targets, weights=survey_design.weights)
    with pytest.raises(InputError, match="regression must be weighted or plain, got 'none'"):
        raked_design(survey_design, raking, regression="none")
    twice = raked_design(survey_design, raking)
    again = rake(answers, targets, weights=twice.weights)
    with pytest.raises(InputError, match="is raked already"):
        raked_design(twice, again)
    with pytest.raises(InputError, match=r"replicate 1 cannot meet margin 'sex'"):
        raked_design(jackknife_replicates(survey_design), raking)


N = 90


def residuals(influence, indicators, weights, importance):
    """Least squares with square roots of the importance, group by group."""
    root = np.sqrt(importance)[:, None]
    apart = influence / weights[:, None]
    slopes = np.linalg.lstsq(root * indicators, root * apart, rcond=None)[0]
    return (apart - indicators @ slopes) * weights[:, None]


@pytest.mark.parametrize("stages", ["one", "two"])
def test_covariances_are_those_of_the_residuals(stages):
    rng = np.random.default_rng(5)
    weights, importance, influence = rng.uniform(1, 3, N), rng.uniform(1, 2, N), rng.normal(size=(N, 2))
    columns = {"sex": rng.integers(0, 2, N), "age": rng.integers(0, 3, N)}
    targets = {"sex": {0: 0.5, 1: 0.5}, "age": {0: 0.2, 1: 0.3, 2: 0.5}}
    margins = rake(columns, targets, weights=weights, allow_unmet=True).task.margins
    strata, villages = np.arange(N) // 30, np.arange(N) // 5
    settings = {"strata": strata, "clusters": villages}
    if stages == "two":
        settings["clusters"] = np.column_stack([villages, np.arange(N)])
        settings["fpc"] = np.column_stack([np.full(N, 20.0), np.full(N, 9.0)])
    calibration = MarginCalibration(margins, weights, importance)
    raked, plain = (SurveyDesign(weights, **settings, calibration=value) for value in (calibration, None))
    groups, everyone = Domains(rng.integers(0, 2, N), 2), Domains(np.zeros(N, dtype=int), 1)
    result = Variances(raked, groups).covariance(Linearized(np.zeros((2, 2)), influence))
    indicators = np.column_stack(
        [columns[name] == value for name, goals in targets.items() for value in goals]
    )
    for column in range(2):
        of_groups = np.column_stack([influence[:, column] * (groups.codes == group) for group in range(2)])
        left = residuals(of_groups, indicators.astype(float), weights, importance)
        pairs = {
            (0, 0): left[:, 0],
            (1, 1): left[:, 1],
            (0, 1): left[:, 0] + left[:, 1],
        }  # var(a + b) = var a + var b + 2 cov
        var = {
            pair: Variances(plain, everyone).covariance(Linearized(np.zeros((1, 1)), value[:, None]))[0, 0, 0]
            for pair, value in pairs.items()
        }
        shared = (var[0, 1] - var[0, 0] - var[1, 1]) / 2
        assert result[column] == pytest.approx(np.array([[var[0, 0], shared], [shared, var[1, 1]]]))
