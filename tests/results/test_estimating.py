"""Means of values by group, by weight and by respondent."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.results.tallies import estimate_values
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, estimate_mean
from semscale.types import Status

UNIT = (0.0, 1.0)


def estimated(values, **settings):
    values = np.asarray(values, dtype=np.float64)
    status = np.where(np.isnan(values), Status.EMPTY, Status.SCORED)
    return estimate_values(
        {"score": values}, status, bounds={"score": UNIT}, signature=Signature.of("match"), **settings
    )


def test_rows_without_a_score_are_left_out_by_their_status():
    overall = estimated([0.2, np.nan, 0.4]).overall
    assert (overall.n, overall.left_out, overall.n_left_out) == (2, {"empty": 1}, 1)
    assert overall.mean.value == pytest.approx(0.3)


def test_weights_count():
    # (1 * .2 + 3 * .6) / 4; Kish: 16 / 10
    overall = estimated([0.2, 0.6], weights=[1, 3]).overall
    assert overall.mean.value == pytest.approx(0.5)
    assert overall.effective_n == pytest.approx(1.6)


def test_respondents_are_resampled_together():
    # Eight equal rows a person: the honest interval is sqrt(8) = 2.8 times as wide.
    values = np.repeat(np.random.default_rng(1).uniform(size=25), 8)
    rows = estimated(values).overall.mean
    estimates = estimated(values, respondents=np.repeat(np.arange(25), 8))
    people = estimates.overall.mean
    assert (people.high - people.low) / (rows.high - rows.low) == pytest.approx(8**0.5, rel=0.25)
    assert estimates.clustered
    assert ("clusters", "respondents") in estimates.signature.fields


def test_intervals_are_those_of_a_mean_over_items():
    values = np.random.default_rng(0).uniform(size=60)
    for plan in (IntervalPlan(0.9, seed=3, replicates=500), IntervalPlan(method="linearized")):
        mean = estimated(
            values, interval=plan.interval, method=plan.method, seed=plan.seed, replicates=plan.replicates
        ).overall.mean
        alone = estimate_mean(values, bounds=UNIT, plan=plan)
        assert (mean.value, mean.low, mean.high) == (alone.value, alone.low, alone.high)


def test_intervals_stay_within_the_bounds():
    mean = estimated([0.0, 1.0]).overall.mean
    assert (mean.low, mean.high) == UNIT


def test_groups_keep_the_name_of_their_column():
    estimates = estimated([0.1, 0.2, 0.3], by=pl.Series("region", ["south", None, "north"]))
    assert estimates.by == "region"
    assert [group.group for group in estimates.groups] == ["south", None, "north"]


def test_settings_are_checked():
    with pytest.raises(InputError, match="interval must lie between 0 and 1"):
        estimated([0.1], interval=95)
    with pytest.raises(InputError, match="weights must not all be 0"):
        estimated([0.1], weights=[0])
