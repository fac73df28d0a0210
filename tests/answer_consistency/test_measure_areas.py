import numpy as np

from semscale.answer_consistency.measure_areas import measure_areas

NAN = np.nan


def test_measures_are_compared_on_the_answers_that_have_all_of_them():
    # "a" puts .9 (right) above .1 and .5 (wrong), and .2 (right) above .1 alone: 3 of 4. "b" is there for the
    # first two answers, on which both are perfect.
    measures = {"a": np.array([0.9, 0.1, 0.2, 0.5, 0.7]), "b": np.array([0.6, 0.3, NAN, NAN, 0.1])}
    found = measure_areas(measures, np.array([1.0, 0, 1, 0, NAN]))
    assert found.own["a"].value == 0.75
    assert found.own["b"].value == 1.0
    assert found.n == {"a": 4, "b": 2}
    assert (found.n_common, found.common["a"].value, found.common["b"].value) == (2, 1.0, 1.0)
    assert found.compared is found.common


def test_measures_of_the_same_answers_need_no_second_comparison():
    found = measure_areas({"a": np.array([0.9, 0.1]), "b": np.array([0.2, 0.3])}, np.array([1.0, 0]))
    assert found.common == {}
    assert found.n_common == 2
    assert found.compared is found.own


def test_a_measure_that_no_answer_has_hides_no_answer():
    measures = {"a": np.array([0.9, 0.1]), "none": np.full(2, NAN)}
    found = measure_areas(measures, np.array([1.0, 0]))
    assert (found.n_common, found.common, found.n["none"]) == (2, {}, 0)
    assert np.isnan(found.own["none"].value)


def test_without_common_answers_of_both_kinds_each_measure_has_its_own():
    measures = {"a": np.array([0.9, 0.1, NAN, NAN]), "b": np.array([NAN, NAN, 0.2, 0.4])}
    found = measure_areas(measures, np.array([1.0, 0, 1, 0]))
    assert found.n_common == 0
    assert found.compared is found.own
    assert np.isnan(found.common["a"].value)


def test_without_labels_there_is_nothing():
    found = measure_areas({"a": np.array([0.9, 0.1])}, np.full(2, NAN))
    assert (found.n, found.n_common, found.common) == ({"a": 0}, 0, {})
