import numpy as np
from labelled_toys import VALUES, answered, predictors_at

from semscale.rating.calibration.calibrators import Unchanged, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.rating.calibration.selection import choose_method, cross_predicted, nested_predictions
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
