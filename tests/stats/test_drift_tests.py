"""Tests that compare runs."""

from itertools import product
from math import inf, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, f, nct, t, ttest_1samp

from semscale.errors import InputError
from semscale.stats.drift_tests import (
    VariancePrior,
    agreement,
    conformal_p_values,
    detectable_difference,
    exchange_test,
    fit_variance_prior,
    items_for_difference,
    monotone_trend,
    needed_for_significance,
    needed_to_exclude,
    p_value_evidence,
    paired_means,
    pettitt,
    run_evidence,
    signs_needed,
    trigamma_inverse,
)
from semscale.stats.intervals import IntervalPlan, estimate_mean

PLAN = IntervalPlan(replicates=1000)


def column(*values):
    return np.array(values, dtype=np.float64)[:, None]


def skewed(n=12, seed=0):
    return np.random.default_rng(seed).exponential(size=n) - 0.5


def test_few_items_go_by_t():
    # Mean 1, sd sqrt(2.5), se sqrt(.5), t = sqrt(2). With 4 degrees of freedom
    # P(T > t) = 1/2 - 3/8 * u * (1 - t^2 / (12 w)), w = 1 + t^2 / 4 = 1.5, u = t / sqrt(w) = 1.1547:
    # .5 - .375 * 1.1547 * .8889 = .1151.
    # t(.975, 4) = 2.7764: 1 -+ 2.7764 * .7071.
    found = paired_means(column(-1, 0, 1, 2, 3), plan=PLAN)[0]
    assert found.p_value == pytest.approx(0.1151, abs=1e-4)
    assert (found.mean.low, found.mean.high) == pytest.approx((1 - 1.9632, 1 + 1.9632), abs=1e-4)
    assert found.mean.method == "linearized"
    assert found.sd == pytest.approx(np.sqrt(2.5))


def test_differences_that_are_all_alike_have_a_direction_and_no_spread():
    # 12 equal signs: 2 ** -12.
    found = paired_means(column(*[0.4] * 12), plan=PLAN)[0]
    assert found.p_value == 2.0**-12
    assert found.sd == 0.0
    assert (found.mean.value, found.mean.low, found.mean.high) == pytest.approx((0.4, 0.4, 0.4))


@pytest.mark.parametrize("value", [0.0, -0.4])
def test_no_difference_is_no_evidence(value):
    assert paired_means(column(*[value] * 12), plan=PLAN)[0].p_value == 1.0


@pytest.mark.parametrize("n", [3, 8])
def test_few_items_never_say_more_than_their_signs(n):
    nearly_alike = 0.4 + 1e-9 * np.arange(n)
    assert paired_means(nearly_alike[:, None], plan=PLAN)[0].p_value == 2.0**-n


def test_intervals_are_those_of_the_mean_by_itself():
    values = skewed()
    alone = estimate_mean(values, bounds=(-10, 10), plan=PLAN)
    found = paired_means(values[:, None], plan=PLAN)[0].mean
    assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert found.method == "bootstrap"


@pytest.mark.parametrize("seed", range(4))
def test_p_values_as_a_slow_loop_has_them(seed):
    values = skewed(seed=seed)
    drawn = np.random.default_rng(0).integers(0, 12, size=(1000, 12))
    reached = np.mean(values) / (np.std(values, ddof=1) / np.sqrt(12))
    above = 0
    for row in drawn:
        again = values[row]
        own = (again.mean() - values.mean()) / (again.std(ddof=1) / np.sqrt(12))
        above += own >= reached
    by_t = ttest_1samp(values, 0, alternative="greater").pvalue
    expected = max((1 + above) / 1001, by_t)
    assert paired_means(values[:, None], plan=PLAN)[0].p_value == pytest.approx(expected)


def test_figures_do_not_depend_on_each_other():
    others = np.random.default_rng(1).normal(size=(12, 3))
    others[4:9, 0] = np.nan
    values = skewed()
    together = paired_means(np.column_stack([others, values]), plan=PLAN)
    alone = paired_means(values[:, None], plan=PLAN)[0]
    assert together[3].p_value == alone.p_value
    assert together[3].mean.low == pytest.approx(alone.mean.low)


