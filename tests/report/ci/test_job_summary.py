"""The summary, read back by a Markdown parser: tables hold together, and texts stay texts."""

import re

import pytest
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci import job_summary
from semscale.report.markdown import code, escaped, markdown

markdown_it = pytest.importorskip(
    "markdown_it", reason="markdown-it-py is not there: pip install markdown-it-py"
)
HOSTILE = "| `x` <b>y</b> [z](https://evil.example) @ada #12 *w* \\"


def summary_of(compared, decision):
    return markdown(job_summary(DriftSummary(compared, decision), decision))


def rendered(text):
    return markdown_it.MarkdownIt("commonmark").enable("table").render(text)


def test_verdict_metrics_items_cautions_and_signature_are_there():
    compared = comparison_of(20)
    decision = decision_about(compared, cautions=["Random text passes."])
    text = summary_of(compared, decision)
    html = rendered(text)
    assert html.startswith("<p>❌ <strong>BERTScore F1 drifted beyond chance and margin")  # the next step
    assert "<h1>❌ Drift gate failed</h1>" in html
    assert "Items: 20 · Left out: 1 · Silent: 2 · Reruns: 2" in html
    assert "candidate “model-b” (2026-04-01) against baseline “model-a” (2026-03-02)" in html
    assert "Random text passes." in html
    assert f"<code>{decision.signature}</code>" in html
    tables = html.split("<table>")[1:]
    assert [table.count("<tr>") - 1 for table in tables] == [8, 10, 5]  # metrics, groups, items
    for table, columns in zip(tables, (10, 11, 6), strict=True):
        assert {row.count("</th>") + row.count("</td>") for row in table.split("<tr>")[1:]} == {columns}
    assert len(text.encode()) < 20_000


def test_hostile_texts_neither_format_nor_link_nor_mention():
    compared = comparison_of(8, text=HOSTILE)
    html = rendered(summary_of(compared, decision_about(compared, cautions=[HOSTILE])))
    assert "<a " not in html
    assert "<b>" not in html
    for outside in re.split(r"<code>.*?</code>", html):
        assert not re.search(r"@\w|#\d|https?://", outside)
    rows = [row for row in html.split("<tr>") if "</td>" in row]
    assert {row.count("</td>") for row in rows} == {6, 10, 11}  # no cell was torn apart


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a``` b ` c", "plain", "a|b"])
def test_code_spans_hold_any_run_of_backticks(text):
    assert f"<code>{text}</code>" in rendered(code(text))


@pytest.mark.parametrize("text", ["*a*", "_b_", "`c`", "[d](e)", "~~f~~", "a \\* b", "$g$", "![h](i)"])
def test_escaped_text_reads_as_it_is(text):
    assert rendered(escaped(text)).strip() == f"<p>{text}</p>"


@pytest.mark.parametrize("text", ["@ada", "model#12", "https://a.example", "www.a.example"])
def test_text_that_would_be_linked_is_copied_as_it_is(text):
    assert escaped(text) != text
    assert re.sub(r"</?p>|<!-- -->", "", rendered(escaped(text))).strip() == text


def test_an_empty_text_is_a_dash():
    assert code("  ") == "–"
