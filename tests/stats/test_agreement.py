"""Agreement of raters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.agreement import (
    FORMS,
    alpha_coefficient,
    compare_with_humans,
    effective_judges,
    intraclass_coefficient,
    intraclass_correlation,
    kappa_coefficient,
    krippendorff_alpha,
    mean_correlation,
    pairwise_agreement,
    severities,
    weighted_kappa,
)

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


def test_cohen_kappa_matches_a_hand_calculation():
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, kappa .4
    x = np.repeat([1.0, 1, 0, 0], [20, 5, 10, 15])
    y = np.repeat([1.0, 0, 1, 0], [20, 5, 10, 15])
    for weights in ("none", "linear", "quadratic"):  # the same with two levels
        assert weighted_kappa(x, y, weights=weights).value == pytest.approx(0.4)


def test_a_level_that_nobody_used_changes_nothing():
    # On levels 1, 2 and 5 the distance of 2 and 5 is 3, not 1.
    # Squared differences 0 9 0 1, mean 2.5; means of squares 14 and 7.75, of values 3.25 and 2.25:
    # expected 14 + 7.75 - 2 * 7.3125 = 7.125
    result = weighted_kappa(np.array([1.0, 5, 5, 2]), np.array([1.0, 2, 5, 1]))
    squares = (1 + 25 + 25 + 4) / 4 + (1 + 4 + 25 + 1) / 4 - 2 * 3.25 * 2.25
    assert result.value == pytest.approx(1 - 2.5 / squares)


def test_pairs_with_a_missing_side_are_left_out_and_counted():
    x, y = np.r_[X, np.nan, 3.0, np.nan], np.r_[Y, 1.0, np.nan, np.nan]
    result, complete = weighted_kappa(x, y), weighted_kappa(X, Y)
    assert (result.n, result.n_left_out) == (40, 3)
    assert (result.value, result.low, result.high) == (complete.value, complete.low, complete.high)


def test_single_level_kappa_is_undefined_with_a_note():
    result = weighted_kappa(np.ones(20), np.ones(20))
    assert np.isnan([result.value, result.low, result.high]).all()
    assert result.note == "both raters used one and the same level only"
    assert result.method is None


def test_constant_rater_has_kappa_0():
    # Expected and observed disagreement are the same when one rater never varies.
    assert weighted_kappa(np.ones(4), np.array([1.0, 2, 3, 1])).value == pytest.approx(0)


def test_perfect_agreement_has_no_interval():
    result = weighted_kappa(X, X)
    assert result.value == 1
    assert np.isnan(result.low)
    assert "no disagreement" in result.note


def test_nothing_in_common():
    result = weighted_kappa(np.array([1.0, np.nan]), np.array([np.nan, 1.0]))
    assert (result.n, result.n_left_out) == (0, 2)
    assert np.isnan(result.value)
    assert result.note == "no item has two ratings to compare"


@given(levels)
@pytest.mark.exhaustive
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
    left = np.ones((1, len(x)))
    np.testing.assert_allclose(
        kappa_coefficient(renamed[x], renamed[y], "none")(left),
        kappa_coefficient(x.astype(float), y.astype(float), "none")(left),
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
    result = weighted_kappa(x, y)
    width = np.quantile(slow, 0.975) - np.quantile(slow, 0.025)
    np.testing.assert_allclose(
        [result.low, result.high], np.quantile(slow, [0.025, 0.975]), atol=0.08 * width
    )
    assert result.method == "bootstrap"


def test_clusters_are_drawn_together():
    clusters = np.repeat(np.arange(40), 4)
    alone = weighted_kappa(np.repeat(X, 4), np.repeat(Y, 4))
    honest = weighted_kappa(np.repeat(X, 4), np.repeat(Y, 4), clusters=clusters)
    single = weighted_kappa(X, Y)
    assert honest.n_clusters == 40
    assert (honest.low, honest.high) == pytest.approx((single.low, single.high))
    assert alone.high - alone.low < 0.6 * (honest.high - honest.low)


def test_single_disagreement_in_a_small_sample_keeps_the_bootstrap():
    # Without that item kappa is 1, whose Fisher's z is infinite: a jackknife would say -1 to 1.
    y = X.copy()
    y[0] = 4
    result = weighted_kappa(X, y)
    assert result.method == "bootstrap"
    assert 0.9 < result.low < result.value <= result.high
    assert weighted_kappa(X[:8], y[:8]).low == -1


def test_below_fifty_items_it_is_a_jackknife():
    assert weighted_kappa(X, Y).method == "jackknife"
    assert weighted_kappa(np.tile(X, 2)[:50], np.tile(Y, 2)[:50]).method == "bootstrap"


def test_few_items_get_a_jackknife():
    result = weighted_kappa(X[:8], Y[:8])
    assert result.method == "jackknife"
    assert result.low < result.value < result.high


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
@pytest.mark.exhaustive
def test_as_a_slow_loop(table):
    usable = (~np.isnan(table)).sum(axis=1) > 1
    for metric in METRICS if usable.any() else ():
        np.testing.assert_allclose(alpha_of(table, metric), slow_alpha(table, metric), atol=1e-9)


@given(tables, st.randoms(use_true_random=False))
@pytest.mark.exhaustive
def test_raters_and_items_have_no_order(table, random):
    rows, raters = list(range(len(table))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(raters)
    for metric in METRICS:
        np.testing.assert_allclose(
            alpha_of(table[rows][:, raters], metric), alpha_of(table, metric), atol=1e-9
        )


@given(tables)
@pytest.mark.exhaustive
def test_bounds_and_relabelling(table):
    for metric in METRICS:
        value = alpha_of(table, metric)
        assert np.isnan(value) or value <= 1
        np.testing.assert_allclose(alpha_of(3 * table - 7, metric), value, atol=1e-9)
    np.testing.assert_allclose(alpha_of(table**3, "ordinal"), alpha_of(table, "ordinal"), atol=1e-9)


def test_items_with_a_single_rating_are_left_out_and_counted():
    table = np.array([[1.0, 1, 2], [2, 2, np.nan], [3, np.nan, np.nan], [np.nan] * 3])
    result = krippendorff_alpha(table)
    assert (result.n, result.n_left_out) == (2, 2)
    assert result.value == krippendorff_alpha(table[:2]).value


@pytest.mark.parametrize("metric", METRICS)
def test_perfect_agreement_is_1_and_a_single_level_undefined(metric):
    perfect = krippendorff_alpha(np.repeat([[1.0], [2.0], [3.0]], 3, axis=1), metric=metric)
    assert perfect.value == 1
    assert "no disagreement" in perfect.note
    constant = krippendorff_alpha(np.full((5, 3), 0.1), metric=metric)
    assert np.isnan(constant.value)
    assert constant.note == "only one level was used"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.exhaustive
def test_krippendorff_counting_an_item_several_times_is_repeating_it(metric):
    rng = np.random.default_rng(0)
    table = rng.integers(1, 5, (15, 4)).astype(float)
    table[rng.random(table.shape) < 0.2] = np.nan
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    counts = rng.integers(0, 3, (8, len(table))).astype(float)
    repeated = [slow_alpha(np.repeat(table, c.astype(int), axis=0), metric) for c in counts]
    np.testing.assert_allclose(alpha_coefficient(table, metric)(counts), repeated, atol=1e-9)


def test_random_ratings_agree_as_by_chance():
    result = krippendorff_alpha(np.random.default_rng(0).integers(1, 6, (2000, 3)).astype(float))
    assert result.low < 0 < result.high
    assert result.high - result.low < 0.1


@pytest.mark.parametrize(
    ("ratings", "settings", "message"),
    [
        (np.ones(3), {}, "shape"),
        (np.ones((3, 1)), {}, "two raters"),
        (np.array([[np.inf, 1.0]]), {}, "finite"),
        (np.ones((3, 2)), {"metric": "ratio"}, "metric must be"),
    ],
)
def test_krippendorff_bad_input_is_refused(ratings, settings, message):
    with pytest.raises(InputError, match=message):
        krippendorff_alpha(ratings, **settings)


intraclass_tables = st.lists(st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=12)


def of(table, form):
    return intraclass_coefficient(table, form)(np.ones((1, len(table))))[0]


def variance_components(n, k, rng, item=1.0, rater=0.5, noise=1.0):
    return item * rng.normal(size=(n, 1)) + rater * rng.normal(size=(1, k)) + noise * rng.normal(size=(n, k))


@given(intraclass_tables, st.randoms(use_true_random=False))
@pytest.mark.exhaustive
def test_bounds_order_and_affine_invariance(rows, random):
    table = np.array(rows, float)
    mixed = list(range(len(table)))
    random.shuffle(mixed)
    for form in FORMS:
        value = of(table, form)
        assert np.isnan(value) or value <= 1 + 1e-9
        np.testing.assert_allclose(of(table[mixed][:, [2, 0, 1]], form), value, atol=1e-9)
        np.testing.assert_allclose(of(3 - 2 * table, form), value, rtol=1e-6, atol=1e-9)


@given(intraclass_tables)
def test_the_mean_of_k_is_stepped_up_by_spearman_brown(rows):
    table = np.array(rows, float)
    for model in "123":
        left, mean = of(table, f"{model},1"), of(table, f"{model},k")
        if not np.isnan([left, mean]).any() and 1 + 2 * left > 1e-6:
            assert mean == pytest.approx(3 * left / (1 + 2 * left), rel=1e-6, abs=1e-9)


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
    result = intraclass_correlation(table)
    assert (result.n, result.n_left_out) == (3, 1)
    assert result.value == intraclass_correlation(table[[0, 2, 3]]).value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", [np.full((12, 3), 0.1), np.ones((1, 3)), np.empty((0, 3))])
def test_undefined_without_variance(form, table):
    result = intraclass_correlation(table, form=form)
    assert np.isnan([result.value, result.low, result.high]).all()
    assert result.note
    assert result.method is None


@pytest.mark.parametrize("form", FORMS)
def test_intraclass_counting_an_item_several_times_is_repeating_it(form):
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
        result = intraclass_correlation(variance_components(n, 3, rng, rater=0.0), form=form)
        hits += result.low <= truth <= result.high
    assert hits / 200 >= 0.88  # two standard errors below 92 %


def test_model_2_may_fall_below_any_bound():
    # Raters alike on average, items alike on average: only error is left, and J - E is below 0.
    result = intraclass_correlation(np.array([[1.0, 3], [3, 1], [1, 3], [3, 1.2]]))
    assert result.value < -1
    assert np.isnan(result.low) or result.low <= result.value


def test_an_unknown_form_is_refused():
    with pytest.raises(InputError, match="form must be one of"):
        intraclass_correlation(np.ones((3, 2)), form="2,2")


def judges(n, k, shared, seed=0):
    """Ratings of a truth whose errors correlate by ``shared``, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    errors = np.sqrt(shared) * rng.normal(size=(n, 1)) + np.sqrt(1 - shared) * rng.normal(size=(n, k))
    return truth[:, None] + errors, truth


