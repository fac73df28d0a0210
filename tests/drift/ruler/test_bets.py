"""Bets on a ruler: exact ones by hand, noisy ones by simulation."""

import numpy as np
import pytest

from semscale.drift.ruler.bets import ReadSeries, ruler_tests
from semscale.errors import InputError

ALPHA = 0.01


def found_in(reference, *runs, labels=None, is_exact=True, rounding=1e-4):
    series = ReadSeries(np.atleast_2d(reference), [np.asarray(run, float) for run in runs], labels)
    found = ruler_tests({"match": series}, is_exact=is_exact, rounding=rounding, alpha=ALPHA)
    return {test.movement: test for test in found}


def test_readings_that_stay_are_no_evidence():
    reference = np.linspace(0.2, 0.9, 20)
    found = found_in(reference, *[reference] * 100)
    assert list(found) == ["changed"]
    assert found["changed"].difference == 0
    assert set(found["changed"].evidence) == {1.0}
    assert not found["changed"].has_moved


def test_rounding_never_moves_a_ruler():
    reference = np.linspace(0.2, 0.9, 20)
    signs = np.where(np.arange(20) % 2, 1, -1)
    found = found_in(reference, *[reference + 9e-5 * signs] * 300)
    assert not found["changed"].has_moved


def test_an_exact_ruler_that_moved_is_seen_at_once():
    reference = np.linspace(0.2, 0.9, 10)
    signs = np.where(np.arange(10) % 2, 1, -1)
    found = found_in(reference, reference + 0.05 * signs)["changed"]
    # By hand: 10 anchors, each 0.05 apart; the mean is 0.05 whichever way they went.
    assert found.difference == pytest.approx(0.05)
    # A gambler with half of the greatest stake, 5000, gains 1 + 5000 (0.05 - 0.0001) = 250.5 at each of ten.
    assert found.evidence[0] > 250.5**10 / 200 / 4
    assert found.has_moved


def test_a_ruler_that_came_back_is_not_said_to_be_moved_now():
    reference = np.linspace(0.2, 0.9, 10)
    found = found_in(reference, reference + 0.05, reference)["changed"]
    assert found.is_significant
    assert (found.difference, found.has_moved) == (0, False)


def test_a_reading_that_vanished_has_changed_in_an_exact_ruler_and_is_unknown_in_a_noisy_one():
    reference = np.full(10, 0.5)
    lost = np.where(np.arange(10) < 5, np.nan, 0.5)
    exact = found_in(reference, lost)["changed"]
    assert (exact.difference, exact.n, exact.has_moved) == (0.5, 10, True)
    noisy = found_in([reference, reference], lost, is_exact=False)["changed"]
    assert (noisy.difference, noisy.n) == (0, 5)


def test_a_ruler_without_any_reading_says_nothing():
    nothing = np.full(10, np.nan)
    found = found_in([nothing, nothing], nothing, is_exact=False)
    assert list(found) == ["changed", "higher", "lower"]
    for test in found.values():
        assert np.isnan(test.difference)
        assert (test.evidence, test.p_adjusted, test.has_moved) == ((1.0,), 1.0, False)


def test_an_error_against_people_that_grows_is_told_from_one_that_shrinks():
    labels = np.full(60, 1.0)
    reference = np.full(60, 0.7)
    # By hand: the error is 0.3 before; 0.5 where readings fall to 0.5, and 0.1 where they rise to 0.9.
    farther, nearer = (found_in(reference, run, labels=labels) for run in (reference - 0.2, reference + 0.2))
    assert farther["farther"].difference == pytest.approx(0.2)
    assert farther["farther"].has_moved
    assert nearer["farther"].difference == pytest.approx(-0.2)
    assert not nearer["farther"].has_moved
    assert farther["changed"].has_moved
    assert nearer["changed"].has_moved


def test_one_repeat_of_a_noisy_ruler_shows_no_noise_so_that_nothing_moves():
    found = found_in(np.full(50, 0.5), np.full(50, 1.0), is_exact=False)
    assert {test.allowed for test in found.values()} == {1.0}
    assert not any(test.has_moved for test in found.values())


def judged(rng, levels, *, shift=0.0, repeats=1):
    """A judge on a scale of 21 levels whose scores scatter by 0.1."""
    scores = levels + shift + 0.1 * rng.standard_normal((repeats, len(levels)))
    return np.clip(np.round(scores * 20) / 20, 0, 1)


def is_seen(seed, *, shift, runs=10, anchors=60, repeats=8):
    """Whether a judge was said to have moved after any of some runs; evidence is the greatest so far."""
    rng = np.random.default_rng(seed)
    levels = rng.uniform(0.25, 0.75, anchors)
    reference = judged(rng, levels, repeats=repeats)
    read = [judged(rng, levels, shift=shift)[0] for _ in range(runs)]
    found = found_in(reference, *read, is_exact=False, rounding=0.0)
    return any(test.is_significant for test in found.values())


@pytest.mark.exhaustive
def test_a_noisy_judge_that_stays_is_hardly_ever_said_to_have_moved():
    # 100 histories of 200 runs. At a rate of alpha = .01, five alarms or more come in 1 of 290 such draws.
    assert sum(is_seen(seed, shift=0.0, runs=200) for seed in range(100)) <= 4


@pytest.mark.parametrize("shift", [0.05, -0.05])
def test_a_judge_that_moved_by_a_twentieth_is_seen_within_ten_runs(shift):
    # At a power of .95, fewer than 25 of 30 come in 1 of 300 such draws.
    assert sum(is_seen(seed, shift=shift) for seed in range(30)) >= 25


def test_an_exact_ruler_without_rounding_is_refused():
    with pytest.raises(InputError, match=r"rounding of an exact ruler must be above 0, such as 1e-4, got 0"):
        found_in(np.full(10, 0.5), np.full(10, 0.5), rounding=0.0)


def test_a_judge_that_shuffles_its_scores_is_seen_though_the_mean_stays():
    rng = np.random.default_rng(3)
    levels = np.linspace(0.1, 0.9, 60)
    reference = judged(rng, levels, repeats=5)
    found = found_in(reference, *(judged(rng, levels[::-1])[0] for _ in range(3)), is_exact=False)
    assert found["changed"].has_moved
    assert not found["higher"].has_moved
    assert not found["lower"].has_moved
