"""Markdown: nothing from outside formats, links or mentions, and tables keep their bounds."""

from dataclasses import replace

from tests.support.made_up_document import HOSTILE, document_of, figure_of

from semscale.guards.findings import Span
from semscale.report.document import (
    DataTable,
    Label,
    Number,
    Quoted,
    mark_findings,
)
from semscale.report.markdown import markdown


def test_markdown_from_outside_formats_links_and_mentions_nothing():
    shown = markdown(document_of(DataTable(("a",), ((Quoted(HOSTILE),), (Label(HOSTILE),)))))
    code, escaped = (line for line in shown.splitlines() if line.startswith("| ") and "script" in line)
    assert code.count("`") == 2  # all of it is one code span, but the bar, which would end the cell
    assert "*x*" in code
    assert "\\*x\\*" in escaped
    assert "<script>" not in escaped
    assert "@c" not in escaped  # a comment stands between the two


def test_captions_stand_only_beside_their_pictures():
    assert "What the bars are." not in markdown(document_of(figure_of()))


def test_settings_can_be_copied_from_markdown():
    document = replace(document_of(), settings=(("model", Quoted("all-MiniLM#53aa")), ("Made", "today")))
    assert "- model: `all-MiniLM#53aa`\n- Made: today\n" in markdown(document)


def test_markdown_shows_some_of_the_numbers_behind_a_picture_and_the_whole_of_a_table():
    table = DataTable(("item", "score"), tuple((Label(f"item {n}"), Number(n)) for n in range(60)))
    shown = markdown(document_of(replace(figure_of(), table=table)))
    assert "Item 49" in shown
    assert "Item 50" not in shown
    assert "... and 10 more rows; a page or a workbook has all" in shown
    assert "Item 59" in markdown(document_of(table))


def test_a_mark_in_markdown_leaves_the_white_space_around_it_outside():
    text = mark_findings("is not well ", [("negation", Span(3, 7, "not ")), ("number", Span(7, 11, "well"))])
    assert "is **not** **well**" in markdown(document_of(DataTable(("a",), ((text,),))))
    inside = mark_findings("unwell", [("negation", Span(0, 2, "un"))])
    assert "**un**well" in markdown(document_of(DataTable(("a",), ((inside,),))))


def test_a_bold_figure_is_followed_by_a_space():
    # "**3.41**(95 % interval)" would not be bold for every reader of Markdown
    (line,) = [line for line in markdown(document_of()).splitlines() if line.startswith("**Mean score")]
    assert line == "**Mean score: 0.57 \\[0.37, 0.76\\]** (95\N{NO-BREAK SPACE}% interval)"


def test_the_signature_ends_the_collapsed_part():
    *_, signature, _, end = markdown(document_of()).splitlines()
    assert signature.startswith("Signature: `semscale ")
    assert end == "</details>"
