"""Replicate weights: as they are given, and as they are made."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means, survey_totals
from semscale.stats.survey.replicate_design import ReplicateDesign, given_replicates
from semscale.stats.survey.replication import (
    balanced_replicates,
    bootstrap_replicates,
    jackknife_replicates,
)


def stratified(n=120, seed=2, **settings):
    rng = np.random.default_rng(seed)
    strata = np.arange(n) % 4
    y = rng.normal(strata, 1 + strata)
    return y, SurveyDesign(
        rng.uniform(1, 3, n), strata=strata, clusters=np.arange(n) // 4 * 4 + strata, **settings
    )


def test_a_jackknife_gives_the_linearised_variance_of_a_total():
    y, design = stratified()
    linearised, replicated = (survey_totals(y, one) for one in (design, jackknife_replicates(design)))
    assert replicated.covariance == pytest.approx(linearised.covariance)
    assert replicated.df[0, 0] == linearised.df[0, 0] == 116


def test_lonely_strata_count_as_the_average_in_a_jackknife_too():
    y, strata = np.array([1.0, 4, 2, 7, 9]), [0, 0, 1, 1, 2]
    design = SurveyDesign(np.ones(5), strata=strata, lonely="average")
    linearised, replicated = (survey_totals(y, one) for one in (design, jackknife_replicates(design)))
    assert replicated.covariance == pytest.approx(linearised.covariance)
    with pytest.raises(InputError, match="knows no lonely='adjust'"):
        jackknife_replicates(SurveyDesign(np.ones(5), strata=strata, lonely="adjust"))


@pytest.mark.parametrize("fpc", [None, 60.0])
def test_a_bootstrap_comes_close_to_the_linearised_variance(fpc):
    y, design = stratified(fpc=None if fpc is None else np.full(120, fpc))
    drawn = bootstrap_replicates(design, replicates=4000, seed=1)
    expected = survey_totals(y, design).standard_errors[0, 0]
    # The standard error of 4,000 replicates varies by 1.1 %.
    assert survey_totals(y, drawn).standard_errors[0, 0] == pytest.approx(expected, rel=0.05)
    assert drawn.df == 116


def test_a_bootstrap_keeps_each_stratum_s_clusters_and_its_seed():
    _, design = stratified()
    one, again, other = (bootstrap_replicates(design, replicates=3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.replicates, again.replicates)
    assert (one.replicates != other.replicates).any()
    factors = one.replicates / design.weights[:, None]
    for stratum in range(4):
        assert factors[np.arange(120) % 4 == stratum].sum(axis=0) == pytest.approx(np.full(3, 30))


def test_the_centre_is_the_estimate_or_the_mean_of_replicates():
    replicates = np.array([[2.0, 0.0], [0.0, 2.0]])
    y = np.array([1.0, 4.0])
    # Totals 2 and 8 lie around 5, and the mean of both is 5 as well.
    for mse in (False, True):
        design = given_replicates(np.ones(2), replicates, "brr", mse=mse)
        assert survey_totals(y, design).covariance[0, 0, 0] == pytest.approx(9)
    # With weights 2 the estimate is 10: (8 ** 2 + 2 ** 2) / 2.
    shifted = given_replicates(np.full(2, 2.0), replicates, "brr", mse=True)
    assert survey_totals(y, shifted).covariance[0, 0, 0] == pytest.approx(34)


@pytest.mark.parametrize("rho", [0, 0.5])
def test_balanced_halves_give_the_linearised_variance_of_a_total(rho):
    rng = np.random.default_rng(6)
    y, clusters = rng.normal(size=66), np.arange(66) // 3
    pairs = SurveyDesign(rng.uniform(1, 2, 66), strata=clusters // 2, clusters=clusters)
    linearised, halves = (survey_totals(y, one) for one in (pairs, balanced_replicates(pairs, rho=rho)))
    assert halves.covariance == pytest.approx(linearised.covariance)
    assert halves.df.tolist() == linearised.df.tolist() == [[11]]


def test_balanced_halves_need_pairs_drawn_with_replacement():
    strata = np.array([0, 0, 1, 1, 1])
    with pytest.raises(InputError, match=r"the stratum of row 3 has 3"):
        balanced_replicates(SurveyDesign(np.ones(5), strata=strata))
    pairs = SurveyDesign(np.ones(4), strata=strata[:4], fpc=np.full(4, 9.0))
    with pytest.raises(InputError, match="leave fpc out"):
        balanced_replicates(pairs)
    with pytest.raises(InputError, match="rho must be at least 0 and below 1, got 1"):
        balanced_replicates(SurveyDesign(np.ones(4), strata=strata[:4]), rho=1)


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
def test_each_kind_has_its_scale(kind, settings, scale):
    assert given_replicates(np.ones(5), np.ones((5, 4)), kind, **settings).scale == pytest.approx(scale)


def test_degrees_of_freedom_are_those_of_the_rows_that_a_group_has():
    design = jackknife_replicates(SurveyDesign(np.ones(6)))
    found = survey_means(np.arange(6.0), design, groups=[0, 0, 0, 0, 1, 1])
    assert found.pair_df[0].tolist() == [[3, 5], [5, 1]]


def test_degrees_of_freedom_of_many_replicates_are_found_as_well():
    plain = SurveyDesign(np.ones(400))
    drawn = bootstrap_replicates(plain, replicates=300)
    assert drawn.df == 399
    groups = np.repeat([0, 1], [6, 394])  # 300 replicates have no more than rank 300
    assert survey_means(np.arange(400.0), drawn, groups=groups).df.tolist() == [[5, 299]]
    given = given_replicates(np.ones(400), drawn.replicates, "bootstrap")
    assert given.df == 299


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: given_replicates(np.ones(2), np.ones((2, 2)), "jkn"), "jkn needs rscales"),
        (lambda: given_replicates(np.ones(2), np.ones((2, 2)), "fay"), "rho must be above 0 and below 1"),
        (lambda: given_replicates(np.ones(2), np.ones((2, 2)), "brr", rho=0.5), "rho must be above 0"),
        (lambda: given_replicates(np.ones(2), np.ones((2, 2)), "halves"), "kind must be bootstrap"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((3, 2)), 1.0), "replicates must have 2 rows"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 1)), 1.0), "at least 2 columns"),
        (lambda: ReplicateDesign(np.ones(2), np.full((2, 2), np.nan), 1.0), "replicates must be finite"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 2)), 0.0), "scale must be > 0, got 0.0"),
        (lambda: ReplicateDesign(np.ones(2), np.ones((2, 2)), 1.0, np.ones(3)), "rscales must be 2 numbers"),
        (
            lambda: bootstrap_replicates(SurveyDesign(np.ones(2)), replicates=1),
            "replicates must be at least 2",
        ),
        (
            lambda: jackknife_replicates(SurveyDesign(np.ones(20_000))),
            "20000 rows by 20000 replicates are too many",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
