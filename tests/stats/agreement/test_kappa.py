"""Weighted kappa against hand-worked values, another implementation and a slow bootstrap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.agreement.kappa import kappa_coefficient, weighted_kappa

X = np.array(list("5445345212255135141352224253333335544425"), float)
Y = np.array(list("5354444111155145241342215142444245534524"), float)

levels = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


@pytest.mark.parametrize(
    ("weights", "expected"),
    # scikit-learn 1.9.1, cohen_kappa_score
    [("quadratic", 0.8471337579617835), ("linear", 0.620253164556962), ("none", 0.25117004680187205)],
)
def test_as_scikit_learn(weights, expected):
    assert weighted_kappa(X, Y, weights=weights).value == pytest.approx(expected, abs=1e-12)


def test_cohens_own_kind_of_table_by_hand():
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, kappa .4
    x = np.repeat([1.0, 1, 0, 0], [20, 5, 10, 15])
    y = np.repeat([1.0, 0, 1, 0], [20, 5, 10, 15])
    for weights in ("none", "linear", "quadratic"):  # the same with two levels
        assert weighted_kappa(x, y, weights=weights).value == pytest.approx(0.4)


def test_a_level_that_nobody_used_changes_nothing():
    # On levels 1, 2 and 5 the distance of 2 and 5 is 3, not 1.
    # Squared differences 0 9 0 1, mean 2.5; means of squares 14 and 7.75, of values 3.25 and 2.25:
    # expected 14 + 7.75 - 2 * 7.3125 = 7.125
    found = weighted_kappa(np.array([1.0, 5, 5, 2]), np.array([1.0, 2, 5, 1]))
    squares = (1 + 25 + 25 + 4) / 4 + (1 + 4 + 25 + 1) / 4 - 2 * 3.25 * 2.25
    assert found.value == pytest.approx(1 - 2.5 / squares)


def test_pairs_with_a_missing_side_are_left_out_and_counted():
    x, y = np.r_[X, np.nan, 3.0, np.nan], np.r_[Y, 1.0, np.nan, np.nan]
    found, complete = weighted_kappa(x, y), weighted_kappa(X, Y)
    assert (found.n, found.n_left_out) == (40, 3)
    assert (found.value, found.low, found.high) == (complete.value, complete.low, complete.high)


def test_one_level_only_is_undefined_and_says_so():
    found = weighted_kappa(np.ones(20), np.ones(20))
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.note == "both raters used one and the same level only"
    assert found.method is None


def test_one_constant_rater_agrees_as_by_chance():
    # Expected and observed disagreement are the same when one rater never varies.
    assert weighted_kappa(np.ones(4), np.array([1.0, 2, 3, 1])).value == pytest.approx(0)


def test_perfect_agreement_has_no_interval():
    found = weighted_kappa(X, X)
    assert found.value == 1
    assert np.isnan(found.low)
    assert "no disagreement" in found.note


def test_nothing_in_common():
    found = weighted_kappa(np.array([1.0, np.nan]), np.array([np.nan, 1.0]))
    assert (found.n, found.n_left_out) == (0, 2)
    assert np.isnan(found.value)
    assert found.note == "no item has two ratings to compare"


@given(levels)
def test_bounds_symmetry_and_affine_relabelling(pairs):
    x, y = np.array(pairs, float).T
    for weights in ("none", "linear", "quadratic"):
        counts = np.ones((1, len(x)))
        value = kappa_coefficient(x, y, weights)(counts)[0]
        swapped = kappa_coefficient(y, x, weights)(counts)[0]
        stretched = kappa_coefficient(10 - 2 * x, 10 - 2 * y, weights)(counts)[0]
        np.testing.assert_allclose([swapped, stretched], value, atol=1e-12)
        assert np.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12


@given(levels, st.randoms(use_true_random=False))
def test_names_do_not_matter_without_an_order(pairs, random):
    x, y = np.array(pairs, int).T
    names = list(range(1, 6))
    random.shuffle(names)
    renamed = np.array([0, *names], float)
    one = np.ones((1, len(x)))
    np.testing.assert_allclose(
        kappa_coefficient(renamed[x], renamed[y], "none")(one),
        kappa_coefficient(x.astype(float), y.astype(float), "none")(one),
        atol=1e-12,
    )


def test_counting_an_item_several_times_is_repeating_it():
    counts = np.random.default_rng(0).integers(0, 3, size=(10, 40)).astype(float)
    for weights in ("none", "linear", "quadratic"):
        repeated = [
            weighted_kappa(np.repeat(X, c.astype(int)), np.repeat(Y, c.astype(int)), weights=weights).value
            for c in counts
        ]
        np.testing.assert_allclose(kappa_coefficient(X, Y, weights)(counts), repeated, atol=1e-12)


def test_interval_is_that_of_a_slow_bootstrap():
    rng = np.random.default_rng(9)
    x = rng.integers(1, 6, 200).astype(float)
    y = np.clip(x + rng.integers(-1, 2, 200), 1, 5)
    slow = []
    for rows in rng.integers(0, 200, size=(2000, 200)):
        a, b = x[rows], y[rows]
        slow.append(1 - ((a - b) ** 2).mean() / ((a[:, None] - b) ** 2).mean())
    found = weighted_kappa(x, y)
    width = np.quantile(slow, 0.975) - np.quantile(slow, 0.025)
    np.testing.assert_allclose([found.low, found.high], np.quantile(slow, [0.025, 0.975]), atol=0.08 * width)
    assert found.method == "bootstrap"


def test_clusters_are_drawn_together():
    clusters = np.repeat(np.arange(40), 4)
    alone = weighted_kappa(np.repeat(X, 4), np.repeat(Y, 4))
    honest = weighted_kappa(np.repeat(X, 4), np.repeat(Y, 4), clusters=clusters)
    single = weighted_kappa(X, Y)
    assert honest.n_clusters == 40
    assert (honest.low, honest.high) == pytest.approx((single.low, single.high))
    assert alone.high - alone.low < 0.6 * (honest.high - honest.low)


def test_one_disagreement_among_few_leaves_the_bootstrap():
    # Without that item kappa is 1, whose Fisher's z is infinite: a jackknife would say -1 to 1.
    y = X.copy()
    y[0] = 4
    found = weighted_kappa(X, y)
    assert found.method == "bootstrap"
    assert 0.9 < found.low < found.value <= found.high
    assert weighted_kappa(X[:8], y[:8]).low == -1


def test_below_fifty_items_it_is_a_jackknife():
    assert weighted_kappa(X, Y).method == "jackknife"
    assert weighted_kappa(np.tile(X, 2)[:50], np.tile(Y, 2)[:50]).method == "bootstrap"


def test_few_items_get_a_jackknife():
    found = weighted_kappa(X[:8], Y[:8])
    assert found.method == "jackknife"
    assert found.low < found.value < found.high


@pytest.mark.parametrize(
    ("x", "y", "settings", "message"),
    [
        ([1.0], [1.0, 2.0], {}, "one length"),
        ([1.0, np.inf], [1.0, 2.0], {}, "finite"),
        ([1.0, 2.0], [1.0, 2.0], {"weights": "cubic"}, "weights must be"),
        ([1.0, 2.0], [1.0, 2.0], {"clusters": np.arange(3)}, "clusters must have 2"),
        ([1.0, 2.0], [1.0, 2.0], {"interval": 95}, "interval"),
        (np.arange(1100.0), np.arange(1100.0), {}, "round them"),
    ],
)
def test_bad_input_is_refused(x, y, settings, message):
    with pytest.raises(InputError, match=message):
        weighted_kappa(np.array(x), np.array(y), **settings)
