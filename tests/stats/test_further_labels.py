"""Expected half-widths of corrected means after further labels."""

import numpy as np
import pytest
from scipy.stats import t

from semscale.stats.further_labels import ExpectedWidth, enough_labels
from semscale.stats.prediction_powered import estimate_corrected_mean
from semscale.stats.sampling import SampleDesign

NAN = float("nan")


def points(rng, n):
    """Five points, and a judge's scores that correlate with them by about .7."""
    inner = rng.normal(size=n)
    labels = np.clip(np.round(3 + inner), 1, 5)
    return labels, inner + rng.normal(size=n)


def codes(rng, n):
    """A code of 30 %, and a judge's probability of it."""
    labels = (rng.uniform(size=n) < 0.3).astype(float)
    return labels, 1 / (1 + np.exp(1 - 3 * (labels - 0.3) - rng.normal(size=n)))


def some_labels(labels, n):
    return np.where(np.arange(len(labels)) < n, labels, NAN)


def half(scores, labels, bounds, design=None):
    corrected = estimate_corrected_mean(scores, labels, bounds=bounds, design=design)
    return (corrected.high - corrected.low) / 2


@pytest.mark.parametrize(("population", "bounds"), [(points, (1, 5)), (codes, (0, 1))])
def test_the_expected_half_width_is_the_mean_realised_one(population, bounds):
    rng = np.random.default_rng(3)
    expected, realised = [], []
    for _ in range(100):
        labels, scores = population(rng, 600)
        width = ExpectedWidth.from_labels(scores, some_labels(labels, 50), bounds=bounds)
        for size in (75, 100, 300):
            expected.append(width.half(size))
            realised.append(half(scores, some_labels(labels, size), bounds))
    expected, realised = (np.reshape(widths, (100, 3)).mean(axis=0) for widths in (expected, realised))
    assert expected == pytest.approx(realised, rel=0.03)


def test_with_the_labels_so_far_it_is_the_half_width_of_their_interval():
    labels, scores = points(np.random.default_rng(1), 200)
    known = some_labels(labels, 40)
    plain = ExpectedWidth.from_labels(scores, known, bounds=(1, 5))
    assert plain.half(40) == pytest.approx(half(scores, known, (1, 5)))
    design = SampleDesign(inclusion=np.linspace(0.1, 0.9, 200), weights=np.linspace(1, 2, 200))
    weighted = ExpectedWidth.from_labels(scores, known, bounds=(1, 5), design=design)
    assert weighted.half(40) == pytest.approx(half(scores, known, (1, 5), design))
    assert weighted.effective < 1


def test_unequal_probabilities_are_expected_to_go_on():
    rng = np.random.default_rng(8)
    expected, realised = [], []
    for _ in range(100):
        labels, scores = codes(rng, 600)
        inclusion = rng.uniform(0.15, 0.6, 600)
        order = rng.permutation(np.flatnonzero(rng.uniform(size=600) < inclusion))
        first, later = np.full(600, NAN), np.full(600, NAN)
        first[order[:60]], later[order[:120]] = labels[order[:60]], labels[order[:120]]
        # with a part of the draw, probabilities are in proportion
        design = SampleDesign(inclusion=inclusion)
        width = ExpectedWidth.from_labels(scores, first, bounds=(0, 1), design=design)
        expected.append(width.half(120))
        realised.append(half(scores, later, (0, 1), design))
    assert np.mean(expected) == pytest.approx(np.mean(realised), rel=0.05)


def test_scores_that_say_nothing_leave_the_half_width_of_the_labels_mean():
    width = ExpectedWidth(0.5, 0.25, 1.0, 0.0, 10_000, (0.0, 1.0))
    # 100 labels, of which the mean takes one degree and the shrunk slope 99 / 103
    assert width.half(100) == pytest.approx(t.ppf(0.975, 99 - 99 / 103) * 0.5 / np.sqrt(99))


def test_scores_that_say_all_leave_the_error_of_the_scores_mean():
    # The slope is shrunk by 4 of 1,004 labels; the variances of slope 1 are those of 1,000 and 1,000 items.
    width = ExpectedWidth(0.0, 1.0, 1.0, 1.0, 2_000, (-9.0, 9.0))
    tuning = 1000 / 1004 / 2
    variance = (1 - tuning) ** 2 / 999 + tuning**2 / 1000
    degrees = 999 - 999 / 1003
    assert width.half(1000) == pytest.approx(t.ppf(0.975, degrees) * np.sqrt(variance))


def test_the_interval_stays_within_the_bounds():
    width = ExpectedWidth(0.01, 0.01, 0.01, 0.0, 1_000, (0.0, 1.0))
    # from 0 to .01 + the half-width
    beyond = t.ppf(0.975, 24 - 24 / 28) * 0.1 / np.sqrt(24)
    assert width.half(25) == pytest.approx((0.01 + beyond) / 2)


def test_a_forecast_without_labels_counts_the_added_labels():
    width = ExpectedWidth.from_probabilities(np.full(500, 0.5), np.full(500, 0.5))
    # 96 labels and 4 added ones with variance .25, and scores that do not vary
    assert width.half(96) == pytest.approx(t.ppf(0.975, 99 - 99 / 103) * 0.5 / np.sqrt(99))
    assert width.half(600) == width.half(500)


def test_too_few_labels_have_no_expected_width():
    assert ExpectedWidth.from_labels(np.arange(9.0), some_labels(np.arange(9.0), 2), bounds=(0, 9)) is None


@pytest.mark.parametrize(
    ("n", "most", "length", "enough"),
    [
        (50, 1_000, 1.0, 175),  # 175: .0756 to .0707; 150: .0816 to .0756
        (400, 1_000, 1.0, 400),
        (50, 150, 1.0, None),
        (50, 1_000, 4.0, 75),  # .1155 to .1000, less than .02; at 50 .1414 to .1155
    ],
)
def test_enough_labels_are_those_from_which_25_more_change_little(n, most, length, enough):
    assert enough_labels(lambda size: size**-0.5 / length, n, most) == enough
