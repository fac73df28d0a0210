"""The document of tables, its sentences, and its renderings."""

import json

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

from semscale.errors import InputError
from semscale.report.document import Number, WithInterval
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.presenting import as_json, write_report
from semscale.report.tables import cautions, difference_table, finding, interval_line, table_notes
from semscale.report.terminal import print_document
from semscale.spelling import hint as mark_hint
from semscale.tabulation.crosstabs import ENDINGS, check_path, crosstabs


def test_finding_names_the_column_that_exceeds_the_rest(tables):
    # In the north half answer 1 with weight .5 and half 2 with weight 1.5: (.5 + 3) / 2 = 1.75.
    assert finding(tables.tables[0], tables.settings) == (
        "Like: the mean is higher for south (5.00) than for north (1.75); the difference is unlikely to be "
        "chance"
    )


def test_a_finding_says_where_nothing_can_be_compared(tables, waves):
    assert finding(tables.tables[1], tables.settings).endswith("; the groups are too small to compare")
    # Both waves have the same answers, 40 with a sum of squares of 127.5: the variance of a mean is 80 / 79 *
    # 127.5 / 1600, that of a difference is twice as large, and t(79) is 1.99.
    assert finding(waves.tables[0], waves.settings) == (
        "Like: the mean stayed at 3.25 in 2025; the change, plausibly −0.80 to +0.80, may be chance"
    )
    alone = crosstabs(pl.DataFrame({"q": [1, 2, 3, 2] * 9, "g": ["a"] * 36}), questions=["q"], banners=["g"])
    assert finding(alone.tables[0], alone.settings) == "Q: the mean is 2.00; there is only one group, a"
    assert "‘g’ has one group, ‘a’: there is nothing to compare" in list(cautions(alone))


def test_a_topline_has_a_figure_and_nothing_about_groups(survey):
    result = crosstabs(survey, questions=["like"], min_base=100)
    # 20 answers of 1, 20 of 2 and 40 of 5: variance 3.2278, and t(79) is 1.99045.
    assert (
        finding(result.tables[0], result.settings)
        == "Like: the mean is 3.25, plausibly between 2.85 and 3.65"
    )
    assert list(cautions(result)) == []
    assert list(table_notes(result.tables[0], result.settings)) == ["* fewer than 100 respondents: shown."]


def test_order_of_waves_is_stated(waves):
    message = "waves from first to last (by their names): ‘2024’, ‘2025’" + mark_hint(
        "; `wave_order` gives another order"
    )
    assert list(cautions(waves)) == [message]


