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
_MANY = 1000.0  # effective answers at a point, from which a drawn total is taken as normal


@dataclass(frozen=True, eq=False)
class PmfSample:
    """Answers of n respondents, each a PMF over k points; a picked point has all of the mass.

    Equal answers are counted once, so that 100,000 ratings of 5 points are resampled as 5 counts. Where most
    answers differ, as weighted ones do, and every point has 1,000 effective answers or none, totals of
    resamples and of halves are drawn from the normal distribution with their mean and covariance, which sums
    of so many drawn answers have (Cochran 1977, Sampling Techniques, section 2.15; van der Vaart 1998,
    Asymptotic Statistics, chapter 23).

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
        if self._has_normal_totals:
            return _shares(self._normal_totals(replicates, self.n, rng))
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
        if self._has_normal_totals:
            m = self.n // 2
            # Drawn without replacement, the sum of m has (n - m) / (n - 1) of the variance.
            whole = self._totals.sum(axis=0)
            half = np.minimum(
                self._normal_totals(splits, m, rng, variance=(self.n - m) / (self.n - 1)), whole
            )
            return _shares(half), _shares(whole - half)
        if self._mostly_differ:
            totals, counts = self._totals, np.ones(self.n, dtype=np.int64)
        size = max(1, _BLOCK_CELLS // len(counts))
        first, second = [], []
        for start in range(0, splits, size):
            b = min(size, splits - start)
            drawn = (
                random_halves(self.n, b, rng)
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

    @cached_property
    def _has_normal_totals(self) -> bool:
        """Whether sums over drawn answers are as good as normal: most differ, and many carry each point."""
        if not self._mostly_differ:
            return False
        squares = (self._totals**2).sum(axis=0)
        used = squares > 0
        return bool((self._totals.sum(axis=0)[used] ** 2 / squares[used] >= _MANY).all())

    def _normal_totals(self, draws: int, m: int, rng: np.random.Generator, variance: float = 1.0) -> Floats:
        """Draw sums (draws, k + 1) of m answers' totals; variance is in parts of drawing with replacement."""
        spread = np.cov(self._totals, rowvar=False, ddof=0) * m * variance
        drawn = rng.multivariate_normal(self._totals.mean(axis=0) * m, spread, size=draws, method="eigh")
        # A point that nobody picked has rounding only, on both sides of 0.
        sums: Floats = np.maximum(drawn, 0)
        return sums

    @property
    def _mostly_differ(self) -> bool:
        """Whether single answers are drawn faster than counts of equal ones."""
        return 2 * len(self._distinct[1]) > self.n


def random_halves(n: int, splits: int, rng: np.random.Generator) -> Integers:
    """Mark a random half, shape (splits, n); the smaller one where n is odd."""
    keys = rng.random((splits, n))
    drawn = np.zeros((splits, n), dtype=np.int64)
    np.put_along_axis(drawn, np.argpartition(keys, n // 2, axis=1)[:, : n // 2], 1, axis=1)
    return drawn


def _averages(drawn: Integers | Floats, totals: Floats) -> Floats:
    return _shares(drawn @ totals)


def _shares(sums: Floats) -> Floats:
    averages: Floats = sums[:, :-1] / sums[:, -1:]
    return averages
