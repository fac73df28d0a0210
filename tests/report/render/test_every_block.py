"""Every renderer shows every kind of block, and nothing from outside is anything but text."""

import typing
import zipfile
from dataclasses import replace
from pathlib import PurePath

import numpy as np
import pytest
from made_up_document import BLOCKS, HOSTILE, document_of, figure_of
from tests.workbook_sheets import sheets_of

from semscale.guards.findings import Span
from semscale.report.document.blocks import (
    Badge,
    Block,
    ComparedItems,
    DataTable,
    Definitions,
    Figure,
    Findings,
    Histogram,
    Items,
    Paragraph,
    Reason,
    Reasons,
    Shares,
    SideBySide,
    Subheading,
    Verbatims,
)
from semscale.report.document.document import Decision, Headline, Rates, Section, flat
from semscale.report.document.marks import marked
from semscale.report.document.values import Flag, Number, Quoted, Share, WithInterval, Words
from semscale.report.render.html import notebook_fragment, page
from semscale.report.render.markdown import markdown
from semscale.report.render.pictures import picture_names, save_pictures
from semscale.report.render.terminal import print_document
from semscale.report.render.workbook import write_report_workbook

SHOWN = {
    "html": ("A note.", "A part", "34.1 % [30.0, 40.0]", "too few rows", "What the bars are.", "not", "so so",
             "words that cost most", "great", "anchors are alike", "passes with warnings", "accept 75.0",
             "Baseline", "Beside.", "missing", "and 2 more pairs", "nothing but white space", "How to cite"),
    "markdown": ("A note.", "### A part", "34.1 % \\[30.0, 40.0\\]", "too few rows", "What the bars are.",
                 "**not** well", "so so", "words that cost most", "`great`", "anchors are alike", "Beside.",
                 "**passes with warnings**", "accept 75.0", "### Baseline", "*missing*", "and 2 more pairs",
                 "nothing but white space", "How to repeat and cite this"),
}  # fmt: skip


def test_the_made_up_document_has_every_kind_of_block():
    assert {type(block) for block in BLOCKS} == set(typing.get_args(Block))


IN_WORKBOOK = {
    Paragraph: "A note.", Subheading: "A part", DataTable: "expected value", Figure: "What the bars are.",
    Histogram: "0.383", Items: "so so", Verbatims: "great", Findings: "anchors are alike",
    Badge: "This scale passes with warnings", Shares: "abstain", Definitions: "Baseline",
    SideBySide: "Beside.", ComparedItems: "missing", Reasons: "nothing but white space",
}  # fmt: skip
ON_SCREEN = {
    Paragraph: "Only on the screen.", Subheading: None, DataTable: "3.41 [3.35, 3.47]", Figure: "40.0 %",
    Histogram: "0.9 to 1.0     1", Items: "1 lowest score", Verbatims: None, Findings: None, Badge: None,
    Shares: None, Definitions: None, SideBySide: "Side by side.", ComparedItems: "1 item that changed most",
    Reasons: None,
}  # fmt: skip
"""What the screen shows of each kind of block; ``None`` for a kind that is for pages alone."""

BRIEF = (
    *BLOCKS,
    replace(figure_of(), table=replace(figure_of().table, detail="both")),
    SideBySide(((Paragraph("Side by side.", detail="both"),),)),
)


@pytest.mark.parametrize("words", SHOWN["html"])
def test_the_page_shows_every_block(words):
    assert words in page(document_of()).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("words", SHOWN["markdown"])
def test_markdown_shows_every_block(words):
    document = document_of()
    pictures = {key: PurePath(f"{name}.svg") for key, name in picture_names(document).items()}
    assert words in markdown(document, pictures=pictures).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("shown", [IN_WORKBOOK, ON_SCREEN])
def test_a_table_of_this_file_names_every_kind_of_block(shown):
    assert set(shown) == set(typing.get_args(Block))


@pytest.mark.parametrize(("kind", "words"), IN_WORKBOOK.items())
def test_a_workbook_shows_every_block(kind, words, tmp_path):
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(*(block for block in BLOCKS if type(block) is kind)), path)
    assert words in [cell for row in sheet_of(path, "One section").iter_rows() for cell in row]


@pytest.mark.parametrize(("kind", "words"), ON_SCREEN.items())
def test_the_screen_shows_every_block_that_is_not_for_pages_alone(kind, words, capsys):
    empty = document_of(Paragraph("", detail="full"))
    print_document(empty)
    without = capsys.readouterr().out
    print_document(document_of(*(block for block in BRIEF if type(block) is kind)))
    shown = capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")
    assert shown == without if words is None else words in shown


