import numpy as np
import pytest
from labelled_toys import VALUES, answered, predictors_at

from semscale.rating.calibration import selection
from semscale.rating.calibration.calibrators import Unchanged, fit_calibrator
from semscale.rating.calibration.predictors import Predictors, anchor_axis
from semscale.rating.calibration.selection import (
    choose_method,
    cross_predicted,
    fewest_learnt_from,
    grouped_standard_error,
    nested_predictions,
)
from semscale.stats.agreement.correlations import pearson
from semscale.stats.calibration.folds import folds_of

PLACES = np.random.default_rng(0).uniform(size=60)
HUMAN = answered(1 + 4 * PLACES)


def test_each_text_is_predicted_without_its_own_label():
    # With one text's label changed, its own prediction stays and those of other folds move.
    fold = folds_of(60)
    before = cross_predicted("affine", predictors_at(PLACES), HUMAN, fold)
    changed = HUMAN.copy()
    changed[0] = [1, 0, 0, 0, 0]
    after = cross_predicted("affine", predictors_at(PLACES), changed, fold)
    assert after[fold == fold[0]].tolist() == before[fold == fold[0]].tolist()
    assert after[fold != fold[0]].tolist() != before[fold != fold[0]].tolist()


def test_ridge_is_left_where_the_ratings_are_right_as_they_are():
    # Vectors and axis are noise, and the ratings are people's answers themselves.
    rng = np.random.default_rng(1)
    noise = predictors_at(rng.uniform(size=60))
    perfect = Predictors(noise.vectors, HUMAN, VALUES, noise.axis)
    choice = choose_method(perfect, HUMAN)
    assert choice.method in {"none", "temperature"}
    assert choice.errors["none"] < choice.errors["ridge"]


def test_ridge_is_kept_where_another_method_is_hardly_better():
    choice = choose_method(predictors_at(PLACES), HUMAN)
    assert choice.method == "ridge"
    assert choice.errors["ridge"] < choice.errors["none"]


def steps(n):
    """Texts whose people give the lowest or the highest point, by a threshold on the zero-shot mean."""
    share = np.random.default_rng(4).uniform(size=n)
    pmf = np.zeros((n, 5))
    pmf[:, 0], pmf[:, 4] = 1 - share, share
    noise = predictors_at(np.random.default_rng(5).uniform(size=n))
    human = np.where((share > 0.7)[:, None], np.eye(5)[4], np.eye(5)[0])
    return Predictors(noise.vectors, pmf, VALUES, noise.axis), human


@pytest.mark.parametrize(("n", "may_be_chosen"), [(99, False), (100, True)])
def test_steps_are_not_learnt_from_fewer_than_100_texts(n, may_be_chosen):
    texts, human = steps(n)
    choice = choose_method(texts, human, methods=("affine", "isotonic", "ridge"))
    assert choice.errors["isotonic"] < choice.errors["affine"] < choice.errors["ridge"]
    assert (choice.method == "isotonic") is may_be_chosen


def test_a_repeated_text_counts_once_for_the_steps():
    texts, human = steps(99)
    twice = np.repeat(np.arange(99), 2)
    assert choose_method(texts.rows(twice), human[twice]).method != "isotonic"


def test_ridge_is_kept_where_one_standard_error_is_crossed_by_chance(monkeypatch):
    # Differences of 1 in 10 of 20 texts: mean .5, standard error .5 / sqrt(19) = .115, t 4.36. In 4 of 20:
    # mean .2, standard error .4 / sqrt(19) = .092, t 2.18. The t quantile of .05 / 4 with 19 degrees of
    # freedom is 2.43; 4, as isotonic is not among the five others with so few texts.
    human = np.tile(np.eye(5)[0], (20, 1))
    for right, chosen in ((10, "none"), (4, "ridge")):
        worse = np.r_[np.ones(right), np.zeros(20 - right)]
        pmf = {"ridge": np.eye(5)[(4 * worse).astype(int)]}

        def predicted(method, *_, pmf=pmf):
            return pmf.get(method, human)

        monkeypatch.setattr(selection, "cross_predicted", predicted)
        assert choose_method(predictors_at(np.linspace(0, 1, 20)), human).method == chosen


def test_nested_predictions_are_worse_than_those_of_a_fit_that_saw_the_labels():
    rng = np.random.default_rng(2)
    human = answered(1 + 4 * rng.uniform(size=60))  # labels that nothing explains
    texts = predictors_at(PLACES)
    pmf, chosen = nested_predictions(texts, human)
    assert len(chosen) == 5
    np.testing.assert_allclose(pmf.sum(axis=1), 1)
    seen = fit_calibrator("ridge", texts, human).pmf(texts)
    assert ((pmf - human) ** 2).sum() > ((seen - human) ** 2).sum()


def test_without_ridge_the_lowest_error_decides():
    choice = choose_method(predictors_at(PLACES), HUMAN, methods=("none", "ordinal"))
    assert choice.method == "ordinal"
    assert isinstance(fit_calibrator("none", predictors_at(PLACES), HUMAN), Unchanged)


def test_a_text_that_occurs_again_is_new_all_the_same():
    # Labels that nothing explains cannot be predicted, however often each text and its label occur.
    rng = np.random.default_rng(3)
    places, human = rng.uniform(size=40), answered(rng.uniform(1, 5, size=40))
    noise = rng.normal(size=(40, 30))
    once = predictors_at(places)
    texts = Predictors(noise, once.pmf, VALUES, anchor_axis(np.eye(30)[None, :5], VALUES))
    four_times = texts.rows(np.tile(np.arange(40), 4))
    pmf, _ = nested_predictions(four_times, np.tile(human, (4, 1)))
    assert abs(pearson(pmf @ VALUES, np.tile(human, (4, 1)) @ VALUES)) < 0.5


def test_a_text_in_two_groups_is_not_learnt_from_when_either_is_new():
    texts = predictors_at([0.1, 0.5, 0.1, 0.9])
    assert texts.distinct.tolist() == [0, 1, 0, 2]
    assert texts.without(np.array([True, True, False, False])).tolist() == [False, False, False, True]


def test_differences_that_vary_by_group_have_the_groups_standard_error():
    # Two groups with means 0 and 1: their standard error is .5, whatever the number of texts in each.
    differences, groups = np.repeat([0.0, 1.0], 50), np.repeat([0, 1], 50)
    assert grouped_standard_error(differences, groups) == pytest.approx(0.5)
    # Each by itself: the standard deviation by n - 1 over the root of n.
    alone = grouped_standard_error(differences, np.arange(100))
    assert alone == pytest.approx(np.sqrt(0.25 * 100 / 99) / 10)


def test_the_smallest_fit_is_counted_in_texts():
    # Three groups: one is predicted and one left out of the choice, so a fit may have the smallest alone.
    texts = predictors_at(np.linspace(0, 1, 30))
    assert fewest_learnt_from(texts, groups=np.repeat([0, 1, 2], [28, 1, 1])) == 1
    assert fewest_learnt_from(texts, groups=np.repeat([0, 1, 2], 10)) == 10
    # Ten texts in five folds leave eight, and those in five folds six.
    assert fewest_learnt_from(predictors_at(np.linspace(0, 1, 10))) == 6