def test_every_rater_pair_uses_its_common_items():
    table = np.array([[1.0, 1, 2], [2, 2, 2], [3, np.nan, 1], [1, 2, np.nan]])
    pairs = pairwise_agreement(table)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    assert [(pair.kappa.n, pair.kappa.n_left_out) for pair in pairs] == [(3, 1), (3, 1), (2, 2)]
    assert pairs[1].kappa.value == weighted_kappa(table[:, 0], table[:, 2]).value


def test_severity_by_hand():
    # Item 1: the others' means are 3.5, 3 and 2.5; item 2 has two judges; nobody else rated item 3.
    table = np.array([[2.0, 3, 4], [1, np.nan, 2], [np.nan, 5, np.nan]])
    result = severities(table)
    assert [judge.value for judge in result] == pytest.approx([(-1.5 - 1) / 2, 0, (1.5 + 1) / 2])
    assert [(judge.n, judge.n_left_out) for judge in result] == [(2, 1), (1, 2), (2, 1)]


@given(st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=8))
def test_severities_of_complete_tables_cancel(rows):
    result = [judge.value for judge in severities(np.array(rows))]
    assert sum(result) == pytest.approx(0, abs=1e-9)


def test_lenient_judge_is_detected():
    table, _ = judges(400, 3, 0.0, seed=1)
    table[:, 1] += 0.5
    result = severities(table)
    # .5 above the others; the others have it in their reference by half.
    assert result[1].low < 0.5 < result[1].high
    assert result[0].low < -0.25 < result[0].high
    assert result[1].low > 0


