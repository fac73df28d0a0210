"""Bets over runs against "the ruler reads the anchors as it did": e-processes, valid whenever one looks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Literal

import numpy as np
from scipy.special import ndtri

from semscale.errors import InputError
from semscale.stats.drift_tests import run_evidence
from semscale.stats.significance import adjusted
from semscale.types import Floats

Movement = Literal["changed", "higher", "lower", "farther"]
"""Readings differ, whichever way; are higher or lower on average; are farther from people's labels."""


@dataclass(frozen=True)
class RulerTest:
    """One way in which one reading of a ruler may have moved, over all runs since the reference.

    Attributes:
        reading: its name, such as ``match``.
        movement: what is bet on.
        difference: mean over the anchors in the latest run: how far readings lie from the reference, how much
            higher or lower they are, or how much farther from the labels; NaN without a reading.
        allowed: greatest difference that rounding or the ruler's noise explains.
        evidence: after each run, the greatest e-value so far.
        n: anchors with a reading in the latest run and in the reference.
        p_adjusted: ``min(1, 2 / evidence)`` of the latest run, Holm-adjusted for the number of tests.
        is_significant: whether ``p_adjusted`` is below alpha.
    """

    reading: str
    movement: Movement
    difference: float
    allowed: float
    evidence: tuple[float, ...]
    n: int
    p_adjusted: float = 1.0
    is_significant: bool = False

    @property
    def has_moved(self) -> bool:
        """Whether it is significant, and the latest run still shows it."""
        return self.is_significant and self.difference > self.allowed


@dataclass(frozen=True)
class ReadSeries:
    """One reading of a ruler over runs.

    Attributes:
        reference: shape (repeats, n).
        runs: for each run, shape (n,), the latest last.
        labels: shape (n,), people's scores, NaN without one; ``None`` where they are about something else.
    """

    reference: Floats
    runs: Sequence[Floats]
    labels: Floats | None = None


def ruler_tests(
    series: Mapping[str, ReadSeries], *, is_exact: bool, rounding: float, alpha: float
) -> tuple[RulerTest, ...]:
    """Test every reading of a ruler over runs against its reference.

    An exact ruler is tested for any difference beyond rounding. One with noise, such as a judge, also for
    readings that are higher or lower on average. With labels either is tested for a greater error. Half of
    alpha is for the bets of all runs together; the other half bounds how far chance may have put the
    reference of a ruler with noise (``_error``), since all runs are held against the same one.

    Args:
        series: readings by name, at least one run each.
        is_exact: whether a pair has the same reading every time, but for rounding.
        rounding: greatest mean difference by rounding.
        alpha: chance of any false alarm, over all readings and any number of runs.

    Raises:
        InputError: an exact ruler without any rounding.
    """
    movements: tuple[Movement, ...] = ("changed",) if is_exact else ("changed", "higher", "lower")
    asked: list[tuple[str, Movement]] = [
        (name, movement)
        for name, one in series.items()
        for movement in (*movements, *(("farther",) if one.labels is not None else ()))
    ]
    if is_exact and not rounding > 0:
        raise InputError(f"rounding of an exact ruler must be above 0, such as 1e-4, got {rounding:g}")
    share = alpha / 2 / max(len(asked), 1)
    bets = [_Bets(series[name], movement, is_exact, rounding, share) for name, movement in asked]
    tests = [bet.test(name) for bet, (name, _) in zip(bets, asked, strict=True)]
    p_values = np.array([min(1.0, 2 / test.evidence[-1]) for test in tests])
    corrected = adjusted(p_values, "holm") if tests else p_values
    return tuple(
        RulerTest(
            test.reading,
            test.movement,
            test.difference,
            test.allowed,
            test.evidence,
            test.n,
            p_adjusted=float(p),
            is_significant=bool(p < alpha),
        )
        for test, p in zip(tests, corrected, strict=True)
    )


