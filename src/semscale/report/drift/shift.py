"""Why a metric passed whose drift alone was not shown to be small: it has no shift."""

from collections.abc import Iterator

from semscale.drift.gate.decision import DriftTest, GateDecision
from semscale.drift.gate.passing import SCATTER
from semscale.report.drift.words import subject
from semscale.report.formatting import number

_DIGITS = 3


def shift_notes(decision: GateDecision | None) -> Iterator[str]:
    """Say of each metric over all items that passed by its shift why it did; nothing without a gate."""
    for test in decision.overall if decision else ():
        if test.passed_by_shift and test.shift:
            yield f"{subject(test)} {_why(test, test.shift.bound)}"


def _why(test: DriftTest, shift: float) -> str:
    tolerance = number(test.tolerance, _DIGITS)
    return (
        f"passes by its shift: what is more and what is less differ by at most {number(shift, _DIGITS)} "
        f"(tolerated: {tolerance}), and the drift is at most {number(test.bound, _DIGITS)} "
        f"(tolerated: {SCATTER:g} × {tolerance})"
    )
