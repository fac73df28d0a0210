"""Figures and scores of a comparison, ready to store in a history."""

from collections.abc import Collection, Mapping

import numpy as np

from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.gate import Group, group_members
from semscale.drift.gate.metric_choice import margins
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.group_means import means_by_group
from semscale.drift.measure.losses import mean_loss
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate

_Members = Mapping[Group | None, np.typing.NDArray[np.bool_]]
_About = tuple[str, Group | None]


def stored(
    comparison: Comparison, decision: GateDecision | None, settings: GateSettings | None = None
) -> StoredComparison:
    """Build the stored form of a comparison: figures of every metric and group, and every item's losses.

    Args:
        comparison: a candidate measured against the baseline.
        decision: the gate's decision, whose figures are used; ``None`` without a gate.
        settings: settings of the gate: margins, kinds of groups besides the decision's, and intervals of
            figures that the decision lacks.
    """
    settings = settings or GateSettings()
    decided = {(test.metric, test.group): test.drift for test in (decision.tests if decision else ())}
    names = list(comparison.metrics)
    limits = margins(comparison, settings, names)
    kinds = dict.fromkeys([*settings.by, *(group[0] for _, group in decided if group is not None)])
    members = group_members(comparison, tuple(kinds))
    drifts = decided | _drifts(comparison, members, decided.keys(), settings.plan())
    figures = [
        _figure((name, group), comparison.losses(name)[inside], drifts[name, group], limits[name])
        for group, inside in members.items()
        for name in names
    ]
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


def _drifts(
    comparison: Comparison, members: _Members, decided: Collection[_About], plan: IntervalPlan
) -> dict[_About, MeanEstimate]:
    """Estimate the drifts that the decision lacks, by metric and group."""
    drifts: dict[_About, MeanEstimate] = {}
    together: dict[tuple[str, ...], list[Group | None]] = {}
    for group in members:
        missing = tuple(name for name in comparison.metrics if (name, group) not in decided)
        together.setdefault(missing, []).append(group)
    for names, groups in together.items():
        if not names:
            continue
        values = np.column_stack([comparison.drifts(name) for name in names])
        spans = np.array([comparison.metrics[name].span for name in names])
        of_group = {group: values[members[group]] for group in groups}
        for group, means in means_by_group(of_group, spans=spans, plan=plan).items():
            drifts |= {(name, group): found.mean for name, found in zip(names, means, strict=True)}
    return drifts


def _figure(
    about: _About,
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
