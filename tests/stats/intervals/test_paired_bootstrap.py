import numpy as np
import pytest
from scipy.stats import ttest_1samp

from semscale.errors import InputError
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.stats.intervals.paired_bootstrap import paired_means

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