def test_many_columns_below_are_counted():
    people = range(240)
    frame = pl.DataFrame({
        "Good?": [4 + n // 6 % 2 if n % 6 == 3 else 1 + n // 6 % 2 for n in people],
        "g": [f"g{n % 6}" for n in people],
    })  # fmt: skip
    result = crosstabs(frame, questions=["Good?"], banners=["g"])
    # Half of g3 answers 4 and half 5; in the other five groups half answers 1 and half 2.
    assert finding(result.tables[0], result.settings) == (
        "Good? The mean is higher for g3 (4.50) than for 5 other groups (1.50); these differences are "
        "unlikely to be chance"
    )


def test_of_columns_above_as_many_others_the_highest_is_stated():
    # Means of 1.5, 2.75 and 3: b and c are above a alone.
    q, g = [1, 2] * 30 + [1, 2, 4, 4] * 15 + [2, 3, 4] * 14, ["a"] * 60 + ["b"] * 60 + ["c"] * 42
    frame = pl.DataFrame({"q": q, "g": g})
    result = crosstabs(frame, questions=["q"], banners=["g"])
    stated = finding(result.tables[0], result.settings)
    assert stated.startswith("Q: the mean is higher for c (3.00) than for a (1.50)")


def test_a_finding_states_a_clear_answer_although_the_means_are_equal():
    # In a all answer 3, in b half answer 1 and half 5: both means are 3.
    frame = pl.DataFrame({"q": [3] * 60 + [1, 5] * 30, "g": ["a"] * 60 + ["b"] * 60})
    scale = crosstabs(frame, questions=["q"], banners=["g"])
    stated = finding(scale.tables[0], scale.settings).replace("\N{NO-BREAK SPACE}", " ")
    assert stated.startswith(
        "Q: the means do not differ clearly, but ‘3’ is more frequent for a (100 %) than for b (0 %)"
    )


def test_a_finding_of_a_choice_names_the_most_frequent_answer_and_the_clearest_difference():
    # Tea: 40 of 60 in a and 40 of 60 in b. Milk: 20 in a, none in b; juice the other way round.
    answers = ["tea"] * 40 + ["milk"] * 20 + ["tea"] * 40 + ["juice"] * 20
    frame = pl.DataFrame({"drink": answers, "g": ["a"] * 60 + ["b"] * 60})
    result = crosstabs(frame, questions=["drink"], banners=["g"])
    stated = finding(result.tables[0], result.settings).replace("\N{NO-BREAK SPACE}", " ")
    assert stated.startswith("Drink: ‘tea’ is most frequent (67 %); ")
    assert "(33 %) than for " in stated
    assert stated.endswith("(0 %), more than chance explains")


def test_a_finding_states_the_change_to_the_last_wave():
    frame = pl.DataFrame({"q": [1, 2] * 30 + [4, 5] * 30, "wave": ["2024"] * 60 + ["2025"] * 60})
    result = crosstabs(frame, questions=["q"], wave="wave")
    # Squares of 15 in 60 of 120 answers: each mean has a variance of 120 / 119 * 15 / 3600; t(119) is 1.98.
    assert finding(result.tables[0], result.settings) == (
        "Q: the mean rose by 3.00 to 4.50 in 2025; the change, plausibly +2.82 to +3.18, is unlikely to be "
        "chance (p < 0.001)"
    )


def stated(result):
    """Return the finding of the first table with plain spaces."""
    return finding(result.tables[0], result.settings).replace("\N{NO-BREAK SPACE}", " ")


def test_a_finding_speaks_of_tested_groups_only():
    # Means are 2.5 in a, b and c; d and e have 8 respondents each, with means of 1 and 4.
    frame = pl.DataFrame({
        "q": [1, 2, 3, 4] * 30 + [1] * 8 + [4] * 8,
        "g": ["a", "b", "c"] * 40 + ["d"] * 8 + ["e"] * 8,
    })  # fmt: skip
    result = crosstabs(frame, questions=["q"], banners=["g"])
    assert stated(result) == (
        "Q: the mean is 2.50; differences between the groups may be chance; d and e have too few "
        "answers to test"
    )
    alone = crosstabs(frame, questions=["q"], banners=["g"], min_base=41)
    assert stated(alone) == "Q: the mean is 2.50; the groups are too small to compare"


def test_a_finding_of_several_answers_states_the_least_p_value_and_no_range():
    # Of 40 each, tea is chosen by 30 and 30, milk by 10 and 14, juice by 5 and 6.
    def chosen(a, b):
        return [int(n < a) for n in range(40)] + [int(n < b) for n in range(40)]

    options = {"d_tea": chosen(30, 30), "d_milk": chosen(10, 14), "d_juice": chosen(5, 6)}
    frame = pl.DataFrame(options | {"g": ["a"] * 40 + ["b"] * 40})
    result = crosstabs(frame, questions=["d_*"], banners=["g"], adjust="none")
    # Milk: shares .25 and .35, SE sqrt((.1875 + .2275) / 40 * 80 / 79) = .1025, t = .976, p = .332.
    assert stated(result) == (
        "D: ‘tea’ is most frequent (75 %); no answer differs clearly by group (most: ‘milk’)"
    )


def test_a_finding_names_the_answer_with_the_least_p_value():
    # Of 60 each, tea is chosen by 50 and 36, milk by 30 and 3: z of milk is about three times that of tea.
    def chosen(a, b):
        return [int(n < a) for n in range(60)] + [int(n < b) for n in range(60)]

    options = {"d_tea": chosen(50, 36), "d_milk": chosen(30, 3)}
    frame = pl.DataFrame(options | {"g": ["a"] * 60 + ["b"] * 60})
    assert stated(crosstabs(frame, questions=["d_*"], banners=["g"])) == (
        "D: ‘tea’ is most frequent (72 %); ‘milk’ is more frequent for a (50 %) than for b (5 %), more than "
        "chance explains"
    )


def test_a_finding_by_waves_names_the_answer_that_changed_most():
    # Tea: 40 and 40 of 60. Milk: 12 and 15; juice: 8 and 5, so that milk and juice change by 5 points each.
    answers = ["tea"] * 40 + ["milk"] * 12 + ["juice"] * 8 + ["tea"] * 40 + ["milk"] * 15 + ["juice"] * 5
    frame = pl.DataFrame({"drink": answers, "wave": ["2024"] * 60 + ["2025"] * 60})
    # Juice is the rarest, so that its change has the least error: (.1156 + .0764) * 120 / 119 / 60 is .05680
    # squared, t = .880 and p = .380.
    assert stated(crosstabs(frame, questions=["drink"], wave="wave", adjust="none")) == (
        "Drink: ‘tea’ is most frequent (67 % in 2025); no answer changed clearly from 2024 (‘juice’ changed "
        "most, by −5 points)"
    )


def test_a_finding_cuts_long_names_between_words():
    long = "I would describe the lounge of this airport to all of my friends and colleagues without doubt"
    frame = pl.DataFrame({long: [1, 2, 3, 4, 5] * 10})
    result = crosstabs(frame, questions=[long])
    assert finding(result.tables[0], result.settings).startswith(
        "I would describe the lounge of this airport to all of my friends and colleagues without… The mean"
    )


def test_notes_say_how_a_table_was_tested_and_who_is_not_in_it(survey, tables):
    by_region, by_town = (list(table_notes(table, tables.settings)) for table in tables.tables[:2])
    assert by_region[0].startswith(
        "Letters: significantly above the column of that letter, at 5\N{NO-BREAK SPACE}%"
    )
    assert by_town == ["* fewer than 10 respondents: shown, not tested."]
    tea_by_region = next(table_notes(tables.tables[2], tables.settings))
    assert tea_by_region.startswith("No column is significantly above another at 5\N{NO-BREAK SPACE}%")
    gaps = survey.with_columns(
        pl.when(pl.int_range(80) < 3).then(None).otherwise("like").alias("like"),
        pl.when(pl.int_range(80) < 5).then(None).otherwise("region").alias("region"),
    )
    result = crosstabs(gaps, questions=["like"], banners=["region"])
    message = " ".join(table_notes(result.tables[0], result.settings))
    assert "3 respondents gave no answer; the bases leave them out." in message
    assert "5 respondents without a group: in the total only." in message


def test_notes_say_that_bases_differ_by_line_and_that_codes_are_not_corrected():
    frame = pl.DataFrame({
        "semscale_outcome": ["coded"] * 4,
        "semscale_price": [1, 0, 1, 0], "semscale_price_p": [0.9, 0.1, 0.9, 0.1],
        "semscale_taste": [1, 0, None, None], "semscale_taste_p": [0.9, 0.1, None, None],
        "g": ["a", "b", "a", "b"],
    })  # fmt: skip
    result = crosstabs(frame, questions=["semscale_outcome"], banners=["g"])
    assert result.tables[0].bases[0].tolist() == [4, 2, 2]
    message = " ".join(table_notes(result.tables[0], result.settings))
    assert "Bases differ by line" in message
    assert "Shares count assigned codes, and are not corrected by hand-coded answers." in message


def test_a_survey_whose_bases_are_all_small_says_so(survey):
    result = crosstabs(survey, questions=["like"], banners=["region"], min_base=50)
    (message,) = cautions(result)
    assert (
        message == "every group has fewer than 50 respondents in ‘like’ by ‘region’: nothing is tested there"
    )


def test_rows_left_out_are_cautions(survey):
    result = crosstabs(survey.with_columns(w=None), questions=["like"], banners=["region"])
    assert list(cautions(result)) == []
    some = survey.with_columns(pl.when(pl.int_range(80) < 2).then(None).otherwise("w").alias("w"))
    result = crosstabs(some, questions=["like"], banners=["region"], weight="w")
    assert "2 rows left out: no weight" in list(cautions(result))
    assert "Taylor linearisation" in interval_line(result)


def test_a_page_has_figures_letters_intervals_and_bases(tables):
    text = page(tables.document())
    assert 'class="crosstab"' in text
    assert '<b class="mark">A</b>' in text
    assert "Base, weighted" in text
    assert 'class="interval"' in text
    assert "The mean is higher for south (5.00) than for north (1.75); the difference" in text


def test_the_screen_has_every_table_without_intervals(tables, capsys):
    print_document(tables.document())
    shown = capsys.readouterr().out
    assert "80 respondents, 4 tables" in shown
    assert "like by region" in shown
    mean = next(line for line in shown.splitlines() if line.startswith("mean"))
    assert mean.split() == ["mean", "3.38", "1.75", "5.00", "A"]


def test_markdown_has_changes_between_waves(waves):
    text = markdown(waves.document())
    title = "### Change from wave 2024 to 2025: shares in percentage points, p and adjusted p in brackets"
    assert title in text
    # Answers do not change; both p-values are 1.
    assert "(1.000, 1.000)" in text
    rule = "The second p-value is adjusted by Holm over the answers, and separately over"
    assert rule in text
    assert ", and the total separately; intervals are of single comparisons" in text


def test_the_screen_explains_letters_and_asterisks_and_tests_the_banner(tables, capsys):
    print_document(tables.document())
    shown = capsys.readouterr().out
    assert "Letters: significantly above the column of that letter, at 5" in shown
    assert "* fewer than 10 respondents: shown, not tested." in shown
    assert "Test of all answers by region: Rao and Scott’s F(" in shown


def test_a_table_with_too_many_empty_cells_says_why_it_has_no_test(capsys):
    # Each answer occurs in one region alone: 6 of 9 cells are empty.
    frame = pl.DataFrame({"like": list("abc") * 40, "region": ["north", "south", "west"] * 40})
    print_document(crosstabs(frame, questions=["like"], banners=["region"]).document())
    shown = capsys.readouterr().out
    assert "No Rao and Scott’s test of all answers by region: too many cells are empty." in shown
    assert "F(" not in shown


def test_changes_of_shares_are_points(capsys):
    answers = ["yes"] * 10 + ["no"] * 30 + ["yes"] * 20 + ["no"] * 20
    frame = pl.DataFrame({"q": answers, "wave": ["2024"] * 40 + ["2025"] * 40, "g": ["a"] * 80})
    print_document(crosstabs(frame, questions=["q"], banners=["g"], wave="wave").document())
    shown = capsys.readouterr().out
    changes = shown[shown.index("Change from wave") :]
    # 10 of 40 and 20 of 40: 25 points up.
    assert "+25.0 (" in next(line for line in changes.splitlines() if line.startswith("yes"))


def test_deviations_and_changes_of_small_bases_are_marked(capsys):
    frame = pl.DataFrame({
        "q": [1, 2, 3, 4] * 22, "wave": ["2024", "2025"] * 44, "g": ["a"] * 80 + ["b"] * 8,
    })  # fmt: skip
    print_document(crosstabs(frame, questions=["q"], banners=["g"], wave="wave").document())
    shown = capsys.readouterr().out
    table, changes = shown[shown.index("q by g") :].split("Change from wave")
    # b has 4 respondents a wave: 2 and 4 twice in 2025, 1 and 3 in 2024; sd = sqrt(4 / 3) and a mean 1 up.
    deviation = next(line for line in table.splitlines() if line.startswith("standard deviation"))
    assert deviation.split()[-1] == "1.15*"
    mean = next(line for line in changes.splitlines() if line.startswith("mean"))
    assert mean.split()[-1] == "+1.00*"


def test_the_screen_says_who_has_no_answer_and_no_group(survey, capsys):
    gaps = survey.with_columns(
        pl.when(pl.int_range(80) < 3).then(None).otherwise("like").alias("like"),
        pl.when(pl.int_range(80) < 5).then(None).otherwise("region").alias("region"),
    )
    result = crosstabs(gaps, questions=["like"], banners=["region"])
    print_document(result.document())
    shown = capsys.readouterr().out
    assert "3 respondents gave no answer; the bases leave them out." in shown
    assert "5 respondents without a group: in the total only." in shown
    cells = result.to_frame()
    assert set(cells["n_ungrouped"].drop_nulls()) == {5}


def test_workbook_has_intervals_and_letters_in_separate_columns(tables, tmp_path):
    write_report(tables.document(), tmp_path / "t.xlsx")
    sheet = sheets_of(tmp_path / "t.xlsx")["like"]
    by_region = next(row for row in sheet.rows() if row[0] == "Mean")
    value, low, high = map(float, by_region[1:4])
    assert low < value < high
    assert value == 3.375
    assert "A" in by_region


def test_hostile_user_text_does_not_break_a_page(tables):
    assert "<script>" not in page(tables.document())


def test_json_follows_the_schema(tables, waves):
    for result in (tables, waves):
        check_json(result.to_json())


@pytest.fixture(scope="module")
def halves():
    """100 people: 30 of 50 in a say yes, and 10 of 50 in b."""
    answers = ["yes"] * 30 + ["no"] * 20 + ["yes"] * 10 + ["no"] * 40
    frame = pl.DataFrame({"q": answers, "g": ["a"] * 50 + ["b"] * 50})
    return crosstabs(frame, questions=["q"], banners=["g"])


def test_a_row_has_the_difference_in_points_its_interval_and_p_values(halves):
    (table,) = halves.tables
    result = difference_table(table, halves.settings)
    rows = {row[0].text: row for row in result.rows}
    difference = rows["yes"][3]
    assert isinstance(difference, WithInterval)
    # 60 % less 20 %; the standard error is sqrt((.6 * .4 + .2 * .8) / 50 * 100 / 99), and t(98) is 1.98447.
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (40, 40 - 17.839, 40 + 17.839), abs=0.001
    )
    assert all(isinstance(item, Number) for item in rows["yes"][4:])