def test_columns_of_words_stand_at_the_left_of_a_page():
    shown = page(document_of(DataTable(("a", "b", "c"), ((Words("x"), Number(1.0), Words("why")),))))
    assert '<td>1.00</td><td class="text">why</td>' in shown


def test_a_title_begins_with_a_capital_only_where_its_words_are_ours(tmp_path):
    titles = ("by group", ("by ", Quoted("kind")), Quoted("gpt-4o"), (Quoted("qwen"), ": its scores"))
    document = document_of(*(DataTable(("a",), ((Words("x"),),), title=title) for title in titles))
    path = tmp_path / "d.xlsx"
    write_report_workbook(document, path)
    for shown in (page(document), markdown(document), str(sheet_of(path, "One section").rows())):
        for words in ("By group", "By kind", "gpt-4o", "qwen: its scores"):
            assert words in shown
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


def test_markdown_from_outside_formats_links_and_mentions_nothing():
    shown = markdown(document_of(DataTable(("a",), ((Quoted(HOSTILE),), (Words(HOSTILE),)))))
    code, own = (line for line in shown.splitlines() if line.startswith("| ") and "script" in line)
    assert code.count("`") == 2  # all of it is one code span, but the bar, which would end the cell
    assert "*x*" in code
    assert "\\*x\\*" in own
    assert "<script>" not in own
    assert "@c" not in own  # a comment stands between the two


def test_captions_stand_only_beside_their_pictures():
    assert "What the bars are." not in markdown(document_of(figure_of()))


def test_settings_can_be_copied_from_markdown():
    made = replace(document_of(), settings=(("model", Quoted("all-MiniLM#53aa")), ("Made", "today")))
    assert "- model: `all-MiniLM#53aa`\n- Made: today\n" in markdown(made)


def test_the_screen_shows_brief_blocks_and_leaves_explanations_out(capsys):
    print_document(document_of(), written={"report": "x.html"})
    shown = capsys.readouterr().out
    for words in ("10 of 12 rows count", "Only on the screen.", "3.41 [3.35, 3.47]", "0.9 to 1.0     1",
                  "1 lowest score", "1 item that changed most", "Only 3 rows.", "signature: semscale",
                  "report: x.html"):  # fmt: skip
        assert words in shown
    for words in ("A note.", "expected value", "What the bars are."):
        assert words not in shown


def test_the_screen_gets_no_control_character_from_outside(capsys):
    attack = "gr\x1b[31moup\x07"
    cells = (Words(attack), Words("own", brief=attack), Quoted(attack), Flag(attack, "fail"), marked(attack))
    table = DataTable((attack, Quoted(attack), "c", "d", "e"), (cells,), title=(attack, Quoted(attack)))
    lines = {
        "source": (Quoted(attack),),
        "counting": (attack,),
        "warnings": (attack,),
        "cautions": (attack,),
        "notes": (attack,),
    }
    document = document_of(table, Paragraph(attack, detail="brief"), **lines, ending=(attack, "fail"))
    print_document(document, written={"report": attack})
    shown = capsys.readouterr().out
    # Source, counting, warning, caution, note, file, last line, paragraph; two in the title, two heads, and
    # five cells.
    assert shown.count("gr␛[31moup␇") == 17
    assert not {"\x1b", "\x07"} & set(shown)


def test_what_is_only_for_the_screen_stands_on_no_page():
    for shown in (page(document_of()), markdown(document_of())):
        assert "Only on the screen." not in shown


def test_a_table_beyond_its_bound_says_how_many_more(capsys):
    rows = tuple((Words(f"row {n}"),) for n in range(5))
    print_document(document_of(DataTable(("a",), rows, most=3, noun="group")))
    shown = capsys.readouterr().out
    assert "row 2" in shown
    assert "row 3" not in shown
    assert "... and 2 more groups; --json has all" in shown


def test_markdown_shows_some_of_the_numbers_behind_a_picture_and_the_whole_of_a_table():
    table = DataTable(("item", "score"), tuple((Words(f"item {n}"), Number(n)) for n in range(60)))
    shown = markdown(document_of(replace(figure_of(), table=table)))
    assert "Item 49" in shown
    assert "Item 50" not in shown
    assert "... and 10 more rows; a page or a workbook has all" in shown
    assert "Item 59" in markdown(document_of(table))


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


def test_a_mark_in_markdown_leaves_the_white_space_around_it_outside():
    text = marked("is not well ", [("negation", Span(3, 7, "not ")), ("number", Span(7, 11, "well"))])
    assert "is **not** **well**" in markdown(document_of(DataTable(("a",), ((text,),))))
    inside = marked("unwell", [("negation", Span(0, 2, "un"))])
    assert "**un**well" in markdown(document_of(DataTable(("a",), ((inside,),))))


