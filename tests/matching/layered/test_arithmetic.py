import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching.layered import above_baseline, alignment_f1, combine_layers


def test_alignment_uses_the_weights_of_both_sides():
    similarity = np.array([[0.9, 0.2], [0.4, 0.6], [0.1, 0.0]])
    # Best of the prediction's tokens: .9, .6, .1 with weights 1, 2, 1 -> P = (.9 + 1.2 + .1) / 4 = .55
    # Best of the reference's tokens: .9, .6 with weights 3, 1 -> R = (2.7 + .6) / 4 = .825
    # F = 2 * .55 * .825 / 1.375 = .66
    f1 = alignment_f1(similarity, np.array([1.0, 2.0, 1.0]), np.array([3.0, 1.0]))
    assert f1 == pytest.approx(0.66, abs=1e-12)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
def test_alignment_without_tokens_on_a_side_is_0(shape):
    assert alignment_f1(np.empty(shape), np.ones(shape[0]), np.ones(shape[1])) == 0.0


def test_precision_and_recall_that_cancel_give_0_not_infinity():
    assert alignment_f1(np.array([[0.0]]), np.ones(1), np.ones(1)) == 0.0


def test_the_baseline_becomes_0_and_1_stays():
    # (.65 - .3) / .7 = .5
    assert above_baseline(np.array([0.3, 0.65, 1.0]), 0.3) == pytest.approx([0.0, 0.5, 1.0])


def test_layers_are_weighted_and_the_floor_subtracted():
    # .4 * .5 + .4 * .75 + .2 * .25 - .25 = .2 + .3 + .05 - .25 = .3
    assert combine_layers(np.array([0.5]), np.array([0.75]), np.array([0.25])) == pytest.approx([0.3])


def test_the_published_snap_is_reached_only_beyond_what_cosines_give():
    # 1 in all layers gives .75; only layers above 1, which no text gives, reach the snap at .95.
    assert combine_layers(np.array([1.0, 1.2]), np.array([1.0, 1.2]), np.array([1.0, 1.2])).tolist() == [
        0.75,
        1.0,
    ]


@given(st.tuples(*[st.floats(-1, 1)] * 3))
def test_scores_of_cosines_lie_between_0_and_three_quarters(layers):
    word, sentence, paragraph = (np.array([layer]) for layer in layers)
    assert 0 <= combine_layers(word, sentence, paragraph)[0] <= 0.75 + 1e-12
