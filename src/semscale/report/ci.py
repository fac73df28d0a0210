"""A gate's decision for CI systems: annotations and job summaries of GitHub, JUnit XML, messages in Slack."""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, ThresholdCheck
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.harm import HarmedItem, worst_pairs
from semscale.drift.limits.results import LimitCheck, LimitOutcome
from semscale.drift.measure.pair_differences import pair_outputs
from semscale.history.items import Output
from semscale.report.document import (
    Cell,
    DataTable,
    Document,
    Findings,
    Label,
    Level,
    Number,
    Paragraph,
    Quoted,
    Section,
)
from semscale.report.drift import covered_words, drift_document, drift_table, greatest_drift
from semscale.report.drift_sentences import (
    HARM,
    OUTCOMES,
    broken_limit_words,
    headline_words,
    must_pass_words,
    needed_words,
    noise_words,
    result_words,
    sequence_words,
    subject,
    threshold_words,
    unvaried_words,
)
from semscale.report.formatting import clipped, count, printable

SHOWN = 10
"""Annotations of one kind that GitHub shows for a step; what goes beyond is counted in the last of them."""

_KINDS = {Outcome.FAIL: "error", Outcome.UNDECIDED: "warning", Outcome.PASS: "notice"}
_LEVELS: Mapping[str, Level] = {"pass": "pass", "fail": "fail", "undecided": "warn", "not checked": "warn"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


@dataclass(frozen=True)
class _Check:
    """A limit, must-pass item, threshold or test of a decision, or a caution of it.

    Attributes:
        kind: class of the test case in JUnit.
        name: of the test case.
        title: of an annotation.
        outcome: undecided for what asks for care but breaks nothing.
        message: the outcome in a sentence, with its figures.
        remedy: what would decide an undecided test.
    """

    kind: str
    name: str
    title: str
    outcome: Outcome | LimitOutcome
    message: str
    remedy: str = ""


def _checks(
    summary: DriftSummary, decision: GateDecision, tests: Iterable[DriftTest] = ()
) -> Iterator[_Check]:
    """List all that the gate checked; of its tests those that are asked for."""
    for limit in decision.limits:
        message = broken_limit_words(limit)
        yield _Check("limit", _full_name(limit), f"Limit {limit.name}", limit.outcome, message)
    for item in decision.must_pass:
        outcome = Outcome.PASS if item.passed else Outcome.FAIL
        yield _Check("must_pass", item.id, "Must-pass item", outcome, must_pass_words(item))
    if (ruler := summary.ruler) is not None:
        outcome = Outcome.UNDECIDED if ruler.has_moved else Outcome.PASS
        yield _Check("ruler", ruler.name, "The ruler moved", outcome, ruler.words())
    for test in decision.sequence:
        outcome = Outcome.UNDECIDED if test.is_significant else Outcome.PASS
        title = f"Over many runs: {test.metric}"
        yield _Check("sequence", test.metric, title, outcome, sequence_words(test, decision))
    for tested in tests:
        is_undecided = tested.outcome is Outcome.UNDECIDED
        yield _Check(
            f"drift.{tested.metric}",
            "all items" if tested.group is None else " ".join(tested.group),
            f"{'Undecided' if is_undecided else 'Drift'}: {subject(tested)}",
            tested.outcome,
            result_words(summary, tested),
            _remedy(summary, decision, tested) if is_undecided else "",
        )
    for check in decision.thresholds:
        outcome = Outcome.PASS if check.passed else Outcome.FAIL
        name, title = _full_name(check), f"Threshold {check.name}"
        yield _Check("threshold", name, title, outcome, threshold_words(check))


def _full_name(check: ThresholdCheck | LimitCheck) -> str:
    return check.name if check.group is None else f"{check.name} in {' '.join(check.group)}"


def _remedy(summary: DriftSummary, decision: GateDecision, test: DriftTest) -> str:
    over_runs = bool(decision.sequence) and test.group is None
    n, reruns = len(summary.comparison.baseline.items), len(summary.comparison.reruns)
    return f"{needed_words([test], over_runs=over_runs, n_items=n, reruns=reruns)}."


def github_annotations(summary: DriftSummary, decision: GateDecision) -> list[str]:
    """Write a decision as workflow commands: print them to standard output of a step, each on its own line.

    The first is the gate's decision: ``::error``, ``::warning`` where it is undecided, ``::notice`` where
    it passed. Failed checks follow as errors, undecided ones and cautions as warnings.

    Args:
        summary: the comparison.
        decision: of the gate about it.

    Returns:
        Lines; texts are escaped, so none can begin another command.

    References:
        GitHub Actions, workflow commands: ``%``, CR and LF are escaped in messages, ``:`` and ``,`` in
        properties as well.
    """
    verdict = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "is undecided", Outcome.PASS: "passed"}
    title = f"Drift gate {verdict[decision.outcome]}: {summary.comparison.candidate.model}"
    tests = sorted(decision.tests, key=lambda test: test.urgency)
    checks = list(_checks(summary, decision, tests))
    lines = {
        _KINDS[outcome]: [(check.title, check.message) for check in checks if check.outcome == outcome]
        for outcome in (Outcome.FAIL, Outcome.UNDECIDED)
    }
    lines["warning"][:0] = [("Caution", caution) for caution in decision.cautions]
    kind = _KINDS[decision.outcome]
    lines.setdefault(kind, []).insert(0, (title, f"{summary.next_step}. {headline_words(summary)}"))
    order = sorted(lines, key=lambda other: other != kind)
    return [command(kind, title, message) for kind in order for title, message in _fitting(lines[kind])]


