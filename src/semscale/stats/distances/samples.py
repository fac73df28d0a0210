"""Answers of a sample over a scale's points: its average distribution, resamples and random halves."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semscale.errors import InputError
from semscale.stats.distances.distances import check_masses
from semscale.stats.intervals.resampling import drawn_counts
from semscale.types import Floats, Integers

_TABLE = 2
_BLOCK_CELLS = 4_000_000  # draws that are held at once


@dataclass(frozen=True, eq=False)
class PmfSample:
    """Answers of n respondents, each a PMF over k points; a picked point has all of the mass.

    Equal answers are counted once, so that 100,000 ratings of 5 points are resampled as 5 counts.

    Attributes:
        masses: shape (n, k), rows sum to 1.
        weights: shape (n,), above 0; all alike unless given.

    Raises:
        InputError: not a table of PMFs, or weights that do not fit.
    """

    masses: Floats
    weights: Floats | None = None

    def __post_init__(self) -> None:
        if np.ndim(self.masses) != _TABLE or np.isnan(self.masses).any():
            raise InputError(
                f"masses must have shape (respondents, points) without gaps, got {np.shape(self.masses)}"
            )
        check_masses("masses", self.masses, np.shape(self.masses)[1])
        if self.weights is not None and (
            np.shape(self.weights) != (self.n,) or not (np.asarray(self.weights) > 0).all()
        ):
            raise InputError(f"weights must be {self.n} numbers above 0, got shape {np.shape(self.weights)}")

    @property
    def n(self) -> int:
        """How many respondents there are."""
        return len(self.masses)

    @cached_property
    def effective_n(self) -> float:
        """Kish's effective number of respondents, (sum w)^2 / sum w^2; n without weights."""
        if self.weights is None:
            return float(self.n)
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    @cached_property
    def mean(self) -> Floats:
        """The average PMF, shape (k,); NaN without respondents."""
        if not self.n:
            return np.full(np.shape(self.masses)[1], np.nan)
        average: Floats = np.average(self.masses, axis=0, weights=self.weights)
        return average

    def resampled(self, replicates: int, rng: np.random.Generator) -> Floats:
        """Average PMFs of respondents drawn n at a time with replacement.

        Args:
            replicates: how many times to draw.
            rng: where the randomness comes from.

        Returns:
            Shape (replicates, k).
        """
        totals, counts = self._distinct
        if self._mostly_differ:
            drawn = drawn_counts(self.n, replicates, rng)
            return np.concatenate([_averages(block, self._totals) for block in drawn])
        shares = counts / self.n
        size = max(1, _BLOCK_CELLS // len(counts))
        blocks = [min(size, replicates - start) for start in range(0, replicates, size)]
        return np.concatenate([_averages(rng.multinomial(self.n, shares, size=b), totals) for b in blocks])

    def halves(self, splits: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Average PMFs of random halves; with an odd number the second half is larger by one.

        Args:
            splits: how many times to part the respondents, of which there are at least two.
            rng: where the randomness comes from.

        Returns:
            Two arrays of shape (splits, k).
        """
        totals, counts = self._distinct
        if self._mostly_differ:
            totals, counts = self._totals, np.ones(self.n, dtype=np.int64)
        size = max(1, _BLOCK_CELLS // len(counts))
        first, second = [], []
        for start in range(0, splits, size):
            b = min(size, splits - start)
            drawn = (
                _half_of(self.n, b, rng)
                if self._mostly_differ
                else rng.multivariate_hypergeometric(counts, self.n // 2, size=b, method="marginals")
            )
            first.append(_averages(drawn, totals))
            second.append(_averages(counts - drawn, totals))
        return np.concatenate(first), np.concatenate(second)

    @cached_property
    def _distinct(self) -> tuple[Floats, Integers]:
        """Weighted masses and weight (u, k + 1) of distinct answers, and how often each is there."""
        distinct, counts = np.unique(self._totals, axis=0, return_counts=True)
        return distinct, counts.astype(np.int64)

    @cached_property
    def _totals(self) -> Floats:
        """Weighted masses and weight (n, k + 1) of all answers."""
        weights = np.ones(self.n) if self.weights is None else self.weights
        return np.column_stack([self.masses * weights[:, None], weights])

    @property
    def _mostly_differ(self) -> bool:
        """Whether single answers are drawn faster than counts of equal ones."""
        return 2 * len(self._distinct[1]) > self.n


def _half_of(n: int, splits: int, rng: np.random.Generator) -> Integers:
    """Mark a random half, shape (splits, n); the smaller one where n is odd."""
    keys = rng.random((splits, n))
    drawn = np.zeros((splits, n), dtype=np.int64)
    np.put_along_axis(drawn, np.argpartition(keys, n // 2, axis=1)[:, : n // 2], 1, axis=1)
    return drawn


def _averages(drawn: Integers | Floats, totals: Floats) -> Floats:
    sums = drawn @ totals
    averages: Floats = sums[:, :-1] / sums[:, -1:]
    return averages
