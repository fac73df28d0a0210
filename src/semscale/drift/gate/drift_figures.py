"""Figures of a comparison: each metric's mean loss and drift, over all items and by group."""

from collections.abc import Sequence
from dataclasses import dataclass

from semscale.drift.gate.decision import DriftTest, GateDecision, MetricChange, Outcome, in_margins
from semscale.drift.gate.mean_drifts import missing_drifts
from semscale.drift.gate.metric_choice import margins
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.tested_members import group_members
from semscale.drift.limits.slices import Group
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import Metric
from semscale.drift.metrics import mean_loss
from semscale.drift.quality.changes import change_by_interval, improvements
from semscale.history.stored_comparison import StoredFigure
from semscale.stats.intervals import MeanEstimate


@dataclass(frozen=True)
class DriftFigure:
    """One metric over all items or one group.

    Attributes:
        metric: what was measured.
        group: kind and name, such as ``("exercise", "6715")``; ``None`` for all items.
        loss: mean loss of the candidate; NaN where no item has one.
        noise: mean loss of the baseline's reruns; ``None`` without one.
        drift: mean drift with its interval.
        margin: drift from which on it is material.
        test: the gate's; ``None`` where it tested nothing here.
        change: what became of the metric: as the gate's test says, or else by the interval.
    """

    metric: Metric
    group: Group | None
    loss: float
    noise: float | None
    drift: MeanEstimate
    margin: float
    test: DriftTest | None = None
    change: MetricChange = MetricChange.UNDECIDED

    @property
    def outcome(self) -> Outcome | None:
        """What the gate's test came to, if there was one."""
        return None if self.test is None else self.test.outcome

    @property
    def in_margins(self) -> float:
        """The drift as a multiple of its margin; minus infinity without a drift."""
        return in_margins(self.drift.value, self.margin)

    @property
    def urgency(self) -> tuple[int, bool, float]:
        """Sorts figures: those that were tested by their tests, then the others by their drift in margins."""
        untested = len(Outcome), self.group is not None, -self.in_margins
        return untested if self.test is None else self.test.urgency


def drift_figures(
    comparison: Comparison, decision: GateDecision | None, settings: GateSettings, further: Sequence[str]
) -> tuple[DriftFigure, ...]:
    """Compute every metric's figures over all items, then in each group.

    Args:
        comparison: what was measured.
        decision: the gate's, whose tests are taken over; ``None`` where none was asked.
        settings: margins, kinds of groups and intervals.
        further: kinds of groups beside those of the settings and the tests.
    """
    tests = {(test.metric, test.group): test for test in (decision.tests if decision else ())}
    tested = (group[0] for _, group in tests if group is not None)
    members = group_members(comparison, tuple(dict.fromkeys([*settings.by, *further, *tested])))
    found = missing_drifts(comparison, members, tests.keys(), settings.plan())
    expected = {name: comparison.expected(name) for name in comparison.metrics}
    better = {
        name: improvements(comparison, name)
        for name, metric in comparison.metrics.items()
        if metric.direction != "either"
    }
    figures = []
    for group, inside in members.items():
        limits = margins(comparison, settings, comparison.metrics, group)
        for name, metric in comparison.metrics.items():
            test, reruns = tests.get((name, group)), comparison.rerun_losses(name)
            drift = found[name, group].mean if test is None else test.drift
            margin = limits[name] if test is None else test.margin
            change = None if test is None else test.change
            if change is None:
                gained = better.get(name)
                change = change_by_interval(
                    metric,
                    drift,
                    margin,
                    has_reruns=bool(reruns),
                    better=None if gained is None else gained[inside],
                    alpha=1 - settings.interval,
                )
            figures.append(
                DriftFigure(
                    metric=metric,
                    group=group,
                    loss=mean_loss(comparison.mean_losses(name)[inside]),
                    noise=mean_loss(expected[name][inside]) if reruns else None,
                    drift=drift,
                    margin=margin,
                    test=test,
                    change=change,
                )
            )
    return tuple(figures)


def stored_figure(figure: DriftFigure) -> StoredFigure:
    """Give a figure as a history keeps it."""
    return StoredFigure(
        metric=figure.metric.name,
        group=figure.group,
        loss=figure.loss,
        drift=figure.drift.value,
        low=figure.drift.low,
        high=figure.drift.high,
        margin=figure.margin,
        n=figure.drift.n,
        n_left_out=figure.drift.n_left_out,
    )
