"""A rating summary as JSON, for programs."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semscale.rating.comparison import Comparison
    from semscale.rating.summary import RatingSummary
    from semscale.stats.estimates import Estimate, GroupEstimate


def rating_json(summary: "RatingSummary", *, out: Path | None = None, report: Path | None = None) -> str:
    """Write a summary as a JSON object; what does not exist is null.

    Args:
        summary: what was measured.
        out: where the rated table was written.
        report: where the report was written.
    """
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
        "signature": str(summary.signature),
        "out": None if out is None else str(out),
        "report": None if report is None else str(report),
        "created": summary.created.isoformat(timespec="seconds"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _group(group: "GroupEstimate") -> dict[str, Any]:
    return {
        "group": group.group,
        "rows": group.n,
        "left_out": group.left_out,
        "effective_rows": group.effective_n,
        "mean": _estimate(group.mean),
        "top_2_box": _estimate(group.top_2_box),
        "bottom_2_box": _estimate(group.bottom_2_box),
        "net": _estimate(group.net),
        "nps": _estimate(group.nps),
        "pmf": [_estimate(mass) for mass in group.pmf],
    }


def _comparison(compared: "Comparison | None") -> dict[str, Any] | None:
    if compared is None:
        return None
    return {
        "texts": compared.n,
        "eligible_texts": compared.n_eligible,
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
