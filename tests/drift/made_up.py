"""Comparisons made of losses that a test names: no model, no measuring."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import TEXT_METRICS, Metric, field_metric
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.history.stored_comparison import StoredComparison, StoredFigure
from semscale.signature import Signature
from semscale.types import Status

START = datetime(2026, 1, 1, tzinfo=UTC)
SIGNATURE = Signature.of("drift", align="optimal", match="calibrated#0")

Losses = Mapping[str, Sequence[float]]


def run(n: int, *, groups: Mapping[str, Sequence[str]] | None = None, **settings) -> Run:
    """A run of n items with one output each; ``groups``: by kind, each item's group."""
    items = tuple(
        Item(
            f"item-{place}",
            (Output(f"Answer {place}.", {"credits": 1.0}),),
            f"Question {place}?",
            {kind: names[place] for kind, names in (groups or {}).items()},
        )
        for place in range(n)
    )
    return Run(**({"dataset": "answers", "model": "model-a", "items": items, "recorded": START} | settings))


def metrics_of(names: Sequence[str]) -> dict[str, Metric]:
    """Metrics by name; ``credits_difference`` is one of a field with a span of 2.5."""
    fields = {name: field_metric(name.removesuffix("_difference"), 2.5) for name in names}
    return {name: TEXT_METRICS.get(name, fields[name]) for name in names}


def measured(
    losses: Losses, *, metrics: Mapping[str, Metric] | None = None, signature: Signature = SIGNATURE
) -> MeasuredRun:
    arrays = {name: np.array(values, dtype=np.float64) for name, values in losses.items()}
    missing = np.all([np.isnan(values) for values in arrays.values()], axis=0)
    status = np.array([Status.EMPTY if none else Status.SCORED for none in missing], dtype=object)
    return MeasuredRun(metrics or metrics_of(list(losses)), arrays, status, (), signature)


def comparison(
    losses: Losses,
    *,
    reruns: Sequence[Losses] = (),
    groups: Mapping[str, Sequence[str]] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    floors: Mapping[str, float] | None = None,
    signature: Signature = SIGNATURE,
) -> Comparison:
    """A candidate beside a baseline, with these losses by metric, and those of reruns.

    Example: ``comparison({"match": [.1, .4]}, reruns=[{"match": [.0, .1]}], groups={"topic": ["a", "b"]})``.
    """
    n = len(next(iter(losses.values())))
    return Comparison(
        baseline=run(n, groups=groups, id="b" * 32),
        candidate=run(n, groups=groups, id="c" * 32, model="model-b", recorded=START + timedelta(days=1)),
        measured=measured(losses, metrics=metrics, signature=signature),
        reruns=tuple(measured(rerun, metrics=metrics, signature=signature) for rerun in reruns),
        floors=floors or {},
    )


def spread_out(mean: float, n: int = 30, half: float = 0.02) -> np.ndarray:
    """n losses around a mean, half above and half below."""
    return mean + half * np.where(np.arange(n) % 2, 1.0, -1.0)


def stored_comparison(losses: Mapping[str, float], *, day: int = 0, **settings) -> StoredComparison:
    """A stored comparison of some day with these mean losses, of 30 items and without scores."""
    figures = tuple(
        StoredFigure(name, None, loss, loss, loss - 0.01, loss + 0.01, 0.05, 30, 0)
        for name, loss in losses.items()
    )
    plain = {
        "baseline_id": "b" * 32,
        "candidate_id": f"{day:032x}",
        "model": "model-b",
        "dataset": "answers",
        "signature": str(SIGNATURE),
        "outcome": None,
        "figures": figures,
        "compared": START + timedelta(days=day),
    }
    return StoredComparison(**(plain | settings))
