"""Change-point test: whether a series changed its level, and where."""

from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.ranks import average_ranks
from semscale.types import Floats

_MOST_PERMUTED = 200
_PERMUTATIONS = 1999
_BLOCK_CELLS = 2_000_000


@dataclass(frozen=True)
class ChangePoint:
    """The likeliest place at which a series changed its level.

    Attributes:
        place: first value after the change, counted from 0.
        before: mean up to there.
        after: mean from there on.
        p_value: of "all values come from one distribution".
    """

    place: int
    before: float
    after: float
    p_value: float


def pettitt(values: Floats, *, seed: int = 0) -> ChangePoint:
    """Find a change of level by ranks, after Pettitt.

    With ranks r, the statistic is the greatest ``|U(t)|``, ``U(t) = 2 * sum(r_1 to r_t) - t * (n + 1)``; the
    change lies after that t. Up to 200 values the p-value is the share of 1,999 random orders, and the one
    at hand, that reach it, which is exact with ties, too. For more it is Pettitt's approximation
    ``2 * exp(-6 * K ** 2 / (n ** 3 + n ** 2))``.

    Args:
        values: shape (n,), in the order of time, at least 2, all finite.
        seed: of the random orders.

    Raises:
        InputError: fewer than two values, or one that is not finite.

    References:
        Pettitt (1979), Applied Statistics 28(2), 126-135, doi 10.2307/2346729.

    Example:
        >>> change = pettitt(np.array([0.1, 0.12, 0.11, 0.1, 0.4, 0.42, 0.41, 0.43]))
        >>> change.place, change.p_value < 0.05
        (4, True)
    """
    n = len(values)
    if n < 2 or not np.isfinite(values).all():  # noqa: PLR2004
        raise InputError(f"a change of level needs at least 2 finite values, got {n}")
    ranks = average_ranks(values)
    deviations = np.abs(_deviations(ranks))
    greatest = float(deviations.max())
    place = int(deviations.argmax()) + 1
    p_value = _permuted(ranks, greatest, seed) if n <= _MOST_PERMUTED else _approximate(n, greatest)
    return ChangePoint(place, float(values[:place].mean()), float(values[place:].mean()), p_value)


def _deviations(ranks: Floats) -> Floats:
    """U of every t below n, along the last axis."""
    n = ranks.shape[-1]
    deviations: Floats = 2 * np.cumsum(ranks[..., :-1], axis=-1) - np.arange(1, n) * (n + 1)
    return deviations


def _permuted(ranks: Floats, greatest: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    size = max(1, _BLOCK_CELLS // len(ranks))
    reached = 0
    for start in range(0, _PERMUTATIONS, size):
        orders = np.tile(ranks, (min(size, _PERMUTATIONS - start), 1))
        shuffled = rng.permuted(orders, axis=1, out=orders)
        # Ranks and their sums are multiples of a half, so that equal ones are equal exactly.
        reached += int((np.abs(_deviations(shuffled)).max(axis=1) >= greatest).sum())
    return (1 + reached) / (1 + _PERMUTATIONS)


def _approximate(n: int, greatest: float) -> float:
    return min(1.0, 2 * float(np.exp(-6.0 * greatest**2 / (float(n) ** 3 + float(n) ** 2))))
