"""Sentences about hard limits and must-pass items."""

from collections.abc import Mapping

from semscale.drift.gate.next_step import limit_words
from semscale.drift.limits.results import LimitCheck, LimitOutcome, MustPassCheck
from semscale.report.document.values import Level
from semscale.report.formatting import clipped, count, one_line

_NAMED = 5
_LONGEST_NAME = 60

LIMIT_LEVELS: Mapping[LimitOutcome, Level] = {
    LimitOutcome.PASS: "pass",
    LimitOutcome.FAIL: "fail",
    LimitOutcome.NOT_CHECKED: "warn",
}
"""How good each outcome of a limit is."""


def broken_limit_words(check: LimitCheck) -> str:
    """Say how a limit came out, with the items that break it.

    Example:
        >>> broken_limit_words(LimitCheck("silenced", 0, 24, ("a", "b")))
        'limit silenced: 2 of 24 items with outputs have lost all outputs, none may (a, b)'
    """
    if check.outcome is LimitOutcome.NOT_CHECKED:
        nothing = f"nothing is known of {count(check.n_unchecked)}" if check.n_unchecked else "there are no"
        return f"limit {one_line(check.name)}: not checked, as {nothing} {check.about}"
    found = f"limit {one_line(check.name)}: {one_line(limit_words(check))}, {allowed_words(check)} may"
    return f"{found} ({ids_words(check.items)})" if check.items else found


def must_pass_words(check: MustPassCheck) -> str:
    """Say how a must-pass item came out."""
    return f"{shown_id(check.id)}: {one_line('; '.join(check.reasons)) or 'nothing became worse'}"


def allowed_words(check: LimitCheck) -> str:
    """Say how many items may break a limit."""
    if check.allowed == 0:
        return "none"
    return f"{100 * check.allowed:g}\u00a0%" if check.allowed < 1 else count(int(check.allowed))


def ids_words(ids: tuple[str, ...]) -> str:
    """Name the first items, and how many more there are."""
    shown = ", ".join(map(shown_id, ids[:_NAMED]))
    return shown if len(ids) <= _NAMED else f"{shown} and {count(len(ids) - _NAMED)} more"


def shown_id(name: str) -> str:
    """Show an item's id; a long one is cut."""
    return clipped(name, _LONGEST_NAME).shown
