"""A comparison, a gate's decision, and a history as JSON, for programs."""

import json
from typing import TYPE_CHECKING, Any

from semscale.report.drift_json import decision_document, number_or_none

if TYPE_CHECKING:
    from semscale.cli.drift.run import ComparedRuns
    from semscale.history.runs import Approval
    from semscale.history.stored_comparison import StoredFigure


def compared_json(compared: "ComparedRuns") -> str:
    """Write what came of comparing as a JSON object; what does not exist is null."""
    content = {
        **decision_document(compared.comparison, compared.decision),
        "comparison": compared.stored.id,
        "figures": [figure_document(figure) for figure in compared.stored.figures],
        "approval": None if compared.approval is None else approval_document(compared.approval),
        "recorded": compared.recorded,
        **{name: str(path) for name, path in compared.written.items()},
    }
    return dumped(content)


def figure_document(figure: "StoredFigure") -> dict[str, Any]:
    """Lay out one metric's figures, over all items or one group."""
    measures = ("loss", "drift", "low", "high", "margin")
    return {
        "metric": figure.metric,
        "group": None if figure.group is None else {"kind": figure.group[0], "name": figure.group[1]},
        **{name: number_or_none(getattr(figure, name)) for name in measures},
        "n": figure.n,
        "left_out": figure.n_left_out,
    }


def approval_document(approval: "Approval") -> dict[str, Any]:
    """Lay out who approved what, when, why, and until when."""
    return {
        "run": approval.run_id,
        "by": approval.by,
        "why": approval.why,
        "approved": approval.approved.isoformat(),
        "expires": None if approval.expires is None else approval.expires.isoformat(),
    }


def dumped(content: dict[str, Any]) -> str:
    """Write a JSON object as people and programs read it."""
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