@dataclass(frozen=True)
class _Bets:
    """Bets on one movement of one reading."""

    series: ReadSeries
    movement: Movement
    is_exact: bool
    rounding: float
    share: float

    def test(self, name: str) -> RulerTest:
        runs = [self._differences(run) for run in self.series.runs]
        known = runs[-1][~np.isnan(runs[-1])]
        allowed = min(1.0, self.rounding + (0.0 if self.is_exact else self._noise()))
        least = self._least()
        evidence = run_evidence([np.maximum(run, least) for run in runs], allowed, least=least)
        return RulerTest(
            reading=name,
            movement=self.movement,
            difference=float(known.mean()) if len(known) else float("nan"),
            allowed=allowed,
            evidence=tuple(evidence.tolist()),
            n=len(known),
        )

    def _differences(self, run: Floats) -> Floats:
        """Return how far each anchor moved, shape (n,); NaN where nothing is known."""
        before = self._before
        if self.movement == "changed":
            apart = np.abs(run - before)
            # A reading of an exact ruler that came or went has changed, and nothing says how far.
            return np.where(np.isnan(run) != np.isnan(before), 1.0, apart) if self.is_exact else apart
        if self.movement == "farther":
            return np.abs(run - self._labels) - before
        return run - before if self.movement == "higher" else before - run

    def _least(self) -> float:
        """Return the smallest difference that a reading from 0 to 1 can make, at most 0: bets need it."""
        if self.movement == "changed":
            return 0.0
        known = self._before[~np.isnan(self._before)]
        return float(min(known - 1, default=0.0) if self.movement == "lower" else -max(known, default=0.0))

    @cached_property
    def _before(self) -> Floats:
        """The reference of each anchor, its error where labels are asked about, shape (n,)."""
        reference = self.series.reference
        return _known_mean(np.abs(reference - self._labels) if self.movement == "farther" else reference)

    @property
    def _labels(self) -> Floats:
        labels = self.series.labels
        return np.full(self.series.reference.shape[1], np.nan) if labels is None else labels

    def _noise(self) -> float:
        """Bound what noise alone can make of the mean difference."""
        reference = self.series.reference
        if self.movement == "changed":
            apart = _apart_from_others(reference)
            known = apart[~np.isnan(apart)]
            if not len(known):
                return 1.0
            spread = float(known.var(ddof=1) / len(known)) if len(known) > 1 else 0.25
            return min(1.0, float(known.mean()) + _error(spread, len(known), 1.0, self.share))
        values = np.abs(reference - self._labels) if self.movement == "farther" else reference
        n, variance = _mean_variance(values)
        return min(1.0, _error(variance, n, 1.0, self.share)) if n else 1.0


def _known_mean(values: Floats) -> Floats:
    """Average over the first axis what is known, shape (n,); NaN where nothing is."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.where(n > 0, total / np.maximum(n, 1), np.nan))


def _apart_from_others(reference: Floats) -> Floats:
    """Return how far each repeat lies from the mean of the others, averaged by anchor, shape (n,).

    The mean of all repeats is a little nearer than that of all but one, so that this is never too small.
    """
    if len(reference) < 2:  # noqa: PLR2004 - no others
        return np.full(reference.shape[1], np.nan)
    others = [_known_mean(np.delete(reference, at, axis=0)) for at in range(len(reference))]
    return _known_mean(np.abs(reference - np.array(others)))


def _mean_variance(values: Floats) -> tuple[int, float]:
    """Count the readings, and estimate the variance of their mean from repeats of the same anchor."""
    n = (~np.isnan(values)).sum(axis=0)
    repeated = n > 1
    if not repeated.any():
        return 0, 0.0
    within = values[:, repeated]
    squares = np.nansum((within - _known_mean(within)) ** 2, axis=0)
    pooled = float(squares.sum() / (n[repeated] - 1).sum())
    anchors = n[n > 0]
    return int(anchors.sum()), pooled * float((1 / anchors).sum()) / len(anchors) ** 2


def _error(variance: float, n: int, span: float, alpha: float) -> float:
    """Bound how far a mean of n values may be off by chance, one-sided with an error of ``alpha``.

    The normal bound, and Bernstein's term for values that are rare.
    """
    return float(-ndtri(alpha)) * float(np.sqrt(variance)) + span * log(1 / alpha) / (3 * n)
