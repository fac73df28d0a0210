"""JUnit XML that any parser reads, whatever texts hold."""

from xml.etree import ElementTree

from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci import junit_xml

HOSTILE = "\x00\x0b]]><a b='c'>\ud800\uffff"


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
    suites, _ = read(HOSTILE)
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
