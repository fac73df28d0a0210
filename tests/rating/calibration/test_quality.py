import numpy as np
import pytest
from labelled_toys import VALUES, answered

from semscale.rating.calibration.quality import mean_bins, rating_quality
from semscale.stats.intervals.coefficients import Resampling

HOW = Resampling(clusters=None, weights=None, interval=0.95, seed=0)
HUMAN = answered(np.linspace(1, 5, 30))


def test_ratings_that_are_peoples_answers_are_perfect_but_for_people_s_own_spread():
    quality = rating_quality(HUMAN, HUMAN, VALUES, HOW)
    assert quality.pearson.value == pytest.approx(1)
    assert quality.ks_similarity.value == pytest.approx(1)
    assert quality.spread == pytest.approx((HUMAN @ VALUES).std())
    assert all(each.rated == each.human for each in quality.bins)


def test_equal_shares_rank_nothing():
    quality = rating_quality(np.full_like(HUMAN, 0.2), HUMAN, VALUES, HOW)
    assert np.isnan(quality.pearson.value)
    assert quality.log_score.value == pytest.approx(np.log(5))


def test_bins_hold_all_texts_in_order():
    rated = np.arange(52.0)[::-1]
    bins = mean_bins(rated, rated + 1)
    assert len(bins) == 10
    assert sum(one.n for one in bins) == 52
    assert [one.human - one.rated for one in bins] == [1.0] * 10
    assert bins[0].rated < bins[-1].rated
