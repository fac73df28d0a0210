"""Limits, must-pass items and thresholds that did not hold, as a history keeps them."""

from collections.abc import Sequence

from semscale.history.stored_comparison import StoredCheck
from semscale.report.document.values import Cell, Quoted, Words
from semscale.report.drift.words import group_label
from semscale.report.formatting import MISSING, count, number, one_line

_FEW = 3
_LOST = {"fewer_outputs": "output", "fewer_numbers": "number"}  # limits of totals count no items


def broken_cell(broken: Sequence[StoredCheck] | None) -> Cell:
    """Show in a cell what did not hold."""
    if broken is None:
        return Words(MISSING)
    return Quoted(broken_words(broken)) if broken else Words("none")


def broken_words(broken: Sequence[StoredCheck]) -> str:
    """List what did not hold, the first three.

    Example:
        >>> broken_words([StoredCheck("limit", "silenced", False, value=2.0, allowed=0.0)])
        'silenced (2 items)'
        >>> broken_words([StoredCheck("limit", "fewer_outputs", False, value=6.0, allowed=0.05)])
        'fewer_outputs (6 outputs)'
    """
    more = f" and {count(len(broken) - _FEW)} more" if len(broken) > _FEW else ""
    return ", ".join(map(_said, broken[:_FEW])) + more


def _said(check: StoredCheck) -> str:
    within = "" if check.group is None else f" in {group_label(check.group)}"
    name = one_line(check.name)
    if check.kind == "must_pass":
        return f"must-pass {name}"
    if check.kind == "threshold":
        return f"{name}{within} ({number(check.value, 3)})"
    n = round(check.value)
    return f"{name}{within} ({count(n)} {_LOST.get(check.name, 'item')}{'s' * (n != 1)})"
