"""The page of a gate: verdict, gravest fact, next step and texts first; nothing that contradicts itself."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.support.made_up_gate import AFTER, BEFORE, gate_of

from semscale.drift.decision import decide
from semscale.drift.hard_limits import limit_check
from semscale.drift.runs import ItemMatching
from semscale.drift.settings import GateSettings
from semscale.history.stored_comparison import Outcome
from semscale.report.document import Findings
from semscale.report.drift_ci import junit_xml
from semscale.report.drift_gate import around_difference, differing, drift_document
from semscale.report.html import page
from semscale.report.terminal import print_document

ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'


@pytest.fixture(scope="module")
def failed():
    return gate_of(contradicted=8)


def text_of(summary, read_page):
    return read_page(page(drift_document(summary))).text


def findings_of(summary):
    section = next(part for part in drift_document(summary).sections if part.name == "checks")
    (block,) = section.blocks
    assert isinstance(block, Findings)
    return [(level, str(line)) for level, line in block.items]


def test_the_page_begins_with_verdict_gravest_fact_next_step_and_texts(failed, read_page):
    text = text_of(failed, read_page)
    parts = (
        "“model-b” is worse than the baseline",
        "Failed",
        "Contradictions rose from 0\N{NO-BREAK SPACE}% to 40\N{NO-BREAK SPACE}% of outputs.",  # 8 of 20
        "Look at 'item-00', 'item-01', 'item-02'; approve the run only if this change is intended.",
        "The clearest examples",
        "What the gate checked",
        "How far each metric drifted",
        "What was compared",
    )
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_failed_gate_shows_three_texts_with_differences_marked(failed, read_page):
    parsed = read_page(page(drift_document(failed)))
    assert parsed.source.count('<mark class="added">not</mark>') == 3
    for number in ("00", "01", "02"):
        assert AFTER.format(number) in parsed.text
        assert BEFORE.format(number) in parsed.text


def test_the_reason_that_touches_most_comes_first_with_its_items():
    # 8 of 20 outputs contradict, and 2 of 20 items are silent; then 9 are silent and 8 contradict
    few_silent, many_silent = gate_of(contradicted=8, silent=2), gate_of(contradicted=8, silent=9)
    assert few_silent.telling_items(3) == (0, 1, 2)
    assert many_silent.telling_items(3) == (11, 12, 13)
    assert str(drift_document(many_silent).full_introduction[0]).startswith("9 of 20 items lost all outputs")
    assert str(drift_document(few_silent).full_introduction[0]).startswith("Contradictions rose")


def test_few_equal_items_are_undecided_for_their_number():
    summary = gate_of(5)
    reason = "5 items: fewer than 10 items cannot show that nothing changed"
    assert [str(line) for line in drift_document(summary).full_introduction] == [f"{reason}."]
    assert [line for level, line in findings_of(summary) if level == "warn"] == [
        f"{reason}: lost content, contradictions and lost outputs."
    ]


def test_the_items_that_are_compared_are_counted_of_all():
    summary = gate_of(27)
    matching = ItemMatching(lost=("a", "b", "c"))
    shown = drift_document(replace(summary, comparison=replace(summary.comparison, matching=matching)))
    assert any("27 of 30 items compared" in line for line in shown.brief_introduction)


def test_limit_prints_a_single_sentence_without_a_contradicting_metric():
    findings = findings_of(gate_of(silent=2))
    assert ("fail", "2 of 20 items lost all outputs (limit 0): item-18, item-19.") in findings
    # the metric "lost outputs" is about the same subject; it would pass or be undecided
    assert not any("lost outputs" in line for level, line in findings if level != "fail")


def test_a_limit_that_holds_is_not_named_where_its_metric_failed():
    summary = gate_of(silent=0)
    failed = [
        replace(test, outcome=Outcome.FAIL) if test.metric == "fewer_outputs" else test
        for test in summary.decision.tests
    ]
    decision = replace(summary.decision, tests=tuple(failed), outcome=Outcome.FAIL, reasons=("x",))
    held = [line for _, line in findings_of(replace(summary, decision=decision)) if "than allowed" in line]
    assert held
    assert not any("silenced" in line or "lost outputs" in line for line in held)


def test_passing_metrics_share_a_line(failed):
    passed = [line for level, line in findings_of(failed) if level == "pass" and "margin" in line]
    assert passed == ["Within the margin: lost content and lost outputs."]


@pytest.mark.exhaustive
def test_an_undecided_gate_states_the_bound_and_the_margin(read_page):
    # one item of 20, a drift of 1 there; chance explains it
    summary = gate_of(contradicted=1, reruns=1, settings=GateSettings(margins={"contradictions": 0.01}))
    assert summary.decision.outcome is Outcome.UNDECIDED
    text = text_of(summary, read_page)
    assert "“model-b” may be worse than the baseline" in text
    assert "contradictions may have become worse: by +0.050 on average, and by up to" in text.lower()
    assert "0.010 or more counts as worse" in text


def test_a_limit_within_its_default_is_undecided_and_shows_its_item(read_page):
    summary = gate_of()
    check = limit_check("changed_numbers", 1, 12, ("item-03",), is_default=True)
    summary = replace(summary, decision=replace(summary.decision, limits=(check,), outcome=Outcome.UNDECIDED))
    sentence = "1 of 12 items with numbers state other numbers (limit 1): item-03"
    assert [str(line) for line in drift_document(summary).full_introduction] == [f"{sentence}."]
    assert ("warn", f"{sentence}.") in findings_of(summary)
    assert summary.telling_items(3) == (3,)
    assert summary.next_step == (
        "Look at 'item-03', and approve the run if they are as good as before, or allow such items "
        "(--limit changed_numbers=1)"
    )
    assert summary.record()["limits"][0]["passed"] is None
    assert summary.plan is None
    cases = ElementTree.fromstring(junit_xml(summary)).iter("testcase")
    skipped = [case.find("skipped").get("message") for case in cases if case.get("classname") == "limit"]
    assert skipped == [f"undecided: {sentence}"]


def test_a_passed_gate_says_so(read_page):
    text = text_of(gate_of(), read_page)
    assert "“model-b” is as good as the baseline" in text
    assert "Nothing to do: no metric is worse than chance explains, and every limit is met." in text


def test_undecided_groups_share_a_line():
    summary = gate_of(contradicted=0, n=18, settings=GateSettings(by=("topic",)))
    assert all(test.outcome is Outcome.UNDECIDED for test in summary.decision.tests if test.group)  # 9 items
    waiting = [line for level, line in findings_of(summary) if level == "warn"]
    assert len(waiting) == 1
    assert waiting[0].startswith("Undecided in groups: lost content in topic topic 0")


def test_the_direction_of_a_change_is_never_unknown(failed):
    assert "unknown direction" not in page(drift_document(failed)).lower()


def test_the_screen_has_verdict_fact_and_next_step_in_its_first_lines(failed, capsys):
    print_document(drift_document(failed))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Drift gate failed  feedback"
    assert lines[1] == "Contradictions rose from 0 % to 40 % of outputs."
    assert lines[2].startswith("Look at 'item-00'")
    assert lines[-1].startswith("fail: Contradictions rose from 0 % to 40 % of outputs.")
    assert "semscale drift approve cccccccc --approved-by NAME --why REASON" in lines[-1]


def test_texts_from_outside_cannot_harm_a_page(read_page):
    summary = gate_of(contradicted=8, silent=1, text=ATTACK, settings=GateSettings(by=("topic",)))
    read_page(page(drift_document(summary))).assert_harmless()


@pytest.mark.exhaustive
def test_a_page_of_many_items_stays_small(read_page):
    source = page(drift_document(gate_of(2_000, contradicted=500, settings=GateSettings(by=("topic",)))))
    assert len(source.encode()) < 200_000


def test_both_runs_and_the_approval_are_stated(failed, read_page):
    runs = text_of(failed, read_page).split("What was compared")[1]
    for entry in ("model-a", "model-b", "b" * 32, "c" * 32, "4f5a6b7", "Ann", "read by hand"):
        assert entry in runs


def test_long_texts_are_shown_from_shortly_before_their_difference():
    same = "word " * 200
    before, after = differing(f"{same}is safe", f"{same}is not safe", limit=200)
    shown = "".join(piece.text for piece in after.pieces)
    assert shown.startswith("…")
    assert shown.endswith("is not safe")
    assert len(shown) <= 200
    assert "".join(piece.text for piece in before.pieces).endswith("is safe")


def test_the_screen_shows_the_words_that_differ(capsys):
    # The texts of an item differ only in their middle; both are longer than a cell.
    summary = gate_of(contradicted=8, text="It is said of all patients that ")
    print_document(drift_document(summary))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.count("of case 00") == 2]
    assert "is safe." in line
    assert "is not safe." in line


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        # From the first word that begins within 14 characters before the difference.
        ("The main idea is explained well and long.", "The main idea is explained ill and short.",
         ("…is explained well and…", "…is explained ill and…")),
        ("same " * 9 + "end", "same " * 9 + "start", ("…same same same end", "…same same same start")),
        ("A first text that is rather long.", "(no output)", ("A first text that is…", "(no output)")),
    ],
)  # fmt: skip
def test_long_texts_of_the_screen_are_cut_around_the_first_difference(left, right, shown):
    assert around_difference(left, right, limit=24) == shown


def test_a_text_without_a_counterpart_has_no_marks():
    before, after = differing("It is safe.", None, limit=80)
    assert after is None
    assert [(piece.text, piece.guard) for piece in before.pieces] == [("It is safe.", None)]


def losing_outputs(settings=None):
    """The gate about a candidate that lacks a fifth of the outputs in items 0, 3, ... of 20."""
    summary = gate_of()
    loss = np.where(np.arange(20) % 3 == 0, 0.2, 0.0)[:, None]
    losses = {name: values.copy() for name, values in summary.comparison.pair_losses.items()}
    losses["fewer_outputs"][:, 1:, 0], losses["fewer_outputs"][:, 0, 1:] = loss, -loss
    comparison = replace(summary.comparison, pair_losses=losses)
    return replace(summary, comparison=comparison, decision=decide(comparison, settings))


def test_a_loss_below_the_margin_is_named_with_size_and_items_and_is_no_pass():
    summary = losing_outputs()
    (fact,) = drift_document(summary).full_introduction
    assert str(fact) == (
        "Lost outputs rose from 0.00 to 0.07 (drift 0.070, margin 0.080), less than the margin but more than "
        "chance explains: 'item-00', 'item-03', 'item-06', 'item-09', 'item-12' and 2 more."
    )
    assert ("warn", str(fact)) in findings_of(summary)
    assert summary.plan is None
    assert summary.next_step.startswith("Look at 'item-00', 'item-03', 'item-06': lost outputs became worse")
    accepted = next(word for word in summary.next_step.split() if word.startswith("fewer_outputs="))
    # With the margin that the next step names, the gate passes, and the loss is still named.
    settings = GateSettings(margins={"fewer_outputs": float(accepted.partition("=")[2].rstrip(")"))})
    passed = losing_outputs(settings)
    assert passed.decision.outcome is Outcome.PASS
    assert "worse than the baseline by less than the margins" in "".join(
        map(str, drift_document(passed).title)
    )
    assert "no difference" not in {
        test.change for test in passed.decision.tests if test.metric == "fewer_outputs"
    }
    assert [level for level, line in findings_of(passed) if "more than chance explains" in line] == ["warn"]
    assert "Nothing to do" not in passed.next_step
    (test,) = [test for test in passed.record()["tests"] if test["metric"] == "fewer_outputs"]
    assert test["items"] == [f"item-{number:02d}" for number in range(0, 20, 3)]
