"""The document of tables in all its renderings."""

import polars as pl
from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.report.writing import write_report
from semscale.tabulation.crosstabs import crosstabs


def test_a_page_has_figures_letters_intervals_and_bases(tables):
    text = page(tables.document())
    assert 'class="  crosstab"' in text
    assert '<b class="mark">A</b>' in text
    assert "Base, weighted" in text
    assert 'class="interval"' in text
    assert "like: mean 5.00 in south, above north (1.75)." in text


def test_the_screen_has_every_table_without_intervals(tables, capsys):
    print_document(tables.document())
    shown = capsys.readouterr().out
    assert "80 respondents, 4 tables" in shown
    assert "like by region" in shown
    mean = next(line for line in shown.splitlines() if line.startswith("mean"))
    assert mean.split() == ["mean", "3.38", "1.75", "5.00", "A"]


def test_markdown_has_changes_between_waves(waves):
    text = markdown(waves.document())
    assert "### Change from wave 2024 to 2025: shares in percentage points, p in brackets" in text
    assert "(1.000)" in text
    assert "intervals are of single comparisons" in text


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
    made = crosstabs(gaps, questions=["like"], banners=["region"])
    print_document(made.document())
    shown = capsys.readouterr().out
    assert "Without an answer, and in no base: 3 respondents." in shown
    assert "Without a group, and in the total alone: 5 respondents." in shown
    cells = made.to_frame()
    assert set(cells["n_ungrouped"].drop_nulls()) == {5}


def test_the_general_workbook_has_intervals_and_letters_in_columns_of_their_own(tables, tmp_path):
    write_report(tables.document(), tmp_path / "t.xlsx")
    sheet = sheets_of(tmp_path / "t.xlsx")["like by region"]
    mean = next(row for row in sheet.rows() if row[0] == "mean")
    assert float(mean[1]) == 3.375
    assert mean[-1] == "A"


def test_users_words_do_not_break_a_page(tables):
    assert "<script>" not in page(tables.document())


def test_json_follows_the_schema(tables, waves):
    for made in (tables, waves):
        check_json(made.to_json())
