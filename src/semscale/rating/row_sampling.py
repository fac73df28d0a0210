"""What can be kept of rows that stream by: a seeded sample, distinct texts, agreement of anchor sets."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.embedding.engines.windows import encodable
from semscale.stats.intervals.moments import Moments
from semscale.types import Floats, Integers

MAX_DISTINCT = 5_000_000
"""Above this many distinct texts nobody counts on."""

_LEAST_VARIANCE = 1e-12


def priorities(rows: Integers, seed: int) -> npt.NDArray[np.uint64]:
    """Give each row a random number that depends on nothing but the row and the seed.

    The rows with the smallest numbers are a uniform sample without replacement, in however many parts they
    came.

    Args:
        rows: shape (n,), places in the file, from 0.
        seed: any integer.

    Returns:
        Shape (n,), uniform over 64 bits.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA,
        doi 10.1145/2660193.2660195 (SplitMix64's mixing function).

    Example:
        >>> whole = priorities(np.arange(4), seed=1)
        >>> bool((whole[2:] == priorities(np.array([2, 3]), seed=1)).all())
        True
    """
    with np.errstate(over="ignore"):
        mixed = _mix(np.asarray([seed & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64) + _GAMMA)
        return _mix((rows.astype(np.uint64) + np.uint64(1)) * _GAMMA ^ mixed)


_GAMMA = np.uint64(0x9E37_79B9_7F4A_7C15)


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))


class DistinctCount:
    """Counts distinct texts by their 64-bit hashes, as long as there are at most 5,000,000.

    Example:
        >>> distinct = DistinctCount()
        >>> distinct.add(["good", "bad", "good"])
        >>> distinct.add(["bad"])
        >>> distinct.count
        2
    """

    def __init__(self) -> None:
        self._known: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._pending: list[npt.NDArray[np.uint64]] = []
        self._too_many = False

    def add(self, texts: Sequence[str]) -> None:
        """Add texts."""
        if self._too_many:
            return
        self._pending.append(_as_series(texts).unique().hash(seed=0).to_numpy())
        # Joined only when as much is waiting as is known, so that each hash is sorted a few times at most.
        if sum(map(len, self._pending)) >= len(self._known):
            self._join()

    @property
    def count(self) -> int | None:
        """How many there were; ``None`` above 5,000,000."""
        self._join()
        return None if self._too_many else len(self._known)

    def _join(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._pending]))
        self._pending = []
        if len(self._known) > MAX_DISTINCT:
            self._too_many = True
            self._known = np.empty(0, dtype=np.uint64)


def _as_series(texts: Sequence[str]) -> pl.Series:
    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:  # half of a surrogate pair
        return pl.Series([encodable(text) for text in texts], dtype=pl.String)


def set_moments(set_means: Floats, values: Floats) -> Moments:
    """Sum up means under each anchor set, so that their correlations need no second look at the rows.

    Args:
        set_means: shape (n, s), scored rows only.
        values: shape (k,), of the scale's points; their centre is taken off, so that sums stay precise.
    """
    ones = np.ones((len(set_means), 1))
    return Moments.empty(set_means.shape[1]).added(np.hstack([set_means - values.mean(), ones]))


def set_correlations(moments: Moments) -> Floats:
    """Correlate the means under anchor sets, from their sums.

    Returns:
        Shape (s, s); NaN where a set's means do not vary, or with fewer than two rows.

    Example:
        >>> set_correlations(set_moments(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1.0, 2.0]))).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    s = len(moments.total) - 1
    if moments.n < 2:  # noqa: PLR2004
        return np.full((s, s), np.nan)
    mean = moments.mean
    covariance = moments.outer[:s, :s] / moments.n - np.outer(mean, mean)
    variance = np.diag(covariance)
    deviation = np.sqrt(np.where(variance > _LEAST_VARIANCE, variance, np.nan))
    correlations: Floats = np.clip(covariance / np.outer(deviation, deviation), -1, 1)
    return correlations
