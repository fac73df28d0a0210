"""A gate's decision as JUnit XML, which CI systems list test by test."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, ThresholdCheck
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.limits.results import LimitCheck, LimitOutcome
from semscale.drift.measure.comparison import Comparison
from semscale.report.drift.limit_words import broken_limit_words, must_pass_words
from semscale.report.drift.sample_size import needed_words
from semscale.report.drift.words import (
    headline_words,
    result_words,
    sequence_words,
    threshold_words,
)
from semscale.report.formatting import printable

_SKIPPED = (Outcome.UNDECIDED, LimitOutcome.NOT_CHECKED)


@dataclass(frozen=True)
class _Case:
    """One test as JUnit knows it."""

    classname: str
    name: str
    outcome: Outcome | LimitOutcome
    message: str


def junit_xml(summary: DriftSummary, decision: GateDecision, *, seconds: float | None = None) -> str:
    """Write a decision as JUnit XML: one ``<testcase>`` a test, threshold, limit and must-pass item.

    A failed test holds ``<failure>``. An undecided one, or a limit that was not checked, holds
    ``<skipped>``: CI systems show it apart from passed tests and do not count it as broken; that the gate as
    a whole is undecided is told by the exit code. Characters that XML 1.0 cannot hold are replaced by visible
    ones.

    Args:
        summary: the comparison.
        decision: the gate's about it.
        seconds: how long comparing took, where that is known.

    Returns:
        An XML document.
    """
    comparison = summary.comparison
    cases = list(_cases(summary, decision))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == Outcome.FAIL for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.outcome in _SKIPPED for case in cases)),
        **({} if seconds is None else {"time": f"{seconds:.3f}"}),
    }
    suites = ElementTree.Element("testsuites", {"name": "semscale drift", **counts})
    recorded = comparison.candidate.recorded.strftime("%Y-%m-%dT%H:%M:%S")
    named = {"name": printable(comparison.baseline.dataset), "timestamp": recorded}
    suite = ElementTree.SubElement(suites, "testsuite", {**named, **counts})
    _add_properties(suite, comparison, decision)
    for case in cases:
        _add_case(suite, case)
    said = [
        f"{summary.next_step}.",
        headline_words(summary),
        *(f"Caution: {caution}" for caution in decision.cautions),
    ]
    said += [f"{sequence_words(one, decision)}." for one in decision.sequence]
    ElementTree.SubElement(suite, "system-out").text = printable("\n".join(said))
    ElementTree.indent(suites)
    document = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}\n'


def _cases(summary: DriftSummary, decision: GateDecision) -> Iterator[_Case]:
    for test in decision.tests:
        name = "all items" if test.group is None else " ".join(test.group)
        yield _Case(f"drift.{test.metric}", name, test.outcome, _message(summary, decision, test))
    for check in decision.thresholds:
        yield _Case("threshold", _named(check), _outcome(check.passed), threshold_words(check))
    for limit in decision.limits:
        yield _Case("limit", _named(limit), limit.outcome, broken_limit_words(limit))
    for item in decision.must_pass:
        yield _Case("must_pass", item.id, _outcome(item.passed), must_pass_words(item))
    if (ruler := summary.ruler) is not None:
        held = Outcome.UNDECIDED if ruler.has_moved else Outcome.PASS
        yield _Case("ruler", ruler.name, held, ruler.words())


def _outcome(passed: bool) -> Outcome:
    return Outcome.PASS if passed else Outcome.FAIL


def _named(check: ThresholdCheck | LimitCheck) -> str:
    return check.name if check.group is None else f"{check.name} in {' '.join(check.group)}"


def _message(summary: DriftSummary, decision: GateDecision, test: DriftTest) -> str:
    words = result_words(summary, test)
    if test.outcome is not Outcome.UNDECIDED:
        return words
    n = len(summary.comparison.baseline.items)
    over_runs = bool(decision.sequence) and test.group is None
    reruns = len(summary.comparison.reruns)
    return f"{words}. {needed_words([test], over_runs=over_runs, n_items=n, reruns=reruns)}."


def _add_properties(suite: ElementTree.Element, comparison: Comparison, decision: GateDecision) -> None:
    stated = {
        "outcome": str(decision.outcome),
        "baseline": comparison.baseline.id,
        "baseline model": comparison.baseline.model,
        "candidate": comparison.candidate.id,
        "candidate model": comparison.candidate.model,
        "signature": str(decision.signature),
    }
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in stated.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})


def _add_case(suite: ElementTree.Element, case: _Case) -> None:
    named = {"classname": printable(case.classname), "name": printable(case.name)}
    element = ElementTree.SubElement(suite, "testcase", named)
    message = printable(case.message)
    if case.outcome == Outcome.FAIL:
        ElementTree.SubElement(element, "failure", {"message": message, "type": "drift"}).text = message
    elif case.outcome in _SKIPPED:
        ElementTree.SubElement(element, "skipped", {"message": f"{case.outcome}: {message}"})
    else:
        ElementTree.SubElement(element, "system-out").text = message
