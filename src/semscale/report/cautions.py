"""What a reader must know beside the figures: the same words on the screen, in JSON and in the report."""

from typing import TYPE_CHECKING

from semscale.report.wording import count, counted, listed, one_line

if TYPE_CHECKING:
    from semscale.rating.lint.linter import LintReport
    from semscale.rating.summary import RatingSummary

NPS_CAUTION = (
    "This net promoter score comes from probability mass, which spreads over all points: compare groups "
    "by it, and do not set it beside an NPS from answers in figures."
)

VERDICTS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails"}
"""What a scale does, for each verdict of the linter."""

_IN_WORDS = {
    "not-text": "not text",
    "no-weight": "without weight",
    "zero-weight": "with weight 0",
    "no-respondent": "without respondent",
}


def cautions(summary: "RatingSummary") -> tuple[str, ...]:
    """List what the figures of a summary must not be taken for; empty where there is nothing to say."""
    estimates, comparison = summary.estimates, summary.comparison
    nps = [NPS_CAUTION] if estimates.overall.nps is not None else []
    return (*estimates.notes, *nps, *(comparison.notes if comparison else ()))


def rows_that_count(summary: "RatingSummary") -> str:
    """Say how many rows the figures rest on, and why the others do not count: together they are all rows."""
    overall = summary.estimates.overall
    verb = "counts" if 1 in {overall.n, summary.n} else "count"
    reasons = sorted(overall.left_out.items(), key=lambda item: -item[1])
    shown = [f"{count(n)} {_IN_WORDS.get(reason, reason)}" for reason, n in reasons if n]
    left_out = f"; left out: {listed(shown)}" if shown else ""
    return f"{count(overall.n)} of {counted(summary.n, 'row')} {verb}{left_out}"


def lint_line(lint: "LintReport") -> str | None:
    """Say in one line what the linter found; ``None`` for a plain pass.

    Example:
        >>> from types import SimpleNamespace
        >>> reasons = ("fail: x: too alike", "warn: y: z")
        >>> lint_line(SimpleNamespace(verdict="fail", reasons=reasons))
        'This scale fails (fail: x: too alike; and 1 more: semscale scales lint)'
        >>> lint_line(SimpleNamespace(verdict="pass", reasons=("every criterion is met",)))
    """
    if lint.verdict == "pass":
        return None
    first, more = lint.reasons[0], len(lint.reasons) - 1
    others = f"; and {more:,} more: semscale scales lint" if more else ""
    return f"This scale {VERDICTS[lint.verdict]} ({one_line(first)}{others})"
