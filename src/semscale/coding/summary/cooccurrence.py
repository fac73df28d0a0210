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


class PairCounts:
    """Counts how often each two of k codes come together, part by part.

    Args:
        k: codes.

    Example:
        >>> pairs = PairCounts(2)
        >>> pairs.add(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
        >>> found = pairs.cooccurrence()
        >>> found.counts.tolist(), found.lift[0, 1].item()
        ([[2, 1], [1, 1]], 2.0)
    """

    def __init__(self, k: int) -> None:
        self._both, self._known, self._one = (np.zeros((k, k)) for _ in range(3))

    def add(self, given: Floats) -> None:
        """Count some answers.

        Args:
            given: shape (m, k), 1, 0 or NaN.
        """
        yes, known = (given == 1).astype(np.float64), (~np.isnan(given)).astype(np.float64)
        self._both += yes.T @ yes
        self._known += known.T @ known
        self._one += yes.T @ known

    def cooccurrence(self) -> Cooccurrence:
        """Give counts and lift: n * both / (one * other), over answers in which both were decided.

        References:
            Lift: Brin, Motwani, Ullman and Tsur (1997), doi 10.1145/253260.253325, who call it interest.
        """
        expected = self._one * self._one.T
        lift: Floats = np.full(expected.shape, np.nan)
        np.divide(self._known * self._both, expected, out=lift, where=expected > 0)
        np.fill_diagonal(lift, np.nan)
        return Cooccurrence(self._both.astype(np.int64), lift)
