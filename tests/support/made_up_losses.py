"""Comparisons with made-up losses, for tests of the decision."""

import numpy as np

from semscale.drift.comparison import Comparison
from semscale.drift.metrics import TEXT_METRICS
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.types import Status


def run_of(texts, model="old", **settings):
    """A run whose items have the ids 0, 1, ...; an item is a text, or a list of outputs."""
    items = []
    for number, outputs in enumerate(texts):
        listed = [outputs] if isinstance(outputs, str) else outputs
        items.append(Item(str(number), tuple(o if isinstance(o, Output) else Output(o) for o in listed)))
    return Run("exam", model, tuple(items), **settings)


def compared(runs, losses=None, metrics=None):
    """A comparison of runs, the candidate first, with losses of shape (n, k, k) by metric, 0 elsewhere."""
    n, k = len(runs[0].items), len(runs)
    known = metrics or TEXT_METRICS
    pair_losses = {name: np.zeros((n, k, k)) for name in known} | (losses or {})
    return Comparison(
        runs[1],
        runs[0],
        tuple(runs[2:]),
        known,
        pair_losses,
        np.full(n, Status.SCORED, object),
        (),
        np.ones(n, np.int64),
        Signature.of("drift"),
    )


def candidate_losses(loss, n, k, noise=0.0):
    """Losses of shape (n, k, k): ``loss`` between the candidate and each other run, ``noise`` elsewhere.

    Args:
        loss: shape (n,), or a number.
        n: number of items.
        k: number of runs.
        noise: shape (n,), or a number.
    """
    losses = np.broadcast_to(np.asarray(noise, dtype=float).reshape(-1, 1, 1), (n, k, k)).copy()
    losses[:, 0, :] = losses[:, :, 0] = np.asarray(loss, dtype=float).reshape(-1, 1)
    losses[:, range(k), range(k)] = 0.0
    return losses
