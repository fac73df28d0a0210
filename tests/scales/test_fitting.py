"""The scale of the library whose labels answers are."""

from semscale.scales import load_scale, scale_names
from semscale.scales.library import fitting_scale, scale_caution


def test_scale_labels_select_a_scale_with_the_same_labels():
    for name in scale_names():
        labels = load_scale(name).labels
        result = fitting_scale([label.upper() for label in labels])
        assert result is not None
        assert load_scale(result).labels == labels


def test_answers_that_are_no_labels_or_too_few_fit_none():
    assert fitting_scale(["Very satisfied", "Satisfied", "Purple"]) is None
    assert fitting_scale(["Agree", "Disagree"]) is None
    assert fitting_scale([]) is None


def test_a_caution_names_the_option():
    (caution,) = scale_caution("q1", ["Very satisfied", "Satisfied", "Neutral"])
    assert '--scale "q1=satisfaction"' in caution
    assert scale_caution("q1", ["Tea", "Coffee", "Water"]) == ()
