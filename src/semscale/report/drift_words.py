"""What a gate decided, in words: the same in the report, in annotations, summaries and test results."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome, SequenceTest, ThresholdCheck
from semscale.drift.gate.signature import stated_plan
from semscale.report.document.values import Interval
from semscale.report.wording import (
    bracket,
    clipped,
    count,
    counted,
    coverage,
    digits_for,
    has_interval,
    number,
    one_line,
)

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison
    from semscale.drift.measure.metrics import Metric

OUTCOMES = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "undecided", Outcome.PASS: "passed"}
"""What a test or the gate came to, as a word."""

LEVELS = {Outcome.FAIL: "fail", Outcome.UNDECIDED: "warn", Outcome.PASS: "pass"}
"""The colour of each, as the style sheet names it."""

SYMBOLS = {Outcome.FAIL: "✕", Outcome.UNDECIDED: "?", Outcome.PASS: ""}
"""The same where a word has no room."""

_LABELS = {"bertscore_f1": "BERTScore F1", "output_count": "number of outputs"}
_LEAST_P = 0.001
_MOST_EVIDENCE = 10_000
_FEW = 3
_MORE_RUNS = (
    "All runs against this baseline decide what is beyond chance, good ones among them, so that more runs "
    "may decide it; for one bad run by itself set a threshold, such as min_match"
)
_LONGEST_NAME = 60


def metric_label(name: str) -> str:
    """Give a metric's name as sentences have it.

    Example:
        >>> metric_label("bertscore_f1"), metric_label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    return _LABELS.get(name, one_line(name).replace("_", " "))


def signed(value: float | None, digits: int) -> str:
    """Write a difference with its sign, and none where it rounds to 0.

    Example:
        >>> signed(0.0512, 3), signed(-0.2, 1), signed(0.0001, 2)
        ('+0.051', '−0.2', '0.00')
    """
    shown = number(value, digits)
    rounds_to_zero = not any("1" <= character <= "9" for character in shown)
    return shown if rounds_to_zero or shown.startswith("\u2212") else f"+{shown}"


def p_words(p: float) -> str:
    """Write a p-value: three decimals, never 0.

    Example:
        >>> p_words(0.0002), p_words(0.0314), p_words(float("nan"))
        ('< 0.001', '0.031', '–')
    """
    return f"< {_LEAST_P}" if p < _LEAST_P else number(p, 3)


def p_said(p: float) -> str:
    """Write a p-value as an equation: ``p = 0.031``, ``p < 0.001``.

    Example:
        >>> p_said(0.0314), p_said(1e-9)
        ('p = 0.031', 'p < 0.001')
    """
    return f"p {p_words(p)}" if p < _LEAST_P else f"p = {p_words(p)}"


def drift_words(test: DriftTest, digits: int = 3) -> str:
    """Write a drift with its interval: ``+0.127 [0.083, 0.171]``."""
    return estimate_words(test.drift, digits)


def capitalized(text: str) -> str:
    """Begin a sentence; names such as ``min_bertscore_f1`` stay as settings have them.

    Example:
        >>> capitalized("match drifted"), capitalized("min_cosine: 0.2")
        ('Match drifted', 'min_cosine: 0.2')
    """
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]


def evidence_words(value: float) -> str:
    """Write an e-value; beyond ten thousand its size says nothing more.

    Example:
        >>> evidence_words(84.14), evidence_words(4e11)
        ('84.1', '> 10,000')
    """
    return f"> {count(_MOST_EVIDENCE)}" if value > _MOST_EVIDENCE else number(value, 1)


def estimate_words(drift: Interval, digits: int = 3) -> str:
    """Write a mean drift with its interval, and its sign; without the interval where there is none."""
    value = signed(drift.value, digits)
    return f"{value} {bracket(drift, digits)}" if has_interval(drift) else value


def interval_words(decision: GateDecision | None) -> str:
    """Say what the intervals cover, as the gate's signature has it; as usual without a gate.

    Example:
        >>> interval_words(None)
        '95 %'
    """
    return coverage(stated_plan(None if decision is None else decision.signature).interval)


def digits_of(metric: "Metric | None") -> int:
    """Choose decimals for a metric's figures by its span."""
    return 3 if metric is None else digits_for(0, metric.span)


def subject(test: DriftTest) -> str:
    """Name what a test is about: the metric, and the group if it is about one."""
    return metric_label(test.metric) + ("" if test.group is None else f" in {group_label(test.group)}")


def group_label(group: tuple[str, str]) -> str:
    """Name a group with its kind; long names are cut.

    Example:
        >>> group_label(("exercise", "6715"))
        'exercise 6715'
    """
    kind, name = (clipped(part, _LONGEST_NAME).shown for part in group)
    return f"{kind} {name or '(blank)'}"


def urgency(test: DriftTest) -> tuple[int, bool, float]:
    """Sort tests: failed ones, undecided, passed; tests over all items first; then by drift in margins."""
    order = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.PASS).index(test.outcome)
    return order, test.group is not None, -in_margins(test)


def in_margins(test: DriftTest) -> float:
    """Give a drift as a multiple of its margin; negative infinity where there is no drift."""
    if math.isnan(test.drift.value):
        return -math.inf
    return test.drift.value / test.margin if test.margin > 0 else math.inf * test.drift.value


