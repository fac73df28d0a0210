"""Calibration of probabilities: Brier score and its parts, expected calibration error, and bins."""

from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.calibration.calibrators import labelled
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.intervals.resampling import check_seed
from semscale.stats.intervals.shares import wilson_interval
from semscale.types import Floats, Integers

_SIMULATIONS = 1000
_BLOCK_CELLS = 5_000_000


@dataclass(frozen=True)
class BrierParts:
    """Parts of a Brier score: reliability - resolution + uncertainty + within_bins.

    Attributes:
        reliability: how far bins' mean probability is from the share that was right; 0 is best.
        resolution: how far bins' shares are from the overall share; the higher the better.
        uncertainty: share right times share wrong, which no forecast changes.
        within_bins: what differs inside bins, so that the parts add up.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float


@dataclass(frozen=True)
class ReliabilityBin:
    """Items of about one probability.

    Attributes:
        predicted: their mean probability.
        observed: share of them that was right, with Wilson's interval.
        n: how many they are.
    """

    predicted: float
    observed: Estimate
    n: int


@dataclass(frozen=True)
class CalibrationFigures:
    """How well probabilities of being right hold.

    Attributes:
        brier: mean squared error of probabilities, 0 to 1, with its interval.
        brier_of_share: Brier score of giving every item the overall share; a forecast should be below.
        parts: of the Brier score, over the bins.
        error: expected calibration error: mean over items of how far their bin's share is from its mean
            probability. It is above 0 for the best forecast too.
        error_by_chance: what that error would be on average if the probabilities were right.
        error_p_value: how often it would be at least so large if they were right.
        debiased_error: root of the mean squared difference, with what chance adds taken off; 0 where that
            leaves less than nothing.
        bins: with about equal numbers of items, lowest probabilities first.
        n: items that count.
        n_left_out: items without a probability or a label.
    """

    brier: MeanEstimate
    brier_of_share: float
    parts: BrierParts
    error: float
    error_by_chance: float
    error_p_value: float
    debiased_error: float
    bins: tuple[ReliabilityBin, ...]
    n: int
    n_left_out: int


def calibration_figures(  # noqa: PLR0913 - one setting each of bins and intervals
    probabilities: Floats,
    correct: Floats,
    *,
    n_bins: int = 10,
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> CalibrationFigures:
    """Say how well probabilities hold for items whose outcome is known.

    Bins have about equal numbers of items, equal probabilities never being parted. With w the share of items
    in a bin, p their mean probability and o the share that was right: error is the sum of w |p - o|, and
    debiased_error the root of the sum of w ((p - o)^2 - o (1 - o) / (n - 1)).

    Args:
        probabilities: shape (n,), 0 to 1, of a curve that has not seen these labels (``cross_fitted``); NaN
            where there is none.
        correct: shape (n,), 1 right, 0 wrong, NaN not known.
        n_bins: at most so many bins, at least 1.
        clusters: shape (n,), which items are drawn together, for the Brier score's interval.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap and of outcomes drawn by chance.

    Raises:
        InputError: lengths differ, probabilities beyond 0 to 1, other labels than 0, 1 and NaN, fewer than
            two, or a setting out of range.

    References:
        Brier (1950), doi 10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2. Murphy (1973),
        doi 10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2; parts within bins: Stephenson, Coelho and
        Jolliffe (2008), doi 10.1175/2007WAF2006116.1. Debiased: Kumar, Liang and Ma (2019), arXiv 1909.10155.
        By chance: Vaicenavicius et al. (2019), arXiv 1902.06977.

    Example:
        >>> right = np.array([0.0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
        >>> figures = calibration_figures(np.repeat([0.2, 0.8], 5), right)
        >>> round(figures.brier.value, 6), round(figures.error, 6)
        (0.16, 0.0)
    """
    check_seed(seed)
    p, y, left_out = labelled(probabilities, correct)
    if p.min() < 0 or p.max() > 1:
        raise InputError(f"probabilities must lie within 0 to 1, got {p.min()} to {p.max()}")
    if n_bins < 1:
        raise InputError(f"n_bins must be at least 1, got {n_bins}")
    place = equal_bins(p, n_bins)
    n, predicted, observed = _of_bins(place, p, y)
    error, chance = float(n @ np.abs(predicted - observed) / len(p)), _by_chance(place, p, seed)
    squared: Floats = (predicted - observed) ** 2 - observed * (1 - observed) / np.maximum(n - 1, 1)
    return CalibrationFigures(
        brier=estimate_mean(
            (np.asarray(probabilities) - correct) ** 2,
            bounds=(0, 1),
            clusters=clusters,
            plan=IntervalPlan(interval=interval, seed=seed),
        ),
        brier_of_share=float(y.mean() * (1 - y.mean())),
        parts=_parts(p, y, n, predicted, observed),
        error=error,
        error_by_chance=float(chance.mean()),
        error_p_value=float((1 + (chance >= error - 1e-12).sum()) / (1 + len(chance))),
        debiased_error=max(0.0, float(n @ squared) / len(p)) ** 0.5,
        bins=_table(n, predicted, observed, interval),
        n=len(p),
        n_left_out=left_out,
    )


def equal_bins(values: Floats, n_bins: int) -> Integers:
    """Put values into at most so many bins of about equal size, never parting equal ones.

    Returns:
        Shape (n,), the bin of each, 0 for the lowest, none empty.

    Example:
        >>> equal_bins(np.array([0.1, 0.9, 0.1, 0.5]), 2).tolist()
        [0, 1, 0, 1]
    """
    distinct, place, n = np.unique(values, return_inverse=True, return_counts=True)
    before = np.cumsum(n) - n
    # A value belongs to the bin that the middle of its items falls into.
    bins = ((before + n / 2) * min(n_bins, len(distinct)) / len(values)).astype(np.int64)
    return np.asarray(np.unique(bins, return_inverse=True)[1][place])


def _of_bins(place: Integers, p: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    n = np.bincount(place).astype(np.float64)
    return n, np.bincount(place, p) / n, np.bincount(place, y) / n


def _table(n: Floats, predicted: Floats, observed: Floats, interval: float) -> tuple[ReliabilityBin, ...]:
    rows = zip(n.astype(int).tolist(), predicted.tolist(), observed.tolist(), strict=True)
    return tuple(
        ReliabilityBin(mean, wilson_interval(round(share * size), size, interval), size)
        for size, mean, share in rows
    )


def _by_chance(place: Integers, p: Floats, seed: int) -> Floats:
    """Calibration errors of outcomes that are drawn with just these probabilities."""
    rng = np.random.default_rng(seed)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(place.max() + 1))
    p = p[order]
    expected = np.add.reduceat(p, starts)
    size = max(1, _BLOCK_CELLS // len(p))
    errors = []
    for start in range(0, _SIMULATIONS, size):
        drawn = rng.random((min(size, _SIMULATIONS - start), len(p))) < p
        right = np.add.reduceat(drawn.astype(np.float64), starts, axis=1)
        errors.append(np.abs(right - expected).sum(axis=1) / len(p))
    return np.concatenate(errors)


def _parts(p: Floats, y: Floats, n: Floats, predicted: Floats, observed: Floats) -> BrierParts:
    share = n / len(p)
    reliability = float(share @ (predicted - observed) ** 2)
    resolution = float(share @ (observed - y.mean()) ** 2)
    uncertainty = float(y.mean() * (1 - y.mean()))
    rest = float(((p - y) ** 2).mean()) - (reliability - resolution + uncertainty)
    return BrierParts(reliability, resolution, uncertainty, rest)
