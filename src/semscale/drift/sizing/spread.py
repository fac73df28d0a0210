"""Spread of the items' drift in a comparison or a history, on which a plan is based."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

import numpy as np

from semscale.drift.gate.left_out_metrics import split_metrics
from semscale.drift.gate.metric_choice import chosen_metrics, margins, tolerances
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.tested_members import group_members
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import TEXT_METRICS, is_usual
from semscale.drift.nights.series import latest_complete, one_series
from semscale.errors import InputError
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.messages import unknown_name
from semscale.types import Floats

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Spread:
    """Spread of the items' drift, with margins and counts.

    Attributes:
        sd: for each metric the standard deviation of the items' drift; NaN if fewer than two have a drift.
        skewness: for each metric the items' skewness, at least 0: third central moment / ``sd ** 3``. That of
            differences between runs says nothing of the runs' own, and counts as 0.
        n: for each metric the number of items in the estimate.
        margins: for each metric the smallest material drift.
        tolerances: for each metric the drift below which it must be shown to lie to pass; a history keeps
            margins alone, which are less or the same.
        spans: for each metric its worst case; a history does not keep those of fields.
        n_items: number of items in the source.
        n_tests: number of tests that the gate makes over all items.
        runs: runs that the gate exchanges: candidate, baseline and reruns; of a history two without reruns,
            and three with any.
        source: source of the spread in words.
        cautions: lines about comparisons that were left out, with the reasons.
    """

    sd: Mapping[str, float]
    skewness: Mapping[str, float]
    n: Mapping[str, int]
    margins: Mapping[str, float]
    tolerances: Mapping[str, float]
    spans: Mapping[str, float]
    n_items: int
    n_tests: int
    runs: int
    source: str
    cautions: tuple[str, ...] = ()


def spread_of_comparison(comparison: Comparison, settings: GateSettings) -> Spread:
    """Estimate the spread of the items' drift from one comparison."""
    names, _ = split_metrics(comparison, chosen_metrics(comparison, settings))
    group_members(comparison, settings.by)  # refuses kinds of groups that no item has
    pooled = {name: _pooled([comparison.drifts(name)]) for name in names}
    n = len(comparison.baseline.items)
    less = "reruns' losses taken off" if comparison.reruns else "no rerun to take off"
    return Spread(
        sd={name: sd for name, (sd, _) in pooled.items()},
        skewness={name: _skewness([comparison.drifts(name)], sd) for name, (sd, _) in pooled.items()},
        n={name: counted for name, (_, counted) in pooled.items()},
        margins=margins(comparison, settings, names),
        tolerances=tolerances(comparison, settings, names),
        spans={name: comparison.metrics[name].span for name in names},
        n_items=n,
        n_tests=len(names),
        runs=2 + len(comparison.reruns),
        source=f"drift of model {comparison.candidate.model} over {n} items ({less})",
    )


def spread_of_history(comparisons: Sequence[StoredComparison], settings: GateSettings) -> Spread:
    """Estimate the spread of the items' drift from earlier comparisons.

    If reruns have losses in a metric, its spread is that of differences between successive runs, as a
    candidate differs from reruns in the same way. Otherwise it is the spread of the losses themselves.

    Margins are those of the latest comparison.

    Args:
        comparisons: comparisons with their scores, in any order.
        settings: settings of the gate; margins in ``material`` override the stored ones.

    Raises:
        InputError: there is no comparison, or none has scores.
        UnknownNameError: the comparisons lack a metric.
    """
    if not comparisons:
        raise InputError("a plan needs at least one comparison, got none: compare a run with the baseline")
    comparisons = [kept for kept in comparisons if not kept.ruler_moved] or comparisons
    latest = latest_complete(comparisons)
    series, cautions = one_series(comparisons, baseline_id=latest.baseline_id, signature=latest.signature)
    with_scores = [kept.scores for kept in series if kept.scores]
    if not with_scores:
        raise InputError("a plan needs the items' scores: read the comparisons with them")
    names = _names(latest, settings)
    losses = {name: [scores[name] for scores in with_scores if name in scores] for name in names}
    differing = {name for name in names if len(losses[name]) > 1 and _reruns_lose(latest, name)}
    pooled = {
        name: _pooled(_differences(losses[name]) if name in differing else losses[name]) for name in names
    }
    least = {name: settings.material.get(name, _stored_margin(latest, name)) for name in names}
    return Spread(
        sd={name: sd for name, (sd, _) in pooled.items()},
        skewness={
            name: 0.0 if name in differing else _skewness(losses[name], sd)
            for name, (sd, _) in pooled.items()
        },
        n={name: counted for name, (_, counted) in pooled.items()},
        margins=least,
        tolerances=least,
        spans={name: TEXT_METRICS[name].span for name in names if name in TEXT_METRICS},
        n_items=len(next(iter(latest.scores.values())))
        if latest.scores
        else len(next(iter(with_scores[-1].values()))),
        n_tests=len(names),
        runs=3 if any(_reruns_lose(latest, name) for name in names) else 2,
        source=_source(len(with_scores), n_differing=len(differing), n_metrics=len(names)),
        cautions=tuple(cautions),
    )


def _names(latest: StoredComparison, settings: GateSettings) -> tuple[str, ...]:
    there = list(dict.fromkeys(figure.metric for figure in latest.figures))
    for name in settings.metrics or ():
        if name not in there:
            raise unknown_name("metric", name, there)
    return settings.metrics or tuple(filter(is_usual, there))


def _stored_margin(latest: StoredComparison, name: str) -> float:
    return _figure(latest, name).margin


def _reruns_lose(latest: StoredComparison, name: str) -> bool:
    figure = _figure(latest, name)
    return not isclose(figure.loss, figure.drift, abs_tol=_ROUNDING)


def _figure(latest: StoredComparison, name: str) -> StoredFigure:
    return next(figure for figure in latest.figures if figure.metric == name and figure.group is None)


def _source(k: int, *, n_differing: int, n_metrics: int) -> str:
    if not n_differing:
        return f"how losses of items differ within {k} comparison{'s' * (k > 1)}"
    said = f"how each item's loss changes from one of {k} comparisons to the next"
    if n_differing == n_metrics:
        return said
    return f"{said}; for metrics in which reruns lose nothing, how losses of items differ within a comparison"


def _differences(losses: Sequence[Floats]) -> list[Floats]:
    return [after - before for before, after in pairwise(losses)]


def _pooled(samples: Sequence[Floats]) -> tuple[float, int]:
    """Return the pooled standard deviation within samples, and the number of values."""
    there = [sample[~np.isnan(sample)] for sample in samples]
    freedom = sum(max(len(values) - 1, 0) for values in there)
    n = sum(len(values) for values in there)
    if freedom == 0:
        return float("nan"), n
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in there if len(values))
    return float(np.sqrt(squares / freedom)), n


def _skewness(samples: Sequence[Floats], sd: float) -> float:
    """Return the skewness within samples with a pooled standard deviation, at least 0."""
    there = [sample[~np.isnan(sample)] for sample in samples]
    if not sd > 0:
        return 0.0
    centred = np.concatenate([values - values.mean() for values in there if len(values)])
    return max(0.0, float((centred**3).mean()) / sd**3)
