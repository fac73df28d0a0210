"""Attribution: whether the system moved, the ruler, both or neither."""

from dataclasses import replace
from enum import StrEnum

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.ruler.ruler_check import RulerCheck, RulerStatus


class Moved(StrEnum):
    """What moved."""

    SYSTEM = "system"
    RULER = "ruler"
    BOTH = "both"
    NEITHER = "neither"


def ruler_step(if_failed: str | None = None) -> str:
    """Say what to do where the ruler moved, in a sentence without its full stop.

    Args:
        if_failed: what the failed gate says; ``None`` where it did not fail.
    """
    said = (
        "The ruler moved, so this comparison cannot be trusted: find out what changed in the model, its "
        "engine or this machine, read the anchors again (semscale drift anchors --again), and run the gate "
        "again"
    )
    return said if if_failed is None else f"{said}. The gate failed besides: {if_failed}"


def what_moved(outcome: Outcome | None, check: RulerCheck) -> Moved | None:
    """Say what moved.

    Only the ruler can move the anchors, as their texts never change. So a failed gate with a ruler that was
    kept is the system's. Where the ruler moved and the gate failed, both are named: whether the system moved
    is only known after the comparison was measured with a ruler that holds.

    Args:
        outcome: the gate's, before the ruler was looked at; ``None`` without a gate.
        check: the ruler's.

    Returns:
        ``None`` where nobody can say: the gate is undecided or there is none, and the ruler did not move; or
        the anchors were read with this ruler for the first time.

    References:
        Li 2026, Who Drifted: the System or the Judge?, arXiv 2606.15474.
    """
    if check.has_moved:
        return Moved.BOTH if outcome is Outcome.FAIL else Moved.RULER
    if check.status is RulerStatus.NEW:
        return None
    if outcome is Outcome.FAIL:
        return Moved.SYSTEM
    return Moved.NEITHER if outcome is Outcome.PASS else None


def with_ruler(decision: GateDecision, check: RulerCheck) -> GateDecision:
    """Let no gate pass whose ruler moved: what passed is undecided, and what failed still fails."""
    if not check.has_moved:
        return decision
    outcome = Outcome.UNDECIDED if decision.outcome is Outcome.PASS else decision.outcome
    return replace(decision, outcome=outcome)
