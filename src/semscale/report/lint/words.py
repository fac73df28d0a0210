"""Sentences of a lint report: verdicts, findings and cautions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from semscale.report.document import Citation, Findings, Paragraph
from semscale.report.formatting import listed, one_line

if TYPE_CHECKING:
    from semscale.rating.lint import LintFinding, LintReport

VERDICTS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails"}
"""What a scale does, for each verdict of the linter."""

SSR = Citation(
    "Maier, B. F., Aslak, U., Fiaschi, L., Rismal, N., Fletcher, K., Luhmann, C. C., Dow, R., Pappas, K., & "
    "Wiecki, T. V. (2025).",
    "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
    "arXiv:2510.08338",
    "the rating method",
    "https://arxiv.org/abs/2510.08338",
)


def reading(report: "LintReport") -> str:
    """Say what the verdict means, and which anchor sets cause it."""
    if report.verdict == "pass":
        return "Every criterion is met with this embedding model."
    blamed = [one_line(one.name) for one in report.sets if one.verdict == report.verdict]
    sets = f"{'set' if len(blamed) == 1 else 'sets'} {listed(blamed)}"
    if report.verdict == "warn":
        on = f" on {sets}" if blamed else ""
        return f"It can be used with this embedding model, with reservations{on}."
    return f"It cannot be relied upon with this embedding model{f', because of {sets}' if blamed else ''}."


def findings(found: "Sequence[LintFinding]", *, with_sets: bool = False) -> Findings | Paragraph:
    """List what is not met, each with the anchor set that it is about where that does not stand above."""
    if not found:
        return Paragraph("Every criterion is met.", "note")
    lead = [f"{one.anchor_set or 'all sets'}: " if with_sets else "" for one in found]
    return Findings(
        tuple((one.verdict, one_line(f"{set_}{one.reason}")) for set_, one in zip(lead, found, strict=True))
    )


def lint_caution(lint: "LintReport") -> str | None:
    """Say in one line what the linter found; ``None`` for a plain pass.

    Example:
        >>> from types import SimpleNamespace
        >>> reasons = ("fail: x: too alike", "warn: y: z")
        >>> lint_caution(SimpleNamespace(verdict="fail", reasons=reasons))
        'This scale fails (fail: x: too alike; and 1 more: semscale scales lint)'
        >>> lint_caution(SimpleNamespace(verdict="pass", reasons=("every criterion is met",)))
    """
    if lint.verdict == "pass":
        return None
    first, more = lint.reasons[0], len(lint.reasons) - 1
    others = f"; and {more:,} more: semscale scales lint" if more else ""
    return f"This scale {VERDICTS[lint.verdict]} ({one_line(first)}{others})"
