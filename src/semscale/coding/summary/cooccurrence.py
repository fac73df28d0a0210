"""How often codes come together."""

from dataclasses import dataclass

import numpy as np

from semscale.types import Floats, Integers


@dataclass(frozen=True)
class Cooccurrence:
    """How often each two of k codes come together.

    Attributes:
        counts: shape (k, k), answers with both codes; on the diagonal, with the code.
        lift: shape (k, k), how many times as often both come together as if they had nothing to do with each
            other; NaN where one never occurs, and on the diagonal.
    """

    counts: Integers
    lift: Floats


def cooccurrence(given: Floats) -> Cooccurrence:
    """Count pairs of codes; lift is n * both / (one * other), over answers in which both were decided.

    Args:
        given: shape (n, k), 1, 0 or NaN.

    References:
        Lift: Brin, Motwani, Ullman and Tsur (1997), doi 10.1145/253260.253325, who call it interest.

    Example:
        >>> found = cooccurrence(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
        >>> found.counts.tolist(), found.lift[0, 1].item()
        ([[2, 1], [1, 1]], 2.0)
    """
    yes, known = (given == 1).astype(np.float64), (~np.isnan(given)).astype(np.float64)
    both, n, one = yes.T @ yes, known.T @ known, yes.T @ known
    expected = one * one.T
    lift: Floats = np.full(both.shape, np.nan)
    np.divide(n * both, expected, out=lift, where=expected > 0)
    np.fill_diagonal(lift, np.nan)
    return Cooccurrence(both.astype(np.int64), lift)
