"""Sentences about a gate's decision, for reports, annotations, summaries and test results."""

import math
from collections.abc import Iterable, Iterator

from semscale.drift.gate.decision import (
    DriftTest,
    GateDecision,
    MetricChange,
    Outcome,
    SequenceTest,
    ThresholdCheck,
    deciding_bound,
)
from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.next_step import passed_words
from semscale.drift.measure.metrics import Metric, metric_label
from semscale.report.cells import cell_text
from semscale.report.document.values import Flag, Level, Number, Quoted, WithInterval, Words
from semscale.report.drift.limit_words import broken_limit_words, shown_id
from semscale.report.drift.sample_size import forecast_words, needed_words
from semscale.report.formatting import (
    MISSING,
    capitalised,
    clipped,
    count,
    counted,
    coverage,
    digits_for,
    listed,
    number,
    one_line,
)
from semscale.report.sentences import plan_words

OUTCOMES = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "undecided", Outcome.PASS: "passed"}
"""What a test or the gate came to, as a word."""

LEVELS: dict[Outcome, Level] = {Outcome.FAIL: "fail", Outcome.UNDECIDED: "warn", Outcome.PASS: "pass"}
"""How good each is."""

CHANGES: dict[MetricChange, Words | Flag] = {
    MetricChange.BETTER: Flag("better", "pass"),
    MetricChange.WORSE: Flag("worse", "fail"),
    MetricChange.NONE: Flag("no difference", "pass"),
    MetricChange.NOT_WORSE: Flag("not worse", "pass"),
    MetricChange.UNKNOWN: Flag("unknown direction", "warn"),
    MetricChange.UNDECIDED: Words(MISSING),
}
"""What became of a metric; no difference is none beyond the margin."""

HARM = {
    True: "Harm is what an item's drift exceeds the margin by, as a share of the metric's worst case, summed "
    "over the metrics that the gate tests",
    False: "Harm is an item's drift as a share of the metric's worst case, summed over all metrics",
}
"""How items are sorted: where a gate was asked, and where none was."""

UNTESTED = "p –: too few items differ there to be tested."
"""What stands below a table of groups where some tests cannot be significant."""

_SAID = (MetricChange.BETTER, MetricChange.WORSE, MetricChange.UNKNOWN)
_FEW = 3
_LONGEST_NAME = 60


def label(metric: Metric | str) -> str:
    """Give a metric's name as sentences have it.

    Example:
        >>> label("bertscore_f1"), label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    return one_line(metric_label(metric) if isinstance(metric, str) else metric.label)


def digits_of(metric: Metric) -> int:
    """Choose decimals for a metric's figures by its span."""
    return digits_for(0, metric.span)


def p_value(p: float) -> Number:
    """Show a p-value: three decimals, never 0."""
    return Number(p, 3, least=0.001)


def evidence(value: float | None) -> Number:
    """Show an e-value; beyond ten thousand its size says nothing more."""
    return Number(value, 1, most=10_000)


def drift_cell(figure: DriftFigure) -> WithInterval:
    """Show a mean drift with its interval and its sign."""
    return WithInterval.of(figure.drift, digits_of(figure.metric), signed=True)


def p_said(p: float) -> str:
    """Write a p-value as an equation.

    Example:
        >>> p_said(0.0314), p_said(1e-9)
        ('p = 0.031', 'p < 0.001')
    """
    shown = cell_text(p_value(p))
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def group_label(group: tuple[str, str]) -> str:
    """Name a group with its kind; long names are cut.

    Example:
        >>> group_label(("exercise", "6715"))
        'exercise 6715'
    """
    return f"{clipped(group[0], _LONGEST_NAME).shown} {group_name(group)}"


def group_name(group: tuple[str, str]) -> str:
    """Name a group without its kind."""
    return clipped(group[1], _LONGEST_NAME).shown or "(blank)"


def subject(test: DriftTest | DriftFigure) -> str:
    """Name what a test or a figure is about: the metric, and the group if it is about one."""
    return label(test.metric) + ("" if test.group is None else f" in {group_label(test.group)}")


def reading(summary: DriftSummary) -> tuple[str, ...]:
    """Say in sentences which figures decided, the weightiest first; without a gate, what drifted most."""
    decision, ruler = summary.decision, summary.ruler
    has_moved = ruler is not None and ruler.has_moved
    if decision is None:
        said = _measured(summary)
    elif has_moved and not _is_own(decision):
        said = iter(("Nothing failed, and a moved ruler lets nothing pass",))
    elif decision.outcome is Outcome.FAIL:
        said = _failed(summary, decision)
    elif decision.outcome is Outcome.UNDECIDED:
        said = _undecided(summary, decision)
    else:
        said = _passed(summary, decision)
    first = (ruler.words(),) if ruler is not None and has_moved else ()
    return tuple(f"{_begun(sentence)}." for sentence in (*first, *said))


