"""Corrected shares of yes, and intervals of plain ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.calibration.rogan_gladen import rogan_gladen
from semscale.stats.intervals.exact_shares import binomial_tail, clopper_pearson_upper
from semscale.stats.intervals.shares import wilson_interval


def counted(found, yes, right, no, called, rest):
    """Judgements and labels with so many found among yes, right among no, and called yes among the rest."""
    judged = np.repeat([1.0, 0, 0, 1, 1, 0], [found, yes - found, right, no - right, called, rest - called])
    return judged, np.repeat([1.0, 0, np.nan], [yes, no, rest])


def test_value_by_hand():
    # (.3 + .8 - 1) / (.9 + .8 - 1) = 1 / 7
    found = rogan_gladen(*counted(45, 50, 40, 50, 300, 1000))
    assert found.value == pytest.approx(1 / 7)
    assert (found.sensitivity.value, found.specificity.value) == (0.9, 0.8)
    assert found.naive.value == pytest.approx((300 + 45 + 10) / 1100)
    assert (found.n_labelled, found.n_unlabelled, found.n_left_out) == (100, 1000, 0)


def test_interval_by_hand():
    # Lang and Reiczigel's steps, z^2 = 3.841459. Padded: sensitivity 46 / 52, specificity 41 / 52, share
    # (500 + z^2 / 2) / (1000 + z^2) = .5, so the centre is (.5 + 41 / 52 - 1) / (35 / 52) = 15 / 35.
    # Variances: (46 * 6) / 52^3 = 0.00196290, (41 * 11) / 52^3 = 0.00320750, .25 / 1003.841459 = 0.000249043.
    # Shift 2 z^2 (15 / 35 * 0.00196290 - 20 / 35 * 0.00320750) = -0.00761847.
    # Variance (0.000249043 + .1836735 * 0.00196290 + .3265306 * 0.00320750) / (35 / 52)^2 = 0.00365740.
    found = rogan_gladen(*counted(45, 50, 40, 50, 500, 1000))
    centre, half = 15 / 35 - 0.00761847, 1.959964 * 0.00365740**0.5
    assert (found.low, found.high) == (
        pytest.approx(centre - half, abs=1e-6),
        pytest.approx(centre + half, abs=1e-6),
    )
    assert found.method == "Lang-Reiczigel"


def test_a_perfect_judge_is_left_as_it_is():
    found = rogan_gladen(*counted(200, 200, 200, 200, 300, 1000))
    assert found.value == pytest.approx(0.3)
    assert found.low < 0.3 < found.high


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 40), st.integers(1, 40))
def test_bounds(found, right, called, rest):
    share = rogan_gladen(*counted(found, 30, right, 30, min(called, rest), rest))
    if share.note is None:
        assert 0 <= share.low <= share.value <= share.high <= 1
    else:
        assert np.isnan(share.value)


@given(st.integers(16, 30), st.integers(16, 30), st.integers(0, 40))
def test_calling_yes_no_turns_the_share_round(found, right, called):
    judged, labels = counted(found, 30, right, 30, called, 40)
    one, other = rogan_gladen(judged, labels), rogan_gladen(1 - judged, 1 - labels)
    assert other.value == pytest.approx(1 - one.value)
    assert (other.low, other.high) == (pytest.approx(1 - one.high), pytest.approx(1 - one.low))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((5, 10, 5, 10, 3, 10), "no more frequent"),
        ((5, 5, 0, 0, 3, 10), "both kinds"),
        ((5, 5, 5, 5, 0, 0), "no unlabelled"),
    ],
)
def test_undefined_says_why(counts, message):
    found = rogan_gladen(*counted(*counts))
    assert np.isnan([found.value, found.low, found.high]).all()
    assert message in found.note
    assert found.method is None


@pytest.mark.parametrize(("labelled", "rate"), [(40, 0.3), (100, 0.1), (300, 0.9)])
def test_intervals_cover(labelled, rate):
    rng = np.random.default_rng(labelled)
    hits = 0
    for _ in range(400):
        truth = (rng.random(labelled + 1000) < rate).astype(float)
        judged = np.where(rng.random(len(truth)) < np.where(truth == 1, 0.85, 0.75), truth, 1 - truth)
        found = rogan_gladen(judged, np.where(np.arange(len(truth)) < labelled, truth, np.nan))
        hits += found.low <= rate <= found.high
    assert hits / 400 >= 0.92


def test_missing_judgements_are_counted():
    judged, labels = counted(45, 50, 40, 50, 300, 1000)
    found = rogan_gladen(np.r_[judged, np.nan, np.nan], np.r_[labels, 1.0, np.nan])
    assert found.n_left_out == 2
    assert found.value == pytest.approx(1 / 7)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="judged must be 1 for yes"):
        rogan_gladen(np.array([0.5, 1.0]), np.array([1.0, 0.0]))
    with pytest.raises(InputError, match="labels must"):
        rogan_gladen(np.array([0.0, 1.0]), np.array([2.0, 0.0]))


def test_plain_intervals_as_scipy():
    # scipy.stats.binomtest(3, 20): proportion_ci by wilson; and exact, alternative less.
    share = wilson_interval(3, 20)
    assert (share.low, share.high) == (pytest.approx(0.05236874589621662), pytest.approx(0.3604188647407569))
    assert clopper_pearson_upper(3, 20, 0.95) == pytest.approx(0.3436638043147043)
    assert binomial_tail(3, 20, clopper_pearson_upper(3, 20, 0.95)) == pytest.approx(0.05)


def test_plain_intervals_at_the_ends():
    assert np.isnan(wilson_interval(0, 0).value)
    assert wilson_interval(5, 5).high == 1
    assert clopper_pearson_upper(0, 0, 0.95) == 1
    assert clopper_pearson_upper(4, 4, 0.95) == 1
    assert binomial_tail(0, 0, 0.1) == 1