def reasons(decision: GateDecision, comparison: "Comparison") -> tuple[str, ...]:
    """Say in whole sentences which figures decided, the weightiest first."""
    if decision.outcome is Outcome.FAIL:
        said = _failed(decision, comparison)
    elif decision.outcome is Outcome.UNDECIDED:
        said = _undecided(decision, comparison)
    else:
        said = _passed(decision, comparison)
    return tuple(f"{capitalized(sentence)}." for sentence in said)


def headline(decision: GateDecision, comparison: "Comparison") -> str:
    """Say in one paragraph which figures decided."""
    return " ".join(reasons(decision, comparison))


def threshold_words(check: ThresholdCheck) -> str:
    """Say how a threshold came out: ``min_bertscore_f1: 0.71 where 0.80 is asked for``."""
    value = "no value" if math.isnan(check.value) else number(check.value, 3)
    return f"{one_line(check.name)}: {value} where the limit is {number(check.limit, 3)}"


def runs_behind(test: DriftTest, decision: GateDecision) -> int | None:
    """Count the runs that a test's p-value comes from; ``None`` where it is of this run alone."""
    if test.group is not None:
        return None
    return next((len(one.losses) for one in decision.sequence if one.metric == test.metric), None)


def result_words(test: DriftTest, metric: "Metric | None" = None, *, runs: int | None = None) -> str:
    """Say what a test found, with its uncertainty: drift, interval, margin, p and n.

    Args:
        test: of one metric.
        metric: what was measured.
        runs: that the p-value comes from; ``None`` where it is of this run alone.
    """
    digits = digits_of(metric)
    n = counted(test.drift.n, "item")
    if math.isnan(test.drift.value):
        return f"{subject(test)} has no value ({n})"
    behind = "" if runs is None else f"over {counted(runs, 'run')} "
    return (
        f"{subject(test)} drifted by {drift_words(test, digits)}, margin {number(test.margin, digits)} "
        f"({behind}{p_said(test.p_adjusted)}, {n})"
    )


def needed_words(n_needed: int | None, *, over_runs: bool) -> str:
    """Say how many items would decide, or that no number of them would.

    Args:
        n_needed: items, or ``None``.
        over_runs: whether all runs together decide, so that more runs may.
    """
    if n_needed is None:
        return _MORE_RUNS if over_runs else "More items like these would hardly decide it"
    return f"About {count(n_needed)} items would decide it if mean and spread stayed as they are"


def sequence_words(test: SequenceTest) -> str:
    """Say what many runs together show about one metric."""
    evidence = test.evidence[-1] if test.evidence else float("nan")
    found = "beyond chance" if test.is_significant else "within what chance explains"
    return (
        f"{metric_label(test.metric)} over {counted(len(test.losses), 'run')}: mean loss against "
        f"{number(test.allowed, 3)} allowed is {found} "
        f"(evidence {evidence_words(evidence)}, {p_said(test.p_adjusted)})"
    )


def _failed(decision: GateDecision, comparison: "Comparison") -> Iterator[str]:
    tests = sorted((test for test in decision.tests if test.outcome is Outcome.FAIL), key=urgency)
    if tests:
        yield _result(tests[0], decision, comparison)
    if len(tests) > 1:
        yield f"Also beyond chance and margin: {_named(tests[1:])}"
    broken = [check for check in decision.thresholds if not check.passed]
    yield from (threshold_words(check) for check in broken[:_FEW])
    if len(broken) > _FEW:
        yield f"{count(len(broken) - _FEW)} more thresholds do not hold"
    yield from (sequence_words(one) for one in decision.sequence if one.is_significant)


def _undecided(decision: GateDecision, comparison: "Comparison") -> Iterator[str]:
    tests = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED and test.group is None]
    tests.sort(key=urgency)
    if tests:
        found = _result(tests[0], decision, comparison)
        yield f"{found}, so it may or may not have become worse"
    if len(tests) > 1:
        yield f"Also undecided: {_named(tests[1:])}"
    yield needed_words(decision.n_needed, over_runs=bool(decision.sequence))


def _passed(decision: GateDecision, comparison: "Comparison") -> Iterator[str]:
    tests = sorted((test for test in decision.tests if test.group is None), key=_room)
    if len(tests) > 1:
        yield "Every metric's drift lies below its margin"
    if tests:
        closest = _result(tests[0], decision, comparison)
        yield closest if len(tests) == 1 else f"Closest to its margin: {closest}"
    if decision.thresholds:
        yield "Every threshold holds" if len(decision.thresholds) > 1 else "The threshold holds"
    waiting = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED]
    if waiting:
        yield f"Not decided, having few items: {_named(waiting)}"


def _result(test: DriftTest, decision: GateDecision, comparison: "Comparison") -> str:
    metric = comparison.metrics.get(test.metric)
    return result_words(test, metric, runs=runs_behind(test, decision))


def _room(test: DriftTest) -> float:
    """Sort passed tests by how much room their interval leaves below the margin, as a share of it."""
    high = test.drift.high
    return math.inf if math.isnan(high) or test.margin <= 0 else 1 - high / test.margin


def _named(tests: Iterable[DriftTest]) -> str:
    names = [subject(test) for test in tests]
    shown = ", ".join(names[:_FEW])
    return shown if len(names) <= _FEW else f"{shown} and {count(len(names) - _FEW)} more"
