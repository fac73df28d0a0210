"""What a history keeps of a gate's limits, must-pass items and thresholds."""

from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.records import NAMED_ITEMS
from semscale.drift.limits.results import LimitOutcome
from semscale.history.stored_comparison import StoredCheck


def stored_checks(decision: GateDecision) -> tuple[StoredCheck, ...]:
    """Give the checks of a decision as a history keeps them; of a limit, the first items that break it.

    A limit that was not checked has no outcome to keep.
    """
    limits = [
        StoredCheck(
            "limit",
            check.name,
            check.passed,
            check.group,
            value=float(check.n_broken),
            allowed=float(check.allowed),
            items=check.items[:NAMED_ITEMS],
        )
        for check in decision.limits
        if check.outcome is not LimitOutcome.NOT_CHECKED
    ]
    must_pass = [
        StoredCheck("must_pass", one.id, one.passed, reasons=one.reasons) for one in decision.must_pass
    ]
    thresholds = [
        StoredCheck("threshold", one.name, one.passed, one.group, value=one.value, allowed=one.limit)
        for one in decision.thresholds
    ]
    return (*limits, *must_pass, *thresholds)
