import numpy as np
import pytest

from semscale.stats.intervals.estimates import Estimate, GroupEstimate
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.stats.intervals.refits import allowing_for_refits, refit_errors

FIGURES = figures_of(np.array([1.0, 2.0]))  # mean, p_1 and p_2


def group(**ends):
    named = {name: Estimate(*ends.get(name, (value, value, value))) for name, value in VALUES.items()}
    return GroupEstimate(None, 30, {}, 30.0, named, n_clusters=30, method="bootstrap")


VALUES = {"mean": 1.4, "p_1": 0.6, "p_2": 0.4}
# Means 1.3, 1.4 and 1.5 under the refits, so the sum of squares is .02 and the variance 2 / 3 of it.
MEANS = np.array([[0.7, 0.3], [0.6, 0.4], [0.5, 0.5]])


def test_the_mean_of_left_out_means_has_the_usual_standard_error():
    # A mean refitted without each of its n numbers: the jackknife gives s / sqrt(n) exactly.
    numbers = np.array([1.0, 2.0, 4.0, 9.0])
    without = (numbers.sum() - numbers) / 3
    assert refit_errors(without[:, None])[0] == pytest.approx(numbers.std(ddof=1) / 2)


def test_ends_move_by_the_error_in_quadrature():
    # t of .975 with 2 degrees of freedom is 4.3027; 4.3027 ** 2 * .02 * 2 / 3 = .24684.
    found = allowing_for_refits(group(mean=(1.4, 1.3, 1.6)), MEANS, FIGURES, 0.95).figures["mean"]
    assert found.value == 1.4
    assert found.low == 1.0  # 1.4 - sqrt(.01 + .24684) = .893, below the lowest point
    assert found.high == pytest.approx(1.4 + np.sqrt(0.04 + 0.24684), abs=1e-4)


def test_a_mass_is_at_least_as_uncertain_as_a_share_of_the_labels():
    # No label has the first point: of 10 labels, 1 - .025 ** (1 / 10) = .30850 may still have it.
    # Half of one row's distance beside it: the ends add up in quadrature.
    figures = figures_of(np.arange(1.0, 6.0))
    masses = np.array([0.0, 0.0, 0.2, 0.3, 0.5])
    named = dict(zip(figures.names, (figures.matrix @ masses).tolist(), strict=True))
    alone = {name: Estimate(value, value, value + 0.1) for name, value in named.items()}
    one = GroupEstimate(None, 30, {}, 30.0, alone, n_clusters=30, method="bootstrap")
    same = np.tile(masses, (3, 1))
    found = allowing_for_refits(one, same, figures, 0.95, 10).figures
    assert found["p_1"].low == 0
    assert found["p_1"].high == pytest.approx(np.hypot(0.1, 0.30850), abs=1e-5)
    assert found["bottom_2_box"] == found["p_1"]
    # Clopper and Pearson's interval of 5 in 10 is .1871 to .8129 (tables), that of 8 in 10 .4439 to .9748.
    assert found["p_5"].low == pytest.approx(0.1871, abs=1e-4)
    assert found["top_2_box"].low == pytest.approx(0.4439, abs=1e-4)
    # Net is .8 within -1 to 1, so 9 in 10 of its range: .5550 to .9975, which is .1100 to .9950 of net.
    assert found["net"].low == pytest.approx(2 * 0.5550 - 1, abs=2e-4)
    assert found["mean"] == alone["mean"]


def test_refits_that_are_less_certain_than_the_labels_decide():
    # t of .975 with 2 degrees of freedom times the root of 2 / 3 * .02 = .4968; 4 in 10 reach .7376.
    found = allowing_for_refits(group(), MEANS, FIGURES, 0.95, 10).figures["p_2"]
    assert found.high == pytest.approx(0.4 + 0.4968, abs=1e-4)


def test_missing_ends_stay_missing_and_no_refits_change_nothing():
    alone = group(mean=(1.4, np.nan, np.nan))
    found = allowing_for_refits(alone, MEANS, FIGURES, 0.95).figures["mean"]
    assert np.isnan([found.low, found.high]).all()
    alone = group(p_1=(0.6, np.nan, np.nan))
    found = allowing_for_refits(alone, MEANS, FIGURES, 0.95, 10).figures["p_1"]
    assert np.isnan([found.low, found.high]).all()
    assert allowing_for_refits(alone, None, FIGURES, 0.95) is alone
    empty = GroupEstimate(None, 0, {}, 0.0, {})
    assert allowing_for_refits(empty, MEANS, FIGURES, 0.95) is empty
