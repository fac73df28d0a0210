"""Lines of questions, and what each respondent adds to them."""

import numpy as np

from semscale.tabulation.asked.question import Question, choice_lines, number_lines, scale_lines


def test_a_scale_has_its_points_two_nets_and_a_mean():
    lines, weights = scale_lines([1, 2, 3, 4, 5], ["1 bad", "2", "3", "4", "5 good"])
    assert [line.name for line in lines] == [
        "1 bad", "2", "3", "4", "5 good", "top 2 (4 and 5)", "bottom 2 (1 and 2)", "mean",
    ]  # fmt: skip
    assert [line.is_net for line in lines] == [False] * 5 + [True, True, False]
    question = Question("q", "q", "scale", lines, np.array([4, -1]), weights)
    # Whoever answers 5 adds to the share of 5 and to the top two, and 5 to the mean.
    assert question.columns()[0].tolist() == [0, 0, 0, 0, 1, 1, 0, 5]
    assert np.isnan(question.columns()[1]).all()


def test_a_scale_of_three_points_has_no_nets():
    assert [line.name for line in scale_lines([1, 2, 3], ["a", "b", "c"])[0]] == ["a", "b", "c", "mean"]


def test_probabilities_add_up_to_nets_and_means():
    lines, weights = scale_lines([1, 2, 3, 4], ["1", "2", "3", "4"])
    pmf = np.array([[0.1, 0.2, 0.3, 0.4], [np.nan] * 4])
    question = Question("q", "q", "rated text", lines, pmf, weights)
    # 3 and 4: .7; 1 and 2: .3; mean .1 + .4 + .9 + 1.6 = 3
    np.testing.assert_allclose(question.columns()[0], [0.1, 0.2, 0.3, 0.4, 0.7, 0.3, 3.0])
    assert np.isnan(question.columns()[1]).all()
    assert question.choices is None


def test_several_options_are_counted_apart():
    lines, weights = choice_lines(["a", "b"])
    question = Question("q", "q", "multiple choice", lines, np.array([[1.0, 1.0], [0.0, 1.0]]), weights)
    assert question.columns().tolist() == [[1, 1], [0, 1]]
    assert question.n == 2


def test_a_number_has_a_mean_alone():
    lines, weights = number_lines()
    question = Question("q", "q", "number", lines, np.array([[2.5], [np.nan]]), weights)
    assert [line.kind for line in lines] == ["mean"]
    np.testing.assert_array_equal(question.columns(), [[2.5], [np.nan]])
