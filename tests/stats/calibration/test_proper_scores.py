import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.stats.calibration.proper_scores import log_scores, ranked_probability_scores


def test_one_answer_by_hand():
    # F = .2, .7 at the two thresholds; the answer is the second point: (.2^2 + (1 - .7)^2) / 2.
    score = ranked_probability_scores(np.array([[0.2, 0.5, 0.3]]), np.array([[0.0, 1.0, 0.0]]))
    assert score[0] == pytest.approx((0.04 + 0.09) / 2)


def test_several_answers_score_as_the_mean_of_each():
    pmf = np.array([[0.1, 0.2, 0.3, 0.4]])
    each = [ranked_probability_scores(pmf, np.eye(4)[[point]])[0] for point in (0, 3, 3)]
    human = np.array([[1 / 3, 0.0, 0.0, 2 / 3]])
    assert ranked_probability_scores(pmf, human)[0] == pytest.approx(np.mean(each))


def test_the_log_score_of_an_impossible_answer_is_finite():
    assert log_scores(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))[0] == pytest.approx(np.log(1e6))


def test_missing_stays_missing():
    pmf = np.full((1, 3), np.nan)
    assert np.isnan(ranked_probability_scores(pmf, np.eye(3)[:1])).all()
    assert np.isnan(log_scores(pmf, np.eye(3)[:1])).all()


masses = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(lambda row: np.array([row]) / sum(row))


@given(masses, masses)
def test_peoples_own_shares_have_the_best_score(pmf, human):
    for score in (ranked_probability_scores, log_scores):
        assert score(human, human)[0] <= score(pmf, human)[0] + 1e-12
