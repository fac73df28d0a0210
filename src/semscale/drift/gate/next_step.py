"""One sentence about what to do after a gate's decision."""

from collections.abc import Iterator

from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    GateDecision,
    MetricChange,
    Outcome,
    deciding_bound,
    is_out_of_reach,
)
from semscale.drift.gate.harm import harm_of
from semscale.drift.limits.kinds import MISSING
from semscale.drift.limits.results import LimitCheck
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import metric_label
from semscale.drift.sizing.forecast import SizeForecast
from semscale.history.runs import named

_FEW = 3
_ASK_AGAIN = "record a rerun of the baseline (--rerun-of baseline) and run the gate again"
_ONCE_MORE = "record one more rerun of the baseline (--rerun-of baseline) and run the gate again"


def next_step(comparison: Comparison, decision: GateDecision, found: SizeForecast | None = None) -> str:
    """Say in one sentence what to do next.

    Args:
        comparison: a candidate measured against the baseline.
        decision: the gate's about it.
        found: what would decide it, if it is undecided and that is known.

    Returns:
        A sentence without its full stop, such as ``2 of 24 items with outputs have lost all outputs: look at
        'a', 'b'; approve the run only if that is meant``.
    """
    if decision.outcome is Outcome.PASS:
        return f"Nothing to do: {passed_words(decision)}, and every limit holds"
    if decision.outcome is Outcome.UNDECIDED:
        return _when_undecided(comparison, decision, found)
    (first, items), *others = _causes(decision)
    missing = next((check for check in decision.broken_limits if check.name == MISSING), None)
    must = _must_pass_words(decision)
    if must and must != first:
        others = [one for one in others if one[0] != must]
        first = f"{first}, {must}" if others else f"{first}, and {must}"
    also = f", and {len(others)} more finding{'s' * (len(others) > 1)}" if others else ""
    if missing is not None:
        return f"{first}{also}: {_record(missing.items)}"
    looked_at = ", ".join(map(repr, (items or _worst(comparison, decision))[:_FEW])) or "the report"
    better = _better(decision)
    but = f"; by {better} it became better" if better else ""
    return f"{first}{also}{but}: look at {looked_at}; approve the run only if that is meant"


def passed_words(decision: GateDecision) -> str:
    """Say how the tests over all items passed: below their margins, within the noise, or by their shift.

    Args:
        decision: of a gate that passed.

    Returns:
        Such as ``every metric's drift lies below its margin or within the noise``.
    """
    tests = decision.overall
    wider = [test for test in tests if test.tolerance > test.margin]
    by_noise = any(deciding_bound(test.drift) >= test.margin for test in wider)
    both_ways = any(test.passed_by_shift for test in tests)
    ways = ["below its margin", *["within the noise"] * by_noise, *["both ways alike"] * both_ways]
    return f"every metric's drift lies {' or '.join(ways)}"


def limit_words(check: LimitCheck) -> str:
    """Say how many items break a limit.

    Example:
        >>> limit_words(LimitCheck("silenced", 0, 24, ("a", "b")))
        '2 of 24 items with outputs have lost all outputs'
    """
    n = check.n_broken
    return f"{n} of {check.n} {check.about}{_where(check)} {'has' if n == 1 else 'have'} {check.broken}"


def _where(check: LimitCheck) -> str:
    """Name the slice that a limit holds for, or the slices whose own limits hold there instead."""
    if check.group is not None:
        return f" in {' '.join(check.group)}"
    return f" outside {' and '.join(map(' '.join, check.outside))}" if check.outside else ""


