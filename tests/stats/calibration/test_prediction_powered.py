"""Corrected means and the labels that they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from semscale.errors import InputError
from semscale.stats.calibration.labels_needed import labels_needed
from semscale.stats.calibration.prediction_powered import WHOLE_SCALE, prediction_powered_mean

# Sixty items of which the first twenty have labels; also given to the package below.
PLACES = np.arange(60)
SCORES = (PLACES * 37 % 101) / 100
LABELS = np.where(PLACES < 20, np.clip(SCORES + ((PLACES * 13 % 7) - 3) / 20, 0, 1), np.nan)


@pytest.mark.parametrize(("tuning", "expected"), [(1.0, 0.50925), (0.5, 0.501625), (0.0, 0.494)])
def test_values_are_those_of_ppi_python(tuning, expected):
    # ppi-python 0.2.3, ppi_mean_pointestimate(labels, scores[:20], scores[20:], lam=tuning)
    found = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1), tuning=tuning)
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_plain_interval_by_its_formula():
    # With a fixed tuning the jackknife variance is that of the mean: s2 / n, here with 19 degrees of freedom.
    found = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1), tuning=1.0)
    gaps, others = LABELS[:20] - SCORES[:20], SCORES[20:]
    error = np.sqrt(gaps.var(ddof=1) / 20 + others.var(ddof=1) / 40)
    assert found.high - found.value == pytest.approx(2.093024 * error, rel=1e-6)
    assert found.value - found.low == pytest.approx(2.093024 * error, rel=1e-6)


def squares(values):
    return ((values - values.mean()) ** 2).sum()


def test_tuning_is_the_slope_with_four_more_labels_over_one_plus_n_over_m():
    # Four labels without a slope, one standard deviation of all scores away, add 4 variances to the squares.
    slope = np.polyfit(SCORES[:20], LABELS[:20], 1)[0]
    held = slope * squares(SCORES[:20]) / (squares(SCORES[:20]) + 4 * SCORES.var())
    assert prediction_powered_mean(SCORES, LABELS, bounds=(0, 1)).tuning == pytest.approx(held / 1.5)


def test_a_few_labels_with_like_scores_do_not_carry_the_tuning_away():
    # Three labels rise by 4 while their scores rise by .02: a slope of 200, by chance. Scores of all go from
    # 1 to 5, variance 2.1 or so, so the slope held down is .04 / (.0002 + 4 x 2.1), below .005.
    scores = np.r_[3.0, 3.01, 3.02, np.linspace(1, 5, 12), 4.0, 4.0]
    labels = np.r_[1.0, 3.0, 5.0, np.full(14, np.nan)]
    found = prediction_powered_mean(scores, labels, bounds=(1, 5))
    assert 0 < found.tuning < 0.01
    assert found.value == pytest.approx(3.0, abs=0.01)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [3, 5])
def test_with_few_labels_a_useless_judge_costs_next_to_nothing(n):
    # With the plain slope the error was 1.42 and 1.20 times that of the labels alone.
    rng = np.random.default_rng(n)
    errors = np.array([_errors(rng, n) for _ in range(1500)])
    corrected, alone = np.sqrt((errors**2).mean(axis=0))
    assert corrected < 1.07 * alone


def _errors(rng, n):
    labels = np.clip(np.round(3 + rng.normal(size=100)), 1, 5)
    known = np.where(np.arange(100) < n, labels, np.nan)
    found = prediction_powered_mean(rng.normal(size=100), known, bounds=(1, 5))
    return found.value - 3, found.labels_only.value - 3


def test_an_interval_that_is_the_whole_scale_is_no_interval():
    # Labels 1, 3 and 5: standard error 2 / sqrt(3), times 4.30 is 5 on either side of 3.
    labels = np.r_[1.0, 3.0, 5.0, np.full(57, np.nan)]
    found = prediction_powered_mean(SCORES, labels, bounds=(1, 5))
    assert np.isnan([found.low, found.high, found.labels_only.low, found.labels_only.high]).all()
    assert (found.note, found.method) == (WHOLE_SCALE, None)
    assert found.labels_only.value == 3


def test_tuned_jackknife_is_that_of_a_slow_loop():
    found = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    left_out = []
    for out in range(20):
        scores, labels = np.delete(SCORES[:20], out), np.delete(LABELS[:20], out)
        # The slope is found anew; the spread of all scores, and 1 + 20 / 40, are what they are.
        slope = np.polyfit(scores, labels, 1)[0] * squares(scores) / (squares(scores) + 4 * SCORES.var())
        left_out.append(labels.mean() + slope / 1.5 * (SCORES[20:].mean() - scores.mean()))
    variance = 19 / 20 * squares(np.array(left_out))
    variance += found.tuning**2 * SCORES[20:].var(ddof=1) / 40
    quantile = stats.t.ppf(0.975, 19 - 19 / 23)
    assert found.high - found.value == pytest.approx(quantile * np.sqrt(variance), rel=1e-6)


def test_bias_naive_and_labels_only_stand_beside():
    found = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    assert found.naive.value == pytest.approx(SCORES.mean())
    assert found.labels_only.value == pytest.approx(LABELS[:20].mean())
    assert found.bias == pytest.approx((SCORES[:20] - LABELS[:20]).mean())
    assert (found.n_labelled, found.n_unlabelled, found.n_left_out) == (20, 40, 0)
    assert found.high - found.low < found.labels_only.high - found.labels_only.low
    assert found.method == "jackknife"


def test_items_without_a_score_are_left_out_and_counted():
    scores, labels = np.r_[SCORES, np.nan, np.nan], np.r_[LABELS, 1.0, np.nan]
    found, complete = (
        prediction_powered_mean(*pair, bounds=(0, 1)) for pair in ((scores, labels), (SCORES, LABELS))
    )
    assert found.n_left_out == 2
    assert (found.value, found.low, found.high) == (complete.value, complete.low, complete.high)


@given(st.floats(-3, 3).filter(lambda a: abs(a) > 0.01), st.floats(-10, 10))
def test_the_judges_own_scale_does_not_matter(factor, shift):
    one = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    other = prediction_powered_mean(factor * SCORES + shift, LABELS, bounds=(0, 1))
    np.testing.assert_allclose(
        [other.value, other.low, other.high], [one.value, one.low, one.high], atol=1e-9
    )


@given(st.permutations(range(60)))
def test_items_have_no_order(order):
    one = prediction_powered_mean(SCORES, LABELS, bounds=(0, 1))
    other = prediction_powered_mean(SCORES[order], LABELS[order], bounds=(0, 1))
    assert other.value == pytest.approx(one.value)
    assert other.low == pytest.approx(one.low)


def test_a_constant_judge_costs_nothing():
    found = prediction_powered_mean(np.full(60, 0.1), LABELS, bounds=(0, 1))
    assert (found.tuning, found.value) == (0, pytest.approx(LABELS[:20].mean()))


def test_labels_for_everything_are_a_plain_mean():
    labels = np.linspace(0.2, 0.9, 30)
    found = prediction_powered_mean(SCORES[:30], labels, bounds=(0, 1))
    assert found.value == pytest.approx(labels.mean())
    assert found.n_unlabelled == 0


def test_labels_of_two_kinds_get_the_agresti_coull_interval_without_a_judge():
    # 10 times yes: centre 12 / 14, standard error of 14 labels, 13 degrees of freedom.
    labels = np.r_[np.ones(10), np.full(50, np.nan)]
    found = prediction_powered_mean(SCORES, labels, bounds=(0, 1))
    centre = 12 / 14
    half = 2.160369 * np.sqrt(centre * (1 - centre) / 13)
    assert found.labels_only.low == pytest.approx(centre - half, rel=1e-6)
    assert found.labels_only.high == 1
    assert found.method == "jackknife with added labels"
    assert found.low < 0.95 <= found.value == found.high == 1


def test_without_labels_there_is_no_correction():
    found = prediction_powered_mean(SCORES, np.full(60, np.nan), bounds=(0, 1))
    assert np.isnan([found.value, found.low, found.high, found.bias]).all()
    assert found.naive.value == pytest.approx(SCORES.mean())
    assert found.note == "an interval needs 3 labels or more"
    assert found.method is None


@pytest.mark.parametrize(("n", "rate"), [(20, 0.6), (20, 0.95), (100, 0.95)])
def test_intervals_of_yes_and_no_cover_and_the_naive_does_not(n, rate):
    rng = np.random.default_rng(n)
    hits = naive = 0
    for _ in range(300):
        truth = (rng.random(n + 500) < rate).astype(float)
        judged = np.where(rng.random(n + 500) < 0.85, truth, 1 - truth)
        labels = np.where(np.arange(n + 500) < n, truth, np.nan)
        found = prediction_powered_mean(judged, labels, bounds=(0, 1))
        hits += found.low <= rate <= found.high
        naive += found.naive.low <= rate <= found.naive.high
    assert hits / 300 >= 0.92
    assert naive / 300 < 0.8


@pytest.mark.parametrize(
    ("scores", "labels", "settings", "message"),
    [
        ([0.1], [0.1, 0.2], {}, "one length"),
        ([0.1, np.inf], [0.1, 0.2], {}, "finite"),
        ([0.1, 0.2], [0.1, 1.2], {}, "labels must lie within bounds"),
        ([0.1, 0.2], [0.1, 0.2], {"bounds": (1, 0)}, "bounds"),
        ([0.1, 0.2], [0.1, 0.2], {"tuning": np.nan}, "tuning"),
        ([0.1, 0.2], [0.1, 0.2], {"interval": 95}, "interval"),
    ],
)
def test_bad_input_is_refused(scores, labels, settings, message):
    with pytest.raises(InputError, match=message):
        prediction_powered_mean(np.array(scores), np.array(labels), **{"bounds": (0, 1), **settings})


def pilot(noise, n=40, total=5000, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=total)
    scores = truth + noise * rng.normal(size=total)
    return scores, np.where(np.arange(total) < n, truth, np.nan), truth


def test_labels_needed_by_hand():
    scores, labels, _ = pilot(0.5)
    found = labels_needed(scores, labels, half_width=0.05, bounds=(-9, 9))
    s2 = labels[:40].var(ddof=1)
    r2 = 1 - (1 - np.corrcoef(scores[:40], labels[:40])[0, 1] ** 2) * 39 / 38
    assert found.explained == pytest.approx(r2)
    # Normal quantiles are near enough for hundreds of labels: n = s2 (1 - r2) / (h2 / z2 - s2 r2 / T).
    variance = (0.05 / 1.96) ** 2
    assert found.labels_only == pytest.approx(s2 / variance, rel=0.01)
    assert found.corrected == pytest.approx(s2 * (1 - r2) / (variance - s2 * r2 / 5000), rel=0.02)


def test_so_many_labels_do_reach_the_half_width():
    scores, labels, truth = pilot(0.5, n=200)
    needed = labels_needed(scores, labels, half_width=0.05, bounds=(-9, 9)).corrected
    more = np.where(np.arange(5000) < needed, truth, np.nan)
    found = prediction_powered_mean(scores, more, bounds=(-9, 9))
    assert (found.high - found.low) / 2 == pytest.approx(0.05, rel=0.12)


def test_a_useless_judge_saves_nothing():
    scores, labels, _ = pilot(1000.0, n=400)
    found = labels_needed(scores, labels, half_width=0.1, bounds=(-9, 9))
    assert found.explained < 0.02
    assert found.corrected == pytest.approx(found.labels_only, rel=0.03)


def test_too_few_items_say_so():
    scores, labels, _ = pilot(0.5)
    found = labels_needed(scores, labels, half_width=0.01, bounds=(-9, 9))
    assert found.corrected is None
    assert found.note == "labels for all 5000 items would not be enough: score more items"
    enough = labels_needed(scores, labels, half_width=0.01, bounds=(-9, 9), n_items=10**6)
    assert enough.corrected is not None
    assert enough.corrected < enough.labels_only / 4  # scores explain four fifths


def test_a_pilot_must_vary():
    found = labels_needed(SCORES, np.where(PLACES < 20, 1.0, np.nan), half_width=0.1, bounds=(0, 1))
    assert (found.corrected, found.labels_only) == (None, None)
    assert "vary" in found.note


def test_bad_plans_are_refused():
    with pytest.raises(InputError, match="half_width"):
        labels_needed(SCORES, LABELS, half_width=0, bounds=(0, 1))
    with pytest.raises(InputError, match="n_items"):
        labels_needed(SCORES, LABELS, half_width=0.1, bounds=(0, 1), n_items=10)
