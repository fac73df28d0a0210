"""Intervals of shares at their ends, and what is refused."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.means import survey_means
from semscale.stats.survey.share_intervals import share_interval


@pytest.mark.parametrize("method", ["logit", "beta"])
def test_ends_lie_around_the_share_and_within_0_to_1(method):
    rng = np.random.default_rng(0)
    hits = rng.random((40, 20)) < rng.random(20)
    hits[:, 0], hits[:, 1] = False, True
    shares = survey_means(hits, SurveyDesign(rng.uniform(1, 3, 40)))
    low, high = share_interval(shares, method=method)
    assert np.all((low >= 0) & (low <= shares.values) & (shares.values <= high) & (high <= 1))
    assert (high - low).min() > 0
    assert (low[0, 0], high[1, 0]) == (0.0, 1.0)


def test_one_respondent_has_no_interval():
    low, high = share_interval(survey_means([1.0, 0.0], SurveyDesign(np.ones(2)), groups=[0, -1]))
    assert np.isnan([low, high]).all()


def test_what_does_not_fit_is_refused():
    design = SurveyDesign(np.ones(2))
    with pytest.raises(InputError, match="some lie outside 0 to 1"):
        share_interval(survey_means([1.0, 5.0], design))
    with pytest.raises(InputError, match="method must be 'logit' or 'beta', got 'wald'"):
        share_interval(survey_means([0.0, 1.0], design), method="wald")
