"""Bootstrap of clusters: draws in blocks of bounded size, and percentile intervals."""

from collections.abc import Iterator
from numbers import Real

import numpy as np
from scipy.special import ndtr, stdtrit

from semscale.errors import InputError
from semscale.types import Floats

_BLOCK_CELLS = 65_536  # so that draws, counts and what is made of them stay in the processor's cache

FEWEST_CLUSTERS = 10
"""With fewer, percentiles of a bootstrap cover too little: there intervals are made with t quantiles."""


def check_interval(interval: float) -> None:
    """Reject a coverage that no interval can have.

    Raises:
        InputError: not a number between 0 and 1.
    """
    if isinstance(interval, bool) or not isinstance(interval, Real) or not 0 < interval < 1:
        raise InputError(f"interval must lie between 0 and 1, such as 0.95 for 95 %, got {interval!r}")


def check_seed(seed: int) -> None:
    """Refuse a seed that NumPy's generators do not take.

    Raises:
        InputError: not a whole number of at least 0.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, got {seed!r}")


def drawn_counts(m: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Draw m clusters with replacement, again and again.

    Args:
        m: how many clusters there are, at least 1.
        replicates: how many times to draw.
        rng: where the randomness comes from; each block takes from it in order.

    Yields:
        Shape (b, m): how often each cluster was drawn in b replicates; rows sum to m.

    Example:
        >>> blocks = list(drawn_counts(3, 10, np.random.default_rng(0)))
        >>> np.concatenate(blocks).sum(axis=1).tolist() == [3.0] * 10
        True
    """
    size = max(1, _BLOCK_CELLS // m)
    for start in range(0, replicates, size):
        b = min(size, replicates - start)
        drawn = rng.integers(0, m, size=(b, m)) + np.arange(b)[:, None] * m
        yield np.bincount(drawn.ravel(), minlength=b * m).reshape(b, m).astype(np.float64)


def percentile_interval(replicates: Floats, m: int, interval: float) -> tuple[Floats, Floats]:
    """Read an interval off bootstrap replicates: expanded percentiles, which allow for few clusters.

    A plain percentile interval is too narrow for small m, by ``sqrt((m - 1) / m)`` and by normal instead of t
    quantiles. The tail is therefore ``Phi(sqrt(m / (m - 1)) * t_quantile(tail, m - 1))``.

    Args:
        replicates: shape (r, f); replicates that are not defined are NaN and set aside.
        m: how many clusters were resampled.
        interval: coverage, between 0 and 1.

    Returns:
        Low and high ends, shapes (f,); NaN with fewer than two clusters or where no replicate is defined.

    References:
        Hesterberg (2015), The American Statistician 69(4), 371-386, doi 10.1080/00031305.2015.1089789.
    """
    figures = replicates.shape[1]
    low, high = np.full(figures, np.nan), np.full(figures, np.nan)
    if m < 2:  # noqa: PLR2004
        return low, high
    tail = float(ndtr(np.sqrt(m / (m - 1)) * stdtrit(m - 1, (1 - interval) / 2)))
    for figure in range(figures):
        defined = replicates[:, figure]
        defined = defined[~np.isnan(defined)]
        if defined.size:
            low[figure], high[figure] = np.quantile(defined, [tail, 1 - tail])
    return low, high
