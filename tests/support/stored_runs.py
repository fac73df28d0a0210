"""Runs, approvals and comparisons to store."""

from datetime import UTC, datetime, timedelta

import numpy as np

from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run
from semscale.history.stored_comparison import StoredComparison, StoredFigure

START = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
DAY = timedelta(days=1)
NAN = float("nan")


def a_run(n: int = 3, **settings) -> Run:
    """A run of n items with one output each."""
    items = tuple(Item(f"item-{index}", (Output(f"Answer {index}."),)) for index in range(n))
    return Run(**({"dataset": "answers", "model": "model-a", "items": items, "recorded": START} | settings))


def an_approval(run: Run, **settings) -> Approval:
    """Ana's approval of a run."""
    defaults = {
        "run_id": run.id,
        "dataset": run.dataset,
        "by": "Ana",
        "why": "looked at all",
        "approved": START,
    }
    return Approval(**(defaults | settings))


def a_comparison(**settings) -> StoredComparison:
    """A comparison with two figures and two items' scores."""
    figures = (
        StoredFigure("match", None, 0.25, 0.125, 0.0625, 0.1875, 0.05, 2, 0),
        StoredFigure("match", ("exercise", "6715"), 0.5, 0.25, NAN, NAN, 0.05, 1, 1),
    )
    scores = {"match": np.array([0.5, 0.0]), "cosine": np.array([NAN, 1 / 3])}
    defaults = {
        "baseline_id": "baseline",
        "candidate_id": "candidate",
        "model": "model-b",
        "dataset": "answers",
        "signature": "semscale 0|drift",
        "outcome": "fail",
        "figures": figures,
        "scores": scores,
        "compared": START,
    }
    return StoredComparison(**(defaults | settings))
