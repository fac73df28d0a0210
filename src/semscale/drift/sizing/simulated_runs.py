"""Losses as they might be with further reruns, drawn from what these runs add to each other's losses."""

from collections.abc import Iterator
from math import sqrt

import numpy as np

from semscale.drift.sizing.simulated_nights import NightNoise
from semscale.types import Floats

_NO_NIGHTS = NightNoise(np.empty(0), 0.0)


def pairs_with_reruns(
    pairs: Floats, more: int, draws: int, rng: np.random.Generator, *, of_nights: NightNoise | None = None
) -> Iterator[Floats]:
    """Add reruns to the losses of all pairs of runs.

    The loss of two runs at an item is the item's mean, plus what each of the two runs adds, plus what is
    particular to the pair; the candidate's losses are less the mean drift before. A further rerun adds what a
    run of the baseline's model added at some item, drawn by chance, and its pairs what is particular to some
    pair. Both are scaled up by what their estimates lack in variance. What the present runs add is known from
    their own mean alone, so that all further runs of an item are also moved by what that mean may be off.
    Losses are not cut at 0, so that means stay.

    Args:
        pairs: shape (n, k, k), k >= 3, symmetric: of candidate, baseline and reruns.
        more: number of further reruns.
        draws: number of draws.
        rng: random generator.
        of_nights: what runs of earlier nights added, drawn from as well; ``None`` without any that count.

    Returns:
        One array of shape (n, k + more, k + more) for each draw, symmetric; the diagonal is 0.

    References:
        Hoeffding (1948), Annals of Mathematical Statistics 19(3), 293-325, doi 10.1214/aoms/1177730196: parts
        of a statistic of pairs.
    """
    n, k, _ = pairs.shape
    rows, columns = np.triu_indices(k, 1)
    drift = pairs[:, 0, 1:].mean() - pairs[:, *_among_references(k)].mean()
    alike = pairs[:, rows, columns] - drift * (rows == 0)
    mean = alike.mean(axis=1)
    centred = np.zeros_like(pairs)
    centred[:, rows, columns] = centred[:, columns, rows] = alike - mean[:, None]
    added = centred.sum(axis=2) / (k - 2)
    particular = (centred - added[:, :, None] - added[:, None, :])[:, rows, columns]
    n_pairs = len(rows)
    some_added = added[:, 1:].ravel() * sqrt(k / (k - 1))
    some_particular = particular.ravel() * (sqrt(n_pairs / (n_pairs - k)) if n_pairs > k else 0.0)
    for _ in range(draws):
        together = np.column_stack([added, _further(some_added, of_nights, (n, more), k, rng)])
        losses = mean[:, None, None] + together[:, :, None] + together[:, None, :]
        losses += rng.choice(some_particular, size=losses.shape)
        losses[:, 0, 1:] += drift
        upper = np.triu(losses, 1)
        found = upper + upper.transpose(0, 2, 1)
        found[:, :k, :k] = np.where(np.eye(k, dtype=bool), 0.0, pairs)
        yield found


def _further(
    some: Floats, of_nights: NightNoise | None, size: tuple[int, int], k: int, rng: np.random.Generator
) -> Floats:
    """Draw what further runs add beside k present ones, shape (n, more)."""
    noise = of_nights or _NO_NIGHTS
    return noise.drawn(some, size, rng) - noise.drawn(some, (size[0], 1), rng) / sqrt(k)


def _among_references(k: int) -> tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]]:
    rows, columns = np.triu_indices(k - 1, 1)
    return rows + 1, columns + 1


def losses_with_reruns(
    losses: Floats, more: int, draws: int, rng: np.random.Generator, *, of_nights: NightNoise | None = None
) -> Iterator[Floats]:
    """Add reruns to the losses against the baseline alone.

    A further rerun loses the item's mean, plus what some rerun lost more than the mean at some item, as in
    ``pairs_with_reruns``.

    Args:
        losses: shape (n, k), k >= 2: of the candidate and the reruns.
        more: number of further reruns.
        draws: number of draws.
        rng: random generator.
        of_nights: as for ``pairs_with_reruns``.

    Returns:
        One array of shape (n, k + more) for each draw.
    """
    n, k = losses.shape
    alike = losses.copy()
    alike[:, 0] -= losses[:, 0].mean() - losses[:, 1:].mean()
    mean = alike.mean(axis=1, keepdims=True)
    some = (alike - mean)[:, 1:].ravel() * sqrt(k / (k - 1))
    for _ in range(draws):
        yield np.column_stack([losses, mean + _further(some, of_nights, (n, more), k, rng)])
