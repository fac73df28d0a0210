"""What came of measuring a table's consistency as JSON, for programs."""

import json
from typing import TYPE_CHECKING, Any

from semscale.cli.runs.match_json import estimate_json, number_or_null
from semscale.report.consistency_words import cautions

if TYPE_CHECKING:
    from semscale.cli.runs.consistency import ConsistentFile
    from semscale.self_consistency.summary import ConsistencySummary
    from semscale.stats.calibration.acceptance import AcceptanceThreshold

_LEAST = 20


def consistency_json(measured: "ConsistentFile") -> str:
    """Write what came of a run as a JSON object; what does not exist is null."""
    summary = measured.summary
    found = summary.found
    content = {
        "source": summary.source,
        "items": summary.n,
        "counts": {str(status): n for status, n in found.counts.items()},
        "samples": int(found.n_samples.sum()),
        "samples_left_out": int(found.samples_left_out.sum()),
        "windowed": found.n_windowed,
        "floor": found.floor,
        "measures": {name: estimate_json(summary.estimates.overall_mean(name)) for name in found.measures},
        "by": summary.columns.by,
        "groups": [
            {"group": name, **estimate_json(estimate)}
            for name, estimate in summary.estimates.group_means().items()
        ],
        "contradicted": summary.contradicted,
        "guards": summary.guards,
        "trust": _trust(summary),
        "asking": _asking(summary),
        "least": [_item(summary, item) for item in summary.least(_LEAST).tolist()],
        "interval": summary.interval,
        "seed": summary.seed,
        "cautions": list(cautions(summary)),
        "signature": str(found.signature),
        "out": None if measured.out is None else str(measured.out),
        "report": None if measured.report is None else str(measured.report),
        "created": summary.created.isoformat(timespec="seconds"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _trust(summary: "ConsistencySummary") -> dict[str, Any] | None:
    trust = summary.trust
    if trust is None:
        return None
    figures = trust.figures
    return {
        "curve": trust.curve,
        "measure": trust.measure,
        "labels": figures.n,
        "brier": estimate_json(figures.brier),
        "brier_of_share": number_or_null(figures.brier_of_share),
        "calibration_error": number_or_null(figures.error),
        "calibration_error_by_chance": number_or_null(figures.error_by_chance),
        "areas": {name: number_or_null(area) for name, area in trust.areas.items()},
        "accept": _threshold(trust.triage.accept),
        "abstain": _threshold(trust.triage.abstain),
        "reviewed": number_or_null(trust.triage.reviewed),
        "confidence": trust.triage.confidence,
        "bins": [
            {"predicted": one.predicted, "observed": one.observed.value, "n": one.n} for one in figures.bins
        ],
    }


def _threshold(side: "AcceptanceThreshold") -> dict[str, Any]:
    return {
        "value": side.value,
        "error_rate": side.error_rate,
        "share": number_or_null(side.accepted),
        "labels": side.n_accepted,
        "errors": side.n_errors,
        "note": side.note,
    }


def _asking(summary: "ConsistencySummary") -> dict[str, int] | None:
    replies = summary.replies
    if replies is None:
        return None
    return {"replies": replies.n_calls, "saved": replies.n_saved, "failed": replies.n_failed}


def _item(summary: "ConsistencySummary", item: int) -> dict[str, Any]:
    found, trust = summary.found, summary.trust
    return {
        "item": item + 1,
        "prompt": summary.cells.prompts[item],
        "answer": summary.cells.answers[item],
        "samples": summary.cells.samples[item],
        **{name: number_or_null(values[item]) for name, values in found.measures.items()},
        "probability_correct": None if trust is None else number_or_null(trust.probability[item]),
        "decision": None if trust is None else trust.decision[item],
        "contradictions": [
            {"sample": one.sample, "guard": one.finding.guard, "reason": one.finding.reason}
            for one in found.contradictions[item]
        ],
    }
