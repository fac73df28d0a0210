"""Documents on the screen: tables that fit it, and what it leaves out."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from tests.support.made_up_document import BLOCKS, HISTOGRAM, document_of

from semscale.report.chart_kit import Drawing
from semscale.report.document import (
    Change,
    Count,
    DataTable,
    Decision,
    Figure,
    Flag,
    ItemCard,
    Items,
    Label,
    Notice,
    Number,
    Paragraph,
    Quoted,
    mark_findings,
)
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.presenting import save_pictures
from semscale.report.terminal import print_document


def test_the_screen_shows_brief_blocks_and_leaves_explanations_out(capsys):
    print_document(document_of(), written=[("report", "x.html")])
    shown = capsys.readouterr().out
    for text in ("10 of 12 rows were scored", "Only on the screen.", "3.41 [3.35, 3.47]", "0.9 to 1.0     1",
                  "1 lowest score", "1 item that changed most", "Only 3 rows.", "signature: semscale",
                  "report: x.html"):  # fmt: skip
        assert text in shown
    for text in ("A note.", "expected value", "What the bars are."):
        assert text not in shown


def test_the_screen_gets_no_control_character_from_outside(capsys):
    attack = "gr\x1b[31moup\x07"
    cells = (
        Label(attack),
        Label("own", brief=attack),
        Quoted(attack),
        Flag(attack, "fail"),
        mark_findings(attack),
    )
    table = DataTable((attack, Quoted(attack), "c", "d", "e"), (cells,), title=(attack, Quoted(attack)))
    document = document_of(
        table,
        Paragraph(attack, detail="brief"),
        source=(Quoted(attack),),
        introduction=(Paragraph(attack, detail="brief"),),
        notices=tuple(Notice(attack, severity) for severity in ("warning", "caution", "note")),
        ending=(attack, "fail"),
    )
    print_document(document, written=[("report", attack)])
    shown = capsys.readouterr().out
    # Source, introduction, warning, caution, note, file, last line, paragraph; two in the title, two heads,
    # and five cells.
    assert shown.count("gr␛[31moup␇") == 17
    assert not {"\x1b", "\x07"} & set(shown)


def test_a_table_beyond_its_bound_says_how_many_more(capsys):
    rows = tuple((Label(f"row {n}"),) for n in range(5))
    print_document(document_of(DataTable(("a",), rows, most=3, noun="group")))
    shown = capsys.readouterr().out
    assert "row 2" in shown
    assert "row 3" not in shown
    assert "... and 2 more groups; --json has all" in shown


def test_items_beyond_their_bound_are_left_to_the_page(capsys):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    many = Items(items.items * 9, brief_title="9 lowest scores", heads=items.heads)
    print_document(document_of(many))
    assert capsys.readouterr().out.count("1,204") == 6
    assert page(document_of(many)).count("row 1,204") == 9


def test_the_screen_says_how_items_came_to_their_scores_if_it_is_asked(capsys):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    print_document(document_of(items))
    assert "Why" not in capsys.readouterr().out
    print_document(document_of(replace(items, is_explained=True)))
    assert capsys.readouterr().out.split("\nWhy\n")[1].splitlines()[:3] == [
        "row 1,204, 0.12: words 0.25",
        "  negation: one text denies it",
        '  "wheel" met only "expel"',
    ]


TABLE = DataTable(
    ("metric", "loss", "", "items"),
    ((Label("BERTScore F1", brief="bertscore_f1"), Number(0.5), Flag("fail", "fail"), Count(30)),),
    brief=3,
)


def test_the_screen_has_the_first_columns_and_names_that_options_take(capsys):
    document = document_of(TABLE)
    print_document(document)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["bertscore_f1", "0.50", "fail"] in lines
    assert "| BERTScore F1 | 0.50 | ❌ fail | 30 |" in markdown(document)


def test_a_histogram_is_a_table_of_bins_on_the_screen_and_a_picture_on_a_page(capsys):
    # Scores .05, .15 and .95 in tenths: the highest come first.
    print_document(document_of(*HISTOGRAM))
    lines = capsys.readouterr().out.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith("0.9 to 1.0     1"))
    assert lines[first + 1].split() == ["0.8", "to", "0.9", "0"]
    assert "0.383" not in "".join(lines)
    shown = page(document_of(*HISTOGRAM))
    assert "<figure>" in shown
    assert "0.9 to 1.0" not in shown


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


def test_percents_are_unbroken_except_in_user_texts():
    quoted = Quoted("rose 5 %")
    table = DataTable(
        (("of ", quoted), "share of 10 %"), ((quoted, Label("in 20 % of rows")),), note="30 % more"
    )
    head = Paragraph(("Below 95 % for ", quoted, "."))
    item = ItemCard(1, Number(0.5), texts=(("text", quoted), ("also", mark_findings("fell 7 %"))))
    document = document_of(head, table, Items((item,)))
    for written in (page(document), markdown(document)):
        assert written.count("rose 5 %") >= 4
        assert "fell 7 %" in written
        for figure in ("10", "20", "30", "95"):
            assert f"{figure}\u00a0%" in written
            assert f"{figure} %" not in written


def test_a_wide_cell_takes_several_lines(capsys):
    long = "because " * 30  # 240 characters
    print_document(document_of(DataTable(("reason", "n"), ((Label(long), Count(1)),))))
    lines = capsys.readouterr().out.splitlines()
    wide = [line for line in lines if "because" in line]
    assert len(wide) > 2
    assert max(map(len, wide)) < 100


def test_the_screen_shows_the_hash_of_the_signature_unless_all_of_it_is_asked_for(capsys):
    document = document_of()
    print_document(document, whole_signature=False)
    assert f"signature: {document.signature.digest} (--signature)" in capsys.readouterr().out
    print_document(document)
    assert f"signature: {document.signature}" in capsys.readouterr().out


def test_a_decision_and_its_reason_come_before_the_other_lines(capsys):
    decision = Decision("fails", "fail", "the verdict")
    reason, other = Paragraph("Very.", "lead", "both"), Paragraph("It is bad.", detail="both")
    print_document(document_of(lead=decision, introduction=(other, reason)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Made up fails")
    assert [line for line in lines if line in {"It is bad.", "Very."}] == ["Very.", "It is bad."]