def test_a_small_p_value_is_that_of_more_replicates_and_its_interval_is_not():
    values = column(*(0.4 + 0.05 * np.random.default_rng(0).normal(size=12)))
    rough, fine = (paired_means(values, plan=PLAN, finest=finest)[0] for finest in (0, 20_000))
    best = paired_means(values, plan=IntervalPlan(replicates=20_000))[0]
    assert rough.p_by_bootstrap == 1 / 1001
    assert fine.p_by_bootstrap == best.p_by_bootstrap < 1 / 1001
    assert (fine.mean.low, fine.mean.high) == (rough.mean.low, rough.mean.high)


def test_a_great_p_value_is_not_drawn_again():
    values = skewed()[:, None] - 0.9  # 100 of 1,000 replicates and more reach its mean
    assert paired_means(values, plan=PLAN, finest=20_000) == paired_means(values, plan=PLAN)


def test_items_without_a_value_are_left_out_and_counted():
    values = np.r_[skewed(), np.nan, np.nan]
    found = paired_means(values[:, None], plan=PLAN)[0].mean
    assert (found.n, found.n_left_out, found.n_clusters) == (12, 2, 12)
    assert found.value == pytest.approx(skewed().mean())


def test_nothing_is_known_where_no_item_has_a_value():
    found = paired_means(np.full((12, 1), np.nan), plan=PLAN)[0]
    assert np.isnan([found.p_value, found.sd, found.mean.value, found.mean.low]).all()
    assert found.mean.n == 0
    nothing = paired_means(np.zeros((0, 2)), plan=PLAN)
    assert [result.mean.n for result in nothing] == [0, 0]


def test_one_item_has_no_interval():
    found = paired_means(column(0.7), plan=PLAN)[0]
    assert found.p_value == 0.5
    assert np.isnan(found.mean.low)


def test_rare_differences_have_replicates_without_any():
    # Of 12 items one differs: (11 / 12) ** 12 = 35 % of the replicates are all alike, below the mean.
    found = paired_means(column(*[0.0] * 11, 1.0), plan=PLAN)[0]
    # t = 1: P(T(11) > 1) = .1694.
    assert found.p_value >= 0.1694 - 1e-4


def test_a_single_item_that_is_no_worse_does_not_hide_29_that_are():
    # (29 / 30) ** 30 = 36 % of the replicates lack that item and have no spread. All others have it as often
    # as the items do, or more, so that no mean of theirs lies above: p = 1 / (1 + some 640).
    assert paired_means(column(*[1.0] * 29, 0.0), plan=PLAN)[0].p_value < 0.002


def test_it_errs_no_more_than_it_may_where_t_does():
    # Skewed to the left, mean 0: of 30 items the t-test rejects about 9 %. 300 draws: standard error .015.
    rng = np.random.default_rng(5)
    draws = 1 - rng.exponential(size=(300, 30))
    plan = IntervalPlan(replicates=400)
    rejected = np.mean([paired_means(draw[:, None], plan=plan)[0].p_value < 0.05 for draw in draws])
    assert rejected <= 0.065 + 2 * 0.015


@pytest.mark.parametrize("values", [np.zeros(3), np.array([[np.inf], [0.0]])])
def test_refuses_other_shapes_and_infinite_values(values):
    with pytest.raises(InputError, match="values must have a row"):
        paired_means(values)


@pytest.mark.parametrize("n", [5, 12])
def test_bounded_differences_that_are_all_alike_have_exact_intervals(n):
    # Unseen, up to q = 1 - .05 ** (1 / n) of the items may differ: .1 - q (.1 - 0) to .1 + q (1 - .1).
    unseen = 1 - 0.05 ** (1 / n)
    found = paired_means(column(*[0.1] * n), bounds=np.array([[0.0, 1.0]]), plan=PLAN)[0]
    assert (found.mean.low, found.mean.high) == pytest.approx((0.1 - 0.1 * unseen, 0.1 + 0.9 * unseen))
    assert (found.mean.method, found.p_value) == ("exact", 2.0**-n)


