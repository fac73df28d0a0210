"""People's labels as scores, and a judge beside them."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.judging.human_labels import compare_with_labels, label_table, nearest
from semscale.judging.templates import Template, load_template
from semscale.scales import load_scale

LIKERT = load_template("likert")


@pytest.mark.parametrize(
    ("template", "cell", "scores"),
    [
        ("likert", 5, [1.0]), ("likert", "4", [0.75]), ("likert", 4.5, [0.875]),
        ("likert", "[4, 5]", [0.75, 1.0]),
        ("likert", "mostly correct", [0.75]), ("continuous", 85, [0.85]), ("true_false", "Correct", [1.0]),
        ("true_false", "wrong", [0.0]), ("true_false", 1, [1.0]), ("true_false_uncertain", 0.5, [0.5]),
        ("likert", None, [np.nan]), ("likert", " ", [np.nan]), ("likert", float("nan"), [np.nan]),
        ("likert", [], [np.nan]),
    ],
)  # fmt: skip
def test_labels_are_what_the_judge_says_too(template, cell, scores):
    np.testing.assert_array_equal(label_table([cell], load_template(template)), [scores])


def test_labels_on_a_scale_of_the_library():
    template = Template.from_scale(load_scale("recommendation"))  # 0 to 10
    assert label_table([0, 7, 10], template).tolist() == [[0.0], [0.7], [1.0]]


@pytest.mark.parametrize("cell", [0, 6, "good", True, "[4, 'x']", float("inf"), {"score": 4}])
def test_a_label_that_is_none_is_named_with_its_row(cell):
    with pytest.raises(
        InputError, match="human labels must be numbers from 1 to 5 or “Completely incorrect”.*in row 2"
    ):
        label_table([4, cell], LIKERT)


def test_a_judge_beside_one_label_an_item():
    expected = np.array([1.0, 0.75, 0.0, 0.25, 0.5, 1.0])
    labels = np.array([[0.75], [0.5], [0.0], [np.nan], [np.nan], [0.75]])
    human = compare_with_labels(expected, labels, LIKERT)
    # Over the four labelled rows: .25, .25, 0 and .25 above.
    assert human.corrected.bias == pytest.approx(0.1875)
    assert human.corrected.n_labelled == 4
    assert human.ceiling is None
    # Observed squared differences .0625 + .0625 + 0 + .0625; means over all pairs of judge 1, .75, 0, 1 and
    # people .75, .5, 0, .75: sum over 16 pairs of (j - p)^2 = 4*2.5625 + 4*1.375 - 2*2.75*2 = 4.75.
    assert human.kappa.value == pytest.approx(1 - (0.1875 / 4) / (4.75 / 16))


def test_people_beside_each_other():
    expected = np.array([1.0, 0.75, 0.0, 0.25, 0.5])
    labels = np.array([[1.0, 0.75], [0.75, 0.75], [0.0, 0.25], [0.25, 0.0], [0.5, 0.5]])
    human = compare_with_labels(expected, labels, LIKERT)
    assert human.ceiling.n_raters == 2
    assert human.mean_label.tolist() == [0.875, 0.75, 0.125, 0.125, 0.5]


def test_nearest_level():
    assert nearest(np.array([0.12, 0.13, 0.375]), LIKERT.scores).tolist() == [0.0, 0.25, 0.25]
