"""Proper scores of predicted masses beside what people answered: ranked probability score and log score."""

import numpy as np

from semscale.types import Floats

_LEAST_MASS = 1e-6  # a mass of 0 would cost infinitely much where one person chose that point


def ranked_probability_scores(pmf: Floats, human: Floats) -> Floats:
    """Ranked probability score of each text: how far its distribution function is from people's answers.

    For one answer it is the mean over the k - 1 thresholds of (F - [answer at or below])^2; for several it is
    the mean over the answers, so a text's score is 0 only if all its people agree and all mass is with them.

    Args:
        pmf: shape (n, k), predicted masses.
        human: shape (n, k), shares of people's answers.

    Returns:
        Shape (n,), 0 (best) to 1; NaN for NaN.

    References:
        Epstein (1969), doi 10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2. Gneiting and Raftery (2007),
        doi 10.1198/016214506000001437.

    Example:
        >>> ranked_probability_scores(np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.5, 0.5]])).tolist()
        [0.25]
    """
    below, answered = (np.cumsum(masses, axis=1)[:, :-1] for masses in (pmf, human))
    costs = below**2 * (1 - answered) + (1 - below) ** 2 * answered
    scores: Floats = costs.mean(axis=1)
    return scores


def log_scores(pmf: Floats, human: Floats) -> Floats:
    """Log score of each text: mean of -ln(predicted mass) over people's answers, masses at least 1e-6.

    Args:
        pmf: shape (n, k), predicted masses.
        human: shape (n, k), shares of people's answers.

    Returns:
        Shape (n,), in nats, 0 is best; NaN for NaN.

    References:
        Good (1952), doi 10.1111/j.2517-6161.1952.tb00104.x.

    Example:
        >>> log_scores(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])).round(4).tolist()
        [0.6931]
    """
    scores: Floats = -(human * np.log(np.maximum(pmf, _LEAST_MASS))).sum(axis=1)
    return scores
