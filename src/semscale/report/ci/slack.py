"""A gate's decision as a message in Slack."""

from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.drift.words import OUTCOMES, headline_words
from semscale.report.formatting import clipped

_LONGEST_NAME = 80
_LONGEST = 2_000
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def slack_message(summary: DriftSummary, decision: GateDecision, *, link: str | None = None) -> str:
    """Say in a few lines which run was compared, what the gate decided, and what to do next.

    No output's text is in it.

    Args:
        summary: the comparison.
        decision: the gate's about it.
        link: address of the job that ran the gate.

    Returns:
        Slack's mark-up; names are escaped, so that none can mention a channel or make a link.

    References:
        Slack, formatting text for app surfaces: ``&``, ``<`` and ``>`` are escaped.
    """
    baseline, candidate = summary.comparison.baseline, summary.comparison.candidate
    compared = f"{_name(candidate.model)} against {_name(baseline.model)}, dataset {_name(baseline.dataset)}"
    lines = [
        f"*Drift gate {OUTCOMES[decision.outcome]}*: {compared}",
        _escaped(f"{summary.next_step}."),
        _escaped(headline_words(summary)),
    ]
    if link:
        lines.append(f"<{_escaped(link)}|Job>")
    return "\n".join(lines)


def _name(text: str) -> str:
    return _escaped(text, _LONGEST_NAME)


def _escaped(text: str, longest: int = _LONGEST) -> str:
    return clipped(text, longest).shown.translate(_ESCAPED)
