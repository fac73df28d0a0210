"""A comparison with one more metric, which says what is better and what is worse."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from semscale.drift.measure.comparison import Comparison, QualityScores
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import Metric
from semscale.drift.measure.quality_metrics import SIDE_BY_SIDE
from semscale.drift.quality.judged_runs import JudgedRuns
from semscale.signature import Signature
from semscale.types import Floats


def with_quality(
    comparison: Comparison,
    metric: Metric,
    scores: QualityScores,
    *,
    reruns: Sequence[Floats] = (),
    part: Signature,
) -> Comparison:
    """Add a signed metric: an item's loss is the baseline's score less that of the candidate or a rerun.

    Args:
        comparison: what was measured so far.
        metric: signed.
        scores: of candidate and baseline.
        reruns: shape (n,) each, scores of the comparison's reruns; empty where they have none.
        part: how the scores were made; its fields get the metric's name before theirs.
    """
    fields = {f"{metric.name}_{name}": value for name, value in part.fields}
    signature = comparison.measured.signature.extended(Signature.of("quality", **fields))

    def extended(run: MeasuredRun, of_run: Floats) -> MeasuredRun:
        losses = {**run.losses, metric.name: scores.baseline - of_run}
        metrics = {**run.metrics, metric.name: metric}
        return replace(run, metrics=metrics, losses=losses, signature=signature)

    measured = extended(comparison.measured, scores.candidate)
    again = comparison.reruns
    if reruns:
        again = tuple(extended(run, own) for run, own in zip(again, reruns, strict=True))
    quality = {**comparison.quality, metric.name: scores}
    return replace(comparison, measured=measured, reruns=again, quality=quality)


def with_side_by_side(comparison: Comparison, judged: JudgedRuns) -> Comparison:
    """Add a judge's verdicts as the metric ``side_by_side``.

    Args:
        comparison: what was measured so far.
        judged: of its candidate and baseline.
    """
    scores = QualityScores(judged.points, 1 - judged.points)
    found = with_quality(comparison, SIDE_BY_SIDE, scores, part=judged.verdicts.signature)
    return replace(found, judged=judged, cautions=(*found.cautions, *_judge_cautions(comparison, judged)))


def _judge_cautions(comparison: Comparison, judged: JudgedRuns) -> Iterator[str]:
    if judged.n_unjudged:
        why = next(iter(judged.verdicts.reasons), "no reason given")
        yield (
            f"side by side: {judged.n_unjudged} of {len(judged.verdicts.points)} pairs of outputs have no "
            f"verdict in both orders and are left out, most often because: {why}"
        )
    judges = judged.verdicts.model
    if judges in {comparison.baseline.model, comparison.candidate.model}:
        yield f"the judge, {judges}, gave one of the two runs: models prefer their own answers"
