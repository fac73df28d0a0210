"""Correlations of questions and differences of groups."""

import numpy as np
import pytest

from semscale.stats.intervals import IntervalPlan
from semscale.study.axes import compare_groups, group_differences, question_correlations
from semscale.study.people import ComparedQuestion, ComparedSide

NAN = np.nan


def test_a_correlation_within_concepts_by_hand():
    # Within concept 1: 0, 2, 4 and 0, 4, 2 (tenths): products of deviations 4 + 0 + 0, squares 8 and 8: r .5.
    # Concept 2 is the same but higher in both questions, which would raise r if means were not taken off.
    first = np.array([[0.0, 0.5], [0.2, 0.7], [0.4, 0.9]])
    second = np.array([[0.0, 0.5], [0.4, 0.9], [0.2, 0.7]])
    correlations = question_correlations(np.stack([first, second], axis=-1), np.ones(3))
    assert correlations(np.ones((1, 3)))[0, 0] == pytest.approx(0.5)


def test_counts_are_as_repeated_persons_and_as_weights():
    rng = np.random.default_rng(0)
    positions = rng.random((8, 2, 3))
    positions[1, 0, 1] = positions[5, 1, 2] = NAN
    counts = np.array([[2.0, 1, 0, 3, 1, 1, 1, 1]])
    rows = np.repeat(np.arange(8), counts[0].astype(int))
    outcome = question_correlations(positions, np.ones(8))(counts)
    repeated = question_correlations(positions[rows], np.ones(len(rows)))(np.ones((1, len(rows))))
    np.testing.assert_allclose(outcome, repeated)
    stored = counts[0] > 0
    weighted = question_correlations(positions[stored], counts[0, stored])(np.ones((1, int(stored.sum()))))
    np.testing.assert_allclose(outcome, weighted)


def test_single_concept_correlations_equal_numpy():
    positions = np.random.default_rng(1).random((30, 1, 3))
    outcome = question_correlations(positions, np.ones(30))(np.ones((1, 30)))[0]
    expected = np.corrcoef(positions[:, 0].T)
    np.testing.assert_allclose(outcome, [expected[0, 1], expected[0, 2], expected[1, 2]])


def test_answers_that_do_not_vary_have_no_correlation():
    positions = np.stack([np.full((4, 2), 0.3), np.random.default_rng(2).random((4, 2))], axis=-1)
    assert np.isnan(question_correlations(positions, np.ones(4))(np.ones((1, 4))))


def test_a_difference_of_groups_by_hand():
    # Concept 1: means of .2, .6 (weights 1, 3) are .5, and .1; concept 2 has only one group.
    positions = np.array([[[0.2], [0.9]], [[0.6], [0.8]], [[0.1], [NAN]]])
    old, young = np.array([True, True, False]), np.array([False, False, True])
    differences = group_differences(positions, np.array([1.0, 3.0, 1.0]), [(0, old, young)])
    assert differences(np.ones((1, 3)))[0, 0] == pytest.approx(0.4)
    # Without the second person: .2 - .1. Without the third nothing is left to compare.
    outcome = differences(np.array([[1.0, 0, 1], [1.0, 1, 0]]))[:, 0]
    assert outcome[0] == pytest.approx(0.1)
    assert np.isnan(outcome[1])


QUESTION = ComparedQuestion("intent", "Would you?", np.array([1.0, 2.0]), ("no", "yes"))


def side(old, young):
    """Persons of two groups, so many of each with the higher of two points."""
    picked = [1] * old[0] + [0] * (old[1] - old[0]) + [1] * young[0] + [0] * (young[1] - young[0])
    groups = ["old"] * old[1] + ["young"] * young[1]
    return ComparedSide((), {"intent": np.eye(2)[picked][:, None]}, (QUESTION,), groups={"age": groups})


def test_sign_and_size_by_hand():
    # People differ by .8 - .2 = .6, the panel by .6 - .4 = .2: a third.
    outcome, (panel, people, invented) = compare_groups(
        side((30, 50), (20, 50)), side((40, 50), (10, 50)), IntervalPlan()
    )
    assert outcome.n_clear == 1
    assert outcome.same_sign == 1
    assert outcome.size_ratio.value == pytest.approx(1 / 3)
    assert outcome.split_half == 1
    assert 0.3 < outcome.permuted < 0.7
    assert {(row.by, row.level, row.other) for row in (panel, people)} == {("age", "old", "young")}
    assert people.value == pytest.approx(0.6)
    assert panel.low < 0.2 < panel.high
    assert (invented.figure, invented.value) == ("invented", 0)


def test_a_panel_that_differs_the_other_way_has_a_ratio_below_0():
    outcome, _ = compare_groups(side((10, 50), (40, 50)), side((40, 50), (10, 50)), IntervalPlan())
    assert outcome.same_sign == 0
    assert outcome.size_ratio.value == pytest.approx(-1)
    assert outcome.size_ratio.high < 0


def test_groups_of_people_that_do_not_differ_show_nothing():
    outcome, _ = compare_groups(side((40, 50), (10, 50)), side((25, 50), (25, 50)), IntervalPlan())
    assert outcome.n_clear == 0
    assert np.isnan(outcome.same_sign)
    assert np.isnan(outcome.size_ratio.value)


def test_a_difference_that_people_do_not_have_is_invented():
    # The panel differs by .6; people by 0, with 150 in a group.
    outcome, figures = compare_groups(side((40, 50), (10, 50)), side((75, 150), (75, 150)), IntervalPlan())
    assert (outcome.n_invented, figures[-1].figure, figures[-1].value) == (1, "invented", 1)
    # Neither where people differ, nor where the two differences are not apart: .2 beside 0 of 10 in a group,
    # whose standard error is .22.
    similar, _ = compare_groups(side((45, 50), (5, 50)), side((40, 50), (10, 50)), IntervalPlan())
    assert similar.n_invented == 0
    few, (panel, *_) = compare_groups(side((60, 100), (40, 100)), side((5, 10), (5, 10)), IntervalPlan())
    assert panel.low > 0
    assert few.n_invented == 0


def test_no_common_groups():
    panel, people = side((10, 50), (40, 50)), side((10, 50), (40, 50))
    other = ComparedSide((), people.masses, people.questions, groups={"age": ["north"] * 100})
    assert compare_groups(panel, other, IntervalPlan()) == (None, [])


@pytest.mark.parametrize(
    ("panel", "people"),
    [(((1, 1), (0, 50)), ((75, 150), (75, 150))), (((40, 50), (10, 50)), ((4, 4), (0, 4)))],
)
def test_groups_of_a_few_persons_are_shown_and_not_tested(panel, people):
    # One persona answers as it does in every resample, so that no interval could be wide enough.
    outcome, figures = compare_groups(side(*panel), side(*people), IntervalPlan())
    assert [(row.figure, row.side, row.n) for row in figures] == [
        ("group_difference", "panel", min(panel[0][1], panel[1][1])),
        ("group_difference", "people", min(people[0][1], people[1][1])),
    ]
    assert figures[0].value == pytest.approx(panel[0][0] / panel[0][1] - panel[1][0] / panel[1][1])
    assert np.isnan([end for row in figures for end in (row.low, row.high)]).all()
    assert (outcome.n_pairs, outcome.n_tested, outcome.n_clear, outcome.n_invented) == (1, 0, 0, 0)
