import numpy as np
import pytest
from labelled_toys import answered, predictors_at

from semscale.rating.calibration.calibrators import fit_calibrator
from semscale.rating.calibration.refits import REFITS, fit_without_parts

PLACES = np.random.default_rng(0).uniform(size=60)
HUMAN = answered(1 + 4 * PLACES)


def unmoved(method, places, human, row, **groups):
    """How many refits do not depend on the label of a row."""
    changed = human.copy()
    changed[row] = np.eye(5)[0] if human[row, 0] < 0.5 else np.eye(5)[4]
    texts = predictors_at(places)
    before, after = (fit_without_parts(method, texts, each, **groups) for each in (human, changed))
    return sum(one.record() == other.record() for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("method", ["affine", "ordinal", "ridge"])
def test_each_label_is_lacking_in_one_refit(method):
    assert len(fit_without_parts(method, predictors_at(PLACES), HUMAN)) == REFITS
    assert [unmoved(method, PLACES, HUMAN, row) for row in (0, 17, 59)] == [1, 1, 1]


def test_equal_texts_are_lacking_together():
    # Fifteen texts that stand twice: each refit lacks one of them, so both of its labels.
    places = np.repeat(PLACES[:15], 2)
    human = answered(1 + 4 * places)
    assert len(fit_without_parts("ordinal", predictors_at(places), human)) == 15
    assert [unmoved("ordinal", places, human, row) for row in (4, 5)] == [1, 1]


def test_groups_are_lacking_whole():
    # Three groups: the fit without the last one is that to the first forty texts.
    fits = fit_without_parts("ordinal", predictors_at(PLACES), HUMAN, groups=np.repeat([0, 1, 2], 20))
    wanted = fit_calibrator("ordinal", predictors_at(PLACES[:40]), HUMAN[:40])
    assert len(fits) == 3
    assert any(fit.probit.slope == pytest.approx(wanted.probit.slope, rel=1e-5) for fit in fits)


def test_ratings_as_they_are_have_no_refits():
    assert fit_without_parts("none", predictors_at(PLACES), HUMAN) == ()
