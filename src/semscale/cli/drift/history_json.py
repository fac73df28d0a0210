"""A history as JSON, for programs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from semscale.cli.drift.json_output import approval_document, dumped, figure_document
from semscale.report.drift_json import number_or_none

if TYPE_CHECKING:
    from semscale.cli.drift.history_run import SeenDataset, SeenHistory
    from semscale.drift.gate.trend import MetricTrend, Trends
    from semscale.history.stored_comparison import StoredComparison
    from semscale.history.summaries import RunSummary


def history_json(seen: "SeenHistory") -> str:
    """Write what a history holds as a JSON object; what does not exist is null."""
    content = {
        "history": seen.where,
        "merged": [
            {"history": where, "runs": new.runs, "approvals": new.approvals, "comparisons": new.comparisons}
            for where, new in seen.merged.items()
        ],
        "datasets": [_dataset(dataset) for dataset in seen.datasets],
        "report": None if seen.report is None else str(seen.report),
    }
    return dumped(content)


def _dataset(dataset: "SeenDataset") -> dict[str, Any]:
    approval = dataset.approval
    baseline = None
    if approval is not None:
        baseline = {**approval_document(approval), "expired": dataset.is_stale}
    return {
        "dataset": dataset.name,
        "baseline": baseline,
        "runs": [_run(run) for run in dataset.runs],
        "comparisons": [_comparison(kept) for kept in dataset.comparisons],
        "trend": None if dataset.trends is None else _trends(dataset.trends),
    }


def _run(run: "RunSummary") -> dict[str, Any]:
    return {
        "id": run.id,
        "model": run.model,
        "recorded": run.recorded.isoformat(),
        "items": run.n_items,
        "rerun_of": run.rerun_of,
        "revision": run.revision,
        "note": run.note,
        "signature": run.signature,
    }


def _comparison(kept: "StoredComparison") -> dict[str, Any]:
    return {
        "id": kept.id,
        "compared": kept.compared.isoformat(),
        "baseline": kept.baseline_id,
        "candidate": kept.candidate_id,
        "model": kept.model,
        "outcome": kept.outcome,
        "figures": [figure_document(figure) for figure in kept.figures],
        "signature": kept.signature,
    }


def _trends(trends: "Trends") -> dict[str, Any]:
    return {
        "baseline": trends.baseline_id,
        "comparisons": list(trends.comparison_ids),
        "left_out": trends.n_left_out,
        "cautions": list(trends.cautions),
        "model_changes": list(trends.model_changes),
        "metrics": [_trend(trend) for trend in trends.metrics.values()],
        "signature": trends.signature,
    }


def _trend(trend: "MetricTrend") -> dict[str, Any]:
    change, sequence, slope = trend.change, trend.sequence, trend.course.slope
    return {
        "metric": trend.metric,
        "losses": [number_or_none(loss) for loss in trend.losses.tolist()],
        "drifts": [number_or_none(drift) for drift in trend.drifts.tolist()],
        "slope_per_day": number_or_none(slope.value),
        "slope_low": number_or_none(slope.low),
        "slope_high": number_or_none(slope.high),
        "p_value": number_or_none(trend.course.p_value),
        "change": None if change is None else asdict(change),
        "evidence": None if sequence is None else [number_or_none(value) for value in sequence.evidence],
        "p_adjusted": None if sequence is None else number_or_none(sequence.p_adjusted),
    }