@pytest.mark.parametrize(("shared", "expected"), [(0.0, 5.0), (0.5, 5 / 3), (0.2, 5 / 1.8)])
@pytest.mark.exhaustive
def test_effective_number_with_a_truth(shared, expected):
    table, truth = judges(6000, 5, shared)
    result = effective_judges(table, truth=truth)
    assert result.of == "errors"
    assert result.value == pytest.approx(expected, rel=0.06)
    assert result.low < expected < result.high


def test_the_mean_is_as_good_as_that_many_judges():
    """The formula's promise: the variance of the panel's mean is that of one judge over the number."""
    table, truth = judges(5000, 4, 0.4)
    errors = table - truth[:, None]
    promised = errors.var() / effective_judges(table, truth=truth).value
    assert errors.mean(axis=1).var() == pytest.approx(promised, rel=0.05)


def test_without_a_truth_it_is_a_lower_bound():
    table, truth = judges(3000, 5, 0.1)
    blind, informed = effective_judges(table), effective_judges(table, truth=truth)
    assert blind.of == "ratings"
    # Ratings share the truth too: correlation (1 + .1) / 2.
    assert blind.value == pytest.approx(5 / (1 + 4 * 0.55), rel=0.06)
    assert blind.value < informed.value


@pytest.mark.parametrize("seed", range(20))
def test_random_judges_never_count_as_many(seed):
    """Three judges, 20 items: the mean correlation lies about 0, below it in half of all draws."""
    result = effective_judges(np.random.default_rng(seed).normal(size=(20, 3)))
    assert np.isnan(result.value) or result.low <= result.value <= result.high <= 3
    if result.correlation.value <= 0:
        assert np.isnan([result.value, result.low, result.high]).all()
        assert result.note == "their scores do not agree beyond chance"