def test_differences_that_vary_by_rounding_alone_are_alike():
    found = paired_means(column(*(0.1 + 1e-9 * np.arange(12))), bounds=np.array([[0.0, 1.0]]), plan=PLAN)[0]
    assert found.mean.method == "exact"


pytestmark = pytest.mark.exhaustive


def counted(by_role):
    """Mid-p-value over every choice of one value an item."""
    sums = np.array([sum(choice) for choice in product(*by_role.tolist())])
    observed = by_role[:, 0].sum()
    is_equal = np.isclose(sums, observed)
    return ((sums > observed) & ~is_equal).mean() + is_equal.mean() / 2


@settings(max_examples=40)
@given(st.integers(0, 9999), st.integers(1, 6), st.integers(2, 4))
def test_equals_all_exchanges_of_whole_numbers(seed, n, k):
    # Whole numbers up to 4 fall on the steps exactly, as 400 is a multiple of 1, 2 and 4 (and 3 is scaled).
    by_role = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 4.0], size=(n, k))
    by_role[0, :2] = [4.0, 0.0]
    assert exchange_test(by_role).p_value == pytest.approx(counted(by_role), abs=1e-9)


def test_is_the_sign_test_where_all_differences_are_alike():
    # 7 of 10 up: P(more than 7) + P(7) / 2 of Binomial(10, 1 / 2).
    signs = np.array([1.0] * 7 + [-1.0] * 3)
    found = exchange_test(np.column_stack([signs, -signs]))
    assert found.p_value == pytest.approx(binom.sf(7, 10, 0.5) + binom.pmf(7, 10, 0.5) / 2)
    assert found.least == pytest.approx(0.5**10 / 2)


def test_items_that_do_not_differ_or_are_unknown_say_nothing():
    some = np.array([[1.0, 0.0, 0.0]] * 3)
    with_others = np.r_[some, np.full((50, 3), 0.4), np.full((2, 3), np.nan)]
    assert exchange_test(with_others) == exchange_test(some)
    assert exchange_test(np.zeros((5, 3))).p_value == exchange_test(np.zeros((5, 3))).least == 1.0
    assert np.isnan(exchange_test(np.full((5, 3), np.nan)).p_value)


def test_large_samples_agree_with_the_exact_distribution():
    # 1,000 signs, 540 of them up: the binomial mid-p-value.
    signs = np.where(np.arange(1000) < 540, 1.0, -1.0)
    found = exchange_test(np.column_stack([signs, -signs]))
    exact = binom.sf(540, 1000, 0.5) + binom.pmf(540, 1000, 0.5) / 2
    assert found.p_value == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("rate", [0.08, 1.0])
@pytest.mark.parametrize("k", [2, 5])
def test_it_errs_no_more_often_than_it_says(rate, k):
    # 2,000 sets of 30 items: .05 has a standard error of .005, .01 one of .0022.
    rng = np.random.default_rng(0)
    losses = rng.random((2000, 30, k)) * (rng.random((2000, 30, k)) < rate)
    p_values = np.array([exchange_test(one).p_value for one in losses])
    assert (p_values < 0.05).mean() < 0.05 + 3 * 0.005
    assert (p_values < 0.01).mean() < 0.01 + 3 * 0.0022


def test_significance_by_the_t_table():
    # t(.95, 12) = 1.7823: 1.7823 / sqrt(13) = .4943 <= .5; t(.95, 11) = 1.7959 / sqrt(12) = .5184 is not.
    assert needed_for_significance(0.5, 1.0, 0.05) == 13


def test_without_a_spread_signs_decide():
    # 2 ** -4 = .0625, 2 ** -5 = .03125; 2 ** -9 = .00195 > .001 > 2 ** -10
    assert signs_needed(0.05) == 5
    assert needed_for_significance(0.4, 0.0, 0.001) == 10


def test_no_number_shows_what_is_not_there():
    assert needed_for_significance(0.0, 1.0, 0.05) is None
    assert needed_for_significance(-0.1, 1.0, 0.05) is None
    assert needed_for_significance(0.1, float("nan"), 0.05) is None
    assert needed_for_significance(1e-9, 1.0, 0.05) is None


