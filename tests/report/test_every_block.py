"""Every kind of block in every output."""

import typing
from dataclasses import replace
from pathlib import PurePath

import pytest
from tests.support.made_up_document import BLOCKS, document_of, figure_of
from tests.workbook_sheets import sheets_of

from semscale.report.document import (
    Block,
    ComparedItems,
    DataTable,
    Decision,
    Figure,
    Findings,
    Items,
    Label,
    Number,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    SideBySide,
    Verbatims,
    flat,
)
from semscale.report.html import line_html, notebook_fragment, page
from semscale.report.markdown import markdown
from semscale.report.presenting import picture_names, save_pictures
from semscale.report.terminal import print_document
from semscale.report.workbook import write_report_workbook

SHOWN = {
    "html": ("A note.", "A part", "34.1 % [30.0, 40.0]", "too few rows", "What the bars are.", "not", "so so",
             "words that cost most", "great", "anchors are alike", "Beside.",
             "missing", "and 2 more pairs", "nothing but white space",
             "<summary>How this was made</summary>"),
    "markdown": ("A note.", "### A part", "34.1 % \\[30.0, 40.0\\]", "too few rows", "What the bars are.",
                 "**not** well", "so so", "words that cost most", "`great`", "anchors are alike", "Beside.",
                 "*missing*", "and 2 more pairs",
                 "nothing but white space", "<summary>How this was made</summary>"),
}  # fmt: skip


def test_sample_document_has_every_kind_of_block():
    assert {type(block) for block in BLOCKS} == set(typing.get_args(Block))


IN_WORKBOOK = {
    Paragraph: "A note.", DataTable: "expected value", Figure: "What the bars are.",
    Items: "so so", Verbatims: "great", Findings: "anchors are alike",
    SideBySide: "Beside.", ComparedItems: "missing", Reasons: "nothing but white space",
}  # fmt: skip


ON_SCREEN = {
    Paragraph: "Only on the screen.", DataTable: "3.41 [3.35, 3.47]", Figure: "40.0 %",
    Items: "1 lowest score", Verbatims: None, Findings: None,
    SideBySide: "Side by side.", ComparedItems: "1 item that changed most",
    Reasons: None,
}  # fmt: skip


"""What the screen shows of each kind of block; ``None`` for a kind that is for pages alone."""


BRIEF = (
    *BLOCKS,
    replace(figure_of(), table=replace(figure_of().table, detail="both")),
    SideBySide(((Paragraph("Side by side.", detail="both"),),)),
)


@pytest.mark.parametrize("phrases", SHOWN["html"])
def test_the_page_shows_every_block(phrases):
    assert phrases in page(document_of()).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("phrases", SHOWN["markdown"])
def test_markdown_shows_every_block(phrases):
    document = document_of()
    pictures = {key: PurePath(f"{name}.svg") for key, name in picture_names(document).items()}
    assert phrases in markdown(document, pictures=pictures).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("shown", [IN_WORKBOOK, ON_SCREEN])
def test_a_table_of_this_file_names_every_kind_of_block(shown):
    assert set(shown) == set(typing.get_args(Block))


@pytest.mark.parametrize(("kind", "phrases"), IN_WORKBOOK.items())
def test_a_workbook_shows_every_block(kind, phrases, tmp_path):
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(*(block for block in BLOCKS if type(block) is kind)), path)
    assert phrases in [cell for row in sheets_of(path)["One section"].iter_rows() for cell in row]


@pytest.mark.parametrize(("kind", "phrases"), ON_SCREEN.items())
def test_the_screen_shows_every_block_that_is_not_for_pages_alone(kind, phrases, capsys):
    empty = document_of(Paragraph("", detail="full"))
    print_document(empty)
    without = capsys.readouterr().out
    print_document(document_of(*(block for block in BRIEF if type(block) is kind)))
    shown = capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")
    assert shown == without if phrases is None else phrases in shown


def test_text_columns_are_left_aligned_on_a_page():
    shown = page(document_of(DataTable(("a", "b", "c"), ((Label("x"), Number(1.0), Label("why")),))))
    assert '<td>1.00</td><td class="text">why</td>' in shown


