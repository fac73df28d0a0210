"""Turns a comparison into what a history keeps of it."""

import numpy as np

from semscale.drift.comparison import Comparison
from semscale.drift.decision import GateDecision
from semscale.drift.gate import group_members
from semscale.drift.gate_settings import GateSettings
from semscale.drift.losses import mean_loss
from semscale.drift.metric_choice import margins
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.stats.means import MeanEstimate
from semscale.stats.paired_bootstrap import paired_means


def stored(
    comparison: Comparison, decision: GateDecision | None, settings: GateSettings | None = None
) -> StoredComparison:
    """Make what a history keeps of a comparison: figures of every metric and group, and every item's losses.

    Args:
        comparison: a candidate measured against the baseline.
        decision: the gate's, whose figures are taken over; ``None`` where none was asked.
        settings: of the gate: margins, kinds of groups beside the decision's, and intervals of figures that
            it does not have.
    """
    settings = settings or GateSettings()
    decided = {(test.metric, test.group): test.drift for test in (decision.tests if decision else ())}
    names = list(comparison.metrics)
    limits = margins(comparison, settings, names)
    figures = []
    kinds = dict.fromkeys([*settings.by, *(group[0] for _, group in decided if group is not None)])
    for group, inside in group_members(comparison, tuple(kinds)).items():
        missing = [name for name in names if (name, group) not in decided]
        drifts = [comparison.drifts(name)[inside] for name in missing]
        spans = np.array([comparison.metrics[name].span for name in missing])
        found = paired_means(np.column_stack(drifts), spans=spans, plan=settings.plan()) if missing else ()
        new = {name: result.mean for name, result in zip(missing, found, strict=True)}
        for name in names:
            drift = new.get(name) or decided[name, group]
            losses = comparison.losses(name)[inside]
            figures.append(_figure((name, group), losses, drift, limits[name]))
    return StoredComparison(
        baseline_id=comparison.baseline.id,
        candidate_id=comparison.candidate.id,
        model=comparison.candidate.model,
        dataset=comparison.candidate.dataset,
        signature=str(comparison.signature),
        outcome=str(decision.outcome) if decision else None,
        figures=tuple(figures),
        scores={name: comparison.losses(name) for name in names},
    )


def _figure(
    about: tuple[str, tuple[str, str] | None],
    losses: np.typing.NDArray[np.float64],
    drift: MeanEstimate,
    margin: float,
) -> StoredFigure:
    return StoredFigure(
        metric=about[0],
        group=about[1],
        loss=mean_loss(losses),
        drift=drift.value,
        low=drift.low,
        high=drift.high,
        margin=margin,
        n=drift.n,
        n_left_out=drift.n_left_out,
    )
