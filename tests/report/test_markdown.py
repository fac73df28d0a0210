"""The summary, read back by a Markdown parser: tables hold together, and texts stay texts."""

import re

import pytest
from made_up_drift import comparison_of, decision_about

from semscale.report.markdown import code, escaped, markdown_summary

markdown_it = pytest.importorskip("markdown_it")
HOSTILE = "| `x` <b>y</b> [z](https://evil.example) @ada #12 *w* \\"


def rendered(text):
    return markdown_it.MarkdownIt("commonmark").enable("table").render(text)


def test_verdict_metrics_items_cautions_and_signature_are_there():
    compared = comparison_of(20)
    decision = decision_about(compared, cautions=["Random text passes."])
    text = markdown_summary(compared, decision)
    html = rendered(text)
    assert html.startswith("<h2>❌ Drift gate failed</h2>")
    assert "20 items, 1 left out, 2 silent, 2 reruns" in html
    assert "Random text passes." in html
    assert f"<code>{decision.signature}</code>" in html
    tables = html.split("<table>")[1:]
    assert [table.count("<tr>") - 1 for table in tables] == [8, 10, 5]  # metrics, groups, items
    for table, columns in zip(tables, (6, 6, 5), strict=True):
        assert {row.count("</th>") + row.count("</td>") for row in table.split("<tr>")[1:]} == {columns}
    assert len(text.encode()) < 20_000


def test_hostile_texts_neither_format_nor_link_nor_mention():
    compared = comparison_of(8, text=HOSTILE)
    html = rendered(markdown_summary(compared, decision_about(compared, cautions=[HOSTILE])))
    assert "<a " not in html
    assert "<b>" not in html
    for outside in re.split(r"<code>.*?</code>", html):
        assert not re.search(r"@\w|#\d|https?://", outside)
    rows = [row for row in html.split("<tr>") if "</td>" in row]
    assert {row.count("</td>") for row in rows} == {5, 6}  # no cell was torn apart


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a``` b ` c", "plain", "a|b"])
def test_code_spans_hold_any_run_of_backticks(text):
    assert f"<code>{text}</code>" in rendered(code(text))


@pytest.mark.parametrize("text", ["*a*", "_b_", "`c`", "[d](e)", "~~f~~", "a \\* b", "$g$", "![h](i)"])
def test_escaped_text_reads_as_it_is(text):
    assert rendered(escaped(text)).strip() == f"<p>{text}</p>"


def test_an_empty_text_is_a_dash():
    assert code("  ") == "–"