def test_signs_are_below_alpha_and_not_at_it():
    assert signs_needed(0.25) == 3  # 2 ** -2 is .25 itself


@pytest.mark.parametrize(("share", "needed"), [(0.05, 59), (0.5, 5), (1.0, 1)])
def test_items_without_an_event_exclude_a_share(share, needed):
    # .95 ** 59 = .0485 and .95 ** 58 = .0510; .5 ** 5 = .031 and .5 ** 4 = .0625.
    assert needed_to_exclude(share, 0.95) == needed


@pytest.mark.parametrize(("power", "expected"), [(0.8, 27), (0.95, 45)])
def test_items_as_published(power, expected):
    # G*Power 3.1 manual and Cohen (1988): one-sided paired t-test, dz = .5, alpha = .05.
    assert items_for_difference(0.5, 1.0, alpha=0.05, power=power) == expected


@pytest.mark.parametrize("n", [2, 5, 30, 400, 5000])
def test_a_detectable_difference_has_the_power_asked_for(n):
    difference = detectable_difference(n, 2.0, alpha=0.01, power=0.9)
    noncentrality = difference * np.sqrt(n) / 2.0
    reached = nct.sf(t.isf(0.01, n - 1), n - 1, noncentrality)
    assert reached == pytest.approx(0.9, abs=1e-4)


def test_nothing_is_known_without_items_or_spread():
    assert np.isnan(detectable_difference(1, 1.0, alpha=0.05, power=0.8))
    assert np.isnan(detectable_difference(9, np.nan, alpha=0.05, power=0.8))
    assert items_for_difference(0.0, 1.0, alpha=0.05, power=0.8) is None
    assert items_for_difference(0.1, np.nan, alpha=0.05, power=0.8) is None


def run(*values):
    return np.array(values, dtype=np.float64)


def test_one_value_by_hand():
    # Stakes are spread evenly over 0 to 1 / .1, 5 on average: 1 + 5 * (.5 - .1) = 3; half is bet.
    np.testing.assert_allclose(run_evidence([run(0.5)], 0.1), [2.0])


def test_two_items_of_a_run_by_hand():
    # Mean of (1 + .4 b) ** 2 = 1 + .8 * 5 + .16 * mean(b ** 2); 100 midpoints of 0 to 10: 33.3325.
    np.testing.assert_allclose(run_evidence([run(0.5, np.nan, 0.5)], 0.1), [(10.3332 + 1) / 2])


def test_two_runs_by_hand():
    # From the first run on half of 10.3332; from the second on a sixth of 3; a third is kept.
    found = run_evidence([run(0.5), run(0.5)], 0.1)
    np.testing.assert_allclose(found, [2.0, 10.3332 / 2 + 3 / 6 + 1 / 3])


def test_values_below_0_have_smaller_stakes():
    # Stakes over 0 to 1 / (.1 + .9) = 1, .5 on average: 1 + .5 * .4 = 1.2.
    np.testing.assert_allclose(run_evidence([run(0.5)], 0.1, least=-0.9), [1.1])


def test_evidence_never_falls_and_starts_at_1():
    found = run_evidence([run(0.5), run(0.5), run(0.0), run(0.0)], 0.1)
    assert found[1] == found[2] == found[3]
    np.testing.assert_array_equal(run_evidence([run(0.0)] * 3, 0.1), np.ones(3))


def test_a_run_without_a_value_changes_nothing():
    whole = run_evidence([run(0.5), run(np.nan), run(0.5)], 0.1)
    np.testing.assert_allclose(whole, run_evidence([run(0.5), run(0.5)], 0.1)[[0, 0, 1]])


def test_there_is_no_evidence_against_what_is_always_so():
    np.testing.assert_allclose(run_evidence([run(1.0, 1.0)] * 50, 1.0), np.ones(50))


def test_much_evidence_stays_finite():
    assert np.isfinite(run_evidence([np.ones(5000)] * 3, 0.01)).all()


@pytest.mark.parametrize(("values", "allowed"), [([0.5], 0.0), ([0.5], -1.0), ([-0.1], 0.5)])
def test_refuses_what_it_cannot_bet_on(values, allowed):
    with pytest.raises(InputError, match="must"):
        run_evidence([run(*values)], allowed)


