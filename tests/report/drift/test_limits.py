from dataclasses import replace

from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.stored_checks import stored_checks
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.report.ci import github_annotations, job_summary, junit_xml
from semscale.report.drift import drift_document, limit_blocks
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.markdown import markdown

BROKEN = LimitCheck("silenced", 0, 39, ("item-037", "item-038"))
KEPT = LimitCheck("lost_fields", 2, 39, excused=("item-001",), group=("exercise", "ex-1"))
ITEM = MustPassCheck("item-037", ("lost all outputs",))
COMPARISON = comparison_of()
DECISION = replace(
    decision_about(COMPARISON),
    outcome=Outcome.FAIL,
    limits=(BROKEN, KEPT),
    must_pass=(ITEM, MustPassCheck("item-000")),
)
SUMMARY = DriftSummary(COMPARISON, DECISION)
STEP = "2 of 39 items with outputs have lost all outputs"


def test_limits_and_must_pass_items_are_tables():
    _, limits, items = limit_blocks(DECISION)
    assert [[cell_text(cell) for cell in row] for row in limits.rows] == [
        ["silenced", "2", "39", "none", "fail", "item-037, item-038", "0"],
        ["lost fields in exercise ex-1", "0", "39", "2", "pass", "", "1"],
    ]
    assert [[cell_text(cell) for cell in row] for row in items.rows] == [
        ["item-037", "fail", "lost all outputs"],
        ["item-000", "pass", ""],
    ]


def test_a_limit_that_looked_at_nothing_is_shown_as_not_checked():
    nothing = LimitCheck("changed_numbers", 0.25, 0)
    unknown = LimitCheck("changed_numbers", 0.25, 4, n_unchecked=3)
    decision = replace(DECISION, limits=(nothing, unknown, KEPT), must_pass=())
    summary = DriftSummary(COMPARISON, decision)
    _, limits = limit_blocks(decision)
    assert [cell_text(row[4]) for row in limits.rows] == ["not checked", "not checked", "pass"]
    assert [(one["passed"], one["outcome"]) for one in summary.record()["limits"]] == [
        (None, "not checked"), (None, "not checked"), (True, "pass"),
    ]  # fmt: skip
    xml = junit_xml(summary, decision)
    assert xml.count('<skipped message="not checked: limit changed_numbers: not checked, as ') == 2
    assert "as there are no items with numbers" in xml
    assert "as nothing is known of 3 items with numbers" in xml
    assert "not checked" in page(drift_document(summary))
    assert "not checked, as there are no items with numbers" in markdown(job_summary(summary, decision))
    assert [one.name for one in stored_checks(decision) if one.kind == "limit"] == ["lost_fields"]


def test_the_screen_names_slices():
    outside = LimitCheck("lost_fields", 0, 20, outside=(("exercise", "ex-1"),))
    _, limits = limit_blocks(replace(DECISION, limits=(outside, KEPT), must_pass=()))
    assert [row[0].brief for row in limits.rows] == [
        "lost_fields outside exercise ex-1",
        "lost_fields in exercise ex-1",
    ]


def test_must_pass_items_have_a_heading():
    assert "<h3>Must-pass items</h3>" in page(drift_document(SUMMARY))


def test_every_output_begins_with_the_next_step():
    document = drift_document(SUMMARY)
    assert document.next_step.startswith(STEP)
    first = markdown(job_summary(SUMMARY, DECISION)).splitlines()[0]
    assert STEP in first.replace("\\", "")
    assert page(document).index(STEP) < page(document).index("<h1>")
    assert STEP in junit_xml(SUMMARY, DECISION)
    assert STEP in github_annotations(SUMMARY, DECISION)[0]
    assert SUMMARY.record()["next_step"].startswith(STEP)


def test_limits_are_test_cases_and_annotations():
    xml = junit_xml(SUMMARY, DECISION)
    assert '<testcase classname="limit" name="silenced">' in xml
    assert '<testcase classname="limit" name="lost_fields in exercise ex-1">' in xml
    assert '<testcase classname="must_pass" name="item-037">' in xml
    lines = github_annotations(SUMMARY, DECISION)
    assert any(line.startswith("::error title=Limit silenced::limit silenced: 2 of 39") for line in lines)
    assert any("title=Must-pass item::item-037: lost all outputs" in line for line in lines)


def test_json_has_the_checks():
    record = SUMMARY.record()
    assert record["limits"][0] == {
        "name": "silenced",
        "group": None,
        "allowed": 0,
        "n": 39,
        "n_broken": 2,
        "items": ("item-037", "item-038"),
        "excused": (),
        "passed": False,
        "outcome": "fail",
        "n_unchecked": 0,
        "p_value": None,
    }
    assert record["must_pass"][0] == {"id": "item-037", "passed": False, "reasons": ("lost all outputs",)}
