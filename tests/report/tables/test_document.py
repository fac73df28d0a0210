"""The document of tables in all its renderings."""

from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

from semscale.report.render.html import page
from semscale.report.render.markdown import markdown
from semscale.report.render.terminal import print_document
from semscale.report.render.writing import write_report


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
    assert "### Change from wave 2024 to 2025" in text
    assert "(1.000)" in text


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
