"""Mean drifts of metrics over all items and over groups: the one place where they are estimated."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from semscale.drift.limits.slices import Group
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.group_means import means_by_group
from semscale.stats.drift_tests import PairedMean
from semscale.stats.intervals import IntervalPlan

Members = Mapping[Group | None, npt.NDArray[np.bool_]]
"""Which of the n items belong to a group; all belong to ``None``."""

About = tuple[str, Group | None]
"""A metric, and the group that it is about."""


def mean_drifts(
    comparison: Comparison, names: Sequence[str], members: Members, plan: IntervalPlan, *, finest: int = 0
) -> dict[About, PairedMean]:
    """Estimate the mean drift of some metrics in some groups, each as it would come out alone.

    Args:
        comparison: what was measured.
        names: of the metrics.
        members: items of each group.
        plan: how intervals are made.
        finest: replicates that a small p-value takes.
    """
    if not names:
        return {}
    drifts = np.column_stack([comparison.drifts(name) for name in names])
    bounds = np.array([drift_bounds(comparison, name) for name in names])
    of_group = {group: drifts[inside] for group, inside in members.items()}
    found = means_by_group(of_group, bounds=bounds, plan=plan, finest=finest)
    return {
        (name, group): mean for group, means in found.items() for name, mean in zip(names, means, strict=True)
    }


def drift_bounds(comparison: Comparison, name: str) -> tuple[float, float]:
    """Give the least and the greatest drift that an item can have in a metric.

    Without a rerun drift is the loss itself, and at least 0. A field may differ by more than the baseline's
    numbers range: then its greatest drift is the greatest that was seen.
    """
    metric, drifts = comparison.metrics[name], comparison.drifts(name)
    span = metric.span
    least = -span if comparison.reruns or metric.is_signed else 0.0
    seen = drifts[~np.isnan(drifts)]
    return float(np.min(seen, initial=least)), float(np.max(seen, initial=span))


def missing_drifts(
    comparison: Comparison, members: Members, known: Collection[About], plan: IntervalPlan
) -> dict[About, PairedMean]:
    """Estimate the mean drift of every metric in every group for which it is not known yet."""
    together: dict[tuple[str, ...], list[Group | None]] = {}
    for group in members:
        missing = tuple(name for name in comparison.metrics if (name, group) not in known)
        together.setdefault(missing, []).append(group)
    found: dict[About, PairedMean] = {}
    for names, groups in together.items():
        found |= mean_drifts(comparison, names, {group: members[group] for group in groups}, plan)
    return found
