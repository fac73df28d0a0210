import numpy as np
from labelled_toys import ANCHORS, VALUES, predictors_at

from semscale.rating.calibration.predictors import Axis, anchor_axis


def test_the_axis_puts_anchors_near_their_values_and_in_order():
    places = anchor_axis(ANCHORS, VALUES).positions(ANCHORS[0])
    assert (np.diff(places) > 0).all()
    np.testing.assert_allclose(places, VALUES, atol=0.25)


def test_lengths_of_vectors_do_not_matter():
    axis = Axis(1.0, np.array([3.0, 4.0]))
    rows = np.array([[3.0, 4.0], [4.0, -3.0]])
    np.testing.assert_allclose(axis.positions(rows), [6.0, 1.0])
    np.testing.assert_allclose(axis.positions(7 * rows), [6.0, 1.0])


def test_an_axis_without_weights_is_its_intercept():
    assert Axis(2.0, np.zeros(2)).positions(np.eye(2)).tolist() == [2.0, 2.0]


def test_anchors_that_are_all_alike_have_an_axis_at_the_middle():
    axis = anchor_axis(np.ones((1, 3, 2)), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(axis.positions(np.eye(2)), 2.0)


def test_a_row_is_the_same_alone_and_in_company():
    rng = np.random.default_rng(0)
    rows, axis = rng.normal(size=(50, 33)).astype(np.float32), Axis(0.5, rng.normal(size=33))
    together = axis.positions(rows)
    assert [axis.positions(rows[[place]])[0] for place in range(50)] == together.tolist()


def test_some_rows_are_those_of_the_whole():
    texts = predictors_at([0.0, 0.4, 1.0])
    some = texts.rows(np.array([False, True, True]))
    assert len(some) == 2
    assert some.position.tolist() == texts.position[1:].tolist()
    assert some.mean.tolist() == [3.0, 3.0]
