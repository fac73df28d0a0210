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


def reference_variance(losses: Floats) -> float:
    """Estimate the variance that baseline and reruns alone give an item's drift.

    The loss of two runs is a mean plus what each of the two runs adds, with variance g, plus what is
    particular to the pair, with variance h. All candidates are held against the same k runs, which give each
    of their drifts the same error, of variance ``g / k + 2 h / (k (k - 1))``. Both variances are means over
    items: with k = 3 that is 2 / 9 of the variance of a drift among the three, with more runs g and h are
    told apart.

    Args:
        losses: shape (n, k, k), k >= 3, symmetric: loss of each pair of these runs; the diagonal does not
            count.

    References:
        Hoeffding (1948), Annals of Mathematical Statistics 19(3), 293-325, doi 10.1214/aoms/1177730196: parts
        of a statistic of pairs.

    Example:
        >>> one = np.array([[0.0, 0.5, 0.7], [0.5, 0.0, 0.2], [0.7, 0.2, 0.0]])
        >>> round(reference_variance(one[None]), 4)  # drifts .4, -.35, -.05: mean square .095
        0.0211
    """
    n, k, _ = losses.shape
    if k == 3:  # noqa: PLR2004
        sample = drifts_of_pairs(losses).var(axis=1).mean() if n else 0.0
        return float(sample * 2 / 9)
    rows, columns = np.triu_indices(k, 1)
    centred = np.where(np.eye(k, dtype=bool), 0.0, losses)
    centred = centred - losses[:, rows, columns].mean(axis=1)[:, None, None]
    own = (np.where(np.eye(k, dtype=bool), 0.0, centred)).sum(axis=2) / (k - 2)
    left = centred[:, rows, columns] - own[:, rows] - own[:, columns]
    particular = float((left**2).sum(axis=1).mean()) / (len(rows) - k)
    of_runs = max(float(own.var(axis=1, ddof=1).mean()) - particular / (k - 2), 0.0)
    return float(of_runs / k + 2 * particular / (k * (k - 1)))