def test_false_alarms_stay_rare_over_200_runs_of_items_that_differ():
    # The hypothesis at its edge: 30 items that lose with probabilities of .02 to .6, .2 on average. 1 in 20
    # series may ever reach 20; 400 series: standard error .011.
    rng = np.random.default_rng(0)
    chances = np.linspace(0.02, 0.6, 30)
    chances *= 0.2 / chances.mean()
    series = [[(rng.random(30) < chances).astype(float) for _ in range(200)] for _ in range(400)]
    alarms = np.mean([run_evidence(runs, 0.2)[-1] >= 20 for runs in series])
    assert alarms <= 0.05 + 3 * 0.011


def test_a_drift_that_sets_in_late_is_seen():
    # Thirty runs of twice what is allowed after 100 good ones, by which bets from the start are lost.
    good, bad = np.r_[1.0, np.zeros(19)], np.r_[np.ones(4), np.zeros(16)]
    assert run_evidence([good] * 100, 0.1)[-1] < 2
    assert run_evidence([good] * 100 + [bad] * 30, 0.1)[-1] > 1000


def test_one_very_bad_run_is_seen_at_once():
    assert run_evidence([np.full(30, 0.1)] * 2 + [np.ones(30)], 0.5)[-1] > 1000


def test_bets_on_p_values_by_hand():
    # p = 1 gives each gambler its sharpness, .5 on average; half of the capital is bet, then a sixth.
    np.testing.assert_allclose(p_value_evidence([1.0]), [1.0])  # .25 + .5 is less than at the start
    gains = np.arange(0.025, 1, 0.05) * 100 ** (1 - np.arange(0.025, 1, 0.05))
    np.testing.assert_allclose(p_value_evidence([0.01]), [gains.mean() / 2 + 0.5])
    twice = ((gains / 2 + 1 / 6) * gains).mean() + 1 / 3
    np.testing.assert_allclose(p_value_evidence([0.01, 0.01])[-1], twice)


def test_uniform_p_values_rarely_raise_an_alarm():
    # At most .05 of series may ever reach 20: of 400, 34 or more have a probability below .002.
    series = np.random.default_rng(0).uniform(size=(400, 100))
    assert sum(p_value_evidence(one.tolist())[-1] >= 20 for one in series) < 34


def test_small_p_values_after_many_others_are_seen():
    assert p_value_evidence([0.6] * 50)[-1] < 2
    assert p_value_evidence([0.6] * 50 + [0.001] * 5)[-1] > 1000


def test_the_least_p_values_do_not_overflow():
    assert np.isfinite(p_value_evidence([1e-10] * 200)).all()


def test_without_a_p_value_there_is_no_evidence():
    assert p_value_evidence([]).shape == (0,)


def conformal_counted(runs):
    """P(sum >= observed) over all draws of one of the values so far at each item."""
    sums = [sum(values) for values in product(*runs.T)]
    return np.mean([one >= runs[-1].sum() - 1e-9 for one in sums])


def test_exact_by_counting():
    runs = np.array([[0.1, 0.5, 0.2], [0.3, 0.1, 0.2], [0.2, 0.4, 0.7], [0.3, 0.3, 0.3]])
    # In tenths that differ by 5 at most, so that rounding to 200 steps keeps ties.
    assert conformal_p_values(runs) == pytest.approx([1.0, *(conformal_counted(runs[:t]) for t in (2, 3, 4))])


def test_the_worst_of_t_runs_at_each_of_n_items():
    runs = np.vstack([np.random.default_rng(0).uniform(0, 0.5, (4, 6)), np.ones(6)])
    assert conformal_p_values(runs)[-1] == pytest.approx(5.0**-6)


def test_runs_that_are_alike_say_nothing():
    assert conformal_p_values(np.full((4, 3), 0.2)).tolist() == [1.0] * 4


