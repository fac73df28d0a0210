"""Figures of tables, worked out by hand."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.stats.survey_designs import Domains, SurveyDesign
from semscale.stats.survey_estimates import survey_means
from semscale.tabulation import crosstab_figures
from semscale.tabulation.banners import read_banner
from semscale.tabulation.crosstab_figures import (
    TestSettings,
    changes_between,
    compare_columns,
    spread_at_ends,
    standard_deviations,
    tabulate,
)
from semscale.tabulation.lines import Line, TabulatedQuestion, choice_lines, number_lines, scale_lines

FREE = TestSettings(min_base=2, adjust="none")


def number(values):
    lines, weights = number_lines()
    return TabulatedQuestion("q", "q", "number", lines, np.array(values, dtype=float)[:, None], weights)


def tables(questions, groups, settings=FREE, design=None, waves=None):
    banners = [] if waves is None else [read_banner(pl.Series("wave", waves), is_wave=True)]
    banners += [read_banner(pl.Series("group", groups))]
    design = design or SurveyDesign(np.ones(len(groups)))
    return list(tabulate(questions, banners, design, settings))


def test_means_bases_deviations_and_letters():
    (table,) = tables([number([1, 1, 3, 3, 3, 3, 5, 5])], ["a"] * 4 + ["b"] * 4)
    assert table.columns == ("Total", "a", "b")
    assert table.cells.values.tolist() == [[3.0, 2.0, 4.0]]
    # Sums of squares: 16 of all, 4 of each group; SDs sqrt(16 / 7) and sqrt(4 / 3).
    np.testing.assert_allclose(table.deviations, np.sqrt([16 / 7, 4 / 3, 4 / 3]))
    assert [part.tolist() for part in table.bases] == [[8, 4, 4]] * 3
    # se = sqrt(2 * 8 / 7 * 4 / 16) = .756, t = 2.65 with 6 degrees of freedom, p = .038
    assert table.letters.tolist() == [["", "", "A"]]
    assert table.column_letters == ("", "A", "B")


def test_holm_counts_all_lines_of_a_table():
    lines, weights = scale_lines([1, 2, 3, 4, 5], list("12345"))
    question = TabulatedQuestion("q", "q", "scale", lines, np.array([0, 0, 2, 2, 2, 2, 4, 4]), weights)
    groups = ["a"] * 4 + ["b"] * 4
    (free,) = tables([question], groups)
    (held,) = tables([question], groups, TestSettings(min_base=2))
    assert free.letters[-1].tolist() == ["", "", "A"]
    assert set(held.letters.ravel()) == {""}


def test_a_small_base_is_shown_and_neither_tested_nor_a_partner_of_tests():
    values, groups = [1, 1, 3, 3, 3, 3, 5, 5, 9, 9], ["a"] * 4 + ["b"] * 4 + ["c"] * 2
    (table,) = tables([number(values)], groups, TestSettings(min_base=3, adjust="none"))
    assert table.cells.values[0, 3] == 9
    assert table.is_small.tolist() == [False, False, False, True]
    assert table.letters.tolist() == [["", "", "A", ""]]


def test_small_groups_take_no_part_in_the_test_of_question_and_banner():
    lines, weights = choice_lines(["yes", "no"])
    answers = np.array([0, 1] * 10 + [0] * 4)
    question = TabulatedQuestion("q", "q", "single choice", lines, answers, weights)
    groups = ["a"] * 10 + ["b"] * 10 + ["c"] * 4
    (table,) = tables([question], groups, TestSettings(min_base=5))
    # Among a and b half answers yes in each, so that nothing is left to explain.
    assert table.association.chi_square == pytest.approx(0)
    assert table.association.n == 20
    (table,) = tables([question], groups, TestSettings(min_base=15))
    assert table.association is None


def test_share_of_0_is_not_treated_as_exact():
    lines, weights = choice_lines(["yes", "no"])
    answers = np.array([1] * 30 + [0] * 3 + [1] * 27)
    question = TabulatedQuestion("q", "q", "single choice", lines, answers, weights)
    (table,) = tables([question], ["a"] * 30 + ["b"] * 30)
    # 0 of 30 and 3 of 30: z = 1.8 without a spread of its own for 0, and 1.6 with it; neither letter.
    assert set(table.letters.ravel()) == {""}
    answers = np.array([1] * 30 + [0] * 4 + [1] * 26)
    question = TabulatedQuestion("q", "q", "single choice", lines, answers, weights)
    (table,) = tables([question], ["a"] * 30 + ["b"] * 30)
    # 0 and 4 of 30: z = 2.1 without, 1.93 with; Fisher's exact test has p = .11.
    assert set(table.letters.ravel()) == {""}


def test_missing_answer_is_in_no_base_and_missing_group_only_in_the_total():
    (table,) = tables([number([1, np.nan, 3, 5])], ["a", "a", "a", None])
    assert table.cells.n.tolist() == [[3, 2]]
    assert table.cells.n_missing.tolist() == [[1, 1]]
    assert table.cells.values.tolist() == [[3.0, 2.0]]
    assert table.n_ungrouped == 1


def test_shares_have_intervals_within_0_and_1_and_means_have_t_intervals():
    lines, weights = scale_lines([1, 2], ["no", "yes"])
    question = TabulatedQuestion("q", "q", "scale", lines, np.array([0, 0, 0, 1]), weights)
    (table,) = tables([question], ["a", "a", "b", "b"])
    cells = table.cells
    # Nobody of two in a says yes: Clopper and Pearson's upper end is 1 - .025 ** (1 / 2).
    assert (cells.low[1, 1], cells.high[1, 1]) == (0.0, pytest.approx(1 - 0.025**0.5))
    assert cells.high[1, 2] <= 1
    assert cells.low[2, 2] + cells.high[2, 2] == pytest.approx(2 * 1.5)


def test_figures_are_those_of_the_survey_estimates():
    rng = np.random.default_rng(0)
    values, groups = rng.normal(size=200), rng.integers(0, 3, 200)
    design = SurveyDesign(rng.uniform(0.5, 2, 200), clusters=np.arange(200) // 4)
    (table,) = tables([number(values)], groups.tolist(), design=design)
    expected = survey_means(values, design, groups=groups)
    low, high = expected.interval(0.95)
    np.testing.assert_allclose(table.cells.values[:, 1:], expected.values)
    np.testing.assert_allclose(table.cells.low[:, 1:], low)
    np.testing.assert_allclose(table.cells.high[:, 1:], high)
    np.testing.assert_allclose(table.cells.effective_n[:, 1:], expected.effective_n)


def test_blocks_of_questions_do_not_change_figures(monkeypatch):
    rng = np.random.default_rng(0)
    questions = [number(rng.normal(size=30)) for _ in range(5)]
    groups = rng.integers(0, 2, 30).tolist()
    together = tables(questions, groups)
    monkeypatch.setattr(crosstab_figures, "_NUMBERS_AT_ONCE", 60)
    for item, other in zip(together, tables(questions, groups), strict=True):
        np.testing.assert_allclose(item.cells.low, other.cells.low)


WAVES, FIRST, SECOND = [1, 1, 1, 1, 2, 2, 2, 2], [1, 2, 3, 1], [2, 3, 4, 4]


def test_waves_of_different_people_are_compared_with_the_wave_before():
    waves, other = tables([number(FIRST + SECOND)], ["all"] * 8, waves=WAVES)
    assert waves.columns == ("Total", "1", "2")
    # Sums of squares 2.75 in both: var = 8 / 7 * 5.5 / 16; 6 degrees of freedom, t = 2.4469.
    half = 2.4469 * np.sqrt(8 / 7 * 5.5 / 16)
    np.testing.assert_allclose(waves.changes.values, [[np.nan, np.nan, 1.5]])
    assert waves.changes.high[0, 2] == pytest.approx(1.5 + half, abs=1e-4)
    # The other banner shows the last wave, with the same change.
    assert (other.wave, other.before) == ("2", "1")
    assert other.cells.values.tolist() == [[3.25, 3.25]]
    np.testing.assert_allclose(other.changes.values, [[1.5, 1.5]])
    assert other.changes.high[0, 1] == pytest.approx(1.5 + half, abs=1e-4)
    assert other.bases[0].tolist() == [4, 4]


def test_waves_are_compared_with_the_previous_wave():
    values, waves = [1, 3, 2, 4, 9, 7], [1, 1, 2, 2, 3, 3]
    first, other = tables([number(values)], ["a", "a", "a", "a", "a", None], waves=waves)
    np.testing.assert_allclose(first.changes.values, [[np.nan, np.nan, 1.0, 5.0]])
    # The last wave has 9 with a group and 7 without; the wave before had 3 on average.
    np.testing.assert_allclose(other.changes.values, [[5.0, 6.0]])
    assert other.n_ungrouped == 1


def test_waves_of_the_same_people_are_compared_within_people():
    design = SurveyDesign(np.ones(8), clusters=np.tile(np.arange(4), 2))
    waves, _ = tables([number(FIRST + SECOND)], ["all"] * 8, design=design, waves=WAVES)
    # Differences 1, 1, 1, 3: mean 1.5, se = 1 / 2; 4 people - 1 - 1 = 2 degrees of freedom, t = 4.3027.
    assert waves.changes.low[0, 2] == pytest.approx(1.5 - 4.3027 * 0.5, abs=1e-4)


def test_changes_of_small_bases_are_shown_and_not_tested():
    waves, _ = tables([number(FIRST + SECOND)], ["all"] * 8, TestSettings(min_base=5), waves=WAVES)
    assert waves.changes.values[0, 2] == 1.5
    assert np.isnan(waves.changes.p_values).all()


def test_a_single_group_and_a_single_wave_have_nothing_to_compare():
    waves, alone = tables([number([1, 2])], ["a", "a"], waves=[1, 1])
    assert alone.letters.tolist() == [["", ""]]
    assert waves.changes is None
    assert alone.changes is None


def test_group_without_weight_in_a_wave_is_named_with_the_wave():
    # b has weight in the last wave alone.
    design = SurveyDesign(np.array([1.0, 0.0, 0.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="group 'b' of 'group' in wave '1' sum to 0 over 2 respondents"):
        tables([number([1, 2, 3, 4, 5])], ["a", "b", "b", "a", "b"], design=design, waves=[1, 1, 1, 2, 2])


def test_a_wave_before_those_that_are_shown_does_not_matter_for_groups():
    design = SurveyDesign(np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0]))
    groups, waves = ["a", "b"] * 3, [1, 1, 2, 2, 3, 3]
    _, by_group = tables([number([1, 2, 3, 4, 5, 6])], groups, design=design, waves=waves)
    assert by_group.cells.values.tolist() == [[5.5, 5.0, 6.0]]


def test_a_group_without_weight_is_named():
    design = SurveyDesign(np.array([1.0, 1.0, 0.0, 0.0]))
    with pytest.raises(InputError, match="group 'b' of 'group' sum to 0 over 2 respondents"):
        tables([number([1, 2, 3, 4])], ["a", "a", "b", "b"], design=design)


def test_settings_out_of_range_are_refused():
    with pytest.raises(InputError, match="min_base must be >= 1, got 0"):
        TestSettings(min_base=0)
    with pytest.raises(InputError, match="level must be between 0 and 1, got 95"):
        TestSettings(level=95)


SHARE, MEAN = Line("yes", "share"), Line("mean", "mean")


def estimates():
    columns = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 3.0], [1.0, 5.0]])
    return survey_means(columns, SurveyDesign(np.ones(4)), groups=[0, 0, 1, 1])


def test_share_without_spread_uses_an_added_answer_of_both_kinds():
    result = spread_at_ends(estimates(), (SHARE, MEAN))
    # Nobody of 2: p = 1 / 4, and p (1 - p) / 4 = 3 / 64.
    assert result.covariance[0, 0, 0] == pytest.approx(3 / 64)
    np.testing.assert_array_equal(result.covariance[1], estimates().covariance[1])
    assert result.covariance[0, 1, 1] == estimates().covariance[0, 1, 1] > 0


def test_changes_are_later_less_earlier():
    result = changes_between(estimates(), np.array([1]), np.array([0]))
    assert result.values.tolist() == [[0.5], [2.0]]


def test_standard_deviations_with_weights():
    columns, weights = np.array([[1.0], [3.0], [np.nan], [2.0]]), np.array([1.0, 1.0, 1.0, 4.0])
    domains = Domains(np.array([0, 0, 0, 1]), 2)
    result = standard_deviations(columns, np.array([[2.0, 2.0]]), weights, domains)
    # 1 and 3: sum of squares 2, over weight 2, times n / (n - 1) = 2; one respondent has none.
    np.testing.assert_allclose(result, [[2**0.5, np.nan]])


MEAN_LINES = (MEAN,)
GROUPS = np.repeat([0, 1, 2], 4)
ESTIMATES = survey_means(
    np.array([1.0, 1, 3, 3, 3, 3, 5, 5, 1, 1, 3, 3]), SurveyDesign(np.ones(12)), groups=GROUPS
)


def test_all_pairs_of_columns_are_compared():
    differences, letters = compare_columns(ESTIMATES, MEAN_LINES, np.zeros((1, 3), bool), TestSettings())
    assert (differences.first.tolist(), differences.second.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert differences.values.tolist() == [[-2.0, 0.0, 2.0]]
    # var = 12 / 11 * (4 + 4) / 16, t = 2 / .7385 = 2.708; df = 4 + 4 - 1 - 1 = 6, p = .0351; Holm: times 3.
    np.testing.assert_allclose(differences.p_values, [[0.0351, 1.0, 0.0351]], atol=2e-4)
    np.testing.assert_allclose(differences.adjusted, [[0.1054, 1.0, 0.1054]], atol=6e-4)
    # t of 6 degrees of freedom is 2.4469, whatever the number of pairs.
    assert differences.high[0, 0] == pytest.approx(-2 + 2.4469 * 0.7385, abs=1e-3)
    assert letters.tolist() == [["", "", ""]]


def test_pairs_with_a_small_base_are_shown_and_not_tested():
    small = np.array([[False, False, True]])
    differences, letters = compare_columns(ESTIMATES, MEAN_LINES, small, TestSettings())
    assert differences.values[0, 2] == 2.0
    assert np.isnan(differences.p_values).tolist() == [[False, True, True]]
    # One test is left, so that nothing is adjusted.
    assert differences.adjusted[0, 0] == differences.p_values[0, 0] < 0.05
    assert letters.tolist() == [["", "A", ""]]


def test_p_values_are_adjusted_over_points_and_over_summaries_of_them():
    lines, weights = scale_lines([1, 2, 3, 4, 5], list("12345"))
    answers = np.array([0, 1, 2, 3] * 10 + [1, 2, 3, 4] * 9 + [4] * 4)
    question = TabulatedQuestion("q", "q", "scale", lines, answers, weights)
    waves, groups = ["1"] * 40 + ["2"] * 40, ["a", "b"] * 40
    by_wave, by_group = tables([question], groups, TestSettings(min_base=2), waves=waves)
    p, adjusted = by_wave.changes.p_values[:, -1], by_wave.changes.adjusted[:, -1]
    points, summaries = slice(0, 5), slice(5, 8)
    # Holm: the least p-value of a family times the number of its tests, 5 points, or 2 boxes and the mean.
    for family, tests in ((points, 5), (summaries, 3)):
        assert adjusted[family].min() == pytest.approx(min(1, tests * p[family].min()))
    assert 0 < p[-1] < adjusted[-1]
    # The total's change is the same by groups, and is not adjusted over them.
    assert by_group.changes.adjusted[:, 0] == pytest.approx(adjusted)
