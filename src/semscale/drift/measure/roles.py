"""Drift of an item for each role: what it would be if another of the runs were the candidate."""

import numpy as np

from semscale.types import Floats


def drifts_of_pairs(losses: Floats) -> Floats:
    """Compute drifts from the losses of all pairs of runs.

    If run c is the candidate, its drift is its mean loss against the others, less the mean loss of the pairs
    among the others. Over all c these drifts add up to 0. If all runs are of one model, each run is as likely
    to be the candidate as any other.

    Args:
        losses: shape (n, k, k), k >= 3, symmetric: loss of each pair of runs; the diagonal does not count.

    Returns:
        Shape (n, k).

    Example:
        >>> one = np.array([[0.0, 0.5, 0.7], [0.5, 0.0, 0.2], [0.7, 0.2, 0.0]])
        >>> drifts_of_pairs(one[None]).round(3).tolist()  # .6 - .2, .35 - .7, .45 - .5
        [[0.4, -0.35, -0.05]]
    """
    k = losses.shape[1]
    own = np.where(np.eye(k, dtype=bool), 0.0, losses).sum(axis=2)
    total = own.sum(axis=1, keepdims=True) / 2
    return np.asarray(own / (k - 1) - (total - own) / ((k - 1) * (k - 2) / 2))


def drifts_of_losses(losses: Floats) -> Floats:
    """Compute drifts from the losses of candidate and reruns against the baseline alone.

    Args:
        losses: shape (n, k), k >= 2: of the candidate and each rerun.

    Returns:
        Shape (n, k): each loss less the mean of the others.

    Example:
        >>> drifts_of_losses(np.array([[0.6, 0.1, 0.3]])).round(3).tolist()
        [[0.4, -0.35, -0.05]]
    """
    k = losses.shape[1]
    total = losses.sum(axis=1, keepdims=True)
    return np.asarray(losses - (total - losses) / (k - 1))
