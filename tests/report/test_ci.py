"""Decisions of a gate in GitHub, JUnit and Slack: readable there, whatever texts hold."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from made_up_drift import comparison_of, decision_about
from markdown_it import MarkdownIt

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci import SHOWN, github_annotations, job_summary, junit_xml, slack_message, stop_commands
from semscale.report.markdown import code, escaped, markdown

COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]+)::([^\r\n]+)")


HOSTILE = "a\r\n::set-env name=X::100 %, b: c "


def annotations(compared, decision):
    return github_annotations(DriftSummary(compared, decision), decision)


def parts(lines):
    matches = [COMMAND.fullmatch(line) for line in lines]
    assert all(matches), lines
    return [match.groups() for match in matches]


def test_the_decision_comes_first_at_its_level():
    compared = comparison_of(20, groups=0)
    decision = decision_about(compared)
    (first, *_) = parts(annotations(compared, decision))
    assert first[0] == "error"
    assert first[1] == "Drift gate failed%3A model-b"
    calm = decision_about(compared, share=0.95, thresholds=False, sequence=False)
    ((level, title, message),) = parts(annotations(compared, calm))
    assert (level, title) == ("notice", "Drift gate passed%3A model-b")
    assert message.startswith("Nothing to do: ")
    assert "Every metric's drift lies below its margin." in message


def test_an_undecided_gate_is_a_warning_not_an_error():
    compared = comparison_of(20, groups=0, metrics=("match",))
    decision = decision_about(compared, thresholds=False, sequence=False)
    one = replace(decision.tests[0], outcome=Outcome.UNDECIDED, n_needed=70)
    lines = parts(annotations(compared, replace(decision, outcome=Outcome.UNDECIDED, tests=(one,))))
    assert [level for level, _, _ in lines] == ["warning", "warning"]
    assert "of simulated comparisons" in lines[0][2]


def test_texts_cannot_break_out():
    compared = comparison_of(20, text=HOSTILE)
    lines = annotations(compared, decision_about(compared, cautions=[HOSTILE]))
    caution = next(message for _, title, message in parts(lines) if title == "Caution")
    assert caution == "a%0D%0A::set-env name=X::100 %25, b: c "


def test_each_kind_stays_within_what_is_shown_and_counts_the_rest():
    compared = comparison_of(200, groups=20)
    decision = decision_about(compared)
    lines = parts(annotations(compared, decision))
    errors = [line for line in lines if line[0] == "error"]
    assert len(errors) == SHOWN
    failed = sum(test.outcome is Outcome.FAIL for test in decision.tests) + 1  # a threshold
    # nine are shown, one of which is the decision itself: 8 tests, and the others are counted
    assert errors[-1][2].startswith(f"and {failed - 8} more")


def test_commands_are_stopped_with_a_token_that_nobody_can_guess():
    stop, resume = stop_commands()
    token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", stop)[1]
    assert resume == f"::{token}::"
    assert stop_commands() != (stop, resume)


HOSTILE_MARKDOWN = "| `x` <b>y</b> [z](https://evil.example) @ada #12 *w* \\"


def summary_of(compared, decision):
    return markdown(job_summary(DriftSummary(compared, decision), decision))


def rendered(text):
    return MarkdownIt("commonmark").enable("table").render(text)


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
    compared = comparison_of(8, text=HOSTILE_MARKDOWN)
    html = rendered(summary_of(compared, decision_about(compared, cautions=[HOSTILE_MARKDOWN])))
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


HOSTILE_XML = "\x00\x0b]]><a b='c'>\ud800\uffff"


def read(text="", **settings):
    compared = comparison_of(20, text=text, **settings)
    decision = decision_about(compared, cautions=[text or "Careful."])
    return ElementTree.fromstring(
        junit_xml(DriftSummary(compared, decision), decision, seconds=1.25).encode()
    ), decision


def test_one_case_a_test_a_threshold_and_a_sequence():
    suites, decision = read()
    cases = suites.findall("testsuite/testcase")
    n = len(decision.tests) + len(decision.thresholds)
    assert len(cases) == n == int(suites.get("tests"))
    names = {(case.get("classname"), case.get("name")) for case in cases}
    assert len(names) == n
    assert {
        ("drift.match", "all items"),
        ("drift.match", "exercise ex-1"),
        ("threshold", "min_bertscore_f1"),
    } < names


def test_failures_and_undecided_tests_are_counted_and_carry_their_figures():
    suites, decision = read()
    failed = sum(test.outcome is Outcome.FAIL for test in decision.tests) + 1  # a threshold
    undecided = sum(test.outcome is Outcome.UNDECIDED for test in decision.tests)
    for element in (suites, suites.find("testsuite")):
        assert [element.get(name) for name in ("failures", "errors", "skipped", "time")] == [
            str(failed), "0", str(undecided), "1.250",
        ]  # fmt: skip
    assert len(suites.findall("testsuite/testcase/failure")) == failed
    skipped = suites.findall("testsuite/testcase/skipped")
    assert len(skipped) == undecided > 0
    assert skipped[0].get("message").startswith("undecided: ")
    assert "About 133 items would decide it" in skipped[0].get("message")
    assert "margin 0.050 (over 3 runs p = 0.003, 19 items)" in suites.find("testsuite/testcase/failure").get(
        "message"
    )


def test_any_character_makes_valid_xml():
    suites, _ = read(HOSTILE_XML)
    assert "␀␋]]><a b='c'>\ufffd\ufffd" in suites.find("testsuite").get("name")
    assert "␀" in suites.find("testsuite/system-out").text


def test_the_suite_names_runs_and_signature():
    suites, decision = read()
    properties = {
        one.get("name"): one.get("value") for one in suites.findall("testsuite/properties/property")
    }
    assert properties["outcome"] == "fail"
    assert properties["signature"] == str(decision.signature)
    assert properties["candidate model"] == "model-b"
    assert suites.find("testsuite").get("timestamp") == "2026-04-01T09:30:00"


def test_an_unknown_duration_is_left_out():
    compared = comparison_of(5)
    decision = decision_about(compared)
    assert 'time="' not in junit_xml(DriftSummary(compared, decision), decision)


def message_about(compared, outcome, **settings):
    decision = replace(decision_about(compared), outcome=outcome)
    return slack_message(DriftSummary(compared, decision), decision, **settings)


def test_the_outcome_comes_first_and_then_what_decided():
    first, second, third = message_about(comparison_of(12), Outcome.UNDECIDED).splitlines()
    assert first.startswith("*Drift gate undecided*: model-b against model-a, dataset ")
    assert second
    assert third


def test_it_says_what_to_do_next_before_the_figures():
    compared = comparison_of(12)
    decision = replace(decision_about(compared), outcome=Outcome.PASS)
    _, second, _ = slack_message(DriftSummary(compared, decision), decision).splitlines()
    assert second.startswith("Nothing to do: every metric's drift lies below its margin")


def test_no_text_of_an_output_is_in_it():
    compared = comparison_of(12, groups=0)
    text = next(item.outputs[0].text for item in compared.baseline.items if item.outputs)
    assert text not in message_about(compared, Outcome.FAIL)


def test_names_cannot_mention_a_channel_or_begin_a_line():
    compared = comparison_of(12)
    hostile = replace(compared.candidate, model="<!channel>\n&*x*")
    first = message_about(replace(compared, candidate=hostile), Outcome.FAIL).splitlines()[0]
    assert "&lt;!channel&gt; &amp;*x* against" in first


def test_a_link_leads_to_the_job():
    last = message_about(comparison_of(12), Outcome.FAIL, link="https://a/b?c=1&d=2").splitlines()[-1]
    assert last == "<https://a/b?c=1&amp;d=2|Job>"
