"""What came of matching a table as JSON, for programs."""

import json
import math
from typing import TYPE_CHECKING, Any

from semscale.report.match_words import cautions

if TYPE_CHECKING:
    from semscale.cli.runs.match import MatchedFile
    from semscale.guards.findings import Finding, Span
    from semscale.matching.match_summary import MatchSummary
    from semscale.stats.intervals.means import MeanEstimate

_WORST = 20


def match_json(matched: "MatchedFile") -> str:
    """Write what came of a run as a JSON object; what does not exist is null."""
    summary = matched.summary
    separation = summary.separation
    content = {
        "source": summary.source,
        "method": summary.method,
        "rows": summary.n,
        "counts": {str(status): n for status, n in summary.matches.counts.items()},
        "overall": estimate_json(summary.estimates.overall_mean()),
        "by": summary.columns.by,
        "groups": [
            {"group": name, **estimate_json(estimate)}
            for name, estimate in summary.estimates.group_means().items()
        ],
        "interval": summary.interval,
        "seed": summary.seed,
        "bounds": list(summary.matches.bounds),
        "guards": summary.guards,
        "separation": None
        if separation is None
        else {"share_above": separation.share, "unrelated_pairs": len(separation.unrelated),
              "unrelated_mean": float(separation.unrelated.mean())},
        "worst": [_row(matched, row) for row in summary.worst(_WORST).tolist()],
        "cautions": list(cautions(summary)),
        "signature": str(summary.matches.signature),
        "out": None if matched.out is None else str(matched.out),
        "report": None if matched.report is None else str(matched.report),
        "created": summary.created.isoformat(timespec="seconds"),
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def estimate_json(estimate: "MeanEstimate") -> dict[str, Any]:
    """Lay an estimate out; what is not a number is null."""
    return {
        "rows": estimate.n,
        "left_out": estimate.n_left_out,
        "mean": number_or_null(estimate.value),
        "low": number_or_null(estimate.low),
        "high": number_or_null(estimate.high),
        "intervals": estimate.method,
    }


def number_or_null(value: float) -> float | None:
    """Give a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None


def _row(matched: "MatchedFile", row: int) -> dict[str, Any]:
    summary = matched.summary
    shown = {
        "row": row + 1,
        "score": float(summary.matches.score[row]),
        "prediction": summary.cells.predictions[row],
        "reference": summary.reference(row),
        "components": _components(summary, row),
        "findings": [_finding(found) for found in summary.matches.findings[row]]
        if summary.matches.findings
        else None,
    }
    if matched.explain:
        tokens = matched.explained.get(row)
        shown["tokens"] = None if tokens is None else tokens.to_dicts()
    return shown


def _components(summary: "MatchSummary", row: int) -> dict[str, float | None]:
    return {name: number_or_null(values[row]) for name, values in summary.matches.components.items()}


def _finding(found: "Finding") -> dict[str, Any]:
    return {
        "guard": found.guard,
        "kind": found.kind,
        "reason": found.reason,
        "prediction": _span(found.prediction),
        "reference": _span(found.reference),
    }


def _span(span: "Span | None") -> dict[str, Any] | None:
    return None if span is None else {"start": span.start, "end": span.end, "text": span.text}