def test_judges_who_agree_have_a_bound_of_at_most_their_number():
    table, _ = judges(3000, 5, 0.1)
    result = effective_judges(table)
    assert result.note is None
    assert 1 < result.low < result.value < result.high < 5


def test_identical_judges_count_as_a_single_judge():
    column = np.random.default_rng(0).normal(size=(30, 1))
    assert effective_judges(np.repeat(column, 4, axis=1)).value == pytest.approx(1)


def test_a_judge_without_any_score_is_no_part_of_the_panel():
    first, other = np.tile([1.0, 1, -1, -1], 10), np.tile([1.0, -1, 1, -1], 10)  # correlation 0
    second = first + np.sqrt(3) * other  # correlation with the first: 1 / sqrt(1 + 3) = 1/2
    table = np.column_stack([first, second, np.full(40, np.nan)])
    # Two judges: 2 / (1 + 1/2)
    assert effective_judges(table, truth=np.zeros(40)).value == pytest.approx(4 / 3)


def test_errors_that_cancel_have_no_bound():
    up = np.random.default_rng(0).normal(size=20)
    assert effective_judges(np.column_stack([up, -up]), truth=np.zeros(20)).value == np.inf
    assert np.isnan(effective_judges(np.column_stack([up, -up])).value)


def test_missing_truths_and_scores_are_left_out():
    table, truth = judges(50, 3, 0.2)
    truth[:10], table[10:15, :2] = np.nan, np.nan
    result = effective_judges(table, truth=truth)
    assert (result.correlation.n, result.correlation.n_left_out) == (35, 15)


def test_constant_judges_leave_nothing():
    result = effective_judges(np.ones((20, 3)))
    assert np.isnan([result.value, result.low, result.high]).all()
    assert result.note == result.correlation.note == "no two judges have scores that vary"


