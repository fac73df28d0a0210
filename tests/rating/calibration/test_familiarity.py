import numpy as np

from semscale.rating.calibration.familiarity import familiarity_of


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_about_two_in_a_hundred_like_texts_and_all_unlike_ones_are_marked():
    rng = np.random.default_rng(0)
    like, unlike = np.array([3.0, 0, 0, 0, 0, 0, 0, 0]), np.array([0, 3.0, 0, 0, 0, 0, 0, 0])
    familiar = familiarity_of(unit(like + rng.normal(scale=0.5, size=(500, 8))))
    assert 0.005 < familiar.unlike(unit(like + rng.normal(scale=0.5, size=(2000, 8)))).mean() < 0.05
    assert familiar.unlike(unit(unlike + rng.normal(scale=0.5, size=(200, 8)))).all()


def test_the_centre_has_length_1():
    centre = familiarity_of(unit(np.array([[1.0, 0.0], [0.0, 1.0]]))).centre
    np.testing.assert_allclose(centre, [0.5**0.5, 0.5**0.5])
