"""A rating summary as JSON, for programs."""

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semscale.cli.runs.rating import RatedFile
    from semscale.rating.human.comparison import RatingComparison
    from semscale.rating.lint.linter import LintReport
    from semscale.stats.intervals.estimates import Estimate, GroupEstimate


def rating_json(rated: "RatedFile") -> str:
    """Write what came of a run as a JSON object; what does not exist is null."""
    from semscale.report.cautions import cautions

    summary = rated.summary
    estimates = summary.estimates
    content = {
        "scale": summary.scale.name,
        "source": summary.source,
        "rows": summary.n,
        "counts": summary.counts,
        "possible_codes": summary.possible_codes,
        "windowed": summary.n_windowed,
        "distinct": summary.n_distinct,
        "points": [{"value": point.value, "label": point.label} for point in summary.scale.points],
        "overall": _group(estimates.overall),
        "groups": [_group(group) for group in estimates.groups],
        "interval": estimates.interval,
        "method": estimates.method,
        "clustered": estimates.clustered,
        "seed": estimates.seed,
        "replicates": estimates.replicates,
        "by": summary.by,
        "weight": summary.weight,
        "respondent": summary.respondent,
        "floor": summary.floor,
        "comparison": _comparison(summary.comparison),
        "cautions": list(cautions(summary)),
        "lint": _lint(rated.lint),
        "signature": str(summary.signature),
        "out": None if rated.out is None else str(rated.out),
        "report": None if rated.report is None else str(rated.report),
        "created": summary.created.isoformat(timespec="seconds"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _lint(linted: "LintReport") -> dict[str, Any]:
    return {
        "verdict": linted.verdict,
        "reasons": list(linted.reasons) if linted.findings else [],
        "signature": str(linted.signature),
    }


def _group(group: "GroupEstimate") -> dict[str, Any]:
    return {
        "group": group.group,
        "rows": group.n,
        "left_out": group.left_out,
        "effective_rows": group.effective_n,
        "clusters": group.n_clusters,
        "method": group.method,
        "mean": _estimate(group.mean),
        "top_2_box": _estimate(group.top_2_box),
        "bottom_2_box": _estimate(group.bottom_2_box),
        "net": _estimate(group.net),
        "nps": _estimate(group.nps),
        "pmf": [_estimate(mass) for mass in group.pmf],
    }


def _comparison(compared: "RatingComparison | None") -> dict[str, Any] | None:
    if compared is None:
        return None
    return {
        "texts": compared.n,
        "eligible_texts": compared.n_eligible,
        "clusters": compared.n_clusters,
        "pearson": _estimate(compared.pearson),
        "spearman": _estimate(compared.spearman),
        "ks_similarity": _estimate(compared.ks_similarity),
        "human_pmf": [_number(mass) for mass in compared.human_pmf],
        "machine_pmf": [_number(mass) for mass in compared.machine_pmf],
        "ceiling": _estimate(compared.ceiling),
        "null_length": _estimate(compared.null_length),
        "null_ks": _estimate(compared.null_ks),
        "interval": compared.interval,
        "signature": str(compared.signature),
    }


def _estimate(estimate: "Estimate | None") -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {"value": _number(estimate.value), "low": _number(estimate.low), "high": _number(estimate.high)}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
