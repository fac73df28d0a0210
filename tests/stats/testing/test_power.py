import numpy as np
import pytest
from scipy.stats import nct, t

from semscale.stats.testing.power import detectable_difference, items_for_difference


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