def test_mean_correlation_by_numpy():
    table, _ = judges(40, 4, 0.3, seed=5)
    expected = np.corrcoef(table.T)[np.triu_indices(4, 1)].mean()
    assert mean_correlation(table)(np.ones((1, 40)))[0] == pytest.approx(expected)


def test_panels_bad_input_is_refused():
    with pytest.raises(InputError, match="two raters"):
        severities(np.ones((3, 1)))
    with pytest.raises(InputError, match="truth must have 3"):
        effective_judges(np.ones((3, 2)), truth=np.ones(2))


def people(n, k, noise, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(np.round(3 + rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, k))), 1, 5)


def test_by_hand_with_two_people():
    # Each is the other's reference: the ceiling is their correlation, .5. The judge correlates 1 with the
    # first and .5 with the second: .75.
    human = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
    result = compare_with_humans(np.array([1.0, 2.0, 3.0]), human)
    assert result.ceiling.value == pytest.approx(0.5)
    assert result.judge.value == pytest.approx(0.75)
    assert result.difference.value == pytest.approx(0.25)
    assert result.n_raters == 2


def test_additional_human_rater_is_at_the_ceiling():
    human = people(400, 5, 0.7, seed=2)
    result = compare_with_humans(human[:, 0], human[:, 1:])
    assert result.difference.low < 0 < result.difference.high
    assert result.difference.value == pytest.approx(result.judge.value - result.ceiling.value)


def test_noise_is_far_below():
    human = people(300, 4, 0.7, seed=3)
    noise = np.random.default_rng(0).integers(1, 6, 300).astype(float)
    result = compare_with_humans(noise, human)
    assert result.difference.high < 0
    assert result.judge.low < 0 < result.judge.high


def test_missing_ratings_are_left_out_and_never_0():
    human = people(80, 4, 0.7, seed=5) + 100
    human[np.random.default_rng(0).random(human.shape) < 0.3] = np.nan
    human[:5, 1:] = np.nan
    judge = np.nanmean(human, axis=1)
    judge = np.round(np.where(np.isnan(judge), 100.0, judge))
    judge[5:8] = np.nan
    result = compare_with_humans(judge, human)
    usable = ((~np.isnan(human)).sum(axis=1) > 1) & ~np.isnan(judge)
    assert (result.judge.n, result.judge.n_left_out) == (usable.sum(), (~usable).sum())
    fewer = compare_with_humans(judge[usable], human[usable])
    assert result.judge.value == fewer.judge.value > 0.3


def test_people_and_items_have_no_order():
    human = people(40, 4, 0.7, seed=6)
    judge = people(40, 1, 0.7, seed=7)[:, 0]
    mixed = np.random.default_rng(0).permutation(40)
    left = compare_with_humans(judge, human)
    other = compare_with_humans(judge[mixed], human[mixed][:, [3, 1, 0, 2]])
    assert left.judge.value == pytest.approx(other.judge.value)
    assert left.ceiling.value == pytest.approx(other.ceiling.value)


def test_people_who_never_met_have_no_ceiling():
    human = np.array([[1.0, np.nan], [np.nan, 2.0], [2.0, np.nan]])
    result = compare_with_humans(np.array([1.0, 2.0, 3.0]), human)
    assert np.isnan(result.ceiling.value)
    assert (result.judge.n, result.judge.n_left_out) == (0, 3)
    assert result.n_raters == 0
    assert result.ceiling.note == "no item has two ratings to compare"


def test_a_constant_judge_is_undefined():
    result = compare_with_humans(np.ones(12), np.ones((12, 3)))
    assert np.isnan(result.judge.value)
    assert "vary" in result.judge.note


def test_human_ceiling_bad_input_is_refused():
    with pytest.raises(InputError, match="judge must have 3"):
        compare_with_humans(np.ones(2), np.ones((3, 2)))
    with pytest.raises(InputError, match="human must have shape"):
        compare_with_humans(np.ones(3), np.ones((3, 1)))
