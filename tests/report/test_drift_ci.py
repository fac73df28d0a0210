"""A gate's decision for CI systems: annotations, job summary, JUnit XML and Slack."""

from xml.etree import ElementTree

import pytest
from tests.support.made_up_gate import gate_of

from semscale.drift.settings import GateSettings
from semscale.report.drift_ci import (
    SHOWN,
    github_annotations,
    junit_xml,
    stop_commands,
)
from semscale.report.drift_gate import job_summary
from semscale.report.markdown import markdown

ATTACK = "::error::x\n::warning::y <!channel> & \x00 "


@pytest.fixture(scope="module")
def failed():
    return gate_of(contradicted=8, silent=1)


def test_the_first_annotation_is_the_verdict_with_the_gravest_fact_and_the_next_step(failed):
    first = github_annotations(failed)[0]
    assert first.startswith(
        "::error title=Drift gate failed%3A model-b::Contradictions rose from 0 %25 to 40 %25 of outputs."
    )
    assert "Look at 'item-00', 'item-01', 'item-02'; approve the run" in first


@pytest.mark.exhaustive
def test_undecided_gates_are_warnings_and_passed_gates_notices():
    undecided = gate_of(contradicted=1, reruns=1, settings=GateSettings(margins={"contradictions": 0.04}))
    assert github_annotations(undecided)[0].startswith("::warning title=Drift gate is undecided")
    passed = gate_of()
    (line,) = github_annotations(passed)
    assert line.startswith("::notice title=Drift gate passed")


def test_annotations_beyond_what_github_shows_are_counted():
    cautions = [f"caution {number}" for number in range(2 * SHOWN)]
    summary = gate_of(cautions=cautions)
    warnings = [line for line in github_annotations(summary) if line.startswith("::warning")]
    assert len(warnings) == SHOWN
    assert warnings[-1] == "::warning title=More::and 11 more; the report and the JSON have all"


def test_no_text_from_outside_begins_a_command():
    summary = gate_of(contradicted=8, silent=1, text=ATTACK)
    lines = "\n".join(github_annotations(summary)).splitlines()
    assert all(line.startswith(("::error title=", "::warning title=")) for line in lines)


def test_commands_are_stopped_by_a_token_that_cannot_be_guessed():
    stop, resume = stop_commands()
    token = stop.removeprefix("::stop-commands::")
    assert resume == f"::{token}::"
    assert len(token) == 32
    assert stop_commands()[0] != stop


def test_the_job_summary_has_verdict_fact_texts_and_checks(failed):
    text = markdown(job_summary(failed))
    assert text.startswith("# ❌ Drift gate failed")
    assert "1 of 20 items lost all outputs (limit 0): item-19." in text
    assert "The dose of case 00 is **not** safe." in text
    assert "- ❌ Contradictions rose from 0\N{NO-BREAK SPACE}% to 40\N{NO-BREAK SPACE}% of outputs." in text
    assert "## How far each metric drifted" not in text


def test_junit_has_a_case_per_check(failed):
    root = ElementTree.fromstring(junit_xml(failed, seconds=1.25))
    assert root.get("time") == "1.250"
    cases = {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}
    assert (
        cases["limit", "silenced"].find("failure").get("message").startswith("1 of 20 items lost all outputs")
    )
    assert cases["drift.contradictions", "all items"].find("failure") is not None
    assert cases["drift.lost_content", "all items"].find("failure") is None
    assert root.get("tests") == str(len(cases))
    assert root.get("failures") == str(sum(case.find("failure") is not None for case in cases.values()))


@pytest.mark.exhaustive
def test_junit_skips_undecided_checks_with_their_bound():
    summary = gate_of(contradicted=1, reruns=1, settings=GateSettings(margins={"contradictions": 0.04}))
    root = ElementTree.fromstring(junit_xml(summary))
    skipped = {case.get("classname"): case.find("skipped") for case in root.iter("testcase")}
    message = skipped["drift.contradictions"].get("message")
    assert message.startswith("undecided: contradictions may have become worse")
    assert "0.040 or more counts as worse" in message


def test_junit_is_xml_whatever_the_texts_are():
    summary = gate_of(contradicted=8, silent=1, text=ATTACK)
    ElementTree.fromstring(junit_xml(summary))
