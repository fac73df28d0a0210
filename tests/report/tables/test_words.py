"""Sentences about tables."""

import polars as pl

from semscale.report.tables.words import cautions, finding, interval_line, table_notes
from semscale.tabulation.crosstabs import crosstabs


def test_a_finding_names_the_column_above_others(tables):
    # In the north half answer 1 with weight .5 and half 2 with weight 1.5: (.5 + 3) / 2 = 1.75.
    assert finding(tables.tables[0]) == "like: mean 5.00 in south, above north (1.75)"


def test_a_finding_says_where_nothing_can_be_compared(tables, waves):
    assert finding(tables.tables[1]).endswith("bases are too small to compare town")
    assert finding(waves.tables[0]).endswith("no certain difference by wave")
    alone = crosstabs(pl.DataFrame({"q": [1, 2, 3, 2] * 9, "g": ["a"] * 36}), questions=["q"], banners=["g"])
    assert finding(alone.tables[0]) == "q: mean 2.00; g has one group alone"
    assert "‘g’ has one group, ‘a’: there is nothing to compare" in list(cautions(alone))


def test_a_topline_has_a_figure_and_nothing_about_groups(survey):
    made = crosstabs(survey, questions=["like"], min_base=100)
    # 20 answers of 1, 20 of 2 and 40 of 5.
    assert finding(made.tables[0]) == "like: mean 3.25"
    assert list(cautions(made)) == []
    assert list(table_notes(made.tables[0], made.plan.tests)) == ["* fewer than 100 respondents: shown."]


def test_the_order_of_waves_is_said(waves):
    said = "waves from first to last (by their names): ‘2024’, ‘2025’; --wave-order gives another order"
    assert list(cautions(waves)) == [said]


def test_many_columns_below_are_counted():
    people = range(240)
    frame = pl.DataFrame({
        "Good?": [4 + n // 6 % 2 if n % 6 == 3 else 1 + n // 6 % 2 for n in people],
        "g": [f"g{n % 6}" for n in people],
    })  # fmt: skip
    made = crosstabs(frame, questions=["Good?"], banners=["g"])
    # Half of g3 answers 4 and half 5; in the other five groups half answers 1 and half 2.
    assert finding(made.tables[0]) == "Good? Mean 4.50 in g3, above 5 other groups (1.50 to 1.50)"


def test_notes_say_how_a_table_was_tested_and_who_is_not_in_it(survey, tables):
    notes = list(table_notes(tables.tables[1], tables.plan.tests))
    assert notes[0].startswith(
        "Letters: significantly above the column of that letter, at 5\N{NO-BREAK SPACE}%"
    )
    assert "* fewer than 10 respondents: shown, not tested." in notes
    gaps = survey.with_columns(
        pl.when(pl.int_range(80) < 3).then(None).otherwise("like").alias("like"),
        pl.when(pl.int_range(80) < 5).then(None).otherwise("region").alias("region"),
    )
    made = crosstabs(gaps, questions=["like"], banners=["region"])
    said = " ".join(table_notes(made.tables[0], made.plan.tests))
    assert "Without an answer, and in no base: 3 respondents." in said
    assert "Without a group, and in the total alone: 5 respondents." in said


def test_notes_say_that_bases_differ_by_line_and_that_codes_are_not_corrected():
    frame = pl.DataFrame({
        "semscale_outcome": ["coded"] * 4,
        "semscale_price": [1, 0, 1, 0], "semscale_price_p": [0.9, 0.1, 0.9, 0.1],
        "semscale_taste": [1, 0, None, None], "semscale_taste_p": [0.9, 0.1, 0.5, 0.5],
        "g": ["a", "b", "a", "b"],
    })  # fmt: skip
    made = crosstabs(frame, questions=["semscale_outcome"], banners=["g"])
    assert made.tables[0].bases[0].tolist() == [4, 2, 2]
    said = " ".join(table_notes(made.tables[0], made.plan.tests))
    assert "Bases differ by line" in said
    assert "Shares are of decisions; semscale code corrects shares" in said


def test_a_survey_whose_bases_are_all_small_says_so(survey):
    made = crosstabs(survey, questions=["like"], banners=["region"], min_base=50)
    (said,) = cautions(made)
    assert said == "every group has fewer than 50 respondents in ‘like’ by ‘region’: nothing is tested there"


def test_rows_left_out_are_cautions(survey):
    made = crosstabs(survey.with_columns(w=None), questions=["like"], banners=["region"])
    assert list(cautions(made)) == []
    some = survey.with_columns(pl.when(pl.int_range(80) < 2).then(None).otherwise("w").alias("w"))
    made = crosstabs(some, questions=["like"], banners=["region"], weight="w")
    assert "2 rows left out: no weight" in list(cautions(made))
    assert "Taylor linearisation" in interval_line(made)