def _is_own(decision: GateDecision) -> bool:
    """Tell whether the gate's tests and limits decided, and not the ruler alone."""
    waiting = any(test.outcome is Outcome.UNDECIDED for test in decision.overall)
    return decision.outcome is not Outcome.UNDECIDED or waiting


def headline_words(summary: DriftSummary) -> str:
    """Say in one paragraph which figures decided."""
    return " ".join(reading(summary))


def coverage_words(summary: DriftSummary) -> str:
    """Say what the intervals cover."""
    return coverage(summary.plan.interval)


def drift_interval_words(summary: DriftSummary) -> str:
    """Say how the intervals of drifts were made."""
    methods = {subject(figure): figure.drift.method for figure in summary.figures}
    return plan_words(summary.plan, methods, "items")


def threshold_words(check: ThresholdCheck) -> str:
    """Say how a threshold came out: ``min_bertscore_f1: 0.71 where the limit is 0.80``."""
    within = "" if check.group is None else f" in {group_label(check.group)}"
    value = "no value" if math.isnan(check.value) else number(check.value, 3)
    return f"{one_line(check.name)}{within}: {value} where the limit is {number(check.limit, 3)}"


def result_words(summary: DriftSummary, test: DriftTest) -> str:
    """Say what a test found, with its uncertainty: drift, interval, margin, p and n."""
    digits = digits_of(summary.comparison.metrics[test.metric])
    n = counted(test.drift.n, "item")
    if math.isnan(test.drift.value):
        return f"{subject(test)} has no value ({n})"
    runs = _runs_behind(summary, test)
    behind = "" if runs is None else f"over {counted(runs, 'run')} "
    drift = cell_text(WithInterval.of(test.drift, digits, signed=True))
    if math.isnan(test.p_adjusted):
        tested = "not testable without a rerun"
    elif summary.decision is not None and is_untested(summary.decision, test):
        tested = "too few items differ to be tested"
    else:
        tested = p_said(test.p_adjusted)
    found = f"{subject(test)} drifted by {drift}, {_limit_words(test, digits)} ({behind}{tested}, {n})"
    return f"{found}: {test.change}" if test.change in _SAID else found


def is_untested(decision: GateDecision, test: DriftTest | None) -> bool:
    """Tell whether too few items differ between runs for a test to be significant, so that it was left out.

    Such a test has the adjusted p-value 1 (``adjusted_discrete``). No correction makes a p-value greater
    than the number of tests times itself, so that 1 beyond that shows it. A group whose metric has 1 over
    all items gets that; it counts as tested if its metric was.
    """
    if test is None or math.isnan(test.p_value) or test.p_adjusted < 1:
        return False
    if test.group is None:
        return len(decision.overall) * test.p_value < 1
    family = [
        one
        for one in decision.tests
        if one.group is not None and (one.metric, one.group[0]) == (test.metric, test.group[0])
    ]
    above = next((one for one in decision.overall if one.metric == test.metric), None)
    if above is not None and above.p_adjusted >= 1:
        return is_untested(decision, above)
    return len(family) * test.p_value < 1


def untested_words(summary: DriftSummary) -> str | None:
    """Name the metrics in which too few items differ to be tested; ``None`` without any."""
    if summary.decision is None:
        return None
    decision = summary.decision
    names = [label(test.metric) for test in decision.overall if is_untested(decision, test)]
    return f"Too few items differ to test {listed(names)}." if names else None


def beyond_chance_words(test: SequenceTest, decision: GateDecision) -> str:
    """Say since which run a loss is beyond chance."""
    return f"beyond chance since run {count(test.significant_since(decision.settings.alpha))}"


def sequence_words(test: SequenceTest, decision: GateDecision) -> str:
    """Say what many runs together show about one metric."""
    found = beyond_chance_words(test, decision) if test.is_significant else "within what chance explains"
    mean, latest = number(test.mean_loss, 3), number(test.losses[-1] if test.losses else math.nan, 3)
    return (
        f"{label(test.metric)} over {counted(len(test.losses), 'run')}: the loss, {mean} on average and "
        f"{latest} in the latest run, where {number(test.allowed, 3)} is allowed, is {found} "
        f"(evidence {cell_text(evidence(test.latest_evidence))}, {p_said(test.p_adjusted)})"
    )


def sorting_words(summary: DriftSummary, shown: int) -> str:
    """Say how many of the items that came out worse are shown, and how they are sorted."""
    n = summary.harm.n_harmed
    if shown < n:
        found = f"The {count(shown)} worst of {count(n)}"
    else:
        found = f"All {count(n)} that came out worse" if n > 1 else "The one that came out worse"
    return f"{found}. {HARM[summary.decision is not None]}."


