"""One sentence about what to do after a gate's decision."""

from collections.abc import Iterator

from semscale.drift.gate.decision import GateDecision, Outcome, is_out_of_reach
from semscale.drift.gate.harm import harm_of
from semscale.drift.limits.results import LimitCheck
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import metric_label

_FEW = 3
_ASK_AGAIN = "record a rerun of the baseline (--rerun-of baseline) and run the gate again"


def next_step(comparison: Comparison, decision: GateDecision) -> str:
    """Say in one sentence what to do next.

    Args:
        comparison: a candidate measured against the baseline.
        decision: the gate's about it.

    Returns:
        A sentence without its full stop, such as ``2 of 24 items with outputs have lost all outputs: look at
        'a', 'b'; approve the run only if that is meant``.
    """
    if decision.outcome is Outcome.PASS:
        return "Nothing to do: no drift reaches its margin, and every limit holds"
    if decision.outcome is Outcome.UNDECIDED:
        return _when_undecided(comparison, decision)
    (first, items), *others = _causes(decision)
    also = f", and {len(others)} more finding{'s' * (len(others) > 1)}" if others else ""
    looked_at = ", ".join(map(repr, (items or _worst(comparison, decision))[:_FEW])) or "the report"
    return f"{first}{also}: look at {looked_at}; approve the run only if that is meant"


def limit_words(check: LimitCheck) -> str:
    """Say how many items break a limit.

    Example:
        >>> limit_words(LimitCheck("silenced", 0, 24, ("a", "b")))
        '2 of 24 items with outputs have lost all outputs'
    """
    n = len(check.items)
    within = "" if check.group is None else f" in {' '.join(check.group)}"
    return f"{n} of {check.n} {check.about}{within} {'has' if n == 1 else 'have'} {check.broken}"


def _causes(decision: GateDecision) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give what failed, the gravest first, with the items where it can be seen."""
    for check in decision.broken_limits:
        yield limit_words(check), check.items
    if items := tuple(check.id for check in decision.failed_items):
        many = len(items) > 1
        yield f"{len(items)} must-pass item{'s' * many} became worse", items
    for test in sorted(decision.tests, key=lambda test: test.urgency):
        if test.outcome is Outcome.FAIL:
            within = "" if test.group is None else f" in {' '.join(test.group)}"
            yield f"{metric_label(test.metric)}{within} drifted beyond chance and margin", ()
    for threshold in decision.thresholds:
        if not threshold.passed:
            yield f"threshold {threshold.name} does not hold", ()


def _when_undecided(comparison: Comparison, decision: GateDecision) -> str:
    worst, n = _worst(comparison, decision), len(comparison.baseline.items)
    look = f"look at {', '.join(map(repr, worst))}, and approve the run if they are as good as before"
    if not comparison.reruns:
        return f"Nobody knows how much is chance: {_ASK_AGAIN}"
    if decision.n_needed is not None and not is_out_of_reach(decision.n_needed, n):
        more = f"gather about {decision.n_needed:,} items (there are {n:,}) or more reruns"
        return f"It may or may not have become worse: {more}{f', or {look}' if worst else ''}"
    return f"It may or may not have become worse: {look if worst else _ASK_AGAIN}"


def _worst(comparison: Comparison, decision: GateDecision) -> tuple[str, ...]:
    harmed = harm_of(comparison, decision).worst(_FEW)
    return tuple(comparison.baseline.items[one.place].id for one in harmed)