def command(kind: str, title: str, message: str) -> str:
    r"""Write one workflow command.

    Example:
        >>> command("error", "a: b, c", "100 %\nof it")
        '::error title=a%3A b%2C c::100 %25%0Aof it'
    """
    return f"::{kind} title={_escaped(title, _PROPERTY)}::{_escaped(message, _DATA)}"


def stop_commands() -> tuple[str, str]:
    """Create the lines between which GitHub Actions ignores commands in the output.

    Texts of a model may hold ``::error::`` or the like, and a line may be broken just before it.

    References:
        GitHub Actions, workflow commands: ``::stop-commands::TOKEN`` until ``::TOKEN::``, with a token that
        nobody can guess.
    """
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def _escaped(text: str, replaced: dict[int, str]) -> str:
    return printable(text).translate(replaced)


def _fitting(shown: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Cut a list to what GitHub shows of a kind; its last line counts the rest."""
    if len(shown) <= SHOWN:
        return list(shown)
    left = len(shown) - SHOWN + 1
    return [*shown[: SHOWN - 1], ("More", f"and {count(left)} more; the report and the JSON have all")]


_ITEMS = 5
_GROUPS = 10
_LONGEST_TEXT = 140


def job_summary(summary: DriftSummary, decision: GateDecision) -> Document:
    """Shorten a gate's document: verdict, metrics, groups that did not pass, worst items; a few kilobytes.

    Args:
        summary: the comparison.
        decision: of the gate about it.
    """
    baseline, candidate = summary.comparison.baseline, summary.comparison.candidate
    compared = (
        "candidate “", Quoted(candidate.model, 80), f"” ({candidate.recorded:%Y-%m-%d}) against baseline “",
        Quoted(baseline.model, 80), f"” ({baseline.recorded:%Y-%m-%d})",
    )  # fmt: skip
    return replace(
        drift_document(summary),
        title=f"Drift gate {OUTCOMES[decision.outcome]}",
        source=(Quoted(baseline.dataset, 80), compared),
        sections=tuple(_sections(summary, decision)),
        settings=(),
    )


def _sections(summary: DriftSummary, decision: GateDecision) -> Iterator[Section]:
    tested = (figure for figure in summary.overall if figure.test is not None)
    overall = sorted(tested, key=lambda figure: figure.urgency)
    unvaried = unvaried_words(summary)
    sentences = [Paragraph(unvaried)] if unvaried else []
    if decision.nights.n:
        comparison = summary.comparison
        noise = noise_words(decision, comparison.baseline.model, len(comparison.reruns))
        sentences.append(Paragraph(f"Noise: {noise}."))
    if overall:
        table = drift_table(summary, overall)
        yield Section("metrics", f"All items{covered_words(summary)}", (table, *sentences))
    if waiting := summary.open_groups:
        more = f", the {_GROUPS} most urgent of {count(len(waiting))}" if len(waiting) > _GROUPS else ""
        table = drift_table(summary, waiting[:_GROUPS])
        yield Section("groups", f"Groups that did not pass{more}", (table,))
    if findings := tuple((_LEVELS[check.outcome], check.message) for check in _checks(summary, decision)):
        yield Section("limits", "Limits, thresholds and all runs", (Findings(findings),))
    if harmed := summary.harm.worst(_ITEMS):
        how = f"{HARM[True]}. Of each item the output that has no partner, or the least alike pair, is shown."
        yield Section("changed", "Items that changed most", (_items(summary, harmed), Paragraph(how)))


def _items(summary: DriftSummary, harmed: tuple[HarmedItem, ...]) -> DataTable:
    comparison = summary.comparison
    pairs = worst_pairs(comparison, [item.place for item in harmed])
    rows = []
    for item in harmed:
        outputs = pair_outputs(comparison, pairs[item.place][0]) if pairs[item.place] else (None, None)
        name = Quoted(comparison.baseline.items[item.place].id, 60)
        rows.append((name, Number(item.harm), *greatest_drift(summary, item), *map(_output_cell, outputs)))
    return DataTable(("item", "harm", "metric", "drift", "baseline", "candidate"), tuple(rows))


def _output_cell(output: Output | None) -> Cell:
    return Label("nothing") if output is None else Quoted(output.text, _LONGEST_TEXT)


def junit_xml(summary: DriftSummary, decision: GateDecision, *, seconds: float | None = None) -> str:
    """Write a decision as JUnit XML: a ``<testcase>`` for each test, threshold, limit and must-pass item.

    A failed test holds ``<failure>``. An undecided one, or a limit that was not checked, holds
    ``<skipped>``: CI systems show it apart from passed tests and do not count it as broken; the exit code
    says that the gate as a whole is undecided. Characters that XML 1.0 cannot hold are replaced by visible
    ones.

    Args:
        summary: the comparison.
        decision: of the gate about it.
        seconds: duration of the comparison, where it is known.

    Returns:
        An XML document.
    """
    comparison = summary.comparison
    checks = _checks(summary, decision, decision.tests)
    cases = [check for check in checks if check.kind != "sequence"]
    levels = [_LEVELS[case.outcome] for case in cases]
    counts = {
        "tests": str(len(cases)),
        "failures": str(levels.count("fail")),
        "errors": "0",
        "skipped": str(levels.count("warn")),
        **({} if seconds is None else {"time": f"{seconds:.3f}"}),
    }
    suites = ElementTree.Element("testsuites", {"name": "semscale drift", **counts})
    recorded = comparison.candidate.recorded.strftime("%Y-%m-%dT%H:%M:%S")
    named = {"name": printable(comparison.baseline.dataset), "timestamp": recorded}
    suite = ElementTree.SubElement(suites, "testsuite", {**named, **counts})
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
    for case in cases:
        _add_case(suite, case)
    sentences = [
        f"{summary.next_step}.",
        headline_words(summary),
        *(f"Caution: {caution}" for caution in decision.cautions),
    ]
    sentences += [f"{sequence_words(item, decision)}." for item in decision.sequence]
    ElementTree.SubElement(suite, "system-out").text = printable("\n".join(sentences))
    ElementTree.indent(suites)
    document = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}\n'


def _add_case(suite: ElementTree.Element, case: _Check) -> None:
    named = {"classname": printable(case.kind), "name": printable(case.name)}
    element = ElementTree.SubElement(suite, "testcase", named)
    message = printable(f"{case.message}. {case.remedy}" if case.remedy else case.message)
    match _LEVELS[case.outcome]:
        case "fail":
            ElementTree.SubElement(element, "failure", {"message": message, "type": "drift"}).text = message
        case "warn":
            ElementTree.SubElement(element, "skipped", {"message": f"{case.outcome}: {message}"})
        case _:
            ElementTree.SubElement(element, "system-out").text = message


_LONGEST_NAME = 80
_LONGEST_SLACK_TEXT = 2_000
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def slack_message(summary: DriftSummary, decision: GateDecision, *, link: str | None = None) -> str:
    """Write in a few lines which run was compared, the gate's decision, and the next step.

    It contains no text of an output.

    Args:
        summary: the comparison.
        decision: of the gate about it.
        link: address of the job that ran the gate.

    Returns:
        Slack's mark-up; names are escaped, so that none can mention a channel or make a link.

    References:
        Slack, formatting text for app surfaces: ``&``, ``<`` and ``>`` are escaped.
    """
    baseline, candidate = summary.comparison.baseline, summary.comparison.candidate
    compared = f"{_name(candidate.model)} against {_name(baseline.model)}, dataset {_name(baseline.dataset)}"
    lines = [
        f"*Drift gate {OUTCOMES[decision.outcome]}*: {compared}",
        _slack_text(f"{summary.next_step}."),
        _slack_text(headline_words(summary)),
    ]
    if link:
        lines.append(f"<{_slack_text(link)}|Job>")
    return "\n".join(lines)


def _name(text: str) -> str:
    return _slack_text(text, _LONGEST_NAME)


def _slack_text(text: str, longest: int = _LONGEST_SLACK_TEXT) -> str:
    return clipped(text, longest).shown.translate(_ESCAPED)