def model_name(summary: DriftSummary) -> Quoted:
    """Name the model that is asked about."""
    return Quoted(summary.comparison.candidate.model, _LONGEST_NAME)


def _measured(summary: DriftSummary) -> Iterator[str]:
    known = [figure for figure in summary.overall if not math.isnan(figure.drift.value)]
    if not known:
        yield "No item has a value, so there is nothing to compare"
        return
    worst = max(known, key=lambda figure: figure.drift.value / figure.metric.span)
    found = f"{label(worst.metric)} {cell_text(drift_cell(worst))} ({counted(worst.drift.n, 'item')})"
    head = "Greatest drift" if worst.drift.value > 0 else "No metric drifted for the worse; nearest to it"
    yield f"{head}: {found}"
    yield "No gate was asked, so nothing was decided"


def _failed(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    yield from map(broken_limit_words, decision.broken_limits)
    if decision.failed_items:
        named = ", ".join(shown_id(check.id) for check in decision.failed_items[:_FEW])
        more = len(decision.failed_items) - _FEW
        yield f"must-pass items became worse: {named}{f' and {count(more)} more' if more > 0 else ''}"
    tests = _most_urgent(test for test in decision.tests if test.outcome is Outcome.FAIL)
    if tests:
        yield result_words(summary, tests[0])
    if len(tests) > 1:
        yield f"Also beyond chance and margin: {_named(tests[1:])}"
    broken = [check for check in decision.thresholds if not check.passed]
    yield from (threshold_words(check) for check in broken[:_FEW])
    if len(broken) > _FEW:
        yield f"{count(len(broken) - _FEW)} more thresholds do not hold"
    yield from (sequence_words(one, decision) for one in decision.sequence if one.is_significant)


def _undecided(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    tests = _most_urgent(test for test in decision.overall if test.outcome is Outcome.UNDECIDED)
    if tests:
        yield f"{result_words(summary, tests[0])}, so it may or may not have become worse"
    if len(tests) > 1:
        yield f"Also undecided: {_named(tests[1:])}"
    n, reruns = len(summary.comparison.baseline.items), len(summary.comparison.reruns)
    if summary.forecast is not None:
        yield forecast_words(summary.forecast)
    else:
        yield needed_words(tests, over_runs=bool(decision.sequence), n_items=n, reruns=reruns)
    remedy = (summary.next_step or "").partition(": ")[2]
    if remedy.startswith("look at") or (reruns and remedy.startswith("record one more rerun")):
        yield remedy


def _passed(summary: DriftSummary, decision: GateDecision) -> Iterator[str]:
    tests = sorted(decision.overall, key=_room)
    if len(tests) > 1:
        yield passed_words(decision)
    if tests:
        closest = result_words(summary, tests[0])
        yield closest if len(tests) == 1 else f"Closest to its margin: {closest}"
    if decision.thresholds:
        yield "Every threshold holds" if len(decision.thresholds) > 1 else "The threshold holds"
    waiting = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED]
    if waiting:
        yield f"Not decided, having few items: {_named(waiting)}"


def _limit_words(test: DriftTest, digits: int) -> str:
    """Say what a drift is held against: the margin, and to pass the tolerance where that is greater."""
    margin = f"margin {number(test.margin, digits)}"
    if test.outcome is Outcome.FAIL or not test.tolerance > test.margin:
        return margin
    return f"{margin}, with noise {number(test.tolerance, digits)}"


def _runs_behind(summary: DriftSummary, test: DriftTest) -> int | None:
    """Count the runs that a test's p-value comes from; ``None`` where it is of this run alone."""
    if test.group is not None or summary.decision is None:
        return None
    runs = (len(one.losses) for one in summary.decision.sequence if one.metric == test.metric)
    return next(runs, None)


def _most_urgent(tests: Iterable[DriftTest]) -> list[DriftTest]:
    return sorted(tests, key=lambda test: test.urgency)


def _room(test: DriftTest) -> float:
    """Sort passed tests by how much room is left below the margin, as a share of it."""
    high, tolerance = deciding_bound(test.drift), max(test.margin, test.tolerance)
    return math.inf if math.isnan(high) or tolerance <= 0 else 1 - high / tolerance


def _named(tests: Iterable[DriftTest]) -> str:
    names = [subject(test) for test in tests]
    shown = ", ".join(names[:_FEW])
    return shown if len(names) <= _FEW else f"{shown} and {count(len(names) - _FEW)} more"


def _begun(sentence: str) -> str:
    """Begin a sentence; names such as ``min_bertscore_f1`` stay as settings have them."""
    return sentence if "_" in sentence.split(" ", 1)[0] else capitalised(sentence)