def sheet_of(path, name):
    return sheets_of(path)[name]


def test_a_workbook_holds_numbers_and_harmless_texts(tmp_path):
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(), path)
    section = sheet_of(path, "One section")
    rows = [row for row in section.iter_rows() if row[0] == "mean"]
    # An interval takes three columns: the figure and its two ends, as numbers.
    assert [float(cell) for cell in rows[0][1:4]] == [3.412, 3.349, 3.471]
    shares = next(row for row in section.iter_rows() if row[0] == "top-2-box")
    assert [float(cell) for cell in shares[1:4]] == [0.341, 0.3, 0.4]
    kappa = next(row for row in section.iter_rows() if row[0] == "kappa")
    assert (float(kappa[1]), *kappa[2:5]) == (0.5, None, None, "too few rows")
    heads = next(row for row in section.iter_rows() if row[0] == "Figure")
    assert heads[1:5] == ("Estimate", "Estimate, low", "Estimate, high", "Estimate, note")
    texts = [cell for row in section.iter_rows() for cell in row if cell is not None]
    assert HOSTILE in texts
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert not any(b"<f>" in archive.read(name) for name in names if "worksheets/sheet" in name)
    assert (
        sum(name.startswith("xl/media/") for name in names) == 2
    )  # the bars stand there twice, and are kept once


def test_the_summary_of_a_workbook_says_what_its_interval_covers_and_spreads_facts(tmp_path):
    facts = (("Mean", WithInterval(0.5, 0.4, 0.6)), ("Kind", Words("exact", note="as published")))
    write_report_workbook(document_of(facts=facts), tmp_path / "d.xlsx")
    rows = [[cell for cell in row if cell] for row in sheet_of(tmp_path / "d.xlsx", "Summary").iter_rows()]
    covered = "Estimate (95 % interval)"
    assert [covered, f"{covered}, low", f"{covered}, high"] in rows
    assert ["low", "high", "note"] in rows
    assert ["Mean", "0.5", "0.4", "0.6"] in rows
    assert ["Kind", "exact", "as published"] in rows


def test_a_workbook_says_what_the_intervals_of_rates_cover(tmp_path):
    lead = Rates(((WithInterval(0.02, 0.01, 0.06, is_share=True), "false alarms"),), 0.9)
    write_report_workbook(document_of(lead=lead), tmp_path / "d.xlsx")
    assert "Estimate (90 % interval), low" in str(sheet_of(tmp_path / "d.xlsx", "Summary").rows())


def test_a_workbook_does_not_promise_an_interval_that_is_not_there(tmp_path):
    lead = Headline("mean", WithInterval(0.5, np.nan, np.nan), (0.0, 1.0), 0.95)
    write_report_workbook(document_of(lead=lead), tmp_path / "d.xlsx")
    assert "95 %" not in str(sheet_of(tmp_path / "d.xlsx", "Summary").rows())


def test_a_workbook_shows_bounds_and_signs_as_pages_do(tmp_path):
    cells = {
        Number(1e-9, 3, least=0.001): '[&lt;0.001]"&lt; 0.001";0.000',
        Number(1e303, 1, most=10_000): '[&gt;10000]"&gt; 10,000";0.0',
        Number(0.12, signed=True): "+0.00;-0.00;0.00",
        WithInterval(0.123, 0.1, 0.2, 3, signed=True): "+0.000;-0.000;0.000",
        Share(0.123456, 2): "0.00 %",
    }
    table = DataTable(("", "b"), tuple((Words("a"), cell) for cell in cells))
    write_report_workbook(document_of(table), tmp_path / "d.xlsx")
    with zipfile.ZipFile(tmp_path / "d.xlsx") as archive:
        formats = archive.read("xl/styles.xml").decode().replace("&quot;", '"')
    for number_format in cells.values():
        assert f'formatCode="{number_format}"' in formats
    written = sheet_of(tmp_path / "d.xlsx", "One section")["column_1"].drop_nulls().to_list()
    assert {1e-9, 1e303, 0.12, 0.123, 0.123456} == set(map(float, written[1:]))


