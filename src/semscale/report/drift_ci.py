"""A gate's decision for CI systems: GitHub annotations and JUnit XML."""

import secrets
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from semscale.drift.decision import Change, MetricTest
from semscale.drift.metrics import metric_label
from semscale.drift.summary import DriftSummary
from semscale.history.stored_comparison import GateCheck, Outcome
from semscale.report.drift_gate import (
    LEVELS,
    bounds_sentence,
    gravest_facts,
    slight_sentence,
)
from semscale.report.formatting import capitalise, count, printable

SHOWN = 10
"""Number of annotations of one kind that GitHub shows for a step."""

_KINDS = {Outcome.FAIL: "error", Outcome.UNDECIDED: "warning", Outcome.PASS: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def _checks(summary: DriftSummary) -> Iterator[GateCheck]:
    """Return all checks of the gate, with its tests and the check of the ruler in the same form.

    The kind is the class of the test case in JUnit.
    """
    decision = summary.decision
    yield from decision.rejections
    yield from (check for check in decision.limits if check.is_checked)
    yield from decision.must_pass
    if (ruler := summary.ruler) is not None:
        outcome = Outcome.UNDECIDED if ruler.has_moved else Outcome.PASS
        yield GateCheck("ruler", ruler.name, outcome, ruler.sentence)
    for test in sorted(decision.tests, key=lambda test: test.urgency):
        name = "all items" if test.group is None else " ".join(test.group)
        yield GateCheck(f"drift.{test.metric}", name, test.outcome, _test_message(summary, test))
    yield from decision.thresholds


def _test_message(summary: DriftSummary, test: MetricTest) -> str:
    if test.outcome is Outcome.FAIL:
        return test.sentence(summary.comparison.metrics[test.metric])
    if test.outcome is Outcome.UNDECIDED:
        return bounds_sentence(summary, test)
    if test.change is Change.SLIGHTLY_WORSE:
        return slight_sentence(summary, test)
    return f"{metric_label(test.metric)} drifted by at most {test.high:.3g} (margin {test.margin:.3g})"


def github_annotations(summary: DriftSummary) -> list[str]:
    """Return a decision as workflow commands, to be printed on separate lines.

    The first is the decision: ``::error``, ``::warning`` if undecided, ``::notice`` if passed. Then come
    failed checks as errors, and undecided checks and cautions as warnings.

    Args:
        summary: the comparison and the gate's decision about it.

    Returns:
        Lines; texts are escaped, so that none can start another command.

    References:
        GitHub Actions, workflow commands: ``%``, CR and LF are escaped in messages, ``:`` and ``,`` in
        properties as well.
    """
    decision = summary.decision
    verdict = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "is undecided", Outcome.PASS: "passed"}
    title = f"Drift gate {verdict[decision.outcome]}: {summary.comparison.candidate.model}"
    checks = list(_checks(summary))
    lines = {
        _KINDS[outcome]: [
            (f"{check.kind} {check.label}", f"{capitalise(check.sentence)}.")
            for check in checks
            if check.outcome is outcome
        ]
        for outcome in (Outcome.FAIL, Outcome.UNDECIDED)
    }
    lines["warning"][:0] = [("Caution", caution) for caution in decision.cautions]
    kind = _KINDS[decision.outcome]
    lines.setdefault(kind, []).insert(0, (title, _in_short(summary)))
    order = sorted(lines, key=lambda other: other != kind)
    return [command(kind, title, message) for kind in order for title, message in _fitting(lines[kind])]


def _in_short(summary: DriftSummary) -> str:
    """Return the most serious facts and the next step."""
    return ". ".join([*gravest_facts(summary), f"{summary.next_step}."])


def command(kind: str, title: str, message: str) -> str:
    r"""Format one workflow command.

    Examples:
        >>> command("error", "a: b, c", "100 %\nof it")
        '::error title=a%3A b%2C c::100 %25%0Aof it'
    """
    shown_title, shown = printable(title).translate(_PROPERTY), printable(message).translate(_DATA)
    return f"::{kind} title={shown_title}::{shown}"


def stop_commands() -> tuple[str, str]:
    """Create the lines between which GitHub Actions ignores commands in the output.

    Outputs of a model can contain ``::error::`` at the start of a line.

    References:
        GitHub Actions, workflow commands: ``::stop-commands::TOKEN`` until ``::TOKEN::``, with a token that
        cannot be guessed.
    """
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def _fitting(lines: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Limit a list to the annotations that GitHub shows; its last line states the number of others."""
    if len(lines) <= SHOWN:
        return list(lines)
    left = len(lines) - SHOWN + 1
    return [*lines[: SHOWN - 1], ("More", f"and {count(left)} more; the report and the JSON have all")]


def junit_xml(summary: DriftSummary, *, seconds: float | None = None) -> str:
    """Return a decision as JUnit XML: a ``<testcase>`` for each test, threshold, limit and must-pass item.

    A failed check contains ``<failure>``. An undecided check contains ``<skipped>``, as CI systems show it
    separately from passed tests and do not count it as a failure; the exit code shows that the gate is
    undecided. Characters that XML 1.0 does not allow are replaced by visible ones.

    Args:
        summary: the comparison and the gate's decision about it.
        seconds: duration of the comparison in seconds, if known.

    Returns:
        An XML document.
    """
    comparison, decision, checks = summary.comparison, summary.decision, list(_checks(summary))
    levels = [LEVELS[check.outcome] for check in checks]
    counts = {
        "tests": str(len(checks)),
        "failures": str(levels.count("fail")),
        "errors": "0",
        "skipped": str(levels.count("warn")),
        **({} if seconds is None else {"time": f"{seconds:.3f}"}),
    }
    suites = ElementTree.Element("testsuites", {"name": "semscale drift", **counts})
    recorded = comparison.candidate.recorded.strftime("%Y-%m-%dT%H:%M:%S")
    named = {"name": printable(comparison.baseline.dataset), "timestamp": recorded}
    suite = ElementTree.SubElement(suites, "testsuite", {**named, **counts})
    facts = {
        "outcome": str(decision.outcome),
        "baseline": comparison.baseline.id,
        "baseline model": comparison.baseline.model,
        "candidate": comparison.candidate.id,
        "candidate model": comparison.candidate.model,
        "signature": str(decision.signature),
    }
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": printable(value)})
    for check in checks:
        _add_case(suite, check)
    sentences = [_in_short(summary), *(f"Caution: {caution}" for caution in decision.cautions)]
    ElementTree.SubElement(suite, "system-out").text = printable("\n".join(sentences))
    ElementTree.indent(suites)
    document = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}\n'


def _add_case(suite: ElementTree.Element, check: GateCheck) -> None:
    named = {"classname": printable(check.kind), "name": printable(check.label)}
    element = ElementTree.SubElement(suite, "testcase", named)
    message = printable(check.sentence)
    match LEVELS[check.outcome]:
        case "fail":
            ElementTree.SubElement(element, "failure", {"message": message, "type": "drift"}).text = message
        case "warn":
            ElementTree.SubElement(element, "skipped", {"message": f"{check.outcome}: {message}"})
        case _:
            ElementTree.SubElement(element, "system-out").text = message
