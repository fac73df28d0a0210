"""Resamples of persons with all their answers: the same persons are drawn in every survey."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.stats.distances.samples import random_halves
from semscale.stats.intervals.resampling import drawn_counts
from semscale.types import Floats, Mask

HALF_REPLICATES, HALF_SPLITS = 200, 20
"""Resamples of the people that are halved, and random halves of each."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Resamples:
    """Average PMFs of s surveys in resamples; NaN where no drawn person answered.

    Attributes:
        panel: s arrays of shape (r, k).
        people: likewise.
        halves: for each survey, halves of resampled people and the other halves, both (h, splits, k).
    """

    panel: tuple[Floats, ...]
    people: tuple[Floats, ...]
    halves: tuple[tuple[Floats, Floats], ...]


@dataclass(frozen=True, eq=False)
class JointSample:
    """Answers of n persons to s surveys.

    Attributes:
        masses: s arrays of shape (n, k), k may differ; a row is NaN where the person gave no answer.
        weights: shape (n,), above 0; all alike unless given.
    """

    masses: Sequence[Floats]
    weights: Floats | None = None

    def resampled(self, replicates: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Average PMFs (replicates, k) of each survey, of persons drawn n at a time with replacement."""
        totals = self._totals()
        blocks = drawn_counts(len(totals), replicates, rng)
        return self._averages(np.concatenate([counts @ totals for counts in blocks]))

    def resampled_halves(self, rng: np.random.Generator) -> tuple[tuple[Floats, Floats], ...]:
        """Average PMFs (200, 20, k) of both halves of resampled persons, for each survey."""
        totals = self._totals()
        n = len(totals)
        first, whole = [], []
        for _ in range(HALF_REPLICATES):
            drawn = totals[rng.integers(0, n, n)]
            first.append(random_halves(n, HALF_SPLITS, rng) @ drawn)
            whole.append(drawn.sum(axis=0))
        one = np.stack(first)
        other = np.stack(whole)[:, None] - one
        return tuple(zip(self._averages(one), self._averages(other), strict=True))

    def _totals(self) -> Floats:
        """Weighted masses and weight of each survey side by side, shape (n, sum of k + 1)."""
        weights = np.ones(len(self.masses[0])) if self.weights is None else self.weights
        parts = []
        for masses in self.masses:
            there: Mask = np.asarray(~np.isnan(masses).any(axis=1))
            counted = np.where(there, weights, 0.0)[:, None]
            parts += [np.where(there[:, None], masses, 0.0) * counted, counted]
        return np.hstack(parts)

    def _averages(self, sums: Floats) -> tuple[Floats, ...]:
        ends = np.cumsum([masses.shape[1] + 1 for masses in self.masses])[:-1]
        return tuple(_shares(part) for part in np.split(sums, ends, axis=-1))


def joint_resamples(
    panel: JointSample, people: JointSample, replicates: int, rng: np.random.Generator
) -> Resamples:
    """Draw personas and people with all their answers.

    Answers of one person to several surveys go together, so their errors do not average out as those of
    different persons would.

    Args:
        panel: answers of the personas.
        people: answers of the people, at least two.
        replicates: how many times to draw both.
        rng: where the randomness comes from.
    """
    return Resamples(
        panel.resampled(replicates, rng), people.resampled(replicates, rng), people.resampled_halves(rng)
    )


def _shares(sums: Floats) -> Floats:
    """Average PMFs from weighted sums whose last column is the weight; NaN where that is 0."""
    weight = sums[..., -1:]
    # A remainder of 0 may be off by rounding after a subtraction.
    there = weight > _ROUNDING
    return np.where(there, np.maximum(sums[..., :-1], 0.0) / np.where(there, weight, 1.0), np.nan)
