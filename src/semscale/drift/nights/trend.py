"""Trends of a dataset's runs against one baseline: slope, change of level, and evidence for each metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from semscale.drift.gate.decision import SequenceTest
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.metrics import TEXT_METRICS, Metric
from semscale.drift.measure.quality_metrics import QUALITY_METRICS
from semscale.drift.nights.sequence import evidence_of_runs
from semscale.drift.nights.series import latest_complete, one_series
from semscale.errors import InputError
from semscale.history.runs import named, short_id
from semscale.history.stored_comparison import StoredCheck, StoredComparison, StoredFigure
from semscale.presentable import Presentable
from semscale.stats.drift_tests import FEWEST_VALUES, ChangePoint, MonotoneTrend, monotone_trend, pettitt
from semscale.stats.intervals import Estimate
from semscale.types import Floats

ALPHA = 0.05
"""P-value from which on a trend or a change of level is called one."""

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class MetricTrend:
    """One metric over all runs of a series, over all items.

    Attributes:
        metric: name of the metric.
        losses: mean loss of each run, shape (t,); NaN for a run without a value, here and below.
        drifts: mean drift of each run, shape (t,).
        lows: lower ends of the drifts' intervals, shape (t,).
        highs: upper ends of the drifts' intervals, shape (t,).
        margins: the smallest material drift at each run, shape (t,).
        course: Mann-Kendall's p-value, and Theil-Sen's slope, change of the loss per day, over the latest
            model's runs.
        change: likeliest change of level, positioned by run; ``None`` with fewer than 4 values.
        sequence: evidence over all runs; ``None`` for a field whose worst case is unknown.
    """

    metric: str
    losses: Floats
    drifts: Floats
    lows: Floats
    highs: Floats
    margins: Floats
    course: MonotoneTrend
    change: ChangePoint | None
    sequence: SequenceTest | None

    @property
    def noise(self) -> Floats:
        """What reruns of the baseline lose beside each run, shape (t,)."""
        return self.losses - self.drifts

    @property
    def limits(self) -> Floats:
        """Loss from which on each run is material, shape (t,): what reruns lose, and the margin."""
        return self.noise + self.margins

    @property
    def is_trending(self) -> bool:
        """Whether it rises or falls beyond chance."""
        return bool(self.course.p_value < ALPHA and self.course.slope.value != 0)

    @property
    def has_changed(self) -> bool:
        """Whether it changed its level beyond chance."""
        return self.change is not None and self.change.p_value < ALPHA

    def loss(self, run: int) -> Estimate:
        """Give a run's mean loss with its interval: that of the drift, moved by what reruns lose.

        Args:
            run: counted from 0; from the end if it is negative.
        """
        low, high = self.lows[run] + self.noise[run], self.highs[run] + self.noise[run]
        least = -np.inf if self.metric in QUALITY_METRICS else 0.0
        return Estimate(float(self.losses[run]), max(float(low), least), float(high))

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "metric": self.metric,
            "losses": self.losses,
            "drifts": self.drifts,
            "slope_per_day": self.course.slope,
            "p_value": self.course.p_value,
            "change": self.change,
            "evidence": None if self.sequence is None else self.sequence.evidence,
            "p_adjusted": None if self.sequence is None else self.sequence.p_adjusted,
        }


@dataclass(frozen=True, repr=False)
class Trends(Presentable):
    """All metrics over the runs of one series, in the order of time.

    Attributes:
        dataset: the dataset of all runs.
        baseline_id: id of the baseline of all comparisons.
        signature: signature of all measurements.
        comparison_ids: ids of the t comparisons.
        candidate_ids: ids of their candidates.
        times: times of the comparisons.
        models: models of the candidates.
        outcomes: outcomes of the gate; ``None`` for a comparison without a gate.
        ruler_moved: positions, from 0, of runs that were measured while the ruler had moved.
        broken: checks that did not hold, by run; ``None`` where nothing is known of them.
        metrics: trends by name of the metric.
        n_left_out: number of comparisons that do not belong to the series.
        cautions: lines about these comparisons, with the reasons.
    """

    dataset: str
    baseline_id: str
    signature: str
    comparison_ids: tuple[str, ...]
    candidate_ids: tuple[str, ...]
    times: tuple[datetime, ...]
    models: tuple[str, ...]
    outcomes: tuple[str | None, ...]
    broken: tuple[tuple[StoredCheck, ...] | None, ...]
    metrics: Mapping[str, MetricTrend]
    n_left_out: int
    cautions: tuple[str, ...]
    ruler_moved: tuple[int, ...] = ()

    def __repr__(self) -> str:
        runs, metrics = len(self.times), len(self.metrics)
        return f"Trends(dataset={self.dataset!r}, runs={runs:,}, metrics={metrics})"

    @property
    def spans_days(self) -> bool:
        """Whether the runs span a day or more: else a change a day would be told of hours nobody saw."""
        return self.times[-1] - self.times[0] >= _DAY

    @property
    def model_changes(self) -> tuple[int, ...]:
        """Positions, from 0, of runs whose model differs from the run before."""
        return tuple(
            place for place in range(1, len(self.models)) if self.models[place] != self.models[place - 1]
        )

    @property
    def latest_outcomes(self) -> dict[str, str | None]:
        """The gate's outcome of each model's latest run, by model, in the order in which the models came."""
        return dict(zip(self.models, self.outcomes, strict=True))

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "drift trend",
            "dataset": self.dataset,
            "baseline": self.baseline_id,
            "comparisons": self.comparison_ids,
            "left_out": self.n_left_out,
            "model_changes": self.model_changes,
            "ruler_moved": self.ruler_moved,
            "latest_outcomes": [
                {"model": model, "outcome": outcome} for model, outcome in self.latest_outcomes.items()
            ],
            "broken": [
                None if of_run is None else [check.name for check in of_run] for of_run in self.broken
            ],
            "metrics": [trend.record() for trend in self.metrics.values()],
            "cautions": self.cautions,
            "signature": self.signature,
        }


def trends(
    comparisons: Sequence[StoredComparison],
    settings: GateSettings | None = None,
    *,
    metrics: Mapping[str, Metric] | None = None,
) -> Trends:
    """Compute the trend of every metric over the runs that were compared with one baseline.

    The series has the baseline of the latest comparison, and the signature of the latest one whose candidate
    has all items; others are counted and listed. Where the ruler had moved, a run is shown and marked; slope,
    change of level and evidence leave it out.

    Args:
        comparisons: comparisons from the history, in any order. Evidence takes the scores of the latest as
            the gate does, if it has them: the items of one run reveal more than its mean.
        settings: settings of the gate, for alpha and the interval of slopes.
        metrics: metrics of fields, whose worst cases are needed for evidence; those of texts are known.

    Raises:
        InputError: there is no comparison.
    """
    if not comparisons:
        raise InputError("a trend needs at least one comparison, got none: compare a run with the baseline")
    settings = settings or GateSettings()
    latest = latest_complete(comparisons)
    series, cautions = one_series(comparisons, baseline_id=latest.baseline_id, signature=latest.signature)
    figures = [{figure.metric: figure for figure in kept.figures if figure.group is None} for kept in series]
    names = list(dict.fromkeys(name for of_run in figures for name in of_run))
    moved = np.array([kept.ruler_moved for kept in series])
    held = [{} if kept.ruler_moved else own for kept, own in zip(series, figures, strict=True)]
    known = {**TEXT_METRICS, **QUALITY_METRICS, **(metrics or {})}
    sequence = _evidence(names, held, known, settings, {} if moved[-1] else series[-1].scores)
    days = np.array([(kept.compared - series[0].compared) / _DAY for kept in series])
    # Another model is no later state of the same thing: a slope across both would be of neither.
    days[[kept.model != latest.model for kept in series]] = np.nan
    days[moved] = np.nan
    return Trends(
        dataset=latest.dataset,
        baseline_id=latest.baseline_id,
        signature=latest.signature,
        comparison_ids=tuple(kept.id for kept in series),
        candidate_ids=tuple(kept.candidate_id for kept in series),
        times=tuple(kept.compared for kept in series),
        models=tuple(kept.model for kept in series),
        outcomes=tuple(kept.outcome for kept in series),
        broken=tuple(kept.broken for kept in series),
        metrics={name: _followed(name, figures, days, sequence.get(name), settings, moved) for name in names},
        n_left_out=len(comparisons) - len(series),
        cautions=(*cautions, *_moved_lines(series)),
        ruler_moved=tuple(np.flatnonzero(moved).tolist()),
    )


def _moved_lines(series: Sequence[StoredComparison]) -> list[str]:
    """Count and name the runs that were measured while the ruler had moved."""
    moved = [short_id(kept.candidate_id) for kept in series if kept.ruler_moved]
    if not moved:
        return []
    counted = "1 run was" if len(moved) == 1 else f"{len(moved):,} runs were"
    counts = "it does" if len(moved) == 1 else "they do"
    return [
        f"{counted} measured while the ruler had moved: {named(moved)}; {counts} not count in evidence, "
        "trend and change of level"
    ]


def _followed(
    name: str,
    figures: Sequence[Mapping[str, StoredFigure]],
    days: Floats,
    sequence: SequenceTest | None,
    settings: GateSettings,
    moved: np.typing.NDArray[np.bool_],
) -> MetricTrend:
    losses = _column(figures, name, "loss")
    there = np.flatnonzero(~np.isnan(losses) & ~moved)
    of_latest = there[~np.isnan(days[there])]
    change = None
    if len(there) >= FEWEST_VALUES:
        found = pettitt(losses[there], seed=settings.seed)
        change = ChangePoint(int(there[found.place]), found.before, found.after, found.p_value)
    return MetricTrend(
        metric=name,
        losses=losses,
        drifts=_column(figures, name, "drift"),
        lows=_column(figures, name, "low"),
        highs=_column(figures, name, "high"),
        margins=_column(figures, name, "margin"),
        course=monotone_trend(days[of_latest], losses[of_latest], interval=settings.interval),
        change=change,
        sequence=sequence,
    )


def _evidence(
    names: Sequence[str],
    figures: Sequence[Mapping[str, StoredFigure]],
    metrics: Mapping[str, Metric],
    settings: GateSettings,
    scores: Mapping[str, Floats],
) -> dict[str, SequenceTest]:
    """Return the evidence for every metric with a known worst case, against the latest allowed mean."""
    asked = {}
    for name in names:
        latest = next((of_run[name] for of_run in reversed(figures) if name in of_run), None)
        if latest is None:
            continue
        allowed = latest.loss - latest.drift + latest.margin
        if name in metrics:
            asked[name] = (_column(figures, name, "loss").tolist(), allowed, metrics[name])
    return {test.metric: test for test in evidence_of_runs(asked, settings, latest=scores)}


def _column(figures: Sequence[Mapping[str, StoredFigure]], name: str, what: str) -> Floats:
    return np.array([getattr(of_run[name], what) if name in of_run else np.nan for of_run in figures])