def test_a_page_folds_differences_and_markdown_shows_them(halves, capsys):
    text = page(halves.document())
    fold = text[text.index("<summary>Differences of columns (2)") :]
    assert "+40.0" in fold[: fold.index("</details>")]
    assert "not adjusted" in fold[: fold.index("</details>")]
    shown = markdown(halves.document())
    assert "### Differences of columns (2)" in shown
    assert "+40.0" in shown
    print_document(halves.document())
    assert "+40.0" not in capsys.readouterr().out


def test_a_topline_has_none_and_a_long_list_is_cut():
    people = range(1_300)
    frame = pl.DataFrame({"q": [n % 10 for n in people], "g": [f"g{n % 13}" for n in people]})
    (alone,) = crosstabs(frame, questions=["q"]).tables
    outcome = crosstabs(frame, questions=["q"], banners=["g"])
    assert difference_table(alone, outcome.settings) is None
    result = difference_table(outcome.tables[0], outcome.settings)
    # 10 points, 2 nets and the mean by 13 * 12 / 2 = 78 pairs: 1,014 rows.
    assert len(result.rows) == 500
    assert "514 further rows in the workbook" in result.note


def test_cells_are_written_as_a_row_per_cell(tables, tmp_path):
    for ending, read in ((".csv", pl.read_csv), (".parquet", pl.read_parquet), (".jsonl", pl.read_ndjson)):
        path = tmp_path / f"cells{ending}"
        tables.report(path)
        assert read(path).height == tables.to_frame().height


