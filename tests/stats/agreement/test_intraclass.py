"""Intraclass correlations: laws and intervals; published values stand in tests/reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.agreement.intraclass import FORMS, intraclass_coefficient, intraclass_correlation

tables = st.lists(st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=12)


def of(table, form):
    return intraclass_coefficient(table, form)(np.ones((1, len(table))))[0]


def variance_components(n, k, rng, item=1.0, rater=0.5, noise=1.0):
    return item * rng.normal(size=(n, 1)) + rater * rng.normal(size=(1, k)) + noise * rng.normal(size=(n, k))


@given(tables, st.randoms(use_true_random=False))
def test_bounds_order_and_affine_invariance(rows, random):
    table = np.array(rows, float)
    mixed = list(range(len(table)))
    random.shuffle(mixed)
    for form in FORMS:
        value = of(table, form)
        assert np.isnan(value) or value <= 1 + 1e-9
        np.testing.assert_allclose(of(table[mixed][:, [2, 0, 1]], form), value, atol=1e-9)
        np.testing.assert_allclose(of(3 - 2 * table, form), value, rtol=1e-6, atol=1e-9)


@given(tables)
def test_the_mean_of_k_is_stepped_up_by_spearman_brown(rows):
    table = np.array(rows, float)
    for model in "123":
        one, mean = of(table, f"{model},1"), of(table, f"{model},k")
        if not np.isnan([one, mean]).any() and 1 + 2 * one > 1e-6:
            assert mean == pytest.approx(3 * one / (1 + 2 * one), rel=1e-6, abs=1e-9)


def test_severity_counts_only_where_it_should():
    table = np.array([[1.0, 3], [2, 4], [5, 7], [3, 5]])
    assert of(table, "3,1") == pytest.approx(1)
    # Between items: means 2 3 6 4, squares about 3.75: 8.75 * 2 / 3 = 35/6. Raters: 2 * 4 * 1 = 8, error 0.
    # (35/6) / (35/6 + 2 * 8 / 4)
    assert of(table, "2,1") == pytest.approx((35 / 6) / (35 / 6 + 4))


def test_expected_from_variance_components():
    # 1 / (1 + .25 + 1) when the raters' severities have variance .25: fixed here at -.5, 0 and .5.
    rng = np.random.default_rng(3)
    table = rng.normal(size=(4000, 1)) + np.array([-0.5, 0, 0.5]) + rng.normal(size=(4000, 3))
    assert intraclass_correlation(table, form="2,1").value == pytest.approx(1 / 2.25, abs=0.02)
    assert intraclass_correlation(table, form="3,1").value == pytest.approx(0.5, abs=0.02)
    assert intraclass_correlation(table, form="3,k").value == pytest.approx(0.75, abs=0.02)


def test_incomplete_items_are_left_out_and_counted():
    table = np.array([[1.0, 2], [np.nan, 3], [3, 4], [5, 5]])
    found = intraclass_correlation(table)
    assert (found.n, found.n_left_out) == (3, 1)
    assert found.value == intraclass_correlation(table[[0, 2, 3]]).value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", [np.full((12, 3), 0.1), np.ones((1, 3)), np.empty((0, 3))])
def test_undefined_without_variance(form, table):
    found = intraclass_correlation(table, form=form)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.note
    assert found.method is None


@pytest.mark.parametrize("form", FORMS)
def test_counting_an_item_several_times_is_repeating_it(form):
    rng = np.random.default_rng(0)
    table = variance_components(12, 3, rng) + 50
    counts = rng.integers(0, 3, (8, 12)).astype(float)
    repeated = [of(np.repeat(table, c.astype(int), axis=0), form) for c in counts]
    np.testing.assert_allclose(intraclass_coefficient(table, form)(counts), repeated, atol=1e-9)


@pytest.mark.parametrize("n", [6, 40])
@pytest.mark.parametrize("form", ["1,1", "3,k"])
def test_intervals_cover(form, n):
    # Without severities models 1 and 3 have one truth: 1 / 2 for one rater, 3 / 4 for three.
    truth = {"1,1": 0.5, "3,k": 0.75}[form]
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(200):
        found = intraclass_correlation(variance_components(n, 3, rng, rater=0.0), form=form)
        hits += found.low <= truth <= found.high
    assert hits / 200 >= 0.88  # two standard errors below 92 %


def test_model_2_may_fall_below_any_bound():
    # Raters alike on average, items alike on average: only error is left, and J - E is below 0.
    found = intraclass_correlation(np.array([[1.0, 3], [3, 1], [1, 3], [3, 1.2]]))
    assert found.value < -1
    assert np.isnan(found.low) or found.low <= found.value


def test_an_unknown_form_is_refused():
    with pytest.raises(InputError, match="form must be one of"):
        intraclass_correlation(np.ones((3, 2)), form="2,2")
