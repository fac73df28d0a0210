"""What the screen leaves out of a table, and pictures on pages and in files."""

from xml.etree import ElementTree

import pytest
from made_up_document import HISTOGRAM, document_of

from semscale.report.chart_kit import Drawing
from semscale.report.document import (
    Change,
    Count,
    DataTable,
    Figure,
    Flag,
    ItemCard,
    Items,
    Number,
    Paragraph,
    Quoted,
    Rates,
    WithInterval,
    Words,
    marked,
)
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.report.writing import save_pictures

TABLE = DataTable(
    ("metric", "loss", "", "items"),
    ((Words("BERTScore F1", brief="bertscore_f1"), Number(0.5), Flag("fail", "fail"), Count(30)),),
    brief=3,
)


def test_the_screen_has_the_first_columns_and_names_that_options_take(capsys):
    document = document_of(TABLE)
    print_document(document)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["bertscore_f1", "0.50", "fail"] in lines
    assert "| BERTScore F1 | 0.50 | ❌ fail | 30 |" in markdown(document)


def test_a_histogram_can_be_for_pages_alone(capsys):
    drawn = type(HISTOGRAM)(**{**vars(HISTOGRAM), "detail": "full"})
    print_document(document_of(drawn))
    assert "0.9 to 1.0" not in capsys.readouterr().out
    assert "<figure>" in page(document_of(drawn))


def test_a_picture_says_what_it_shows_on_a_page_and_in_a_file(tmp_path, read_page):
    table = DataTable(("a",), ((Count(1),),), detail="full")
    figure = Figure("drawn", lambda width: Drawing(width, 9), "A line.", table)
    wide, narrow = read_page(page(document_of(figure))).all("svg")
    assert (wide["role"], wide["aria-label"], wide["style"]) == ("img", "A line.", "max-width:860px")
    assert narrow["style"] == "max-width:348px"
    save_pictures(document_of(figure), tmp_path)
    root = ElementTree.parse(tmp_path / "drawn.svg").getroot()
    assert root.find("{http://www.w3.org/2000/svg}title").text == "A line."
    assert (tmp_path / "drawn.png").read_bytes().startswith(b"\x89PNG")


def test_shares_of_the_lead_have_the_decimals_they_ask_for():
    lead = Rates(((WithInterval(0.975, 0.871, 0.996, is_share=True), "of draws"),), 0.95, digits=1)
    assert "<b>97.5\u00a0%</b> <span>87.1\u00a0% to 99.6\u00a0%</span>" in page(document_of(TABLE, lead=lead))


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (Number(0.0002, 3, least=0.001), "< 0.001"),
        (Number(0.0314, 3, least=0.001), "0.031"),
        (Number(float("nan"), 3, least=0.001), "–"),
        (Number(84.14, 1, most=10_000), "84.1"),
        (Number(4e11, 1, most=10_000), "> 10,000"),
        (Change(1.0, 1.5), "1 → 1.5 (+0.5)"),
        (Change(None, 3.0), "– → 3"),
        (Change(0.106, 0.503, 3), "0.106 → 0.503"),
    ],
)
def test_bounds_and_changes_are_written_out(cell, shown):
    assert cell_text(cell) == shown


def test_percents_are_held_together_in_own_words_and_left_alone_in_texts_of_users():
    said = Quoted("rose 5 %")
    table = DataTable((("of ", said), "share of 10 %"), ((said, Words("in 20 % of rows")),), note="30 % more")
    head = Paragraph(("Below 95 % for ", said, "."))
    item = ItemCard(1, Number(0.5), texts=(("text", said), ("also", marked("fell 7 %"))))
    document = document_of(head, table, Items((item,)))
    for written in (page(document), markdown(document)):
        assert written.count("rose 5 %") >= 4
        assert "fell 7 %" in written
        for figure in ("10", "20", "30", "95"):
            assert f"{figure}\u00a0%" in written
            assert f"{figure} %" not in written
