"""Krippendorff's alpha: laws, missing ratings, resampling; published values stand in tests/reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.agreement.krippendorff import alpha_coefficient, krippendorff_alpha

METRICS = ("nominal", "ordinal", "interval")
cells = st.one_of(st.just(np.nan), st.integers(1, 4).map(float))
tables = st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=12).map(np.array)


def slow_alpha(table, metric):
    """All pairs of ratings one by one."""
    units = [row[~np.isnan(row)] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    pooled = np.concatenate(units)

    def difference(c, k):
        if metric == "nominal":
            return float(c != k)
        if metric == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(low <= value <= high for value in pooled)
        return (between - ((pooled == low).sum() + (pooled == high).sum()) / 2) ** 2 if c != k else 0.0

    def total(values):
        return sum(difference(a, b) for i, a in enumerate(values) for j, b in enumerate(values) if i != j)

    observed = sum(total(unit) / (len(unit) - 1) for unit in units) / len(pooled)
    expected = total(pooled) / (len(pooled) * (len(pooled) - 1))
    return 1 - observed / expected if expected else np.nan


def alpha_of(table, metric):
    usable = (~np.isnan(table)).sum(axis=1) > 1
    if not usable.any():
        return np.nan
    return alpha_coefficient(table[usable], metric)(np.ones((1, usable.sum())))[0]


@given(tables)
def test_as_a_slow_loop(table):
    usable = (~np.isnan(table)).sum(axis=1) > 1
    for metric in METRICS if usable.any() else ():
        np.testing.assert_allclose(alpha_of(table, metric), slow_alpha(table, metric), atol=1e-9)


@given(tables, st.randoms(use_true_random=False))
def test_raters_and_items_have_no_order(table, random):
    rows, raters = list(range(len(table))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(raters)
    for metric in METRICS:
        np.testing.assert_allclose(
            alpha_of(table[rows][:, raters], metric), alpha_of(table, metric), atol=1e-9
        )


@given(tables)
def test_bounds_and_relabelling(table):
    for metric in METRICS:
        value = alpha_of(table, metric)
        assert np.isnan(value) or value <= 1
        np.testing.assert_allclose(alpha_of(3 * table - 7, metric), value, atol=1e-9)
    np.testing.assert_allclose(alpha_of(table**3, "ordinal"), alpha_of(table, "ordinal"), atol=1e-9)


def test_items_with_one_rating_are_left_out_and_counted():
    table = np.array([[1.0, 1, 2], [2, 2, np.nan], [3, np.nan, np.nan], [np.nan] * 3])
    found = krippendorff_alpha(table)
    assert (found.n, found.n_left_out) == (2, 2)
    assert found.value == krippendorff_alpha(table[:2]).value


@pytest.mark.parametrize("metric", METRICS)
def test_perfect_agreement_is_1_and_one_level_is_undefined(metric):
    perfect = krippendorff_alpha(np.repeat([[1.0], [2.0], [3.0]], 3, axis=1), metric=metric)
    assert perfect.value == 1
    assert "no disagreement" in perfect.note
    constant = krippendorff_alpha(np.full((5, 3), 0.1), metric=metric)
    assert np.isnan(constant.value)
    assert constant.note == "only one level was used"


@pytest.mark.parametrize("metric", METRICS)
def test_counting_an_item_several_times_is_repeating_it(metric):
    rng = np.random.default_rng(0)
    table = rng.integers(1, 5, (15, 4)).astype(float)
    table[rng.random(table.shape) < 0.2] = np.nan
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    counts = rng.integers(0, 3, (8, len(table))).astype(float)
    repeated = [slow_alpha(np.repeat(table, c.astype(int), axis=0), metric) for c in counts]
    np.testing.assert_allclose(alpha_coefficient(table, metric)(counts), repeated, atol=1e-9)


def test_random_ratings_agree_as_by_chance():
    found = krippendorff_alpha(np.random.default_rng(0).integers(1, 6, (2000, 3)).astype(float))
    assert found.low < 0 < found.high
    assert found.high - found.low < 0.1


@pytest.mark.parametrize(
    ("ratings", "settings", "message"),
    [
        (np.ones(3), {}, "shape"),
        (np.ones((3, 1)), {}, "two raters"),
        (np.array([[np.inf, 1.0]]), {}, "finite"),
        (np.ones((3, 2)), {"metric": "ratio"}, "metric must be"),
    ],
)
def test_bad_input_is_refused(ratings, settings, message):
    with pytest.raises(InputError, match=message):
        krippendorff_alpha(ratings, **settings)
