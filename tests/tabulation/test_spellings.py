"""Answers and groups that differ only in case or blanks have one line."""

import polars as pl

from semscale.tabulation.crosstabs import crosstabs


def lines(table):
    return [line.name for line in table.question.lines]


def test_answers_that_differ_in_case_or_blanks_share_a_line():
    answers = ["Agree", "Agree ", "Agree\u00a0", "agree", "Agree", "Dis  agree", "Dis agree"]
    (table,) = crosstabs(pl.DataFrame({"q": answers}), questions=["q"]).tables
    assert lines(table) == ["Agree", "Dis agree"]
    assert any("‘Agree’ (2)" in note and "‘agree’ (1)" in note for note in table.question.notes)


def test_answers_that_differ_in_dashes_or_width_share_a_line():
    answers = ["18-24", "18–24", "18-24", "25−34", "１８-２４", "25-34", "25-34"]
    (table,) = crosstabs(pl.DataFrame({"q": answers}), questions=["q"]).tables
    assert lines(table) == ["18-24", "25-34"]


def test_list_options_that_differ_in_case_share_a_line():
    answers = ["Tea; coffee", "tea;Coffee", "Tea", "tea", "Coffee", "coffee", "Tea"]
    (table,) = crosstabs(pl.DataFrame({"q": answers}), questions=["q"]).tables
    assert lines(table) == ["Tea", "Coffee"]


def test_banner_groups_that_differ_in_blanks_share_a_column():
    frame = pl.DataFrame({"q": ["yes", "no", "yes"], "region": ["North", "north ", "North"]})
    result = crosstabs(frame, questions=["q"], banners=["region"])
    assert result.tables[0].banner.groups == ("North",)
    assert any(note.startswith("‘region’: spellings") for note in result.input_notes)


def test_other_answers_are_left_as_they_are():
    result = crosstabs(pl.DataFrame({"q": ["yes", "no", "yes"]}), questions=["q"])
    assert result.input_notes == ()
    assert result.tables[0].question.notes == ()
