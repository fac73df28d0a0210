"""What earlier nights add to simulated comparisons: items as they came out, and the noise of their runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from semscale.types import Floats, Integers

_LEAST_AS_RERUNS = 0.05
_MOST_ROWS = 20_000  # items of all nights that further ones are drawn from


@dataclass(frozen=True)
class NightNoise:
    """What runs of earlier nights added, beside what tonight's runs added.

    Attributes:
        added: shape (m,), of ``added_by_nights``.
        share: share of simulated runs that draw from it, 0 to 1.
    """

    added: Floats
    share: float

    def drawn(self, tonight: Floats, size: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw what runs add: of nights with probability ``share``, else of tonight."""
        drawn = rng.choice(tonight, size=size)
        if not len(self.added):
            return drawn
        return np.where(rng.random(size) < self.share, rng.choice(self.added, size=size), drawn)


def night_share(as_reruns: float) -> float:
    """Give the share of what is drawn that comes from nights: their weight in the noise beside tonight's, 1.

    Args:
        as_reruns: further runs that the nights are worth, at least 0; less than .05, which is shown as 0.0,
            counts as 0.

    Example:
        >>> night_share(0.0), night_share(1.0)
        (0.0, 0.5)
    """
    return 0.0 if as_reruns < _LEAST_AS_RERUNS else as_reruns / (1 + as_reruns)


def drawn_items(  # noqa: PLR0913 - sizes, shares and chance
    n: int, n_rows: int, more: int, draws: int, shares: Sequence[float], rng: np.random.Generator
) -> list[Integers]:
    """Draw further items for several tests at once: the same items in all of them.

    An item comes out as tonight or as in one of the nights. Where it comes out as in a night in the test in
    which nights count most, it does so in another test as often as its share is of the greatest one, and
    else as tonight.

    Args:
        n: items of tonight.
        n_rows: rows of ``items_of_nights``: n of tonight, then n of each night.
        more: further items.
        draws: number of draws.
        shares: for each test, share of further items that come out as in a night, 0 to 1.
        rng: random generator.

    Returns:
        For each test how often each row counts, shape (draws, n_rows): tonight's n items once, and the
        further ones.
    """
    nights, greatest = n_rows - n, max(shares)
    if not nights:
        greatest = 0.0
    of_nights = rng.binomial(more, greatest, size=draws)
    tonight = rng.multinomial(more - of_nights, np.full(n, 1 / n)) + 1
    if not greatest:
        return [np.hstack([tonight, np.zeros((draws, nights), dtype=np.int64)]) for _ in shares]
    there = rng.multinomial(of_nights, np.full(nights, 1 / nights))
    found = []
    for share in shares:
        kept = rng.binomial(there, share / greatest)
        back = (there - kept).reshape(draws, -1, n).sum(axis=1)
        found.append(np.hstack([tonight + back, kept]))
    return found


def items_of_nights(by_role: Floats, nights: Floats) -> Floats:
    """Lay out the items as they would be if the candidate scattered as the runs of earlier nights did.

    An item's drift is that of a night, moved so that the mean drift stays tonight's. What the candidate adds
    to its pairs with k - 1 other runs moves their drift in its place by ``-1 / (k - 1)`` of it.

    Args:
        by_role: shape (n, k), ``drifts_by_role``; NaN for items without a drift.
        nights: shape (t, n), the items' drift in earlier nights; an item without one keeps tonight's.

    Returns:
        Shape ((t + 1) n, k): tonight's items, then those of the latest nights, at most 20,000 in all.

    Example:
        >>> tonight = np.array([[0.2, -0.1, -0.1], [0.0, 0.0, 0.0]])
        >>> items_of_nights(tonight, np.array([[0.3, 0.5]])).round(2).tolist()[2:]  # .3 and .5, less .3
        [[-0.0, 0.0, 0.0], [0.2, -0.1, -0.1]]
    """
    n, k = by_role.shape
    tonight = by_role[:, 0]
    known = ~np.isnan(tonight)
    found = [by_role]
    for night in reversed(nights[max(0, len(nights) + 1 - _MOST_ROWS // n) :]):
        there = known & ~np.isnan(night)
        added = np.zeros(n)
        if there.any():
            added[there] = night[there] - night[there].mean() + tonight[there].mean() - tonight[there]
        others = np.full(k - 1, -1 / max(k - 1, 1))
        found.append(by_role + added[:, None] * np.r_[1.0, others])
    return np.concatenate(found)


def added_by_nights(nights: Floats) -> Floats:
    """Estimate what a run adds at some item, from the runs of earlier nights.

    It is a night's drift less the night's mean and the item's mean over nights, scaled up by what that lacks
    in variance.

    Args:
        nights: shape (t, n), the items' drift in earlier nights; NaN where a night has none.

    Returns:
        Shape (m,), one value for each item and night with a drift; empty with fewer than two nights.

    Example:
        >>> added_by_nights(np.array([[0.2, 0.0], [0.0, 0.2]])).round(3).tolist()  # .1 * sqrt(2)
        [0.141, -0.141, -0.141, 0.141]
    """
    complete = nights[:, ~np.isnan(nights).any(axis=0)]
    t = len(complete)
    if t < 2:  # noqa: PLR2004 - nothing to compare with
        return np.empty(0)
    centred = complete - complete.mean(axis=1, keepdims=True)
    return np.asarray((centred - centred.mean(axis=0)).ravel() * sqrt(t / (t - 1)))