def test_title_starts_with_a_capital_only_before_unquoted_text(tmp_path):
    titles = ("by group", ("by ", Quoted("kind")), Quoted("gpt-4o"), (Quoted("qwen"), ": its scores"))
    document = document_of(*(DataTable(("a",), ((Label("x"),),), title=title) for title in titles))
    path = tmp_path / "d.xlsx"
    write_report_workbook(document, path)
    for shown in (page(document), markdown(document), str(sheets_of(path)["One section"].rows())):
        for phrases in ("By group", "By kind", "gpt-4o", "qwen: its scores"):
            assert phrases in shown
        assert "Gpt" not in shown
        assert "Qwen" not in shown


def test_a_page_runs_nothing_and_loads_nothing():
    shown = page(document_of())
    assert "<script" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "default-src 'none'" in shown
    assert 'src="' not in shown


def test_what_was_left_out_is_called_by_its_noun():
    reasons = Reasons((Reason("empty", "blank", 4, 0.04, ((2, Quoted("??")),)),), noun="prompt")
    for shown in (page(document_of(reasons)), markdown(document_of(reasons))):
        assert "Prompts" in shown
        assert "prompt 2" in shown
        assert "row 2" not in shown


def test_what_is_only_for_the_screen_stands_on_no_page():
    for shown in (page(document_of()), markdown(document_of())):
        assert "Only on the screen." not in shown


def test_pictures_are_saved_under_their_names_and_duplicates_renamed(tmp_path):
    files = save_pictures(document_of(), tmp_path / "figures")
    assert [file.name for file in files] == [
        "bars.svg", "bars.png", "scores.svg", "scores.png", "bars-2.svg", "bars-2.png",
    ]  # fmt: skip
    drawn = (tmp_path / "figures" / "bars.svg").read_text(encoding="utf-8")
    assert "<title>Bars: low 40 %, high 60 %.</title>" in drawn
    assert ">high</text>" in drawn  # the legend, which a page writes beside the drawing
    assert (tmp_path / "figures" / "bars.png").read_bytes().startswith(b"\x89PNG")


LEAD_TABLE = DataTable(("", "share"), ((Label("low"), Number(0.4)),))


@pytest.mark.parametrize(
    ("lead", "phrases"),
    [
        (Decision("failed", "fail", "what the gate decided"), "Failed"),
        (replace(figure_of("lead"), table=LEAD_TABLE), "0.4"),
        (None, "Read it so."),
    ],
)
def test_every_lead(lead, phrases, tmp_path, capsys):
    document = document_of(Paragraph("x"), lead=lead)
    write_report_workbook(document, tmp_path / "d.xlsx")
    print_document(document)
    for shown in (page(document), markdown(document), str(sheets_of(tmp_path / "d.xlsx")["Summary"].rows())):
        assert phrases in shown


def test_notebook_shows_a_small_table_and_a_single_picture():
    shown = notebook_fragment(document_of())
    assert shown.count("<svg") == 1
    assert "mean score and its 95\u00a0% interval</th><td>0.57 [0.37, 0.76]" in shown
    assert "<li>Only 3 rows.</li>" in shown
    assert "3,708" in shown
    assert len(shown) < 20_000


def test_blocks_nested_in_columns_are_listed():
    assert sum(type(block).__name__ == "Figure" for block in flat(BLOCKS)) == 3
    assert [figure.name for figure in document_of(figure_of("one"), figure_of("two")).figures()] == [
        "one",
        "two",
    ]


def test_quotation_marks_stay_with_the_parts_of_a_name():
    html_line = str(line_html(("Is “", Quoted("org/model-b", 60), "” as good as the baseline?")))
    assert html_line == (
        'Is <bdi><span class="name">“org/</span><span class="name">model-b”</span></bdi> as good as the '
        "baseline?"
    )


def test_a_name_that_is_not_broken_stays_outside_its_quotation_marks():
    assert str(line_html(("Is “", Quoted("gpt", 60), "” good?"))) == "Is “<bdi>gpt</bdi>” good?"
