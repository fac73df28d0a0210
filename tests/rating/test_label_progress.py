"""What labels show so far: r with people, the error of the corrected mean, and when to stop."""

import math

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.human import compare
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
    # By Fisher's z: atanh(.6) = .6931, 1.96 / sqrt(49) = .28: tanh(.4131) = .391, tanh(.9731) = .750
    assert progress.r.value == pytest.approx(0.6)
    assert (progress.r.low, progress.r.high) == pytest.approx((0.391, 0.750), abs=0.02)
    # The slope is .6 * 52 / 56 = .5571: 1 - 2 * .5571 * .6 + .5571 ** 2 = .6419, / 51 = .012586, root .11219;
    # t(.975; 50.07) = 2.0085: .2253
    assert progress.error == pytest.approx(0.2253, abs=1e-4)
    # .05 * 4 = .2 is reached near 52 * (.2253 / .2) ** 2 = 66 labels, so with 14 more.
    assert progress.more == 14
    assert progress.advice.startswith(
        "Label about 14 more texts: then the corrected mean will be known to about ± 0.20. So far, labels "
        "and ratings correlate by r = 0.60 (0.40 to 0.75; 1 is perfect), and the corrected mean is known to "
        "± 0.23"
    )


def test_error_is_that_of_the_corrected_mean_if_all_ratings_are_known():
    rng = np.random.default_rng(1)
    points = np.arange(1.0, 6.0)
    pmf = rng.dirichlet(np.ones(5), size=300)
    human = np.where(
        np.arange(300) < 40, np.clip(np.round(pmf @ points + rng.normal(size=300)), 1, 5), np.nan
    )
    corrected = compare(pmf, human.tolist(), values=points)
    progress = label_progress(pmf @ points, human, n_texts=300, length=4)
    assert progress.error == pytest.approx((corrected.corrected.high - corrected.corrected.low) / 2)
    assert progress.r.low == pytest.approx(corrected.pearson.low)
    assert progress.advice == corrected.progress.advice


def test_ratings_of_labelled_texts_stand_for_those_of_others():
    rated, given = drawn(100, 0.5)
    others, _ = drawn(900, 0.5, seed=3)  # of the same mean and deviation
    known = label_progress(
        np.append(rated, others), np.append(given, np.full(900, np.nan)), n_texts=1000, length=8
    )
    assert label_progress(rated, given, n_texts=1000, length=8).error == pytest.approx(known.error, rel=0.01)


def test_enough_labels_end_with_a_sentence():
    rated, given = drawn(80, 0.8)
    progress = label_progress(rated, given, n_texts=1000, length=4)
    assert progress.is_enough
    assert progress.advice.startswith("These labels are enough: labels and ratings correlate by r = 0.80")


def test_labels_that_show_no_agreement_end_with_the_corrected_mean():
    rated, given = drawn(200, 0.0)
    progress = label_progress(rated, given, n_texts=100_000, length=8)
    assert progress.r.high < 0.3
    assert progress.advice.startswith("Stop: the scale hardly measures")
    assert "by r = 0.00" in progress.advice


def test_r_near_the_limit_needs_more_labels_than_r_far_from_it():
    near, far = (label_progress(*drawn(60, r), n_texts=10_000, length=40) for r in (0.4, 0.45))
    # atanh(.3) = .310, and half of an interval of z is near 1.96 / sqrt(57) = .26. r .4: .424 - .310 = .114,
    # 60 * (.26 / .114) ** 2 is 312 labels; r .45: .485 - .310 = .175, 60 * (.26 / .175) ** 2 is 132.
    assert near.more == pytest.approx(252, rel=0.2)
    assert "it will be clear whether the scale measures its construct here" in near.advice
    assert far.more == pytest.approx(72, rel=0.2)


def test_labels_of_all_texts_are_enough():
    rated, given = drawn(40, 0.1)
    progress = label_progress(rated, given, n_texts=40, length=4)
    assert progress.more == 0
    # Like the corrected mean, the error is about texts like these: t(.975; 38.1) = 2.024 / sqrt(39) = .324
    assert progress.error == pytest.approx(0.324, abs=1e-3)


def test_texts_count_by_the_inverse_of_their_probability():
    rated, given = drawn(30, 0.7)
    twice = np.concatenate([rated, rated[:10]]), np.concatenate([given, given[:10]])
    inclusion = np.where(np.arange(30) < 10, 0.05, 0.1)
    weighted = label_progress(rated, given, n_texts=1000, length=4, inclusion=inclusion)
    assert weighted.n == 30
    assert weighted.r.value == pytest.approx(label_progress(*twice, n_texts=1000, length=4).r.value)
    # Kish: (20 + 20) ** 2 / (10 * 4 + 20) = 26.7 labels instead of 30, so the error is larger.
    plain = label_progress(*twice, n_texts=1000, length=4)
    assert weighted.error > plain.error


def test_texts_without_rating_or_label_do_not_count():
    rated, given = drawn(20, 0.5)
    more = np.append(rated, [np.nan, rated.mean()]), np.append(given, [1.0, np.nan])
    one, other = (
        label_progress(*more, n_texts=100, length=4),
        label_progress(rated, given, n_texts=100, length=4),
    )
    assert (one.n, one.r) == (other.n, other.r)
    assert one.error == pytest.approx(other.error, rel=0.02)


def test_equal_labels_have_no_correlation_and_do_not_show_the_mean():
    progress = label_progress(np.linspace(2, 4, 12), np.full(12, 3.0), n_texts=100, length=4)
    assert math.isnan(progress.r.value)
    assert progress.error > 0.2
    assert progress.more > 0
    assert "correlation with ratings is not known" in progress.advice


def test_labels_of_a_small_file_are_enough_if_more_hardly_help():
    rated = np.tile(np.arange(1.0, 6.0), 12)
    progress = label_progress(rated, rated, n_texts=100, length=4)
    # Even labels of all 100 texts leave an error about texts like these of 1.98 * 1.414 / sqrt(99) = .28,
    # which is 7 % of the scale.
    assert progress.r.value == pytest.approx(1)
    assert progress.error == pytest.approx(0.28, abs=0.03)
    assert progress.is_enough


@pytest.mark.parametrize(("labels", "n_texts"), [([1.0] * 11, 100), ([1.0] * 12, 11)])
def test_columns_that_do_not_fit_are_refused(labels, n_texts):
    with pytest.raises(InputError):
        label_progress(np.arange(12.0), labels, n_texts=n_texts, length=4)


def test_a_label_without_a_probability_is_refused():
    with pytest.raises(InputError, match="inclusion"):
        label_progress([1.0, 2.0], [1.0, 2.0], n_texts=9, length=4, inclusion=[0.5, np.nan])
