import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.calibration.drawing import draw_texts, inclusion_probabilities

VALUES = np.arange(1.0, 6.0)
PMF = np.random.default_rng(0).dirichlet(np.full(5, 0.5), size=400)


def test_every_part_of_the_scale_gets_its_share():
    # A systematic sample of 40 of 400 has exactly four of each tenth of the texts in order.
    drawn = draw_texts(PMF, VALUES, 40, seed=3)
    rank = np.argsort(np.argsort(PMF @ VALUES, kind="stable"), kind="stable")
    assert np.bincount(rank[drawn.rows] // 40, minlength=10).tolist() == [4] * 10
    assert set(drawn.probability.tolist()) == {0.1}


@pytest.mark.parametrize("by_interest", [False, True])
def test_weighted_means_are_unbiased(by_interest):
    # The weighted total of anything is right on average over draws; here over 600 of them.
    wanted = np.random.default_rng(1).normal(size=400) + PMF @ VALUES
    draws = [draw_texts(PMF, VALUES, 30, by_interest=by_interest, seed=seed) for seed in range(600)]
    means = np.array([(wanted[one.rows] / one.probability).sum() / 400 for one in draws])
    assert abs(means.mean() - wanted.mean()) < 4 * means.std() / np.sqrt(600)


def test_by_interest_draws_wide_ratings_more_often_and_no_text_never():
    narrow, wide = np.tile([0, 1.0, 0, 0, 0], (200, 1)), np.tile([0.5, 0, 0, 0, 0.5], (200, 1))
    drawn = draw_texts(np.vstack([narrow, wide]), VALUES, 40, by_interest=True)
    # Deviations 0 and 2, average 1: probabilities go as .5 to 1.5.
    assert sorted(set(drawn.probability.round(6).tolist())) == [0.05, 0.15]
    assert (drawn.rows >= 200).sum() == 30


def test_rows_without_a_rating_are_never_drawn_and_few_are_drawn_whole():
    pmf = PMF[:5].copy()
    pmf[2] = np.nan
    drawn = draw_texts(pmf, VALUES, 100)
    assert sorted(drawn.rows.tolist()) == [0, 1, 3, 4]
    assert drawn.probability.tolist() == [1.0] * 4


def test_the_draw_depends_on_its_seed_alone():
    one, other = draw_texts(PMF, VALUES, 10, seed=1), draw_texts(PMF, VALUES, 10, seed=2)
    assert one.rows.tolist() == draw_texts(PMF, VALUES, 10, seed=1).rows.tolist() != other.rows.tolist()


def test_sizes_that_exceed_their_share_are_certain():
    found = inclusion_probabilities(np.array([1.0, 2.0, 3.0, 100.0, 50.0]), 3)
    np.testing.assert_allclose(found, [1 / 6, 2 / 6, 3 / 6, 1, 1])


@pytest.mark.parametrize(
    ("pmf", "n", "said"), [(PMF, 0, "n must be at least 1"), (np.full((3, 5), np.nan), 2, "no text")]
)
def test_nothing_to_draw_is_refused(pmf, n, said):
    with pytest.raises(InputError, match=said):
        draw_texts(pmf, VALUES, n)