def test_what_was_not_observed_is_left_out():
    known = np.array([[0.1, 0.5], [0.3, 0.1], [0.2, 0.4]])
    with_gaps = np.column_stack([known, [0.9, 0.1, np.nan]])  # not observed in the latest run
    assert conformal_p_values(with_gaps)[-1] == pytest.approx(conformal_p_values(known)[-1])
    earlier = np.array([[np.nan], [0.2], [0.3]])  # two values: the worse of two
    assert conformal_p_values(earlier).tolist() == pytest.approx([1.0, 1.0, 0.5])
    assert conformal_p_values(np.full((2, 2), np.nan)).tolist() == [1.0, 1.0]


def test_a_far_run_has_the_least_p_value():
    runs = np.vstack([np.zeros((9, 40)), np.ones(40)])  # 10 ** -40 is cut
    assert conformal_p_values(runs)[-1] == 1e-10


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [20, 400])  # exact, and normal
def test_unchanged_runs_err_as_often_as_they_say_or_less(n):
    rng = np.random.default_rng(n)
    series = rng.exponential(size=(150, 8, n)) * rng.uniform(0, 1, n)
    found = np.concatenate([conformal_p_values(one)[1:] for one in series])  # 1,050 p-values
    for level, most in ((0.05, 76), (0.2, 250)):  # mean 52.5 and 210, and 3.3 standard deviations
        assert (found <= level).sum() < most
    assert (found <= 0.5).mean() == pytest.approx(0.5, abs=0.06)


def test_normal_and_exact_agree_at_their_border():
    runs = np.random.default_rng(3).exponential(size=(6, 301))
    runs[-1] += 0.1
    normal = conformal_p_values(runs)[-1]
    exact = conformal_p_values(runs[:, :300])[-1]
    assert normal == pytest.approx(exact, rel=0.25)


# Flow of the Nile at Aswan, 1871-1970, in 1e8 cubic metres (Cobb 1978, doi 10.1093/biomet/65.2.243).
NILE = """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140
1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831
726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759 781 865 845 944
984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050 918 986 797
923 975 815 1020 906 901 1170 912 746 919 718 714 740"""


def test_four_ascending_values_by_hand():
    # Ranks 1 to 4: U = 2 - 5, 6 - 10, 12 - 15 = -3, -4, -3, so the change lies after two. |U(2)| = 4 takes
    # {1, 2} or {3, 4} in front, 8 of 24 orders; U(1) and U(3) never exceed 3. p = 1 / 3; of 1,999 orders the
    # share has a standard error of .011.
    change = pettitt(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (change.place, change.before, change.after) == (2, 1.5, 3.5)
    assert change.p_value == pytest.approx(1 / 3, abs=0.04)


def test_the_nile_changed_in_1899():
    flow = np.array(NILE.split(), dtype=np.float64)
    assert len(flow) == 100
    change = pettitt(flow)
    # The well-known change of 1898: 28 years up to then have the higher flow, 1,097.75 on average (Cobb).
    assert change.place == 28
    assert change.before == pytest.approx(1097.75)
    assert change.p_value == 1 / 2000


def test_equal_values_show_no_change():
    assert pettitt(np.full(20, 0.3)).p_value == 1.0


def test_long_series_go_by_the_approximation():
    values = np.random.default_rng(0).normal(size=1000)
    values[600:] += 0.5
    change = pettitt(values)
    assert change.place == pytest.approx(600, abs=30)
    assert change.p_value < 1e-6
    assert pettitt(np.random.default_rng(1).normal(size=1000)).p_value > 0.05


def test_the_seed_decides():
    values = np.random.default_rng(2).normal(size=12)
    assert pettitt(values, seed=4) == pettitt(values, seed=4)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, np.nan]])
def test_refuses_what_has_no_change(values):
    with pytest.raises(InputError, match="at least 2 finite"):
        pettitt(np.array(values))


def test_five_ascending_values_by_hand():
    # Only 1 of 5! = 120 orders rises throughout, and 1 falls: p = 2 / 120. Slopes of all pairs are .5 to 1.5.
    trend = monotone_trend(np.arange(5.0), np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert trend.p_value == pytest.approx(2 / 120)
    assert trend.slope.value == pytest.approx(1.0)


def test_the_slope_is_the_median_of_all_pairs():
    # Pairs: (0,1) 1, (0,2) 1, (0,4) 25/... times 0, 1, 2, 4; values 0, 1, 2, 100: slopes 1, 1, 25, 1, 33, 49.
    trend = monotone_trend(np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0, 100.0]))
    assert trend.slope.value == pytest.approx((1 + 25) / 2)