def test_a_workbook_leaves_numbers_that_do_not_exist_empty(tmp_path):
    endless = (
        Number(np.inf),
        Number(np.inf, 1, most=10_000),
        WithInterval(0.5, -np.inf, np.inf),
        Number(np.nan),
    )
    table = DataTable(("", "b"), tuple((Words(f"row {place}"), cell) for place, cell in enumerate(endless)))
    write_report_workbook(document_of(table), tmp_path / "d.xlsx")
    rows = {row[0]: row[1:4] for row in sheet_of(tmp_path / "d.xlsx", "One section").iter_rows()}
    assert rows["row 0"] == rows["row 3"] == (None, None, None)
    assert rows["row 1"] == ("> 10,000", None, None)
    assert rows["row 2"] == ("0.5", None, None)


def test_a_workbook_has_one_row_for_each_item(tmp_path):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    (item,) = items.items
    twice = replace(item, texts=(("sample", Quoted("one")), ("sample", Quoted("two"))), replies=(), row=3)
    write_report_workbook(document_of(replace(items, items=(item, twice))), tmp_path / "d.xlsx")
    rows = [list(row) for row in sheet_of(tmp_path / "d.xlsx", "One section").iter_rows()]
    heads = next(row for row in rows if "Score" in row)
    first, second = rows[rows.index(heads) + 1 : rows.index(heads) + 3]
    assert heads[:7] == ["Question", "Answer", "Sample", "Sample", "Score", "Row", "Note"]
    assert first[:6] == [HOSTILE, "not well", None, None, "0.125", "1204"]
    assert second[:6] == [None, None, "one", "two", "0.125", "3"]
    found = dict(zip(heads[8:], first[8:], strict=True))
    assert found == {
        "Words": "0.25", "Found": "negation: one text denies it", "gpt": "0.5", "Said": "so so",
        "Words that cost most": '"wheel" met only "expel"',
    }  # fmt: skip
    assert dict(zip(heads[8:], second[8:], strict=True))["gpt"] is None


def test_names_of_sheets_end_with_a_word(tmp_path):
    titles = ("How the scores are spread, by topic", "Every answer that nobody has understood yet")
    sections = tuple(Section(f"s{n}", title, (Paragraph("x"),)) for n, title in enumerate(titles))
    write_report_workbook(replace(document_of(), sections=sections), tmp_path / "d.xlsx")
    names = list(sheets_of(tmp_path / "d.xlsx"))
    assert names[1:3] == ["How the scores are spread", "Every answer that nobody has"]


def test_a_workbook_has_a_sheet_for_each_section_whatever_it_is_called(tmp_path):
    titles = ["By " + "x" * 40, "By " + "x" * 40, "a/b:c?", "'quoted'", "SUMMARY"]
    sections = tuple(Section(f"s{n}", title, (Paragraph("x"),)) for n, title in enumerate(titles))
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(sections=sections), path)
    names = list(sheets_of(path))
    assert len(names) == len(titles) + 2
    assert all(len(name) <= 31 for name in names)


def test_pictures_are_saved_under_their_names_twice_where_two_share_one(tmp_path):
    files = save_pictures(document_of(), tmp_path / "figures")
    assert [file.name for file in files] == [
        "bars.svg", "bars.png", "scores.svg", "scores.png", "bars-2.svg", "bars-2.png",
    ]  # fmt: skip
    drawn = (tmp_path / "figures" / "bars.svg").read_text(encoding="utf-8")
    assert "<title>Bars: low 40 %, high 60 %.</title>" in drawn
    assert ">high</text>" in drawn  # the legend, which a page writes beside the drawing
    assert (tmp_path / "figures" / "bars.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("lead", "words"),
    [
        (Decision("failed", "fail", "what the gate decided"), "Failed"),
        (Rates(((WithInterval(0.02, 0.01, 0.06, is_share=True), "false alarms"),), 0.95), "false alarms"),
        (None, "Read it so."),
    ],
)
def test_every_lead(lead, words, tmp_path, capsys):
    document = document_of(Paragraph("x"), lead=lead)
    write_report_workbook(document, tmp_path / "d.xlsx")
    print_document(document)
    for shown in (page(document), markdown(document), str(sheet_of(tmp_path / "d.xlsx", "Summary").rows())):
        assert words in shown


def test_a_notebook_gets_a_small_table_and_one_picture():
    shown = notebook_fragment(document_of())
    assert shown.count("<svg") == 1
    assert "mean score and its 95 % interval</th><td>0.57 [0.37, 0.76]" in shown
    assert "<li>Only 3 rows.</li>" in shown
    assert "3,708" in shown
    assert len(shown) < 20_000


def test_blocks_in_columns_are_found():
    assert sum(type(block).__name__ == "Figure" for block in flat(BLOCKS)) == 2
    assert [figure.name for _, figure in document_of(figure_of("one"), figure_of("two")).figures()] == [
        "one",
        "two",
    ]
