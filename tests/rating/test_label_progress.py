"""What labels show so far: r with people, the error of the corrected mean, and when to stop."""

import math

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.label_progress import FEWEST_LABELS, label_progress


def drawn(n, r, seed=0):
    """Ratings and labels with exactly the correlation r, and labels of standard deviation 1."""
    rng = np.random.default_rng(seed)
    left = rng.standard_normal(n)
    left = (left - left.mean()) / left.std()
    noise = rng.standard_normal(n)
    noise -= noise.mean() + left * (noise @ left) / n
    noise /= noise.std()
    return left, r * left + math.sqrt(1 - r * r) * noise


def test_few_labels_have_no_figures():
    rated, given = drawn(FEWEST_LABELS - 1, 0.5)
    progress = label_progress(rated, given, n_texts=500, length=4)
    assert math.isnan(progress.r.value)
    assert progress.more == 1


def test_figures_of_52_labels_with_r_six_tenths():
    rated, given = drawn(52, 0.6)
    progress = label_progress(rated, given, n_texts=10_000_000, length=4)
    # atanh(.6) = .6931, 1.96 / sqrt(49) = .28: tanh(.4131) = .391, tanh(.9731) = .750
    assert progress.r.value == pytest.approx(0.6)
    assert (progress.r.low, progress.r.high) == pytest.approx((0.391, 0.750), abs=1e-3)
    # t(.975; 50) = 2.0086, s = sqrt(52 / 51), sqrt(1 - .36) = .8: 2.0086 * 1.00976 * .8 / sqrt(52) = .2250
    assert progress.error == pytest.approx(0.2250, abs=2e-4)
    # The error may be .05 * 4 = .2: 52 * (.225 / .2) ** 2 = 65.8, so 14 more.
    assert progress.more == 14
    assert progress.advice.startswith("Label about 14 more texts: r is 0.60 (0.39 to 0.75), the mean ± 0.23")


def test_enough_labels_end_with_a_sentence():
    rated, given = drawn(80, 0.8)
    progress = label_progress(rated, given, n_texts=1000, length=4)
    assert progress.is_enough
    assert progress.advice.startswith("Enough: r is 0.80")


def test_labels_that_show_no_agreement_end_with_the_corrected_mean():
    rated, given = drawn(200, 0.0)
    progress = label_progress(rated, given, n_texts=100_000, length=8)
    assert progress.r.high < 0.3
    assert progress.advice.startswith("Stop: the scale hardly measures")


def test_labels_of_all_texts_leave_no_error():
    rated, given = drawn(40, 0.1)
    progress = label_progress(rated, given, n_texts=40, length=4)
    assert progress.error == 0
    assert progress.more == 0


def test_texts_count_by_the_inverse_of_their_probability():
    rated, given = drawn(30, 0.7)
    twice = np.concatenate([rated, rated[:10]]), np.concatenate([given, given[:10]])
    inclusion = np.where(np.arange(30) < 10, 0.05, 0.1)
    weighted = label_progress(rated, given, n_texts=1000, length=4, inclusion=inclusion)
    assert weighted.r.value == pytest.approx(label_progress(*twice, n_texts=1000, length=4).r.value)
    # Kish: (20 + 20) ** 2 / (10 * 4 + 20) = 26.7 labels instead of 30, so the interval is wider.
    plain = label_progress(rated, given, n_texts=1000, length=4)
    assert weighted.r.high - weighted.r.low > 0
    assert plain.n == weighted.n == 30


def test_texts_without_rating_or_label_do_not_count():
    rated, given = drawn(20, 0.5)
    more = np.append(rated, [np.nan, 1.0]), np.append(given, [1.0, np.nan])
    assert label_progress(*more, n_texts=100, length=4) == label_progress(rated, given, n_texts=100, length=4)


def test_equal_labels_have_no_correlation():
    progress = label_progress(np.arange(12.0), np.full(12, 3.0), n_texts=100, length=4)
    assert progress.r.value == 0
    assert progress.error == 0


@pytest.mark.parametrize(("labels", "n_texts"), [([1.0] * 11, 100), ([1.0] * 12, 11)])
def test_columns_that_do_not_fit_are_refused(labels, n_texts):
    with pytest.raises(InputError):
        label_progress(np.arange(12.0), labels, n_texts=n_texts, length=4)
