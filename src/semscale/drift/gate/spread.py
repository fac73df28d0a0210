"""How far items' drift spreads, out of a comparison or of a history: what a plan starts from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isclose

import numpy as np

from semscale.drift.gate.gate import group_members
from semscale.drift.gate.metric_choice import chosen_metrics, margins
from semscale.drift.gate.sequence import one_series
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import is_usual
from semscale.errors import InputError
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.messages import unknown_name
from semscale.types import Floats

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Spread:
    """What a plan starts from.

    Attributes:
        sd: by metric, standard deviation of items' drift; NaN where fewer than two items have one.
        n: by metric, items that it was found from.
        margins: by metric, drift from which on it is material.
        n_items: of the source.
        n_tests: that the gate makes of it.
        source: where the spread comes from, in words.
        cautions: comparisons that were left out, and why.
    """

    sd: Mapping[str, float]
    n: Mapping[str, int]
    margins: Mapping[str, float]
    n_items: int
    n_tests: int
    source: str
    cautions: tuple[str, ...] = ()


def spread_of_comparison(comparison: Comparison, settings: GateSettings) -> Spread:
    """Take the spread of a candidate's drift."""
    names = chosen_metrics(comparison, settings)
    pooled = {name: _pooled([comparison.drifts(name)]) for name in names}
    n = len(comparison.baseline.items)
    less = "reruns' losses taken off" if comparison.reruns else "no rerun to take off"
    return Spread(
        sd={name: sd for name, (sd, _) in pooled.items()},
        n={name: counted for name, (_, counted) in pooled.items()},
        margins=margins(comparison, settings, names),
        n_items=n,
        n_tests=len(names) * len(group_members(comparison, settings.by)),
        source=f"drift of model {comparison.candidate.model} over {n} items ({less})",
    )


def spread_of_history(comparisons: Sequence[StoredComparison], settings: GateSettings) -> Spread:
    """Take the spread of a candidate's drift out of earlier comparisons.

    Where reruns lose something, it is that of the differences between runs that follow each other, as a
    candidate differs from reruns likewise. Where nothing is taken off, it is that of the losses themselves.

    Margins are those that the latest comparison was held against.

    Args:
        comparisons: with their scores, in any order.
        settings: of the gate; its own margins of single metrics come before those that are stored.

    Raises:
        InputError: there is no comparison, or none with scores.
        UnknownNameError: a metric that they do not have.
    """
    if not comparisons:
        raise InputError("a plan needs at least one comparison, got none: compare a run with the baseline")
    latest = max(comparisons, key=lambda kept: kept.compared)
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
    kinds = {figure.group for figure in latest.figures if figure.group and figure.group[0] in settings.by}
    return Spread(
        sd={name: sd for name, (sd, _) in pooled.items()},
        n={name: counted for name, (_, counted) in pooled.items()},
        margins={name: settings.material.get(name, _stored_margin(latest, name)) for name in names},
        n_items=len(next(iter(latest.scores.values())))
        if latest.scores
        else len(next(iter(with_scores[-1].values()))),
        n_tests=len(names) * (1 + len(kinds)),
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
        return f"losses of {k} comparison{'s' * (k > 1)}"
    said = f"differences between {k} comparisons in a row"
    return said if n_differing == n_metrics else f"{said}, and their losses where reruns lose nothing"


def _differences(losses: Sequence[Floats]) -> list[Floats]:
    return [after - before for before, after in pairwise(losses)]


def _pooled(samples: Sequence[Floats]) -> tuple[float, int]:
    """Standard deviation within samples, pooled, and how many values went into it."""
    there = [sample[~np.isnan(sample)] for sample in samples]
    freedom = sum(max(len(values) - 1, 0) for values in there)
    n = sum(len(values) for values in there)
    if freedom == 0:
        return float("nan"), n
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in there if len(values))
    return float(np.sqrt(squares / freedom)), n