def test_what_never_changes_has_no_trend():
    trend = monotone_trend(np.arange(6.0), np.full(6, 0.2))
    assert (trend.p_value, trend.slope.value) == (1.0, 0.0)


@pytest.mark.parametrize("times", [np.arange(3.0), np.zeros(8)])
def test_too_little_to_say_anything(times):
    trend = monotone_trend(times, np.arange(float(len(times))))
    assert np.isnan([trend.p_value, trend.slope.value, trend.slope.low]).all()


def test_long_series_keep_their_slope():
    times = np.arange(3456.0)
    values = 0.01 * times + np.random.default_rng(0).normal(size=len(times))
    trend = monotone_trend(times, values)
    assert trend.slope.value == pytest.approx(0.01, rel=0.01)
    assert trend.slope.low < 0.01 < trend.slope.high


def test_shapes_must_agree():
    with pytest.raises(InputError, match="one shape"):
        monotone_trend(np.arange(3.0), np.arange(4.0))


def test_finds_the_prior_that_variances_were_drawn_from():
    # 1 / variance is chi-square with 12 degrees of freedom by 12 * 3, as in Smyth's prior.
    rng = np.random.default_rng(0)
    true = 12 * 3.0 / rng.chisquare(12, 20_000)
    variances = true * rng.chisquare(29, len(true)) / 29
    found = fit_variance_prior(variances, np.full(len(true), 29.0))
    assert found.freedom == pytest.approx(12, rel=0.05)
    assert found.variance == pytest.approx(3, rel=0.02)


def test_variances_that_differ_by_chance_alone_are_worth_the_most():
    # ln s^2 of 3 samples with one degree of freedom has the variance trigamma(.5) = pi^2 / 2 by chance.
    found = fit_variance_prior(np.array([1.0, 2.0, 4.0]), np.ones(3))
    assert found.freedom == inf
    # digamma(.5) = -1.96351, ln(.5) = -.693147: e = ln s^2 + 1.270363, and the mean of ln s^2 is ln 2.
    assert found.variance == pytest.approx(2 * np.exp(1.270363), rel=1e-5)


def test_samples_of_different_sizes_count_with_their_own_chance():
    # e of two large samples is ln s^2; what is beyond chance is ln(4)^2 / 2 - 2e-9 = .960906.
    found = fit_variance_prior(np.array([1.0, 4.0]), np.array([1e9, 1e9]))
    assert found.freedom == pytest.approx(2 * trigamma_inverse(0.960906), rel=1e-5)


@pytest.mark.parametrize("variances", [[0.0, 1.0, 1.0], [0.0, 0.0]])
def test_a_sample_without_spread_takes_all_worth(variances):
    assert fit_variance_prior(np.array(variances), np.full(len(variances), 20.0)).freedom == 0


@pytest.mark.parametrize(("value", "at"), [(pi**2 / 6, 1.0), (pi**2 / 2, 0.5), (pi**2 / 6 - 1, 2.0)])
def test_the_inverse_of_trigamma(value, at):
    assert trigamma_inverse(value) == pytest.approx(at, rel=1e-6)


def test_the_inverse_of_trigamma_at_its_ends():
    assert trigamma_inverse(1e10) == pytest.approx(1e-5)  # trigamma(y) is about 1 / y^2
    assert trigamma_inverse(1e-8) == pytest.approx(1e8)  # and 1 / y


def test_agreement_is_twice_the_smaller_tail():
    prior = VariancePrior(0.5, 30.0)
    assert agreement(0.5 * f.ppf(0.99, 20, 30), 20, prior) == pytest.approx(0.02)
    assert agreement(0.5 * f.ppf(0.1, 20, 30), 20, prior) == pytest.approx(0.2)
    assert agreement(0.5 * f.ppf(0.5, 20, 30), 20, prior) == pytest.approx(1.0)