def _causes(decision: GateDecision) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give what failed, the gravest first, with the items where it can be seen."""
    for check in decision.broken_limits:
        yield limit_words(check), check.items
    if items := tuple(check.id for check in decision.failed_items):
        yield _must_pass_words(decision), items
    for test in sorted(decision.tests, key=lambda test: test.urgency):
        if test.outcome is Outcome.FAIL:
            within = "" if test.group is None else f" in {' '.join(test.group)}"
            yield f"{metric_label(test.metric)}{within} drifted beyond chance and margin", ()
    for threshold in decision.thresholds:
        if not threshold.passed:
            yield f"threshold {threshold.name} does not hold", ()


def _better(decision: GateDecision) -> str:
    """Name the metrics that became better, if none became worse; empty otherwise."""
    overall = [test for test in decision.overall if test.change is not None]
    if any(test.change is MetricChange.WORSE for test in overall):
        return ""
    return " and ".join(metric_label(test.metric) for test in overall if test.change is MetricChange.BETTER)


def _must_pass_words(decision: GateDecision) -> str:
    """Say how many must-pass items became worse; empty if none did."""
    n = len(decision.failed_items)
    return f"{n} must-pass item{'s' * (n > 1)} became worse" if n else ""


def _without_values(decision: GateDecision) -> str:
    """Say what cannot be decided as no item has a value; empty where that is not so."""
    empty = [test.metric for test in decision.overall if not test.drift.n]
    if empty:
        named_metrics = " and ".join(map(metric_label, empty))
        return f"No item has a value in {named_metrics}: name the metrics that can be tested (--metric)"
    unchecked = [check for check in decision.limits if check.n_unchecked]
    if not unchecked:
        return ""
    check = unchecked[0]
    return (
        f"Nothing is known of {check.n_unchecked} {check.about} in limit {check.name}: measure the runs again"
    )


def _too_few(decision: GateDecision) -> str:
    """Say how many items are missing where more reruns cannot help; empty where they can."""
    waiting = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED]
    overall = [test.drift.n for test in waiting if test.group is None and test.has_few_items]
    if overall:
        n = min(overall)
        more = FEWEST_TO_PASS - n
        return f"A test needs at least {FEWEST_TO_PASS} items to pass, and here are {n}: add {more} or more"
    if waiting and all(test.has_few_items for test in waiting):
        return (
            f"A group needs at least {FEWEST_TO_PASS} items to pass, and one has "
            f"{min(test.drift.n for test in waiting)}: add items there, or leave its kind out of --by"
        )
    return ""


def _record(missing: tuple[str, ...]) -> str:
    """Say which items are to be recorded."""
    counted = "the missing item" if len(missing) == 1 else f"the {len(missing):,} missing items"
    return f"record {counted}, without outputs where the model gave nothing ({named(missing)})"


def _when_undecided(comparison: Comparison, decision: GateDecision, found: SizeForecast | None) -> str:
    worst = _worst(comparison, decision)
    look = f"look at {', '.join(map(repr, worst))}, and approve the run if they are as good as before"
    if worst and (better := _better(decision)):
        return f"It became better by {better}, and other metrics only say that it may differ: {look}"
    if nothing := _without_values(decision):
        return nothing
    return _what_would_decide(comparison, decision, found, look if worst else "")


def _what_would_decide(
    comparison: Comparison, decision: GateDecision, found: SizeForecast | None, look: str
) -> str:
    """Say what would decide an undecided gate, or else where to look; ``look`` is empty where nowhere."""
    n = len(comparison.baseline.items)
    if few := _too_few(decision):
        return few if comparison.reruns else f"{few}, and {_ASK_AGAIN}"
    if not comparison.reruns:
        return f"Nobody knows how much is chance: {_ASK_AGAIN}"
    if found is not None and (cheapest := found.cheapest_words):
        return f"It may or may not have become worse: {cheapest}{f', or {look}' if look else ''}"
    if found is None and decision.n_needed is not None and not is_out_of_reach(decision.n_needed, n):
        more = f"gather about {decision.n_needed:,} items (there are {n:,}) or more reruns"
        return f"It may or may not have become worse: {more}{f', or {look}' if look else ''}"
    return f"It may or may not have become worse: {look or _ONCE_MORE}"


def _worst(comparison: Comparison, decision: GateDecision) -> tuple[str, ...]:
    harmed = harm_of(comparison, decision).worst(_FEW)
    return tuple(comparison.baseline.items[one.place].id for one in harmed)
