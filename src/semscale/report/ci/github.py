"""A gate's decision as workflow commands, which GitHub Actions shows as annotations."""

import secrets
from collections.abc import Iterator, Sequence

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.drift.limit_words import broken_limit_words, must_pass_words
from semscale.report.drift.words import headline_words, result_words, sequence_words, subject, threshold_words
from semscale.report.formatting import count, printable

SHOWN = 10
"""Annotations of one kind that GitHub shows for a step; what goes beyond is counted in the last of them."""

_LEVELS = {Outcome.FAIL: "error", Outcome.UNDECIDED: "warning", Outcome.PASS: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def github_annotations(summary: DriftSummary, decision: GateDecision) -> list[str]:
    """Write a decision as workflow commands: print them, one a line, to standard output of a step.

    The first is the gate's decision: ``::error``, ``::warning`` where it is undecided, ``::notice`` where
    it passed. Then follow failed tests and thresholds as errors, undecided tests and cautions as warnings.

    Args:
        summary: the comparison.
        decision: the gate's about it.

    Returns:
        Lines; texts are escaped, so none can begin another command.

    References:
        GitHub Actions, workflow commands: ``%``, CR and LF are escaped in messages, ``:`` and ``,`` in
        properties as well.
    """
    verdict = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "is undecided", Outcome.PASS: "passed"}
    title = f"Drift gate {verdict[decision.outcome]}: {summary.comparison.candidate.model}"
    level = _LEVELS[decision.outcome]
    lines = {"error": list(_errors(summary, decision)), "warning": list(_warnings(summary, decision))}
    lines.setdefault(level, []).insert(0, (title, f"{summary.next_step}. {headline_words(summary)}"))
    order = sorted(lines, key=lambda kind: kind != level)
    return [command(kind, title, message) for kind in order for title, message in _fitting(lines[kind])]


def command(kind: str, title: str, message: str) -> str:
    r"""Write one workflow command.

    Example:
        >>> command("error", "a: b, c", "100 %\nof it")
        '::error title=a%3A b%2C c::100 %25%0Aof it'
    """
    return f"::{kind} title={_escaped(title, _PROPERTY)}::{_escaped(message, _DATA)}"


def stop_commands() -> tuple[str, str]:
    """Make the lines between which GitHub Actions reads no commands in what is printed.

    Texts of a model may hold ``::error::`` or the like, and a line may be broken just before it.

    References:
        GitHub Actions, workflow commands: ``::stop-commands::TOKEN`` until ``::TOKEN::``, with a token that
        nobody can guess.
    """
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def _escaped(text: str, replaced: dict[int, str]) -> str:
    return printable(text).translate(replaced)


def _errors(summary: DriftSummary, decision: GateDecision) -> Iterator[tuple[str, str]]:
    for limit in decision.broken_limits:
        yield f"Limit {limit.name}", broken_limit_words(limit)
    for item in decision.failed_items:
        yield "Must-pass item", must_pass_words(item)
    yield from _tests(summary, decision, Outcome.FAIL)
    for check in decision.thresholds:
        if not check.passed:
            yield f"Threshold {check.name}", threshold_words(check)


def _warnings(summary: DriftSummary, decision: GateDecision) -> Iterator[tuple[str, str]]:
    if (ruler := summary.ruler) is not None and ruler.has_moved:
        yield "The ruler moved", ruler.words()
    for caution in decision.cautions:
        yield "Caution", caution
    for one in decision.sequence:
        if one.is_significant:
            yield f"Over many runs: {one.metric}", sequence_words(one, decision)
    yield from _tests(summary, decision, Outcome.UNDECIDED)


def _tests(summary: DriftSummary, decision: GateDecision, outcome: Outcome) -> Iterator[tuple[str, str]]:
    about = "Undecided" if outcome is Outcome.UNDECIDED else "Drift"
    tests = (test for test in decision.tests if test.outcome is outcome)
    for test in sorted(tests, key=lambda test: test.urgency):
        yield f"{about}: {subject(test)}", result_words(summary, test)


def _fitting(shown: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Keep what GitHub shows of one kind; the last says how many more there are."""
    if len(shown) <= SHOWN:
        return list(shown)
    left = len(shown) - SHOWN + 1
    return [*shown[: SHOWN - 1], ("More", f"and {count(left)} more; the report and the JSON have all")]