def test_json_and_pages_are_written(tables, tmp_path):
    tables.report(tmp_path / "tables.json")
    assert len(json.loads((tmp_path / "tables.json").read_text())["tables"]) == 4
    tables.report(tmp_path / "tables.html")
    assert "<html" in (tmp_path / "tables.html").read_text()
    tables.report(tmp_path / "tables.md")
    assert (tmp_path / "tables.md").read_text().startswith("# Tables")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match="out must end in .xlsx, .pptx.*got 'tables.doc'"):
        check_path(tmp_path / "tables.doc")
    for ending in set(ENDINGS) - {".pptx"}:
        check_path(tmp_path / f"tables{ending}")


def test_hints_are_on_the_screen_in_json_and_at_the_end_of_a_page(capsys):
    summary = crosstabs(pl.DataFrame({"q": [1, 2, 3, 4, 5, 99] * 20}), questions=["q"])
    marks = mark_hint("")
    hint = "left out as no answer: ‘99’ (20); to count one as an answer, list it in survey.yaml"
    print_document(summary.document())
    shown = capsys.readouterr().out
    assert hint in f"l{shown[shown.index('eft out as no answer') :]}"
    assert json.loads(as_json(summary))["tables"][0]["notes"][0].startswith(hint)
    shown_page = str(page(summary.document()))
    tables_part, _, origin = shown_page.partition("How this was made")
    assert "eft out as no answer: ‘99’ (20)." in tables_part
    assert "to count one as an answer" not in tables_part
    assert f"‘q’: {hint}" in origin
    assert not any(mark in content for mark in marks for content in (shown, shown_page))


def test_the_screen_states_how_wide_intervals_are_at_most(capsys):
    print_document(crosstabs(pl.DataFrame({"q": [1, 2, 3, 4, 5] * 20}), questions=["q"]).document())
    # The standard deviation is sqrt(200 / 99) = 1.421 and t(99) = 1.984: 1.984 * 1.421 / 10 = .282.
    assert "; means ± 0.29." in capsys.readouterr().out
