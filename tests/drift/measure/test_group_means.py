import numpy as np
import pytest

from semscale.drift.measure.group_means import means_by_group
from semscale.stats.drift_tests import paired_means
from semscale.stats.intervals import IntervalPlan

PLAN = IntervalPlan(replicates=1000)
BOUNDS = np.array([[-1.0, 1.0], [-2.5, 2.5]])


def made(n, seed, mean=0.1):
    return np.random.default_rng(seed).normal(mean, 0.2, (n, 2))


def test_a_group_has_what_it_has_alone():
    values = {"a": made(12, 0), "b": made(20, 1), "c": made(12, 2, 0.6), "d": made(4, 3), "e": made(12, 4)}
    values["e"][3, 1] = np.nan
    found = means_by_group(values, bounds=BOUNDS, plan=PLAN, finest=5000)
    assert list(found) == list(values)
    for name, differences in values.items():
        alone = paired_means(differences, bounds=BOUNDS, plan=PLAN, finest=5000)
        for one, other in zip(found[name], alone, strict=True):
            assert one.p_value == other.p_value
            assert one.mean.n == other.mean.n
            assert (one.mean.low, one.mean.high) == pytest.approx((other.mean.low, other.mean.high))


def test_many_groups_of_one_size_are_taken_some_at_a_time(monkeypatch):
    values = {number: made(12, number) for number in range(5)}
    whole = means_by_group(values, bounds=BOUNDS, plan=PLAN)
    monkeypatch.setattr("semscale.drift.measure.group_means._CELLS", 4000)  # 2 groups of 2 figures
    parts = means_by_group(values, bounds=BOUNDS, plan=PLAN)
    assert [mean.mean.n for means in parts.values() for mean in means] == [12] * 10
    assert [mean.p_value for means in parts.values() for mean in means] == [
        mean.p_value for means in whole.values() for mean in means
    ]
